"""The generator of consistency tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.benchmark import Benchmark, Example
from recombine.builders.check import check_benchmark, proof_faults
from recombine.builders.consistency import sentences
from recombine.builders.consistency.builder import ConsistencyTests
from recombine.builders.recipe import build, read_recipe
from recombine.corpus.segment import segment
from recombine.errors import ConfigError, RecombineError

SMALL = (
    "sentences=5",
    "pairs=8",
    "triples=6",
    "synonym_samples=2",
    "idiom_samples=2",
    "context_samples=2",
    "repeats=7",
)


@pytest.fixture(scope="module")
def benchmark_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small benchmark of everything that needs no corpus."""
    out = tmp_path_factory.mktemp("consistency") / "bench"
    build("consistency", out, seed=1, overrides=SMALL)
    return out


@pytest.fixture(scope="module")
def groups(benchmark_dir: Path) -> dict[str, dict[str, Example]]:
    """Group -> role -> example of the systematicity and substitutivity splits."""
    found: dict[str, dict[str, Example]] = {}
    benchmark = Benchmark.open(benchmark_dir)
    for split in ("systematicity", "substitutivity"):
        for example in benchmark.iterate(split):
            assert example.group is not None
            assert example.role is not None
            found.setdefault(example.group, {})[example.role] = example
    return found


def test_sizes(benchmark_dir: Path) -> None:
    """Sizes follow the recipe: 10 templates, 20 synonym pairs, 20 idioms."""
    splits = Benchmark.open(benchmark_dir).manifest.splits
    assert splits["sentences"] == 50
    assert splits["systematicity"] == 10 * (8 * 3 + 6 * 3)
    assert splits["substitutivity"] == 10 * 20 * 2 * 2
    assert splits["overgeneralisation"] == 10 * 20 * 2
    assert splits["context"] == 20 * 2


def test_minimal_pairs_differ_in_one_token(groups: dict[str, dict[str, Example]]) -> None:
    """NP and VP variants differ in one noun of the same number, named by the focus."""
    seen = 0
    for members in groups.values():
        for role in ("np", "vp"):
            if role not in members:
                continue
            base, variant = segment(members["base"].source), segment(members[role].source)
            changed = [place for place, word in enumerate(base) if word != variant[place]]
            assert len(base) == len(variant)
            assert len(changed) == 1
            focus = members[role].focus[0]
            assert members[role].source[focus.start : focus.end] == variant[changed[0]]
            # The verb did not change, so the number did not either.
            assert members[role].references
            seen += 1
    assert seen == 160


def test_triples_share_the_second_conjunct(groups: dict[str, dict[str, Example]]) -> None:
    """S1, S1' and S3 stand before the same S2; S1 and S1' differ in one noun."""
    triples = [members for name, members in groups.items() if name.startswith("conj/")]
    assert len(triples) == 60
    for members in triples:
        assert set(members) == {"base", "s1p", "s3"}
        seconds = {example.source.split(", and ", 1)[1] for example in members.values()}
        assert len(seconds) == 1
        first, prime, third = (
            members[role].source.split(" , and ", 1)[0].split() for role in ("base", "s1p", "s3")
        )
        assert sum(a != b for a, b in zip(first, prime, strict=True)) == 1
        assert first != third


def test_synonyms_swap_the_term_alone(groups: dict[str, dict[str, Example]]) -> None:
    """Putting the first term back gives the base sentence."""
    for name, members in groups.items():
        if name.startswith("synonym/"):
            base, variant = members["base"], members["synonym"]
            assert base.source == variant.source.replace(variant.focus[0].text, base.focus[0].text)
            assert base.source != variant.source
            assert base.focus[0].accepted


def test_clauses_agree_with_their_noun(groups: dict[str, dict[str, Example]]) -> None:
    """A plural noun takes the plural clause."""
    clauses = [
        members["base"].source
        for name, members in groups.items()
        if name.startswith("synonym/synthetic/t6/0/")
    ]
    for source in clauses:
        noun = source.split()[1]
        plural = noun.endswith("s") or noun in ("men", "women", "children")
        assert ("that travel by" in source) == plural


