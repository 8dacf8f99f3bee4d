"""The rule-based translator: parse the source with a grammar, say the tree in the target language.

This is how SGET made its references (Kumon et al. 2024, section 3.2): a perfect system for
sentences of the grammar, and the check that a benchmark's references can be had from its
sources.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from recombine.errors import ConfigError
from recombine.grammar import Grammar
from recombine.grammar.benchmark_grammar import grammar_files
from recombine.grammar.files.folder import base_folders, find_grammar
from recombine.parallel import gc_paused
from recombine.systems.base import Failure


@dataclass(kw_only=True)
class Oracle:
    """Translates any sentence of a grammar; any other is a failure that says where it stopped."""

    trained_on: ClassVar[str] = "nothing"
    grammar: str
    edition: str | None = None
    source: str = "en"
    target: str
    _grammar: Grammar = field(init=False, repr=False)

    def __post_init__(self) -> None:
        stats = [(path, path.stat()) for path in self.depends_on()]
        stamps = tuple([(path, stat.st_mtime_ns, stat.st_size) for path, stat in stats])
        self._grammar = _load(self.grammar, self.edition, stamps)
        for language in (self.source, self.target):
            if language not in self._grammar.languages:
                raise ConfigError(
                    f"grammar '{self.grammar}' has no language '{language}'",
                    hint=f"it has: {', '.join(self._grammar.languages)}",
                )

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        """Yield the translation of each source, of the analysis that the grammar prefers."""
        parser = self._grammar.parser(self.source)
        fill = self._grammar.realiser(self.target).fill
        with gc_paused():  # analyses are kept for sentences that look alike
            for source in sources:
                parse = parser.parse(source)
                tree = parse.tree
                if tree is None:
                    failure = parse.failure
                    yield Failure(failure.message if failure else "no analysis", final=True)
                else:
                    yield fill(tree.codes)

    def depends_on(self) -> list[Path]:
        """The files of the grammar that these two languages read."""
        read = ("abstract", self.source, self.target)
        files = (
            path
            for folder in base_folders(find_grammar(self.grammar))
            for path in grammar_files(folder)
        )
        return [path for path in files if path.name.partition(".")[0] in read]

    def describe(self) -> dict[str, str]:
        """The grammar and edition used."""
        return {"grammar": self._grammar.name, "edition": self._grammar.edition or ""}


@lru_cache(maxsize=1)
def _load(name: str, edition: str | None, stamps: tuple[tuple[Path, int, int], ...]) -> Grammar:
    """Load a grammar, again when its files change: a stage makes the same system several times."""
    return Grammar.load(name, edition)
