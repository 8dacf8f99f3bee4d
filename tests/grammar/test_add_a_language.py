"""The tutorial, followed word for word: a fifth language in two files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grammar.small_grammar import is_read
from recombine.cli import main
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
    assert [name for name, _ in files] == ["mytoy/nl.grammar", "mytoy/nl.lexicon.tsv"]
    for name, text in files:
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert [str(problem) for problem in check_grammar(folder)] == []
    grammar = Grammar.load(folder)
    shown = re.findall(r"^(\S.*?[.?])  +(\S.*[.?])$", page, re.MULTILINE)
    assert len(shown) == 3
    for english, dutch in shown:
        tree = grammar.parse(english, "en").require_tree()
        assert grammar.text(tree, "nl") == dutch
    for tree in grammar.sample(300, seed=9):
        assert is_read(tree, grammar.parse(grammar.text(tree, "nl"), "nl"))


def test_one_word(repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The four small files of the page say a new noun in both languages."""
    page = (repository / "docs" / "how-to" / "add-a-word.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```\n(mine.*?)```", page, re.DOTALL)
    files: dict[str, list[str]] = {}
    for line in filter(None, block.splitlines()):
        name, *cells = re.split(r"\s{2,}", line)
        name = name or list(files)[-1]
        files.setdefault(name, []).append("\t".join(cells))
    for name, lines in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert len(files) == 4
    command = ["sample", str(tmp_path / "mine"), "-n", "1", "--languages", "en,fr"]
    assert main([*command, "--require", "walrus"]) == 0
    printed = capsys.readouterr().out
    assert "walrus" in printed
    assert "morse" in printed
