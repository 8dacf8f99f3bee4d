"""The upper bound: pairs of the benchmark's own grammar, held-out patterns among them.

Half of the pairs are of the kinds that training has, half of the patterns that it holds out, each
in proportion to its size. Only the very sentences of the other splits are removed. What a model
reaches with them is what the benchmark lets it reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from recombine.augment.options import Recombined, Review, TrainingPair
from recombine.benchmark import Benchmark
from recombine.builders.generated.blueprint import Blueprint
from recombine.builders.generated.builder import Generated
from recombine.builders.generated.parts import Draw
from recombine.config import parse_config
from recombine.errors import ConfigError
from recombine.grammar.benchmark_grammar import declared_grammar
from recombine.grammar.sampling.constraints import read_bound
from recombine.grammar.tree import Tree

ENDLESS = 2**31
# Of a kind with few sentences, so many draws for each wanted pair are tried.
TRIES = 20


class GrammarSample:
    """Draws pairs of a benchmark's grammar."""

    def __init__(self, blueprint: Blueprint, pairs: Sequence[TrainingPair]) -> None:
        self.blueprint = blueprint
        self.grammar = blueprint.grammar
        self._known = {pair.source for pair in pairs}
        drawn = [one for one in blueprint.parts if one.size and not one.recipe.compose]
        self._seen = [draw for one in drawn if not one.is_pattern for draw in one.draws]
        self._held_out = [draw for one in drawn if one.is_pattern for draw in one.draws]

    @classmethod
    def of(cls, benchmark: Benchmark | None, pairs: Sequence[TrainingPair]) -> GrammarSample:
        """Open the grammar of a benchmark."""
        own = None if benchmark is None else declared_grammar(benchmark)
        if benchmark is None or own is None or benchmark.manifest.builder != "generated":
            raise ConfigError(
                "method 'grammar' samples the grammar that made the benchmark, and these pairs "
                "have none",
                hint="it is for benchmarks of the builder 'generated'",
            )
        options = {**benchmark.manifest.recipe, "grammar": own.place}
        return cls(parse_config(Generated, options).blueprint(), pairs)

    def draw(self, n: int | None = None, seed: int | None = None) -> Iterator[Recombined]:
        """Yield pairs that training does not have, no source twice."""
        n, seed = n or 0, seed or 0
        known = set(self._known)
        source, target = (
            self.grammar.realiser(language).fill for language in self.blueprint.options.languages
        )
        for draw, size in self._shares(n):
            sampler = self.grammar.sampler(draw.constraints)
            admits = self._admits(draw)
            stream = sampler.draw_codes(ENDLESS, seed=seed, stream=f"augment.{draw.name}")
            made = 0
            for _, codes in islice(stream, TRIES * size):
                if made == size:
                    break
                text = source(codes)
                if text in known or not admits(codes):
                    continue
                known.add(text)
                made += 1
                step = f"grammar: {draw.name}"
                yield Recombined(text, target(codes), (), (step,), self._depth(codes))

    def _shares(self, n: int) -> Iterator[tuple[Draw, int]]:
        halves = [half for half in (self._seen, self._held_out) if half]
        for number, half in enumerate(halves):
            wanted = n * (number + 1) // len(halves) - n * number // len(halves)
            total, done = sum(draw.size for draw in half), 0
            for draw in half:
                before, done = done, done + draw.size
                yield draw, wanted * done // total - wanted * before // total

    def _depth(self, codes: tuple[int, ...]) -> int:
        tree = Tree(self.grammar.inventory, codes)
        return max((tree.depth(tag) for tag in self.blueprint.options.depth), default=0)

    def _admits(self, draw: Draw) -> Callable[[tuple[int, ...]], bool]:
        limits = [(tag, read_bound(tag, bound)) for tag, bound in draw.limits.items()]
        inventory = self.grammar.inventory

        def admits(codes: tuple[int, ...]) -> bool:
            tree = Tree(inventory, codes)
            return all(allowed.admits(tree.depth(tag)) for tag, allowed in limits)

        return admits

    def review(self) -> Review:
        """Return the kinds of sentences that are drawn."""
        return Review(
            [],
            [
                {"name": draw.name, "support": draw.size, "members": []}
                for draw in (*self._seen, *self._held_out)
            ],
        )

    def explain(self, source: str) -> list[str] | None:
        """Return the tree of a sentence."""
        tree = self.grammar.parse(source, self.blueprint.options.source_language).tree
        return None if tree is None else [f"grammar: {tree}"]