def test_idioms_stand_where_the_focus_says(benchmark_dir: Path) -> None:
    """Every example contains its idiom, in templates and among random words."""
    benchmark = Benchmark.open(benchmark_dir)
    for split in ("overgeneralisation", "context"):
        for example in benchmark.iterate(split):
            idiom = example.focus[0]
            assert example.source[idiom.start : idiom.end].lower() == idiom.text
    assert len(example.source.split()) == 10 + len(idiom.text.split())


def test_probes_cover_what_the_metrics_need(benchmark_dir: Path) -> None:
    """Nouns in both numbers, second conjuncts, bare words, repeats."""
    kinds: dict[str, int] = {}
    for example in Benchmark.open(benchmark_dir).iterate("probe"):
        kinds[str(example.tags["probe"])] = kinds.get(str(example.tags["probe"]), 0) + 1
    assert kinds["phrase"] == 54
    assert kinds["clause"] == 60
    assert kinds["repeat"] == 7
    assert kinds["word"] == 2 * (40 + 21)


def test_same_seed_same_bytes(benchmark_dir: Path, tmp_path: Path) -> None:
    """Seed and recipe decide every byte; sizes of one test do not disturb another."""
    again = build("consistency", tmp_path / "again", seed=1, overrides=SMALL)
    assert again.hash == Benchmark.open(benchmark_dir).hash
    more = build("consistency", tmp_path / "more", seed=1, overrides=(*SMALL, "synonym_samples=3"))
    assert more.manifest.files["systematicity.jsonl"] == again.manifest.files["systematicity.jsonl"]
    other = build("consistency", tmp_path / "other", seed=2, overrides=SMALL)
    assert other.hash != again.hash


def test_a_build_says_which_split_it_writes(tmp_path: Path, monkeypatch, capsys) -> None:
    """Half a million sentences take minutes: how many of which split there are."""
    monkeypatch.setattr("recombine.progress.LINE_SECONDS", 0.0)
    build("consistency", tmp_path / "out", overrides=SMALL)
    assert "write substitutivity: " in capsys.readouterr().err


def test_check_finds_a_pair_that_is_not_minimal(benchmark_dir: Path) -> None:
    """The certificate can be re-verified from the files alone."""
    benchmark = Benchmark.open(benchmark_dir)
    builder = read_recipe("consistency", SMALL).builder
    assert proof_faults(benchmark, builder.prove(benchmark)) == []
    rows = list(benchmark.iterate("systematicity"))
    spoiled = rows[1]
    object.__setattr__(spoiled, "source", spoiled.source + " indeed")

    class Spoiled(Benchmark):
        def iterate(self, split: str) -> object:  # type: ignore[override]
            return iter(rows) if split == "systematicity" else super().iterate(split)

    proof = builder.prove(Spoiled(benchmark.path, benchmark.manifest, benchmark.hash))
    assert "exactly one token" in str(proof.faults[0])


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (('data=["semi-natural"]',), "parsed corpus"),
        (('data=["natural"]',), "needs a text"),
        (("grammar=nowhere",), "no grammar 'nowhere'"),
        (("template.t11={np='subj', vp='obj', clause='obj'}",), "no template 't11'"),
        (("pears=3",), "pairs"),
    ],
)
def test_bad_recipes(overrides: tuple[str, ...], message: str, tmp_path: Path) -> None:
    """Mistakes are named before or while building, and nothing is left behind."""
    with pytest.raises(RecombineError) as caught:
        build("consistency", tmp_path / "out", overrides=(*SMALL, *overrides))
    assert message in caught.value.render()
    assert not (tmp_path / "out").exists()


def test_no_templates_is_an_error() -> None:
    """The builder without recipe says what a recipe needs."""
    with pytest.raises(ConfigError, match="no template"):
        ConsistencyTests()


