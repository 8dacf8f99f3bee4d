"""Drawing: the sentences of a generated recipe, split by split.

Pools are dealt to their splits, exposures, composed and other training sentences follow, and what
is left is drawn last, so that generalisation sentences use only words that training shows.
"""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple

from recombine.benchmark import CONTROL, TRAIN, TRAINING_SPLITS, Example, Focus
from recombine.builders.generated.blueprint import Blueprint
from recombine.builders.generated.lexicon import MARKS
from recombine.builders.generated.parts import Draw, PlannedPart
from recombine.errors import GrammarError
from recombine.grammar import Constraints
from recombine.grammar.sampling.constraints import read_bound
from recombine.grammar.tree import Tree
from recombine.grammar.variants.wordings import Wordings, wordings_of

PATIENCE = 50_000  # candidates dropped in a row before a draw is called hopeless
REMEMBERED = 1_000  # of them whose words are looked at then
NAMED = 6  # words that are named
ENDLESS = 2**31  # candidates there are to choose from

Codes = tuple[int, ...]


class DrawnSentence(NamedTuple):
    """A sentence pair with the tree it comes from and the draw it was drawn in."""

    source: str
    target: str
    codes: Codes
    draw: Draw


class Dropped(str):
    """Why a candidate is not taken."""

    __slots__ = ()


DEPTH = Dropped("outside the depth bounds")
SHOWN = Dropped("shows a held-out pattern")
TARGETS = Dropped("no target word, two of them, or enough of this one")
REPEATED = Dropped("there already")
STRANGE = Dropped("has a word that training does not show")
TAKEN = Dropped("belongs to another split")
FULL = Dropped("falls to a split that has enough")
AMBIGUOUS = Dropped("has another translation already")

Pair = tuple[str, str]


