"""A grammar at work: load, check, sample, realise, parse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from recombine.errors import ConfigError, RecombineError
from recombine.grammar.compiled import CompiledLanguage
from recombine.grammar.files.folder import find_grammar, read_grammar
from recombine.grammar.inventory import Inventory
from recombine.grammar.model import GrammarSource
from recombine.grammar.parsing.parser import Parse, Parser
from recombine.grammar.realise.realiser import Realisation, Realiser
from recombine.grammar.sampling.constraints import Constraints
from recombine.grammar.sampling.sampler import Sampler, admits
from recombine.grammar.sampling.selection import selector_of
from recombine.grammar.tree import Tree, read_tree

_NO_CONSTRAINTS = Constraints()


class Grammar:
    """One abstract syntax and its languages."""

    def __init__(self, source: GrammarSource) -> None:
        self.source = source
        self.name = source.name
        self.edition = source.edition
        self.abstract = source.abstract
        self.inventory = Inventory(source.abstract)
        self._concretes: dict[str, CompiledLanguage] = {}
        self._realisers: dict[str, Realiser] = {}
        self._parsers: dict[str, Parser] = {}
        self._samplers: dict[str, Sampler] = {}

    @classmethod
    def load(cls, name_or_path: str | Path, edition: str | None = None) -> Grammar:
        """Load a shipped grammar by name or any grammar by the path of its folder."""
        return cls(read_grammar(find_grammar(name_or_path), edition))

    def __repr__(self) -> str:
        abstract, edition = self.abstract, f" ({self.edition})" if self.edition else ""
        return (
            f"<Grammar {self.name}{edition}: {', '.join(self.languages)}; "
            f"{len(abstract.rules):,} rules, {len(abstract.words):,} words>"
        )

    def _repr_html_(self) -> str:
        try:
            texts = [list(said) for _, said in self.sentences(5, self.languages, seed=1)]
        except RecombineError:  # a language that does not say everything yet
            texts = []
        rows = "".join(f"<tr>{''.join(f'<td>{escape(t)}</td>' for t in row)}</tr>" for row in texts)
        head = "".join(f"<th>{escape(code)}</th>" for code in self.languages)
        return f"{escape(repr(self)[1:-1])}<table><tr>{head}</tr>{rows}</table>"

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of the languages."""
        return tuple(self.source.languages)

    def sampler(self, constraints: Constraints | None = None) -> Sampler:
        """The sampler of some constraints (kept, as building one takes time)."""
        wanted = constraints or _NO_CONSTRAINTS
        key = repr(wanted)
        if key not in self._samplers:
            self._samplers[key] = Sampler(self.inventory, wanted, self.realiser)
        return self._samplers[key]

    def sample(
        self,
        count: int,
        *,
        seed: int = 0,
        stream: str = "",
        constraints: Constraints | None = None,
    ) -> Iterator[Tree]:
        """Yield trees; the same seed, stream and constraints give the same trees everywhere."""
        return self.sampler(constraints).draw(count, seed=seed, stream=stream)

    def sentences(
        self,
        count: int,
        languages: Sequence[str],
        *,
        seed: int = 0,
        stream: str = "",
        constraints: Constraints | None = None,
    ) -> Iterator[tuple[Tree, tuple[str, ...]]]:
        """Yield trees with their text in each of the languages."""
        fills = [self.realiser(language).fill for language in languages]
        inventory = self.inventory
        draws = self.sampler(constraints).draw_codes(count, seed=seed, stream=stream)
        for _, codes in draws:
            yield Tree(inventory, codes), tuple([fill(codes) for fill in fills])

    def realise(self, tree: Tree, language: str) -> Realisation:
        """Say a tree: text, tokens, character offsets of every node, accepted variants."""
        return self.realiser(language).realise(tree)

    def text(self, tree: Tree, language: str) -> str:
        """Say a tree: only the canonical text, fast."""
        return self.realiser(language).fill(tree.codes)

    def parse(self, text: str, language: str) -> Parse:
        """Find what a sentence says; see Parse for failures and ambiguity."""
        return self.parser(language).parse(text)

    def tree(self, text: str) -> Tree:
        """Read a tree from ``rule(child, word)``."""
        return read_tree(self.inventory, text)

    def admits(self, tree: Tree, constraints: Constraints) -> bool:
        """Whether a tree meets patterns, depths, counts and roles."""
        return admits(self.inventory, constraints, tree)

    def violations(self, tree: Tree) -> list[tuple[str, str, str]]:
        """The (role, governor, dependent) pairs of a tree that do not go together."""
        labels = self.inventory.labels
        return [
            (
                role,
                labels[tree.codes[tie.governor]],
                labels[tree.codes[tie.dependent]],
            )
            for role, tie in selector_of(self.inventory).violations(tree)
        ]

    def concrete(self, language: str) -> CompiledLanguage:
        """The forms, lines and features of a language."""
        if language not in self._concretes:
            if language not in self.source.languages:
                raise ConfigError(
                    f"grammar '{self.name}' has no language '{language}'",
                    hint=f"it has: {', '.join(self.languages)}",
                )
            concrete = CompiledLanguage(self.inventory, self.source.languages[language])
            if concrete.problems:
                raise concrete.problems[0]
            self._concretes[language] = concrete
        return self._concretes[language]

    def realiser(self, language: str) -> Realiser:
        """The realiser of a language."""
        if language not in self._realisers:
            self._realisers[language] = Realiser(self.concrete(language))
        return self._realisers[language]

    def parser(self, language: str) -> Parser:
        """The parser of a language."""
        if language not in self._parsers:
            self._parsers[language] = Parser(self.concrete(language))
        return self._parsers[language]
