"""Building compounds in contexts from a parsed corpus."""

from __future__ import annotations

import gc
import re
from collections import Counter

import pytest

from builders.invented_corpus import SMALL, write_corpus
from recombine.builders.check import check_benchmark
from recombine.builders.compounds.assemble import paper_patterns
from recombine.builders.compounds.builder import Compounds
from recombine.builders.compounds.contexts import compose
from recombine.builders.compounds.control import CompoundFinder
from recombine.builders.recipe import build, read_recipe
from recombine.errors import ConfigError, DataError
from recombine.metrics.compound.metric import Compound

pytest.importorskip("numba")


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    """A benchmark of the invented corpus."""
    folder = tmp_path_factory.mktemp("compounds")
    corpus = write_corpus(folder / "corpus.tsv")
    return build("compounds", folder / "out", overrides=[*SMALL, f"corpus='{corpus}'"])


def test_every_compound_has_its_contexts(benchmark):
    """Three contexts each, the compound exactly once, atoms where the focus says."""
    examples = benchmark.read("gen")
    assert set(Counter(example.group for example in examples).values()) == {3}
    for example in examples:
        compound = example.tags["compound"]
        assert example.source.lower().count(compound) == 1
        for focus in example.focus:
            assert example.source[focus.start : focus.end].lower() == focus.text
        assert " ".join(focus.text for focus in example.focus) == compound
        assert [focus.role for focus in example.focus] == example.tags["pattern"].split()


