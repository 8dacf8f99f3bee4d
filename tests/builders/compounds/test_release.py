"""A published test of compounds, read from its folder."""

from __future__ import annotations

import pytest

from recombine.benchmark import Benchmark
from recombine.builders.check import check_benchmark
from recombine.builders.compounds.release import CompoundRelease, read_lexicon
from recombine.builders.recipe import build, read_recipe
from recombine.errors import ConfigError, DataError, Problems, RecombineError
from recombine.methods.compounds.factors import compound_text, count_in
from recombine.testing import check_builder

ROLES = ["roles.DET=['every']", "roles.N=['dog','cat']", "roles.MOD=['he liked']"]


def release(folder, *, compounds=None, sources=None, lexicon=None):
    """Write a tiny release of two compounds in two contexts."""
    compounds = compounds or ["every dog", "every dog", "every cat he liked", "every cat he liked"]
    sources = sources or [
        "every dog slept .",
        "then every dog ran .",
        "every cat he liked slept .",
        "then every cat he liked ran .",
    ]
    lexicon = lexicon or "every\t每/所有\ndog\t狗\ncat\t猫\nmod0\t他喜欢的\n"
    place = folder / "cg-test" / "NP"
    place.mkdir(parents=True)
    (place / "NP.compound").write_text("\n".join(compounds) + "\n", encoding="utf-8")
    (place / "NP.en").write_text("\n".join(sources) + "\n", encoding="utf-8")
    (place / "NP.zh").write_text("每只狗\n每只狗\n他喜欢的每只猫\n他喜欢的每只猫\n", "utf-8")
    (folder / "lexicon").write_text(lexicon, encoding="utf-8")
    (folder / "valid.en").write_text("a dog .\n", encoding="utf-8")
    (folder / "valid.zh").write_text("一 只 狗 。\n", encoding="utf-8")
    return folder


def make(folder, out, *overrides):
    """Build the tiny release with the builder's own recipe keys."""
    return build("compound-release", out, overrides=[*make_options(folder), *overrides])


def make_options(folder):
    """Return the recipe keys of the tiny release."""
    languages = ["benchmark.source='en'", "benchmark.target='zh'"]
    return [*languages, f"path='{folder}'", "phrases.he liked='mod0'", *ROLES]


def test_parses_give_the_dependency_distance(tmp_path):
    """From a file in any order, or from a parser; a sentence without a parse is a fault."""
    folder = release(tmp_path / "r")
    sentences = (folder / "cg-test/NP/NP.en").read_text("utf-8").splitlines()
    rows = ["source\tlemmas\trelations\theads"]
    for text in reversed(sentences):
        size = len(text.split())
        relations = " ".join(["root", *["dep"] * (size - 2), "punct"])
        rows.append("\t".join((text, text, relations, " ".join(["0", *["1"] * (size - 1)]))))
    parses = tmp_path / "parses.tsv"
    parses.write_text("\n".join(rows) + "\n", "utf-8")
    benchmark = make(folder, tmp_path / "b", f"parses='{parses}'")
    assert [example.tags["mdd"] for example in benchmark.read("gen")] == [1.5, 2.0, 2.5, 3.0]
    parsed = make(folder, tmp_path / "b2", "parser='words'").read("gen")
    assert parsed[0].tags["mdd"] == 2.0
    parses.write_text("\n".join(rows[:-1]) + "\n", "utf-8")
    with pytest.raises(DataError, match="1 of 4 sentences of the test have no parse"):
        make(folder, tmp_path / "b3", f"parses='{parses}'")


def test_frequencies_of_missing_training_data(tmp_path):
    """The rarest word of each compound; a word without a count is a fault."""
    folder = release(tmp_path / "r")
    counts = tmp_path / "dict.en.txt"
    counts.write_text("every 90\ndog 40\ncat 30\nhe 99\nliked\t12\n", "utf-8")
    examples = make(folder, tmp_path / "b", f"frequencies='{counts}'").read("gen")
    assert [example.tags["rarest_atom"] for example in examples] == [40, 40, 12, 12]
    counts.write_text("every 90\ndog 40\ncat 30\nhe 99\n", "utf-8")
    with pytest.raises(DataError, match="the word 'liked' has no frequency"):  # once, not twice
        make(folder, tmp_path / "b2", f"frequencies='{counts}'")
    counts.write_text("every\n", "utf-8")
    with pytest.raises(DataError, match="'word count'"):
        make(folder, tmp_path / "b3", f"frequencies='{counts}'")


def test_every_example_knows_its_compound(tmp_path):
    """Pattern, category, atoms with places, accepted renderings and group."""
    benchmark = make(release(tmp_path / "r"), tmp_path / "b", "compounds=2", "contexts=2")
    examples = benchmark.read("gen")
    last = examples[-1]
    assert last.tags["pattern"] == "DET N MOD"
    assert (last.tags["category"], last.tags["length"], last.tags["contexts"]) == ("NP", 3, 2)
    assert last.tags["context_length"] == 3
    assert last.group == examples[2].group != examples[0].group
    for focus in last.focus:
        assert last.source[focus.start : focus.end] == focus.text
    assert last.focus[2].accepted == ("他喜欢的",)
    assert check_benchmark(benchmark) == []