class Drawing:
    """The sentences of one recipe being drawn."""

    def __init__(self, blueprint: Blueprint, seed: int) -> None:
        self.blueprint = blueprint
        self.grammar = blueprint.grammar
        self.options = blueprint.options
        self.lexicon = blueprint.lexicon
        self.held = blueprint.held
        self.seed = seed
        self._source = self.grammar.realiser(self.options.source_language).fill
        self._target = self.grammar.realiser(self.options.target_language).fill
        self._known: dict[str, str] = {}  # source sentence -> translation, over all splits
        self._wordings: Wordings | None = None
        self._taken: dict[str, str] = {}  # source sentence -> split, where splits are disjoint
        self._longest = 0  # words of the longest training sentence that is not composed

    def sentences(self, advance: Callable[[int], Any]) -> dict[str, list[DrawnSentence]]:
        """Draw all splits: training as a whole before what generalises from it."""
        found: dict[str, list[DrawnSentence]] = {split: [] for split in self.blueprint.splits}

        def add(split: str, sentences: Iterable[DrawnSentence]) -> None:
            for sentence in sentences:
                found[split].append(sentence)
                advance(1)

        for pool, members in self.blueprint.pools().items():
            for split, sentence in self._deal(pool, members):
                add(split, [sentence])
        for part in self.blueprint.parts:
            if part.recipe.compose:
                add(part.split, self._compose(part))
            for draw in part.exposures:
                add(TRAIN, self._draw(draw, None))
        rest = [
            part for part in self.blueprint.parts if not (part.recipe.pool or part.recipe.compose)
        ]
        for part in rest:
            if part.split == TRAIN:
                for draw in part.draws:
                    add(TRAIN, self._draw(draw, None))
        train = found.get(TRAIN, [])
        seen = {word for sentence in train for word in self.words(sentence)}
        self._longest = self._longest_of(train)
        for part in rest:
            if part.split != TRAIN:
                allowed = self._allowed(seen, part) if train else None
                for draw in part.draws:
                    add(part.split, self._draw(draw, allowed))
        if self.blueprint.control:
            tested = {
                sentence.source for split in found if split != TRAIN for sentence in found[split]
            }
            shown = [s for part in self.blueprint.control for s in self._shown(part, seen, tested)]
            found[CONTROL] = self._exchange(train, shown)
            advance(len(train))
        return found

    def words(self, sentence: DrawnSentence) -> list[str]:
        """The words of a drawn sentence without its punctuation."""
        return self.lexicon.words(sentence.source, sentence.codes)

    def _longest_of(self, train: Iterable[DrawnSentence]) -> int:
        composed = self.blueprint.labels(TRAIN, composed=True)
        return max((len(self.words(s)) for s in train if s.draw.label not in composed), default=0)

    # --- the control

    def _shown(
        self, part: PlannedPart, seen: set[str], tested: set[str]
    ) -> Iterator[DrawnSentence]:
        """Draw the sentences by which the control shows a pattern: none that is tested."""
        if part.recipe.compose:
            yield from self._compose(part, tested)
            return
        for draw in part.draws:
            yield from self._draw(draw, self._allowed(seen, part), tested)

    def _exchange(
        self, train: list[DrawnSentence], shown: list[DrawnSentence]
    ) -> list[DrawnSentence]:
        """Training with as many plain sentences exchanged: all others stay, each in its place.

        Plain is what neither prepares a pattern nor is composed. A sentence stays where it is the
        last to have some word, so that the control shows every word that training shows.
        """
        plain = self.blueprint.labels(TRAIN, composed=False)
        left = Counter(word for sentence in train for word in self.words(sentence))
        control, waiting = list(train), iter(shown)
        exchanged = 0
        places = (place for place, sentence in enumerate(train) if sentence.draw.label in plain)
        for place in shuffled(places, f"{self.seed}\0control"):
            if exchanged == len(shown):
                break
            own = Counter(self.words(train[place]))
            if all(left[word] > times for word, times in own.items()):
                left -= own
                control[place] = next(waiting)
                exchanged += 1
        if exchanged < len(shown):
            raise GrammarError(
                f"the control exchanges {len(shown):,} sentences of training, which has only "
                f"{exchanged:,} plain ones that can go",
                hint="lower control_size, or train on more sentences",
            )
        return control

    def _allowed(self, seen: set[str], part: PlannedPart) -> set[str]:
        """The words of a part: those of training, and the forms of its target words."""
        words = seen | self.lexicon.forms_of(part.recipe.targets) | {""}
        return {word + mark for word in words for mark in ("", *MARKS)}

    # --- the one rejection loop

    def _taken_from(
        self,
        name: str,
        size: int,
        candidates: Iterable[Codes],
        judge: Callable[[Codes], Pair | Dropped],
        missing: Callable[[], str] = str,
    ) -> Iterator[tuple[Codes, Pair]]:
        """Yield candidates until `size` were taken; too many dropped in a row is an error."""
        reasons: Counter[Dropped] = Counter()
        found = in_a_row = 0
        if not size:
            return
        for codes in candidates:
            verdict = judge(codes)
            if isinstance(verdict, Dropped):
                reasons[verdict] += 1
                in_a_row += 1
                if in_a_row >= PATIENCE:
                    why = "; ".join(f"{number:,} {reason}" for reason, number in reasons.items())
                    raise GrammarError(
                        f"{name}: found only {found} of {size} sentences, then {PATIENCE:,} "
                        f"candidates in a row were dropped{missing()} (dropped in all: {why})",
                        hint=_HINTS[reasons.most_common(1)[0][0]],
                    )
                continue
            in_a_row = 0
            found += 1
            yield codes, verdict
            if found == size:
                return

    def _candidates(self, draw: Draw) -> Iterator[Codes]:
        sampler = self.grammar.sampler(draw.constraints)
        try:
            for _, codes in sampler.draw_codes(ENDLESS, seed=self.seed, stream=draw.name):
                yield codes
        except GrammarError as error:
            message = error.message.replace(f" of {ENDLESS}", "")
            raise GrammarError(f"{draw.name}: {message}", error.where, error.hint) from None

    def _within(self, draw: Draw) -> Callable[[Codes], bool]:
        """Whether the depths of a tree are admitted."""
        inventory = self.grammar.inventory
        limits = [(tag, read_bound(tag, bound)) for tag, bound in draw.limits.items()]
        deep = frozenset().union(*(inventory.tagged(tag) for tag, _ in limits))
        flat = all(allowed.admits(0) for _, allowed in limits)

        def within(codes: Codes) -> bool:
            if flat and deep.isdisjoint(codes):
                return True
            tree = Tree(inventory, codes)
            return all(allowed.admits(tree.depth(tag)) for tag, allowed in limits)

        return within

    def _pair(self, codes: Codes, source: str, split: str) -> Pair | Dropped:
        """Both texts, unless the source has another split or another translation already."""
        return self._claim(source, split) or self._translate(codes, source)

    def _claim(self, source: str, split: str) -> Dropped | None:
        free = not self.options.disjoint or self._taken.setdefault(source, split) == split
        return None if free else TAKEN

    def _translate(self, codes: Codes, source: str) -> Pair | Dropped:
        target = self._target(codes)
        return (source, target) if self._known.setdefault(source, target) == target else AMBIGUOUS

    # --- three ways to draw

    def _draw(
        self, draw: Draw, allowed: set[str] | None, barred: Collection[str] = ()
    ) -> Iterator[DrawnSentence]:
        """Draw the sentences of one part, equally many with each of its target words.

        `allowed` are the words they may have, `barred` are sentences that they must not be.
        """
        split = draw.split
        code = self.grammar.inventory.code
        quota = {code(word): share for word, share in draw.quota().items()}
        seen: set[str] = set()
        within = self._within(draw)
        plain = self.lexicon.plain
        # The words of the last candidates with a word that training does not show.
        strange: deque[Iterable[str]] = deque(maxlen=REMEMBERED)

        def judge(codes: Codes) -> Pair | Dropped:
            if not within(codes):
                return DEPTH
            target = _target_of(codes, quota)
            if quota and not quota.get(target, 0):
                return TARGETS
            source = self._source(codes)
            if split == TRAIN and self.held.shown_by(codes):
                return SHOWN
            if source in seen:
                return REPEATED
            if source in barred:
                return TAKEN
            if allowed is not None:
                words = source.split(" ") if plain else self.lexicon.words(source, codes)
                if not allowed.issuperset(words):
                    strange.append(words)
                    return STRANGE
            pair = self._pair(codes, source, split)
            if not isinstance(pair, Dropped):
                if quota:
                    quota[target] -= 1
                if draw.unique:
                    seen.add(source)
            return pair

        def missing() -> str:
            labels = self.grammar.inventory.labels
            words = [f"{labels[code]} {left}" for code, left in quota.items() if left]
            text = f", still wanted: {', '.join(words)}" if words else ""
            unseen = Counter(
                word.strip(MARKS) for row in strange for word in row if word not in (allowed or ())
            )
            if unseen:
                named = ", ".join(f"'{word}'" for word, _ in unseen.most_common(NAMED))
                text += f", often for a word that training does not show: {named}"
            return text

        for codes, pair in self._taken_from(
            draw.name, draw.size, self._candidates(draw), judge, missing
        ):
            yield DrawnSentence(*pair, codes, draw)

    def _deal(self, pool: str, members: list[PlannedPart]) -> Iterator[tuple[str, DrawnSentence]]:
        """Deal the draws of a pool to its splits: by sentence where splits are disjoint."""
        members = [part for part in members if part.size]
        if not members:
            return
        draws = [part.draws[0] for part in members]
        left = [draw.size for draw in draws]
        bounds = [sum(left[: index + 1]) for index in range(len(left))]
        within = self._within(draws[0])
        numbers = count()
        member = 0
        seen: list[set[str]] = [set() for _ in members]

        def judge(codes: Codes) -> Pair | Dropped:
            nonlocal member
            if not within(codes):
                return DEPTH
            number = next(numbers)
            source = self._source(codes)
            if self.held.shown_by(codes):
                return SHOWN
            pair = self._translate(codes, source)
            if isinstance(pair, Dropped):
                return pair
            key = source if self.options.disjoint else str(number)
            lot = stable_bucket(f"{self.seed}\0{pool}\0{key}", bounds[-1])
            member = next(index for index, bound in enumerate(bounds) if lot < bound)
            if not left[member]:
                return FULL
            if draws[member].unique and source in seen[member]:
                return REPEATED
            if dropped := self._claim(source, members[member].split):
                return dropped
            left[member] -= 1
            if draws[member].unique:
                seen[member].add(source)
            return pair

        for codes, pair in self._taken_from(
            f"pool '{pool}'", bounds[-1], self._candidates(draws[0]), judge
        ):
            yield members[member].split, DrawnSentence(*pair, codes, draws[member])

    def _compose(self, part: PlannedPart, barred: Collection[str] = ()) -> Iterator[DrawnSentence]:
        """Build sentences from separately drawn constituents of one rule."""
        code = self.grammar.inventory.code(part.recipe.compose)
        name = f"{part.split}.{part.name}"
        draw = Draw(name, part.split, part.name, Constraints(), {}, part.size, (), 0)

        def constituents(slot: Draw) -> Iterator[Codes]:
            within = self._within(slot)
            for codes, _ in self._taken_from(
                slot.name,
                ENDLESS,
                self._candidates(slot),
                lambda codes: ("", "") if within(codes) else DEPTH,
            ):
                yield codes

        def judge(codes: Codes) -> Pair | Dropped:
            source = self._source(codes)
            if part.split == TRAIN and self.held.shown_by(codes):
                return SHOWN
            if source in barred:
                return TAKEN
            return self._pair(codes, source, part.split)

        streams = [constituents(slot) for slot in part.draws]
        candidates = (
            (code, *(number for piece in pieces for number in piece))
            for pieces in zip(*streams, strict=True)
        )
        for codes, pair in self._taken_from(name, part.size, candidates, judge):
            yield DrawnSentence(*pair, codes, draw)

    # --- writing

    def examples(self, split: str, sentences: list[DrawnSentence]) -> Iterator[Example]:
        """Turn sentences into examples, shuffled within a training split."""
        if split in TRAINING_SPLITS:
            # Mixed as published: batches of exposures in a row would be a curriculum. A control has
            # the order of training, so that both differ in the exchanged lines alone.
            order = shuffled(range(len(sentences)), f"{self.seed}\0order")
            sentences = [sentences[index] for index in order]
        longest = self._longest
        for sentence in sentences:
            finder = self.blueprint.finders.get((sentence.draw.split, sentence.draw.label))
            tags: dict[str, str | int | float] = {"pattern": sentence.draw.label}
            focus: tuple[Focus, ...] = ()
            if finder is not None and finder.recipe.category:
                length = len(self.words(sentence))
                tags |= finder.tags(sentence.codes, sentence.draw.inside)
                tags.update(length=length, longer_than_train="yes" if length > longest else "no")
                focus = finder.focus(sentence.codes, sentence.source, sentence.target)
            elif split in TRAINING_SPLITS:
                tags["length"] = len(self.words(sentence))
            is_tested = split not in TRAINING_SPLITS
            references = (sentence.target, *(self._variants(sentence) if is_tested else ()))
            yield Example.make(
                source=sentence.source, references=references, tags=tags, focus=focus
            )

    def _variants(self, sentence: DrawnSentence) -> tuple[str, ...]:
        """Other wordings of a sentence, as many as the recipe wants references."""
        count = (self.options.references or 1) - 1
        if not count:
            return ()
        if self._wordings is None:
            options = self.options
            self._wordings = wordings_of(self.grammar, options.grammar, options.target_language)
        tree = Tree(self.grammar.inventory, sentence.codes)
        return self._wordings.sample(tree, count, self.seed, stream=sentence.source)

    def violations(self, splits: Mapping[str, list[DrawnSentence]]) -> dict[str, int]:
        """How many sentences of each split pair words that do not go together."""
        if not self.options.selection:
            return {}
        inventory, violates = self.grammar.inventory, self.blueprint.violates
        return {
            split: sum(violates(Tree(inventory, sentence.codes)) for sentence in sentences)
            for split, sentences in splits.items()
        }


_HINTS = {
    DEPTH: "widen [depth], or the depth bounds of the part",
    SHOWN: "a pattern is held out that nearly every such sentence shows",
    TARGETS: "is every target word possible there? see weights and targets",
    REPEATED: "lower the size, allow more structures or words, or set no_repeat = false",
    STRANGE: "train on more sentences, or use fewer words",
    TAKEN: "lower the sizes, or set disjoint = false",
    FULL: "the pool has too few different sentences: lower the sizes, or set disjoint = false",
    AMBIGUOUS: "the source language leaves open what the target language must say",
}


def _target_of(codes: Codes, quota: Mapping[int, int]) -> int:
    """The target word of a tree; -1 where there is none, or more than one."""
    found = [code for code in codes if code in quota]
    return found[0] if len(found) == 1 else -1


def shuffled(places: Iterable[int], salt: str) -> list[int]:
    """Places in an order that is the same on every machine for the same salt."""
    return sorted(places, key=lambda place: hashlib.sha256(f"{salt}\0{place}".encode()).digest())


def stable_bucket(text: str, total: int) -> int:
    """A number below total, the same on every machine for the same text."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:8], "big") % total