def test_the_lexicon_comes_from_alignments(benchmark):
    """Word by word, the invented target has one rendering per word."""
    lines = (benchmark.path / "atoms.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines[1:]]
    renderings = {row[2]: row[5] for row in rows if row[1] == "N"}
    assert renderings
    assert set(renderings.values()) <= {"hund", "katze", "haus", "auto", "mann", "baum"}


def test_original_sentences_are_kept(benchmark):
    """Split `context` holds each template's sentence with its reference and its own phrase."""
    originals = benchmark.read("context")
    train = {example.source for example in benchmark.read("train")}
    assert all(example.source in train for example in originals)
    assert all(example.references for example in originals)
    metric = Compound()
    assert metric.key(originals[0]) is not None


def test_only_function_words_that_the_recipe_names_are_asked_for_in_original_phrases(tmp_path):
    """An article that the benchmark never asks for is often no word of the translation."""
    corpus = write_corpus(tmp_path / "corpus.tsv")
    named = "roles.DET={count=2, relations=['det'], unchecked=true, words=['every', 'another']}"
    options = [*(one for one in SMALL if not one.startswith("roles.DET")), named]
    made = build("compounds", tmp_path / "out", overrides=[*options, f"corpus='{corpus}'"])
    asked = {
        focus.text.lower(): bool(focus.accepted)
        for example in made.read("context")
        for focus in example.focus
        if focus.role == "DET"
    }
    assert asked["every"]
    assert not asked["this"]


def test_the_splits_partition_the_filtered_corpus(benchmark):
    """Dev and test are held out; the templates come from train."""
    train, dev, test = (
        {example.source for example in benchmark.read(split)} for split in ("train", "dev", "test")
    )
    assert len(dev) == len(test) == 20
    assert not train & dev
    assert not train & test


def test_the_certificate_can_be_recomputed(benchmark):
    """`recombine check` counts compounds, contexts and compounds seen in training again."""
    assert check_benchmark(benchmark) == []


def test_letters_with_marks_of_their_own_move_no_place(tmp_path):
    """What is written is composed: foci of such a corpus stood behind their words."""
    lines = write_corpus(tmp_path / "corpus.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.replace("dog", "do\u0301g") for line in lines[1:]]
    forms = [" ".join(re.findall("[\\w\u0301]+|[.]", row.split("\t")[0])) for row in rows]
    table = [f"{row}\t{words}" for row, words in zip(rows, forms, strict=True)]
    corpus = tmp_path / "decomposed.tsv"
    corpus.write_text("\n".join([f"{lines[0]}\tforms", *table]) + "\n", encoding="utf-8")
    made = build("compounds", tmp_path / "out", overrides=[*SMALL, f"corpus='{corpus}'"])
    assert any("d\u00f3g" in example.source for example in made.read("gen"))
    assert check_benchmark(made) == []


def test_garbage_is_collected_again_after_a_build(tmp_path):
    """Also after one that failed."""
    with pytest.raises(DataError):
        build("compounds", tmp_path / "out", overrides=[*SMALL, "corpus='nothing.tsv'"])
    assert gc.isenabled()


def test_statistics_of_the_filter_are_kept(benchmark):
    """The paper's Tables 7 and 8 for this corpus."""
    lines = (benchmark.path / "statistics.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("stage\tpairs\tsource_tokens")
    assert [line.split("\t")[0] for line in lines[1:]] == ["read", "kept"]


def test_the_same_seed_gives_the_same_bytes(benchmark, tmp_path):
    """A recipe and a seed say everything."""
    corpus = benchmark.manifest.recipe["corpus"]
    again = build("compounds", tmp_path / "again", overrides=[*SMALL, f"corpus='{corpus}'"])
    assert again.manifest.files == benchmark.manifest.files


def test_references_come_back_from_a_review(benchmark, tmp_path):
    """The review file goes out empty and comes in filled."""
    lines = (benchmark.path / "review.tsv").read_text(encoding="utf-8").splitlines()
    header, first = lines[0].split("\t"), lines[1].split("\t")
    source = first[header.index("source")]
    first[header.index("reference")] = "Eine gute Übersetzung."
    filled = tmp_path / "filled.tsv"
    filled.write_text("\n".join([lines[0], "\t".join(first), *lines[2:]]) + "\n", "utf-8")
    corpus = benchmark.manifest.recipe["corpus"]
    again = build(
        "compounds",
        tmp_path / "again",
        overrides=[*SMALL, f"corpus='{corpus}'", f"references='{filled}'"],
    )
    found = [example.references for example in again.read("gen") if example.source == source]
    assert ("Eine gute Übersetzung.",) in found


def test_atoms_with_capitals_pass_their_own_check(tmp_path):
    """The lexicon has a name as it is written, the sentences' atoms are in lower case."""
    corpus = write_corpus(tmp_path / "corpus.tsv")
    text = corpus.read_text(encoding="utf-8").replace("home", "Rome").replace("town", "Paris")
    corpus.write_text(text, encoding="utf-8")
    named = build("compounds", tmp_path / "b", overrides=[*SMALL, f"corpus='{corpus}'"])
    assert "Rome" in (named.path / "atoms.tsv").read_text(encoding="utf-8")
    assert check_benchmark(named) == []


def test_novel_compounds_only_by_default(benchmark, tmp_path):
    """Compounds that the training data has are left out unless asked for."""
    corpus = benchmark.manifest.recipe["corpus"]
    options = [*(one for one in SMALL if not one.startswith("keep_seen")), f"corpus='{corpus}'"]
    novel = build("compounds", tmp_path / "novel", overrides=options)
    words = [example.source.lower().rstrip(".").split() for example in novel.read("train")]
    texts = {example.tags["compound"] for example in novel.read("gen")}
    finder = CompoundFinder(texts)
    assert not any(map(finder.in_words, words))


@pytest.mark.parametrize("keep", [True, False])
def test_new_heads_are_preferred_only_where_compounds_must_be_new(
    benchmark, tmp_path, monkeypatch, keep
):
    """Beside new compounds, seen ones are wanted of every pattern."""
    corpus = benchmark.manifest.recipe["corpus"]
    options = [*SMALL, f"keep_seen={str(keep).lower()}", f"corpus='{corpus}'"]
    preferred = []

    def spy(*arguments):
        for one in compose(*arguments):
            preferred.append(arguments[-1](one))
            yield one

    monkeypatch.setattr("recombine.builders.compounds.assemble.compose", spy)
    build("compounds", tmp_path / "again", overrides=options)
    assert all(preferred) == keep


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["patterns.XP=['DET N']"], "has no slot"),
        (["patterns.NP=['DET FOO N']"], "'FOO'"),
        (["patterns.VP=['DET N']"], "must begin with its head"),
    ],
)
def test_wrong_patterns_are_refused(tmp_path, overrides, message):
    """Before anything is read."""
    with pytest.raises(ConfigError, match=message):
        build("compounds", tmp_path / "b", overrides=[*SMALL, "corpus='x.tsv'", *overrides])