def test_targets_of_unspaced_languages_are_joined(tmp_path):
    """References are raw text, always."""
    benchmark = make(release(tmp_path / "r"), tmp_path / "b")
    assert benchmark.read("dev")[0].references == ("一只狗。",)


def test_the_authors_repository_with_its_training_pairs(tmp_path):
    """`data/` holds train, valid, test and cg-test; training counts compounds and rarest atoms."""
    root = tmp_path / "CoGnition"
    folder = release(root / "data")
    pairs = {
        "train": (["every dog ran .", "every cat ran .", "a dog he liked ."], ["每只狗 跑 。"] * 3),
        "test": (["a cat ."], ["一 只 猫 。"]),
    }
    for name, sides in pairs.items():
        for language, lines in zip(("en", "zh"), sides, strict=True):
            (folder / f"{name}.{language}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    benchmark = make(root, tmp_path / "b")
    assert benchmark.splits == ("train", "dev", "test", "gen")
    assert benchmark.read("train")[0].references == ("每只狗跑。",)
    assert check_benchmark(benchmark) == []
    examples = benchmark.read("gen")
    counts = count_in((one.source for one in benchmark.iterate("train")), examples)
    shots = {compound_text(one): counts.occurrences[compound_text(one)] for one in examples}
    assert shots == {"every dog": 1, "every cat he liked": 0}
    (folder / "train.zh").write_text("每只狗\n", encoding="utf-8")
    with pytest.raises(DataError, match="1 lines, but"):
        make(root, tmp_path / "b2")


def test_missing_splits_are_left_out(tmp_path):
    """Not everybody has the training data."""
    assert make(release(tmp_path / "r"), tmp_path / "b").splits == ("dev", "gen")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sources": ["every cat slept .", "x every dog", "every cat he liked", "y"]}, "not in"),
        ({"lexicon": "every\t每\ndog\t狗\nmod0\t他喜欢的\n"}, "no translation of 'cat'"),
        ({"compounds": ["every fox", "every dog", "every cat", "every cat"]}, "has no role"),
        ({"lexicon": "every 每\n"}, "1 columns, expected 2 (word, renderings)"),
    ],
)
def test_faults_are_named(tmp_path, change, message):
    """Which sentence, which word."""
    with pytest.raises(RecombineError) as caught:
        make(release(tmp_path / "r", **change), tmp_path / "b")
    error = caught.value
    texts = [str(one) for one in error.problems] if isinstance(error, Problems) else [str(error)]
    assert any(message in text for text in texts)
    assert not (tmp_path / "b").exists()


def test_groups_must_have_the_promised_size(tmp_path):
    """Five contexts means five for every compound."""
    with pytest.raises(RecombineError):
        make(release(tmp_path / "r"), tmp_path / "b", "contexts=5")
    with pytest.raises(DataError, match="2 compounds, 3 are expected"):
        make(release(tmp_path / "r2"), tmp_path / "b", "compounds=3")


def test_other_encodings_are_refused(tmp_path):
    """Not UTF-8 is said with file and line."""
    folder = release(tmp_path / "r")
    (folder / "cg-test" / "NP" / "NP.zh").write_bytes("每只狗\n".encode("gbk"))
    with pytest.raises(DataError, match="not UTF-8"):
        make(folder, tmp_path / "b")


def test_a_wrong_folder_is_explained(tmp_path):
    """No folder, no cg-test, no lexicon."""
    with pytest.raises(ConfigError, match="not given"):
        build("cognition", tmp_path / "b")
    with pytest.raises(DataError, match="no folder 'cg-test'"):
        make(tmp_path, tmp_path / "b")
    folder = release(tmp_path / "r")
    (folder / "lexicon").unlink()
    with pytest.raises(ConfigError, match="lexicon was not found"):
        make(folder, tmp_path / "b")


def test_the_later_lexicon_entry_wins(tmp_path):
    """As in the published tool; a lone slash means never checked."""
    path = tmp_path / "lexicon"
    path.write_text("a\tx\na\ty/\nthe\t/\n", encoding="utf-8")
    assert read_lexicon(path) == {"a": ("y", ""), "the": ()}


@pytest.mark.reference
def test_the_release_has_2160_compounds_in_five_contexts(reference_data, tmp_path):
    """40/200/80/400 compounds per pattern and category, five sentences each."""
    folder = reference_data / "cognition"
    if not folder.is_dir():
        pytest.skip("no cognition in RECOMBINE_REFERENCE_DATA")
    benchmark = build("cognition", tmp_path / "b", overrides=[f"path='{folder}'"])
    examples = Benchmark.open(benchmark.path).read("gen")
    assert len(examples) == 10_800
    assert len({example.group for example in examples}) == 2160
    sizes = {}
    for example in examples:
        key = example.tags["category"], example.tags["pattern"]
        sizes[key] = sizes.get(key, 0) + 1
    assert sorted(sizes.values()) == sorted([200, 1000, 400, 2000] * 3)


def test_a_plan_counts_without_building(tmp_path):
    """--dry-run shows the sentences of each category."""
    assert CompoundRelease(path=release(tmp_path / "r")).plan() == {"categories": {"NP": 4}}


def test_the_contract_holds(tmp_path):
    """Valid examples and the same bytes twice."""
    folder = tmp_path / "release"
    release(folder)
    options = [*make_options(folder), "compounds=2", "contexts=2"]
    check_builder(lambda: read_recipe("compound-release", options).builder)
