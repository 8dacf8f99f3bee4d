"""Reading the abstract files: directives, words, pairs and layers."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.errors import GrammarError
from recombine.grammar.files.abstract_syntax import MAX_PARTS, AbstractReader
from recombine.grammar.model import Mending, Place, Preference, Selection, SlotPath


def reader(tmp_path: Path, grammar: str = "", lexicon: str = "") -> AbstractReader:
    """A reader that has read one layer."""
    found = AbstractReader([])
    layer(found, tmp_path, grammar, lexicon)
    return found


def layer(found: AbstractReader, tmp_path: Path, grammar: str = "", lexicon: str = "") -> None:
    """Read one more layer."""
    (tmp_path / "abstract.grammar").write_text(grammar, encoding="utf-8")
    (tmp_path / "abstract.lexicon.tsv").write_text(lexicon, encoding="utf-8")
    found.new_layer()
    found.read_grammar(tmp_path / "abstract.grammar")
    found.read_lexicon(tmp_path / "abstract.lexicon.tsv")


def test_directives(tmp_path: Path) -> None:
    """Start, Zipf exponents, selections, preferences and the edition are read."""
    text = """%start S T
%edition new
%zipf 1.4 : N Name
%select obj : a.V a.O > c.N | b b.P >> Adj
%mend obj : b.V b.O direct else it
%prefer deep {pp}
"""
    found = reader(tmp_path, text)
    assert found.problems == []
    abstract = found.result()
    assert abstract.start == ("S", "T")
    assert abstract.edition == "new"
    assert abstract.zipf == {"N": 1.4, "Name": 1.4}
    places = (
        Place(SlotPath((("a", "V"),)), SlotPath((("a", "O"), ("c", "N")))),
        Place(SlotPath((("b", ""),)), SlotPath((("b", "P"),), "Adj")),
    )
    assert abstract.selections == (Selection("obj", places),)
    mended = (Place(SlotPath((("b", "V"),)), SlotPath((("b", "O"),))),)
    assert abstract.mendings == (Mending("obj", mended, None, ("it",), True),)
    assert abstract.preferences == (Preference("deep", "pp", True),)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("%zipf 0.5 : N", "between 1 and 20"),
        ("%select obj : a.V b.O", "belong to one rule"),
        ("x : S -> " + " ".join(f"p{i}:N" for i in range(MAX_PARTS + 1)), "parts in one rule"),
        ("x : S -> N [1e13]", "reasonable number"),
    ],
)
def test_wrong_lines(tmp_path: Path, line: str, words: str) -> None:
    """A line that cannot be meant is a problem at its place, and the others are still read."""
    found = reader(tmp_path, f"{line}\ny : S -> N\n")
    (problem,) = found.problems
    assert words in problem.message
    assert problem.where is not None
    assert problem.where.line == 1
    assert list(found.result().rules) == ["y"]


def test_a_layer_replaces_what_it_names(tmp_path: Path) -> None:
    """An edition changes the cells it fills and the rules it repeats, and keeps the rest."""
    found = reader(
        tmp_path, "a : S -> N\nb : S -> N\n", "id\tcat\tweight\tclasses\ncat\tN\t2\tanimate\n"
    )
    layer(found, tmp_path, "b : S -> N [5]\n", "id\tcat\trank\ncat\t\t4\n")
    assert found.problems == []
    abstract = found.result()
    assert {rule.name: rule.weight for rule in abstract.rules.values()} == {"a": 1, "b": 5}
    word = abstract.words["cat"]
    assert (word.category, word.weight, word.rank, word.classes) == ("N", 2, 4, ("animate",))


def test_pairs_need_all_columns(tmp_path: Path) -> None:
    """Pairs are collected per role and governor; half a pair is a problem."""
    path = tmp_path / "abstract.pairs.tsv"
    path.write_text(
        "role\tgovernor\tdependent\nobj\tsee\tcat\nobj\tsee\tdog\nobj\tsee\n", encoding="utf-8"
    )
    problems: list[GrammarError] = []
    found = AbstractReader(problems)
    found.read_pairs(path)
    assert [tuple(row[:3]) for row in found.result().pairs] == [
        ("obj", "see", "cat"),
        ("obj", "see", "dog"),
    ]
    assert [problem.where.line for problem in problems if problem.where] == [4]
