"""What a sentence means: of several analyses, the one that its translation has too."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from recombine.benchmark import Example, normalise
from recombine.builders.generated.blueprint import Blueprint
from recombine.grammar.tree import Tree

READINGS = 100  # analyses of one sentence that are tried
MAX_KEPT = 100_000  # sentences whose analysis is kept


def reference_of(example: Example) -> str:
    """The first reference; empty where there is none."""
    return example.references[0] if example.references else ""


class PairReader:
    """Finds what a sentence means: of several analyses, the one that its translation has too."""

    def __init__(self, blueprint: Blueprint) -> None:
        grammar, options = blueprint.grammar, blueprint.options
        self._parse = grammar.parser(options.source_language).parse
        # Made when it is asked for: few sentences leave open what they mean.
        self._target_parser = partial(grammar.parser, options.target_language)
        self._source = grammar.realiser(options.source_language).fill
        self._target = grammar.realiser(options.target_language).fill
        self._kept: dict[tuple[str, str], Tree | None] = {}

    def read(self, source: str, reference: str) -> Tree | None:
        """The analysis that explains the pair, else the likeliest; None without any."""
        key = source, reference
        if key not in self._kept:  # training repeats its sentences
            if len(self._kept) >= MAX_KEPT:
                self._kept.clear()
            self._kept[key] = self.analyse(source, reference)
        return self._kept[key]

    def analyse(self, source: str, reference: str) -> Tree | None:
        """The same for pairs that do not come again."""
        parse = self._parse(source)
        tree = parse.tree
        if tree is None or parse.is_only or self.translation(tree) == reference:
            return tree
        others = self.others(source, reference, tree)
        return next((other for other in others if self.translation(other) == reference), tree)

    def translation(self, tree: Tree) -> str:
        """What the grammar says in the other language."""
        return normalise(self._target(tree.codes))

    def others(self, source: str, reference: str, but: Tree) -> Iterator[Tree]:
        """Further analyses; where the source leaves much open, the reference tells which."""
        for tree in self._parse(source).trees(READINGS):
            if tree != but:
                yield tree
        for tree in self._target_parser().parse(reference).trees(READINGS) if reference else ():
            if tree != but and normalise(self._source(tree.codes)) == source:
                yield tree