def test_a_corpus_without_the_language_is_explained(tmp_path):
    """No translation, no pairs."""
    corpus = write_corpus(tmp_path / "corpus.tsv", 50)
    options = [*SMALL, f"corpus='{corpus}'", "benchmark.target='fr'"]
    with pytest.raises(DataError, match="0 pairs are left") as caught:
        build("compounds", tmp_path / "b", overrides=options)
    assert "no translation: 50" in str(caught.value.hint)


def test_translations_may_lie_in_a_file_of_their_own(benchmark, tmp_path):
    """Line by line; another number of lines is a fault."""
    rows = [
        line.split("\t")
        for line in write_corpus(tmp_path / "c.tsv", 400).read_text("utf-8").splitlines()
    ]
    corpus, target = tmp_path / "source.tsv", tmp_path / "target.de"
    corpus.write_text("\n".join("\t".join([r[0], *r[2:]]) for r in rows) + "\n", "utf-8")
    target.write_text("\n".join(r[1] for r in rows[1:]) + "\n", "utf-8")
    options = [*SMALL, f"corpus='{corpus}'", f"target_corpus='{target}'"]
    assert build("compounds", tmp_path / "b", overrides=options).read("gen")
    target.write_text("\n".join(r[1] for r in rows[2:]) + "\n", "utf-8")
    with pytest.raises(DataError, match="fewer lines"):
        build("compounds", tmp_path / "b2", overrides=options)


def columns(path, sentences):
    """Return the rows of an invented corpus and the file of its translations."""
    lines = write_corpus(path / "c.tsv", sentences).read_text("utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    (path / "source.en").write_text("\n".join(row[0] for row in rows) + "\n", "utf-8")
    (path / "target.de").write_text("\n".join(row[1] for row in rows) + "\n", "utf-8")
    return rows, [
        *SMALL,
        f"corpus='{path / 'source.en'}'",
        f"target_corpus='{path / 'target.de'}'",
    ]


def test_raw_text_goes_through_a_parser(tmp_path, monkeypatch):
    """A spaCy pipeline of the user's own: here one that knows the invented sentences."""
    spacy = pytest.importorskip("spacy")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rows, options = columns(tmp_path, 400)
    known = {row[0]: row for row in rows}

    @spacy.language.Language.component("invented_parser")
    def parse(document):
        _, _, lemmas, relations, heads = known[document.text]
        for token, lemma, relation, head in zip(
            document, lemmas.split(), relations.split(), heads.split(), strict=True
        ):
            token.lemma_, token.dep_ = lemma, relation
            token.head = document[int(head) - 1] if head != "0" else token
        return document

    pipeline = spacy.blank("en")
    pipeline.add_pipe("invented_parser", name="parser")
    pipeline.to_disk(tmp_path / "model")
    options.append(f"parser='spacy:{tmp_path / 'model'}'")
    parsed = build("compounds", tmp_path / "b", overrides=options)
    same = [*SMALL, f"corpus='{tmp_path / 'c.tsv'}'"]
    given = build("compounds", tmp_path / "b2", overrides=same)
    assert (parsed.path / "gen.jsonl").read_bytes() == (given.path / "gen.jsonl").read_bytes()
    # The parse is kept for the other builders of the same text.
    assert len(list((tmp_path / "cache").rglob("*.conllu"))) == 1


def test_a_role_that_nothing_uses_is_refused():
    """A name that was misspelt would change nothing, and say nothing."""
    with pytest.raises(ConfigError, match="no pattern uses the role 'MODD'") as caught:
        read_recipe("compounds", ["corpus=x", "roles.MODD.count=3"])
    assert "MOD, N" in (caught.value.hint or "")


def test_too_few_atoms_are_explained(tmp_path):
    """Which role lacks how many."""
    corpus = write_corpus(tmp_path / "corpus.tsv", 300)
    options = [*SMALL, f"corpus='{corpus}'", "roles.N={count=40}"]
    with pytest.raises(DataError, match="role N: 6 of the 40 asked for"):
        build("compounds", tmp_path / "b", overrides=options)


def test_the_paper_has_twelve_patterns():
    """Three categories of four."""
    assert sum(map(len, paper_patterns().values())) == 12
    assert Compounds(corpus="x").contexts == 5
