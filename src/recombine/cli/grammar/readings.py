"""What verbs for sentences and trees share: languages, sentences, how a reading is shown."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recombine.cli.talk import say
from recombine.errors import Where

if TYPE_CHECKING:
    from recombine.grammar import Grammar, Tree


def chosen_languages(grammar: Grammar, codes: str | None) -> tuple[str, ...]:
    """The languages that a user names, or all."""
    chosen = tuple(codes.split(",")) if codes else grammar.languages
    for language in chosen:
        grammar.concrete(language)  # an unknown one is refused before anything is printed
    return chosen


def given_sentences(texts: Sequence[str]) -> Iterator[tuple[Where, str]]:
    """These texts, or the lines of standard input; empty lines are no sentences."""
    lines = texts or (line.rstrip("\n") for line in sys.stdin)
    name = "sentence" if texts else "standard input"
    for number, text in enumerate(lines, start=1):
        if text.strip():
            yield Where(name, number, 1, text.strip()), text.strip()


def print_reading(grammar: Grammar, tree: Tree, languages: Sequence[str], of: str = "") -> None:
    """Print a tree, its sentence in every language, and its picture."""
    from recombine.grammar.drawing import draw_lines

    print(f"meaning{f' {of}' if of else ''}: {tree}")
    for language in languages:
        print(f"{language}\t{grammar.text(tree, language)}")
    print("\n".join(["", *draw_lines(grammar, tree, languages, terminal_width()), ""]))


def terminal_width() -> int | None:
    """The columns of the terminal; a file has as many as it needs."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def tree_row(grammar: Grammar, tree: Tree, languages: Sequence[str]) -> dict[str, Any]:
    """A tree as JSON, with the linearisation of each node in every language."""
    sentences = {language: grammar.realise(tree, language) for language in languages}
    return {
        "tree": str(tree),
        **{language: sentence.text for language, sentence in sentences.items()},
        "nodes": [
            {
                "label": label,
                **{language: sentence.piece(node) for language, sentence in sentences.items()},
            }
            for node, label in enumerate(tree.labels())
        ],
    }


def draw_tree(
    grammar: Grammar, tree: Tree, languages: Sequence[str], path: Path | None, before: int
) -> bool:
    """Write a picture; a second one gets a number."""
    from recombine.files import write_text
    from recombine.grammar.drawing import draw_svg

    if path is None:
        return False
    name = path.with_stem(f"{path.stem}-{before + 1}") if before else path
    write_text(name, draw_svg(grammar, tree, languages))
    say(f"{name}: drawn")
    return True
