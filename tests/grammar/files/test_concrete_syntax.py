"""Reading one language: directives, parameters, variants, paradigms and layers."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.grammar.files.concrete_syntax import ConcreteReader
from recombine.grammar.model import Glue, LiteralText, Ref


def read(tmp_path: Path, text: str, found: ConcreteReader | None = None) -> ConcreteReader:
    """Read one grammar file, as another layer if there is a reader already."""
    path = tmp_path / "en.grammar"
    path.write_text(text, encoding="utf-8")
    found = found or ConcreteReader("en", [])
    found.new_layer()
    found.read_grammar(path)
    return found


def table(tmp_path: Path, text: str) -> Path:
    """Write a table."""
    path = tmp_path / "table.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_parameters_multiply_lines(tmp_path: Path) -> None:
    """A line stands for every combination of its parameters, which may be given below it."""
    found = read(tmp_path, "x[t, n, fix] = V[t, n]\n%param t = past pres\n%param n = sg pl\n")
    assert found.problems == []
    lines = found.result().lines
    assert sorted(field for _, field in lines) == [
        f"{t}.{n}.fix" for t in ("past", "pres") for n in ("pl", "sg")
    ]
    assert lines["x", "pres.sg.fix"].variants == ((Ref("V", ("pres", "sg")),),)


def test_glue_is_weak_between_slots(tmp_path: Path) -> None:
    """Between two slots a `+` holds only if both are heard; beside a literal always."""
    lines = read(tmp_path, 'x = V + N + "." +\n').result().lines
    assert lines["x", "form"].variants[0] == (
        Ref("V", ("form",)),
        Glue(strong=False),
        Ref("N", ("form",)),
        Glue(),
        LiteralText("."),
        Glue(),
    )


def test_directives(tmp_path: Path) -> None:
    """Join, root field and finishing touches are kept; unknown touches are named."""
    language = read(tmp_path, '%join ""\n%root nom.sg\n%post commas capitalise\n').result()
    assert (language.join, language.root, language.post) == ("", "nom.sg", ("commas", "capitalise"))
    (problem,) = read(tmp_path, "%post shout\n").problems
    assert problem.message == "unknown finishing touch 'shout'"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = + +", "two '+' in a row"),
        ("x = +", "'+' alone"),
        ("x = N.*", "needs 'rule.* =' on the left"),
        ("x = N\nx = V", "'x.form' is given twice"),
        (
            "%param n = " + " ".join(f"v{i}" for i in range(70)) + "\n"
            "%param m = " + " ".join(f"w{i}" for i in range(70)) + "\nx[n, m] = N[n, m]",
            "stands for 4900 fields",
        ),
    ],
)
def test_wrong_lines(tmp_path: Path, text: str, words: str) -> None:
    """What cannot be meant is one problem each."""
    (problem,) = read(tmp_path, text + "\n").problems
    assert words in problem.message


def test_cells_hold_variants_and_silence(tmp_path: Path) -> None:
    """A bar separates variants, two quotes are an empty form, an empty cell is no form."""
    found = ConcreteReader("en", [])
    path = table(tmp_path, 'id\tclass\tform\tprefix\tpl\ncat\treg\tcat | kitty\t""\t\n')
    found.read_lexicon(path)
    row = found.result().rows["cat"]
    assert row.paradigm == "reg"
    assert row.cells == {"form": ("cat", "kitty"), "prefix": ("",)}


def test_a_layer_replaces_lines_and_keeps_the_rest(tmp_path: Path) -> None:
    """In an edition a second line for a field is a change, not a mistake."""
    found = read(tmp_path, "x = N\ny = N\n")
    read(tmp_path, "x = V\n", found)
    assert found.problems == []
    lines = found.result().lines
    assert lines["x", "form"].variants == ((Ref("V", ("form",)),),)
    assert lines["y", "form"].variants == ((Ref("N", ("form",)),),)
