"""What `check` finds in variants: notation, names, and what can never hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.grammar import check_grammar


def test_the_small_grammar_has_no_problem(small: Path) -> None:
    """What the other tests read is right."""
    assert check_grammar(small) == []


@pytest.mark.parametrize(
    ("name", "text", "message", "line"),
    [
        ("xx.grammar", "act = { subj , VP\n", "expected '}'", 1),
        ("xx.grammar", "\nakt = subj VP\n", "no rule 'akt'", 2),
        ("xx.grammar", "act = who VP\n", "no slot 'who'", 1),
        ("xx.grammar", "act.rest.* = subj VP.*\n", "'*' stands for the whole field", 1),
        ("xx.grammar", "act = subj VP.*\n", "needs 'rule.* ='", 1),
        ("xx.grammar", "act.polite = subj VP\n", "no line uses the field 'act.polite'", 1),
        ("xx.grammar", 'tr = "mita" obj\n', "leaves out 'V'", 1),
        ("xx.grammar", "%also suru -> godan\n", "no paradigm 'suru'", None),
        ("xx.lexicon.tsv", "id\tform\nkat\tneko\n", "no word 'kat'", 2),
        ("xx.lexicon.tsv", "id\tform\tpst\nsee\tmiru\tmita\n", "uses the column 'pst'", 2),
        ("xx.paradigms.tsv", "class\tpst\nperf\t>teita\n", "uses the column 'pst'", 2),
    ],
)
def test_check_tells_what_is_wrong_with_variants(
    small: Path, name: str, text: str, message: str, line: int | None
) -> None:
    """A variants file is checked as the grammar's own are, with its place."""
    for path in (small / "variants").iterdir():
        path.unlink()
    (small / "variants" / name).write_text(text, encoding="utf-8")
    problems = check_grammar(small)
    assert any(message in problem.message for problem in problems), problems
    if line is not None:
        (where,) = {p.where for p in problems if message in p.message}
        assert where is not None
        assert where.line == line


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("yy.grammar", "act = {\n"),
        ("yy.grammar", "akt = subj VP\n"),
        ("yy.lexicon.tsv", "id\tform\nkat\tgato\n"),
    ],
)
def test_an_error_in_one_language_hides_no_variants_of_another(
    small: Path, name: str, text: str
) -> None:
    """Somebody who adds a language sees what was wrong before, too."""
    for path in (small / "variants").iterdir():
        path.unlink()
    (small / "variants" / "xx.grammar").write_text("act = who VP\n", encoding="utf-8")
    (small / name).write_text(text, encoding="utf-8")
    problems = check_grammar(small)
    assert any("no slot 'who'" in problem.message for problem in problems), problems
    assert any(name in str(problem.where) for problem in problems), problems


def test_alternations_say_a_class_in_the_forms_of_another(tmp_path: Path, small: Path) -> None:
    """`%also` is a sense of every word of a class, with what the other class does not say kept."""
    from recombine.grammar import Grammar
    from recombine.grammar.variants.wordings import wordings_of

    lexicon = (small / "xx.lexicon.tsv").read_text(encoding="utf-8")
    lexicon = lexicon.replace("id\tform\tpart\tpast", "id\tclass\tform\tpart\tpast")
    rows = {"see\tmi": "see\tichi\tmi", "like\tsuki": "like\tna\tsuki"}
    for old, new in {**rows, "cat\tneko": "cat\t\tneko", "dog\tinu": "dog\t\tinu"}.items():
        lexicon = lexicon.replace(old, new)
    (small / "xx.lexicon.tsv").write_text(lexicon, encoding="utf-8")
    (small / "xx.paradigms.tsv").write_text("class\tpast\nichi\t>ta\nna\t>da\n", encoding="utf-8")
    (small / "variants" / "xx.paradigms.tsv").write_text(
        "class\tpast\nperf\t>teita\n", encoding="utf-8"
    )
    with (small / "variants" / "xx.grammar").open("a", encoding="utf-8") as stream:
        stream.write("%also ichi -> perf\n")
    grammar = Grammar.load(small)
    wordings = wordings_of(grammar, small, "xx")
    seen = grammar.tree("tell(act(np(dog), tr(see, np(cat))))")
    liked = grammar.tree("tell(act(np(dog), tr(like, np(cat))))")
    assert wordings.accepts(seen, "inu ga neko o miteita.")
    assert wordings.accepts(seen, "inu ga neko o mita.")
    assert not wordings.accepts(liked, "inu ga neko ga sukiteita.")
    assert any("miteita" in text for text in wordings.sample(seen, 40, seed=1))


def test_misspelt_names_in_variants_have_a_hint(small: Path) -> None:
    """Lines of variants are judged by the code that judges a language's own lines."""
    (small / "variants" / "xx.grammar").write_text("act = sbj VP\nakt = subj VP\n", "utf-8")
    (small / "variants" / "xx.lexicon.tsv").unlink()
    hints = {problem.hint for problem in check_grammar(small)}
    assert hints == {"did you mean 'subj'?", "did you mean 'act'?"}
