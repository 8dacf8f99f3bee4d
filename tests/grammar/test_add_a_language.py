"""The tutorial, followed word for word: a fifth language in two files."""

from __future__ import annotations

import re
from pathlib import Path

from grammar.small_grammar import is_read
from recombine.grammar import Grammar, check_grammar
from recombine.grammar.new_language import new_language


def test_dutch_in_two_files(repository: Path, tmp_path: Path) -> None:
    """The two files of the page make a clean fifth language that speaks and parses."""
    page = (repository / "docs" / "how-to" / "add-a-language.md").read_text(encoding="utf-8")
    folder = tmp_path / "mytoy"
    new_language("toy", "nl", folder, like="en")
    assert [problem.message for problem in check_grammar(folder)] != []
    for path in folder.glob("nl.*"):
        path.unlink()
    files = re.findall(r"<!-- file: (\S+) -->\n```\n(.*?)```", page, re.DOTALL)
    assert [name for name, _ in files] == ["nl.grammar", "nl.lexicon.tsv"]
    for name, text in files:
        (folder / name).write_text(text, encoding="utf-8")
    assert [str(problem) for problem in check_grammar(folder)] == []
    grammar = Grammar.load(folder)
    shown = re.findall(r"^(\S.*?[.?])  +(\S.*[.?])$", page, re.MULTILINE)
    assert len(shown) == 3
    for english, dutch in shown:
        tree = grammar.parse(english, "en").require_tree()
        assert grammar.text(tree, "nl") == dutch
    for tree in grammar.sample(300, seed=9):
        assert is_read(tree, grammar.parse(grammar.text(tree, "nl"), "nl"))
