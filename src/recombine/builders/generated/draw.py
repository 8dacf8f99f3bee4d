"""Drawing: the sentences of a generated recipe, split by split.

Pools are dealt to their splits, exposures and composed sentences go to training, and what is left
is drawn last, so that generalisation sentences use only words that training shows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from recombine.benchmark import Example, Focus
from recombine.builders.generated.focus import FocusFinder
from recombine.builders.generated.held_out import MARKS, TRAIN, HeldOuts
from recombine.builders.generated.parts import (
    Draw,
    RecipePart,
    Setting,
    demand_constraints,
    exposure_draws,
    part_draws,
    scaled,
)
from recombine.errors import ConfigError, GrammarError
from recombine.grammar import Constraints, Grammar
from recombine.grammar.model import Symbol
from recombine.grammar.sampling.constraints import read_bound
from recombine.grammar.tree import Tree

if TYPE_CHECKING:
    from recombine.builders.generated.builder import Generated

PATIENCE = 50_000  # sentences dropped in a row before a draw is called hopeless


class DrawnSentence(NamedTuple):
    """A sentence pair with the tree it comes from and the draw it was drawn in."""

    source: str
    target: str
    codes: tuple[int, ...]
    draw: Draw
    part: str


class Drawing:
    """The sentences of one recipe being drawn."""

    def __init__(self, recipe: Generated, grammar: Grammar, setting: Setting, seed: int) -> None:
        self.recipe = recipe
        self.grammar = grammar
        self.setting = setting
        self.seed = seed
        self._source = grammar.realiser(recipe.source_language).fill
        self._target = grammar.realiser(recipe.target_language).fill
        self._known: dict[str, str] = {}  # source sentence -> translation, over all splits
        self._taken: dict[str, str] = {}  # source sentence -> split, where splits are disjoint
        self.held = HeldOuts.of(recipe, grammar)
        self._longest = 0  # words of the longest training sentence that is not composed

    def sentences(self, advance: Any) -> dict[str, list[DrawnSentence]]:
        """Draw all splits: pools first, then the other parts, training before generalisation."""
        recipe = self.recipe
        found: dict[str, list[DrawnSentence]] = {split: [] for split in recipe.split}

        def add(split: str, sentences: Iterable[DrawnSentence]) -> None:
            for sentence in sentences:
                found[split].append(sentence)
                advance()

        for pool in dict.fromkeys(
            part.pool for parts in recipe.split.values() for part in parts.values() if part.pool
        ):
            for split, sentence in self._draw_pool(pool):
                add(split, [sentence])
        for split, parts in recipe.split.items():
            for name, part in parts.items():
                if part.compose and recipe.concatenation:
                    add(split, self._compose(split, name, part))
                for draw in exposure_draws(
                    f"{TRAIN}.{name}", part, self.setting, recipe.exposures, recipe.scale
                ):
                    add(TRAIN, self._draw(TRAIN, draw, f"exposure/{name}", None))
        seen = {word for one in found.get(TRAIN, ()) for word in words_of(one.source)}
        composed = {n for n, part in recipe.split.get(TRAIN, {}).items() if part.compose}
        self._longest = max(
            (len(words_of(s.source)) for s in found.get(TRAIN, ()) if s.part not in composed),
            default=0,
        )
        for split, parts in recipe.split.items():
            for name, part in parts.items():
                if part.pool or part.compose:
                    continue
                size = scaled(part.size, recipe.scale)
                allowed = None
                if split != TRAIN:
                    words = seen | self._forms(part) | {""}
                    allowed = {word + mark for word in words for mark in ("", *MARKS)}
                draws = part_draws(
                    f"{split}.{name}", part, self.setting, size, unique=split in recipe.unique
                )
                for draw in draws:
                    add(split, self._draw(split, draw, name, allowed))
        return found

    def _forms(self, part: RecipePart) -> set[str]:
        """The word forms a pattern may bring in: those of its target words."""
        concrete = self.grammar.concrete(self.recipe.source_language)
        return {
            token
            for word in part.targets[: self.setting.target_words]
            for variants in concrete.word_forms(self.grammar.inventory.code(word)).values()
            for form in variants
            for token in form.split()
        }

    def _candidates(self, draw: Draw) -> Iterator[tuple[int, ...]]:
        """Trees of a draw whose depths are admitted."""
        limits = [(tag, read_bound(tag, bound)) for tag, bound in draw.limits.items()]
        inventory = self.grammar.inventory
        deep = frozenset().union(*(inventory.tagged(tag) for tag, _ in limits))
        flat = all(allowed.admits(0) for _, allowed in limits)
        sampler = self.grammar.sampler(draw.constraints)
        dropped = 0
        for _, codes in sampler.draw_codes(2**31, seed=self.seed, stream=draw.name):
            tree = Tree(inventory, codes)
            if (flat and deep.isdisjoint(codes)) or all(
                allowed.admits(tree.depth(tag)) for tag, allowed in limits
            ):
                dropped = 0
                yield codes
            else:
                dropped += 1
                if dropped >= PATIENCE:
                    raise GrammarError(
                        f"{draw.name}: no sentence within the depth bounds was found"
                    )

    def _pair(self, codes: tuple[int, ...], source: str | None = None) -> tuple[str, str] | None:
        """Both texts, or None where the source has another translation already."""
        source = source or self._source(codes)
        target = self._target(codes)
        return (source, target) if self._known.setdefault(source, target) == target else None

    def _draw(
        self, split: str, draw: Draw, part: str, allowed: set[str] | None
    ) -> Iterator[DrawnSentence]:
        left, dropped = draw.size, 0
        if not left:
            return
        quota = self._quota(draw)
        seen: set[str] = set()
        for codes in self._candidates(draw):
            target = self._target_of(codes, quota)
            if quota and not quota.get(target, 0):
                continue  # no target word, two of them, or enough of this one
            source = self._source(codes)
            if (
                (split == TRAIN and self.held.shown_by(codes))
                or source in seen
                or (allowed is not None and not allowed.issuperset(source.split(" ")))
                or not self._free(source, split)
                or (pair := self._pair(codes, source)) is None
            ):
                dropped += 1
                if dropped >= PATIENCE:
                    break
                continue
            dropped = 0
            if quota:
                quota[target] -= 1
            if draw.unique:
                seen.add(pair[0])
            yield DrawnSentence(*pair, codes, draw, part)
            left -= 1
            if not left:
                return
        raise GrammarError(
            f"{draw.name}: found only {draw.size - left} of {draw.size} different sentences that "
            "no other split has and whose words training shows",
            hint="lower the size, or train on more sentences",
        )

    def _quota(self, draw: Draw) -> dict[int, int]:
        """How many sentences each target word gets: equally many, the first ones one more."""
        count = len(draw.targets)
        return {
            self.grammar.inventory.code(word): draw.size // count + (index < draw.size % count)
            for index, word in enumerate(draw.targets)
        }

    def _target_of(self, codes: tuple[int, ...], quota: Mapping[int, int]) -> int:
        """The only target word of a tree; -1 where there is none or more than one."""
        found = [code for code in codes if code in quota]
        return found[0] if len(found) == 1 else -1

    def _free(self, source: str, split: str) -> bool:
        if not self.recipe.disjoint:
            return True
        return self._taken.setdefault(source, split) == split

    def _draw_pool(self, pool: str) -> Iterator[tuple[str, DrawnSentence]]:
        """Deal the draws of a pool to its splits: by sentence where splits are disjoint."""
        members = [
            (split, name, part)
            for split, parts in self.recipe.split.items()
            for name, part in parts.items()
            if part.pool == pool
        ]
        draws: list[Draw] = []
        for _, _, part in members:
            size = scaled(part.size, self.recipe.scale)
            draws.extend(part_draws(f"pool.{pool}", part, self.setting, size, unique=False))
        if len(draws) != len(members) or any(d.constraints != draws[0].constraints for d in draws):
            raise ConfigError(f"the parts of pool '{pool}' must ask for the same sentences")
        total = sum(draw.size for draw in draws)
        left = [draw.size for draw in draws]
        bounds = [sum(left[: index + 1]) for index in range(len(left))]
        dropped = 0
        for number, codes in enumerate(self._candidates(draws[0])):
            if self.held.shown_by(codes):
                dropped += 1
                if dropped >= PATIENCE:
                    raise GrammarError(f"pool '{pool}': every sentence shows a held-out pattern")
                continue
            dropped = 0
            pair = self._pair(codes)
            if pair is None:
                continue
            key = pair[0] if self.recipe.disjoint else str(number)
            lot = lot_of(f"{self.seed}\0{pool}\0{key}", total)
            member = next(index for index, bound in enumerate(bounds) if lot < bound)
            split, name, _ = members[member]
            if left[member] and self._free(pair[0], split):
                left[member] -= 1
                yield split, DrawnSentence(*pair, codes, draws[member], name)
            if not any(left):
                return

    def _compose(self, split: str, name: str, part: RecipePart) -> Iterator[DrawnSentence]:
        """Build sentences from separately drawn constituents of one rule."""
        inventory = self.grammar.inventory
        code = inventory.code(part.compose)
        parts = () if inventory.is_word(code) else inventory.rule(code).parts
        missing = sorted({one.slot for one in parts} ^ set(part.slot))
        if missing:
            raise ConfigError(f"split.{split}.{name}: slot '{missing[0]}' of '{part.compose}'")
        size = scaled(part.size, self.recipe.scale)
        streams: list[Iterator[tuple[int, ...]]] = []
        for one in parts:
            demand = part.slot[one.slot]
            limits = {t: b for t, b in self.recipe.depth.items() if t not in demand.depth}
            constraints = demand_constraints(
                demand,
                self.setting,
                start=one.symbol.category,
                no_repeat=self.recipe.no_repeat and len(parts) > 1,
            )
            draw = Draw(f"{split}.{name}.{one.slot}", constraints, limits, size, (), 0)
            streams.append(self._candidates(draw))
        draw = Draw(f"{split}.{name}", Constraints(), {}, size, (), 0)
        left = size
        for pieces in zip(*streams, strict=True):
            codes = (code, *(number for piece in pieces for number in piece))
            if split == TRAIN and self.held.shown_by(codes):
                continue
            pair = self._pair(codes)
            if pair is not None and self._free(pair[0], split):
                left -= 1
                yield DrawnSentence(*pair, codes, draw, name)
                if not left:
                    return

    # --- writing

    def examples(self, split: str, sentences: list[DrawnSentence]) -> Iterator[Example]:
        """Turn sentences into examples, shuffled within a training split."""
        finders: dict[str, FocusFinder] = {}
        if split == TRAIN:
            # Mixed as published: batches of exposures in a row would be a curriculum.
            order = sorted(
                range(len(sentences)),
                key=lambda index: hashlib.sha256(f"{self.seed}\0order\0{index}".encode()).digest(),
            )
            sentences = [sentences[index] for index in order]
        longest = self._longest
        for one in sentences:
            part = self.recipe.split[split].get(one.part)
            tags: dict[str, str | int | float] = {"pattern": one.part}
            focus: tuple[Focus, ...] = ()
            if part is not None and part.category:
                finder = finders.get(one.part)
                if finder is None:
                    finder = FocusFinder(
                        self.grammar,
                        self.recipe.source_language,
                        self.recipe.target_language,
                        part,
                        self.setting,
                    )
                    finders[one.part] = finder
                length = len(words_of(one.source))
                tags.update(category=part.category, group_name=part.group, in_cp=one.draw.inside)
                tags.update(finder.tags(one.codes))
                tags.update(length=length, longer_than_train="yes" if length > longest else "no")
                focus = finder.focus(one.codes, one.source)
            elif split == TRAIN:
                tags["length"] = len(words_of(one.source))
            yield Example.make(source=one.source, references=(one.target,), tags=tags, focus=focus)

    def violations(self, splits: Mapping[str, list[DrawnSentence]]) -> dict[str, int]:
        """How many sentences of each split pair words that do not go together."""
        if not self.recipe.selection:
            return {}
        inventory = self.grammar.inventory
        find = self.grammar.violations
        # Names go with every verb; only words that the lists know can violate them.
        listed = {word for words in self.grammar.abstract.pairs.values() for word in words}
        return {
            split: sum(
                any(dependent in listed for _, _, dependent in find(Tree(inventory, one.codes)))
                for one in sentences
            )
            for split, sentences in splits.items()
        }


def words_of(sentence: str) -> list[str]:
    """The words of a source sentence without its punctuation."""
    return [word for w in sentence.split(" ") if (word := w.strip(MARKS))]


def lot_of(text: str, total: int) -> int:
    """A number below total, the same on every machine for the same text."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:8], "big") % total


def read_symbol(text: str) -> Symbol:
    """Read a symbol such as "N<animate !target>"."""
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:<([^<>]*)>)?\s*", text)
    if match is None:
        raise ConfigError(
            f"vocabulary: '{text}' is not a category", hint='write "N" or "N<animate>"'
        )
    classes = (match[2] or "").split()
    return Symbol(
        match[1],
        tuple(sorted(name for name in classes if not name.startswith("!"))),
        tuple(sorted(name[1:] for name in classes if name.startswith("!"))),
    )


def vocabulary_weights(grammar: Grammar, vocabulary: Mapping[str, int]) -> dict[str, float]:
    """Weight 0 for words beyond the first so many of a symbol such as "N<animate>"."""
    inventory = grammar.inventory
    kept: set[int] = set()
    touched: set[int] = set()
    for text, size in vocabulary.items():
        codes = [c for c in inventory.choices(read_symbol(text)) if inventory.word(c).weight]
        if not codes:
            raise ConfigError(f"vocabulary: the grammar has no words '{text}'")
        touched.update(codes)
        kept.update(codes[:size])
    return {inventory.labels[code]: 0.0 for code in sorted(touched - kept)}
