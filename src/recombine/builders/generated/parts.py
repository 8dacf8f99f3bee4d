"""Part: one block of a generated recipe, `[split.NAME.PART]`, and the constraints it stands for."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from recombine.benchmark import TRAIN, TRAINING_SPLITS
from recombine.errors import ConfigError, GrammarError
from recombine.grammar.inventory import Inventory
from recombine.grammar.sampling.constraints import Constraints, read_bound

TARGET = "$target"
TreeConstraintsT = TypeVar("TreeConstraintsT", bound="TreeConstraints")


@dataclass(frozen=True, kw_only=True)
class FocusRule:
    """What a metric looks at: the first node that `find` matches, and there the slot `take`.

    head: only the head word of what fills the slot; its modifiers are free.
    """

    find: str
    take: str
    head: bool = False


@dataclass(frozen=True, kw_only=True)
class TreeConstraints:
    """What a set of sentences has in common.

    pattern: alternatives; every sentence shows one of them. `$target` stands for any target word.
    require, exclude, depth, count, weights: as in docs/how-to/grammar-format.md.
    """

    pattern: tuple[str, ...] = ()
    require: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    depth: dict[str, Any] = field(default_factory=dict)
    count: dict[str, Any] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Exposure(TreeConstraints):
    """Training sentences that prepare a pattern; `size` and `targets` default to the recipe's.

    shares: how the sentences are divided among the targets, in their order; equally if not given.
    """

    size: int | None = None
    targets: tuple[str, ...] = ()
    shares: tuple[int, ...] = ()
    bare: bool = False

    def __post_init__(self) -> None:
        if any(share <= 0 for share in self.shares):
            raise ConfigError(f"shares {list(self.shares)} must be positive")


@dataclass(frozen=True, kw_only=True)
class RecipePart(TreeConstraints):
    """Sentences of one kind in one split.

    pool: parts of one pool share their draws; each sentence goes to one of them.
    targets: the words that make the pattern new; irregular: those of them with irregular forms.
    inside: a node (that_past) below which the pattern stands in `inside_share` of the sentences;
        `depth_inside` and `depth_outside` bound the two halves.
    each_depth: draw equally many sentences of every admitted depth.
    expose: training sentences that go with this pattern.
    compose, slot: build one rule from separately drawn constituents.
    look: what Partial Match examines, first match counts.
    """

    size: int
    pool: str = ""
    targets: tuple[str, ...] = ()
    irregular: tuple[str, ...] = ()
    inside: str = ""
    inside_share: float = 0.5
    depth_inside: dict[str, Any] = field(default_factory=dict)
    depth_outside: dict[str, Any] = field(default_factory=dict)
    each_depth: bool = False
    expose: tuple[Exposure, ...] = ()
    compose: str = ""
    slot: dict[str, TreeConstraints] = field(default_factory=dict)
    look: tuple[FocusRule, ...] = ()
    number: int = 0
    category: str = ""
    group: str = ""

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ConfigError(f"size {self.size} must not be negative")
        if not 0 <= self.inside_share <= 1:
            raise ConfigError(f"inside_share {self.inside_share} must lie between 0 and 1")
        if self.each_depth and len(self.depth) != 1:
            raise ConfigError("each_depth needs exactly one tag under 'depth'")
        if bool(self.compose) != bool(self.slot):
            raise ConfigError("'compose' and 'slot' go together")
        strangers = [word for word in self.irregular if word not in self.targets]
        if strangers:
            raise ConfigError(f"irregular '{strangers[0]}' is not among the targets")
        for name in ("depth_inside", "depth_outside"):
            for tag, bound in getattr(self, name).items():
                if tag in self.depth and not _within(tag, bound, self.depth[tag]):
                    raise ConfigError(
                        f"{name} of {tag} {bound!r} is not within its depth {self.depth[tag]!r}",
                        hint=f"the pattern is held out by that depth; change it, not {name}",
                    )
        texts = [*self.pattern, *self.require]
        if any(TARGET in text for text in texts) and not self.targets:
            raise ConfigError("a pattern uses $target, but no targets are given")
        for exposure in self.expose:
            words = exposure.targets or self.targets
            if exposure.shares and len(exposure.shares) != len(words):
                raise ConfigError(f"{len(exposure.shares)} shares for {len(words)} targets")


@dataclass(kw_only=True)
class GeneratedOptions:
    """All options of a generated recipe; `Generated` says what they mean."""

    grammar: str = ""
    edition: str | None = None
    source_language: str = "en"
    target_language: str = "ja"
    split: dict[str, dict[str, RecipePart]] = field(default_factory=dict)
    scale: float = 1.0
    exposures: int = 100
    target_words: int = 5
    concatenation: bool = True
    selection: bool = True
    no_repeat: bool = True
    disjoint: bool = True
    zipf: float | None = None
    vocabulary: dict[str, int] = field(default_factory=dict)
    depth: dict[str, Any] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    weights: dict[str, float] = field(default_factory=dict)
    unique: tuple[str, ...] = ("gen",)
    inside_tag: str = "inside"
    partial: bool | None = None
    references: int | None = None
    control: bool = False
    control_size: int | None = None

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target."""
        return self.source_language, self.target_language

    def parts(self) -> Iterator[tuple[str, str, RecipePart]]:
        """The split, name and block of every part that is to be built."""
        for split, parts in self.split.items():
            for name, part in parts.items():
                if self.concatenation or not part.compose:
                    yield split, name, part

    @property
    def shown_by_control(self) -> int:
        """How many sentences of each pattern a control shows; 0 where there is none."""
        size = self.exposures if self.control_size is None else self.control_size
        return size if self.control else 0