CONLLU = """\
# text = The committee offers a service of car rental in the city .
1	The	the	DET	_	_	2	det	_	_
2	committee	committee	NOUN	_	_	3	nsubj	_	_
3	offers	offer	VERB	_	_	0	root	_	_
4	a	a	DET	_	_	5	det	_	_
5	service	service	NOUN	_	_	3	obj	_	_
6	of	of	ADP	_	_	8	case	_	_
7	car	car	NOUN	_	_	8	compound	_	_
8	rental	rental	NOUN	_	_	5	nmod	_	_
9	in	in	ADP	_	_	11	case	_	_
10	the	the	DET	_	_	11	det	_	_
11	city	city	NOUN	_	_	5	nmod	_	_
12	.	.	PUNCT	_	_	3	punct	_	_

"""


def test_semi_natural_and_natural_data(tmp_path: Path) -> None:
    """A parsed corpus fills the frames, a plain text gives sentences with synonyms and idioms."""
    corpus = tmp_path / "corpus.conllu"
    corpus.write_text(CONLLU, encoding="utf-8")
    frames = tmp_path / "frames.tsv"
    frames.write_text(
        "frame\tpattern\tfragment\n"
        "f1\tThe {subject} {fragment} .\tpredicate\n"
        "f2\tDid the {subject} hear about {fragment} ?\tnominal-pp\n",
        encoding="utf-8",
    )
    text = tmp_path / "text.en"
    text.write_text(
        "He came by airplane last week .\nIt came out of the blue .\nAn old man sat down .\n"
        "Nobody knows what happened there yesterday .\n",
        encoding="utf-8",
    )
    translations = tmp_path / "text.nl"
    translations.write_text("Hij vloog .\nHet kwam plotseling .\nEen man .\nNiemand .\n", "utf-8")
    benchmark = build(
        "consistency",
        tmp_path / "out",
        overrides=(
            *SMALL,
            "pairs=4",
            'data=["semi-natural","natural"]',
            f"parsed={corpus}",
            f"frames={frames}",
            "fragment_count=1",
            f"text={text}",
            f"translations={translations}",
        ),
    )
    sources = {example.source for example in benchmark.iterate("systematicity")}
    assert any("offer a service of car rental in the city." in source for source in sources)
    questions = [source for source in sources if source.endswith("in the city?")]
    assert questions
    assert all(source.startswith("Did the ") for source in questions)
    natural = [e for e in benchmark.iterate("substitutivity") if e.tags["data"] == "natural"]
    assert [example.source for example in natural] == [
        "He came by aeroplane last week.",
        "He came by airplane last week.",
    ]
    idioms = [e for e in benchmark.iterate("overgeneralisation") if e.tags["data"] == "natural"]
    assert [example.references for example in idioms] == [("Het kwam plotseling .",)]
    assert check_benchmark(benchmark) == []


def test_raw_text_with_a_parser_gives_frames_too(tmp_path: Path, monkeypatch) -> None:
    """The three keys of every builder of own text; a parser without relations cannot do it."""
    corpus, text = tmp_path / "corpus.conllu", tmp_path / "text.en"
    corpus.write_text(CONLLU, encoding="utf-8")
    text.write_text("It came out of the blue .\n", encoding="utf-8")
    asked = []

    def parse(path: Path, parser: str, **_: object) -> Path:
        asked.append((path, parser))
        return corpus

    monkeypatch.setattr(sentences, "parsed_text", parse)
    frames = tmp_path / "frames.tsv"
    frames.write_text(
        "frame\tpattern\tfragment\nf1\tThe {subject} {fragment} .\tpredicate\n", encoding="utf-8"
    )
    own = (f"text.en={text}", f"frames={frames}", "fragment_count=1", "pairs=4")
    made = build("consistency", tmp_path / "out", overrides=(*SMALL, *own, "parser=spacy:some"))
    assert asked == [(text, "spacy:some")]
    sources = {example.source for example in made.iterate("systematicity")}
    assert any("offer a service of car rental" in source for source in sources)
    assert made.manifest.recipe["data"] == ["synthetic", "semi-natural", "natural"]
    with pytest.raises(ConfigError, match="need dependency relations"):
        read_recipe("consistency", overrides=(*own, "parser=words"))
