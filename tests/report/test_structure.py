"""The structure of a source: what the page shows as a tree."""

from __future__ import annotations

import pytest

from recombine.benchmark import Benchmark, Example
from recombine.builders.recipe import build
from recombine.metrics.anatomy.dependencies import SHOWN_BY
from recombine.report.examples import explain, tell_fault
from recombine.report.structure import MOST_SENTENCES, SentenceReader, to_be_read
from recombine.report.words import read_words

WORDS = read_words()


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory) -> Benchmark:
    """A tiny SGET."""
    return build("sget-mini", tmp_path_factory.mktemp("b") / "b", overrides=("scale=0.1",))


def test_constituents_have_human_names_and_both_languages(benchmark):
    """A place phrase on a subject lies in it; the subject is what is asked about."""
    reader = SentenceReader(benchmark, WORDS)
    example = next(
        one for one in benchmark.iterate("gen") if one.tags["pattern"] == "pp_on_subject"
    )
    rows = reader.read(example)
    roles = [one.role for one in rows]
    assert "place phrase" in roles
    assert [one.role for one in rows if one.tested] == ["subject"]
    subject = next(one for one in rows if one.tested)
    assert subject.source in example.source
    assert subject.target in example.references[0]
    inside = rows[rows.index(subject) + 1]
    assert (inside.depth, inside.role) == (subject.depth + 1, "place phrase")


def test_every_pattern_can_be_read(benchmark):
    """All 42 patterns have constituents, and no name of a slot or category is shown."""
    reader = SentenceReader(benchmark, WORDS)
    first = {one.tags["pattern"]: one for one in benchmark.iterate("gen")}
    assert len(first) == 42
    for pattern, example in first.items():
        rows = reader.read(example)
        assert rows or len(example.source.split()) <= 3, pattern
        for one in rows:
            assert one.role.islower(), (pattern, one)
            assert one.role not in ("io", "obj", "subj", "theme", "inner", "n", "pp", "rc", "cp")


def test_what_the_grammar_does_not_say_is_left_out(benchmark):
    """A sentence of somebody else has no tree; a benchmark without a grammar none at all."""
    reader = SentenceReader(benchmark, WORDS)
    assert reader.read(Example.make(source="Colourless ideas sleep.", references=("x",))) == []


def test_few_of_many_are_read_wrong_ones_first():
    """Every pattern has its share, and of it what went wrong."""
    made = [
        (Example.make(source=f"s {n}", references=("r",), tags={"p": n % 3}), n % 2 == 0)
        for n in range(3 * MOST_SENTENCES)
    ]
    places = to_be_read(made, "p")
    assert len(places) == MOST_SENTENCES
    assert all(made[place][1] for place in places)
    assert to_be_read(made[:5], "p") == [0, 1, 2, 3, 4]


def test_faults_are_told_as_somebody_saw_them():
    """Slots have names, senses none; what has another form stays; two meanings are shown."""

    def told(*row: str) -> str:
        return tell_fault(row, WORDS)

    kept = told("recursion level skipped", "kept", "pp", "2", "3")
    assert kept == "kept 2 of 3 levels (place phrase)"
    assert told("argument dropped", "slot", "io", "Emma") == "dropped the recipient, “Emma”"
    assert told("wrong word", "for", "lend_dat", "give_dat") == "wrote “lend” for “give”"
    assert told("role changed", "as", "Emma", "obj") == "made “Emma” the object"
    assert told("role changed", "for", "が", "を") == "marked a role with “が” for “を”"
    assert told("something new", "word", "x") == "something new: x"
    shown = told("role", SHOWN_BY, "role changed", "as", "Emma", "obj")
    assert shown == "role: made “Emma” the object"
    assert told("tense", "in", "pass_dat", "present") == "tense: pass in the present"
    rows = [["modifier dropped", "of", "old", "cat"]]
    detail = {"class": "modifier dropped", "findings": rows}
    assert explain(detail) == "modifier dropped: dropped “old”, which describes “cat”"
    moved = ("role changed", "as", "Ava", "io")
    sides = {"meant": "give_dat(subj «Ava»)", "said": "give_dat(io «Ava»)"}
    detail = {"class": "different", "findings": [["role", SHOWN_BY, *moved]], **sides}
    assert explain(detail) == (
        "different: role: made “Ava” the recipient · meant give(subj «Ava») · said give(io «Ava»)"
    )
    assert explain({"class": "context", "width": 9, "allowed": 1}) == (
        "the translations differ elsewhere, too; words that differ: 9; may differ: 1"
    )
    assert explain({"role": "io", "wanted": "x"}) == "the recipient; should be “x”"


def test_a_level_that_one_noun_lost_is_told_too():
    """The verdicts of near misses name what is missing, not how many levels there are."""
    told = tell_fault(("recursion level skipped", "without", "pp", "garden"), WORDS)
    assert told == "left out the level of “garden” (place phrase)"


def test_explanations_have_words_of_ones_own(tmp_path):
    """`-o words=FILE` was for tables and not for what stands beside an example."""
    own = tmp_path / "own.tsv"
    own.write_text("of\tvalue\tlabel\nclass\tliteral\tliteral, alas\n", encoding="utf-8")
    assert explain({"class": "literal"}, read_words(own)) == "literal, alas"