class Draw(NamedTuple):
    """One stream of sentences: constraints that are built in, depths that are checked.

    `label` is what the rows are labelled with: the tag `pattern` of the split's examples.
    """

    name: str
    split: str
    label: str
    constraints: Constraints
    limits: Mapping[str, Any]
    size: int
    targets: tuple[str, ...]
    inside: int
    unique: bool = False  # no source sentence twice
    shares: tuple[int, ...] = ()  # of the targets; equal if there are none

    def quota(self) -> dict[str, int]:
        """How many sentences each target word gets: by largest remainder, the first words first."""
        shares = self.shares or (1,) * len(self.targets)
        parts = [divmod(self.size * share, sum(shares)) for share in shares]
        left = self.size - sum(whole for whole, _ in parts)
        ranked = sorted(range(len(parts)), key=lambda index: -parts[index][1])
        return {
            word: parts[index][0] + (index in ranked[:left])
            for index, word in enumerate(self.targets)
        }


def _within(tag: str, bound: Any, other: Any) -> bool:
    """Whether all that one bound admits, another admits too."""
    inner, outer = read_bound(tag, bound), read_bound(tag, other)
    numbers = range(max(inner.cap, outer.cap) + 2)
    return all(outer.admits(number) for number in numbers if inner.admits(number))


def with_targets(text: str, targets: tuple[str, ...]) -> str:
    """Put the target words in the place of `$target`."""
    if not targets:
        return text
    return text.replace(TARGET, targets[0] if len(targets) == 1 else f"({'|'.join(targets)})")


def demand_constraints(
    demand: TreeConstraints,
    options: GeneratedOptions,
    *,
    targets: tuple[str, ...] = (),
    inside: str = "",
    depth: Mapping[str, Any] | None = None,
    start: str | None = None,
    may_repeat: bool = False,
) -> Constraints:
    """Return the constraints that a demand stands for."""
    alternatives = [with_targets(text, targets) for text in demand.pattern]
    if inside:
        alternatives = [f"{inside} >> {text}" for text in alternatives]
    require = [with_targets(text, targets) for text in demand.require]
    if alternatives:
        require.insert(0, " | ".join(alternatives))
    return Constraints(
        require=tuple(require),
        exclude=(*options.exclude, *(with_targets(text, targets) for text in demand.exclude)),
        depth={**demand.depth, **(depth or {})},
        count=demand.count,
        weights={**options.weights, **dict.fromkeys(targets, 1.0), **demand.weights},
        zipf=options.zipf,
        select=options.selection,
        no_repeat=options.source_language if options.no_repeat and not may_repeat else None,
        start=start,
    )


class PlannedPart(NamedTuple):
    """A part in its split with everything that is to be drawn for it."""

    split: str
    name: str
    recipe: RecipePart
    size: int
    draws: tuple[Draw, ...]  # of its sentences; of a composed part, one per slot
    exposures: tuple[Draw, ...]  # the training sentences that go with it

    @property
    def is_pattern(self) -> bool:
        """Whether it is a pattern that training must not show."""
        return self.split not in TRAINING_SPLITS and bool(self.recipe.category)


def plan_part(
    split: str, name: str, part: RecipePart, options: GeneratedOptions, inventory: Inventory
) -> PlannedPart:
    """Work out the draws of a part."""
    size = scaled(part.size, options.scale)
    if part.compose:
        draws = _slot_draws(split, name, part, options, size, inventory)
    else:
        draws = part_draws(split, name, part, options, size)
    return PlannedPart(
        split, name, part, size, tuple(draws), tuple(exposure_draws(name, part, options))
    )


def part_draws(
    split: str, name: str, part: RecipePart, options: GeneratedOptions, size: int
) -> Iterator[Draw]:
    """The draws of a part: outside and inside, and every depth by itself where asked for."""
    stream = f"pool.{part.pool}" if part.pool else f"{split}.{name}"
    inner = math.floor(size * part.inside_share + 0.5) if part.inside else 0
    halves = [("", size - inner, part.depth_outside)]
    if part.inside:
        halves.append((part.inside, inner, part.depth_inside))
    for inside, amount, bounds in halves:
        half = f"{stream}.inside" if inside else stream
        for suffix, depth, share in _depths(part, amount):
            if not share:
                continue
            depth = {**depth, **bounds}
            yield Draw(
                half + suffix,
                split,
                name,
                demand_constraints(part, options, targets=part.targets, inside=inside, depth=depth),
                _other_depths(options, depth),
                share,
                part.targets,
                int(bool(inside)),
                split in options.unique,
            )


def _other_depths(options: GeneratedOptions, depth: Mapping[str, Any]) -> dict[str, Any]:
    """The bounds of the recipe where a part has none of its own."""
    return {tag: bound for tag, bound in options.depth.items() if tag not in depth}


def _depths(part: RecipePart, size: int) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Depth bounds and how many sentences each gets."""
    if not part.each_depth:
        yield "", dict(part.depth), size
        return
    (tag, bound), *_ = part.depth.items()
    values = sorted(read_bound(tag, bound).values)
    for index, value in enumerate(values):
        share = size * (index + 1) // len(values) - size * index // len(values)
        yield f".{value}", {tag: str(value)}, share


def _slot_draws(
    split: str,
    name: str,
    part: RecipePart,
    options: GeneratedOptions,
    size: int,
    inventory: Inventory,
) -> Iterator[Draw]:
    """One draw per slot of the rule that a part composes."""
    code = inventory.code(part.compose)
    slots = () if inventory.is_word(code) else inventory.rule(code).parts
    strangers = sorted({slot.slot for slot in slots} ^ set(part.slot))
    if strangers:
        raise ConfigError(
            f"slot '{strangers[0]}' of '{part.compose}'",
            hint=f"its slots: {', '.join(slot.slot for slot in slots) or 'none'}",
        )
    for slot in slots:
        demand = part.slot[slot.slot]
        constraints = demand_constraints(
            demand, options, start=slot.symbol.category, may_repeat=len(slots) == 1
        )
        limits = _other_depths(options, demand.depth)
        yield Draw(f"{split}.{name}.{slot.slot}", split, name, constraints, limits, size, (), 0)


def exposure_draws(name: str, part: RecipePart, options: GeneratedOptions) -> Iterator[Draw]:
    """The training sentences that go with a part."""
    for number, exposure in enumerate(part.expose, start=1):
        size = scaled(options.exposures if exposure.size is None else exposure.size, options.scale)
        if size:
            yield Draw(
                f"{TRAIN}.{name}.exposure-{number}",
                TRAIN,
                f"exposure/{name}",
                demand_constraints(
                    exposure, options, targets=exposure.targets, may_repeat=exposure.bare
                ),
                _other_depths(options, exposure.depth),
                size,
                exposure.targets,
                0,
                shares=exposure.shares,
            )


def with_words(part: RecipePart, most: int, unsaid: Collection[str]) -> RecipePart:
    """Return a part with the first so many of its target words that can be said, as its exposures.

    Raises where there are target words and none is left.
    """

    def kept(words: tuple[str, ...], shares: tuple[int, ...] = ()) -> tuple[list[str], list[int]]:
        left = [place for place, word in enumerate(words) if word not in unsaid][:most]
        if words and not left:
            raise GrammarError(
                f"no target word is left that both lexicons can use: {', '.join(words)}"
            )
        return [words[place] for place in left], [shares[place] for place in left if shares]

    def demand(given: TreeConstraintsT, **more: Any) -> TreeConstraintsT:
        return replace(given, weights={**given.weights, **never}, **more)

    never = dict.fromkeys(sorted(unsaid), 0.0)  # last, so that no other weight lets them in
    exposures = []
    for exposure in part.expose:
        targets, shares = kept(exposure.targets or part.targets, exposure.shares)
        exposures.append(demand(exposure, targets=tuple(targets), shares=tuple(shares)))
    targets, _ = kept(part.targets)
    return demand(
        part,
        targets=tuple(targets),
        irregular=tuple(word for word in part.irregular if word in targets),
        slot={name: demand(slot) for name, slot in part.slot.items()},
        expose=tuple(exposures),
    )


def scaled(size: int, scale: float) -> int:
    """A size times the scale of the recipe, at least 1 where anything was asked for."""
    return 0 if size == 0 else max(1, math.floor(size * scale + 0.5))
