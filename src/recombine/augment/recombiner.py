"""Learn from training pairs, draw new ones, and say how."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

from recombine.augment.agreement.learn import find_agreement, learn_forms
from recombine.augment.analogy.forms import fill_forms, place_bare_words
from recombine.augment.analogy.sentences import SentenceAnalogies
from recombine.augment.classes import Joining, Unit, unit_text, word_classes
from recombine.augment.composer import FEWEST_MEMBERS, Composer, FrameFamilies
from recombine.augment.frames import OTHERWISE, SentenceFrame
from recombine.augment.links import LinkedText, link
from recombine.augment.options import SORT, AugmentOptions, Recombined, TrainingPair, check_pairs
from recombine.augment.phrase_composer import Piece
from recombine.augment.phrases.grammar import PhraseGrammar, free_variants
from recombine.augment.repertoire import Repertoire, learn_repertoire
from recombine.augment.tokens import CUT, Tokeniser, tokenisers
from recombine.augment.trial.derivation import Derivations, Reading
from recombine.errors import DataError
from recombine.progress import progress as show_progress

# So many short pairs are tried: do they follow from what was learnt? (SGET into Japanese and
# Spanish: 0.92 to 0.97; a small one into German, whose articles were taken for free variants: 0.5.)
TRIED = 300

Bar = Callable[[str, int | None], AbstractContextManager[Any]]


@dataclass(frozen=True)
class Review:
    """What was learnt, as plain rows for people: each with its support."""

    classes: list[dict[str, Any]]
    phrases: list[dict[str, Any]]
    paradigms: list[dict[str, Any]]
    analogies: list[dict[str, Any]]


class FrequentComposer(Composer):
    """Draws frames, words and heads as often as training has them, and made ones as if seen once.

    Not what is wanted of recombined text (composer.py): it shows what even sampling brings.
    """

    def __init__(self, repertoire: Repertoire, depth: int, seen: Counter[str]) -> None:
        super().__init__(repertoire, depth)
        self._seen = seen
        self._counts: dict[object, list[int]] = {}

    def _often(self, key: object, counts: Iterable[int]) -> list[int]:
        """Return summed counts, worked out once."""
        found = self._counts.get(key)
        if found is None:
            found = self._counts[key] = list(accumulate(max(1, count) for count in counts))
        return found

    def _of_family(self, families: FrameFamilies) -> SentenceFrame:
        frames = [frame for row in families.rows for frame in row]
        counts = self._often(id(families), (frame.count for frame in frames))
        return self._weighted(frames, counts)

    def _word_sums(self, frame: SentenceFrame) -> list[int]:
        return self._often(frame, (len(frame.members[words].pairs) for words in frame.words))

    def heads(self, sort: int, place: tuple[int, tuple[str, ...], int] | None) -> list[Unit]:
        """Return one head of a sort."""
        units = super().heads(sort, place)
        counts = self._often((sort, place), (self._seen[unit[0].strip()] for unit in units))
        return [self._weighted(units, counts)]


class Recombiner:
    """What was learnt from pairs, and new pairs drawn from it."""

    def __init__(
        self,
        pairs: Sequence[TrainingPair],
        options: AugmentOptions,
        source: Tokeniser,
        target: Tokeniser,
        repertoire: Repertoire,
        paradigms: list[dict[str, Any]],
        analogies: list[dict[str, Any]],
    ) -> None:
        self.pairs = pairs
        self.options = options
        self.repertoire = repertoire
        self._source = source
        self._target = target
        self._paradigms = paradigms
        self._analogies = analogies
        self._known = frozenset(pair.source.strip() for pair in pairs)
        self._turned = False
        self._readers: dict[int, Derivations] = {}

    @classmethod
    def learn(
        cls,
        pairs: Sequence[TrainingPair],
        options: AugmentOptions | None = None,
        progress: Bar = show_progress,
    ) -> Recombiner:
        """Learn from training pairs, and from nothing else."""
        options = options or AugmentOptions()
        check_pairs(pairs, options)
        sources = frozenset(pair.source.strip() for pair in pairs)
        if len(pairs) > options.most_pairs:
            order = sorted(range(len(pairs)), key=lambda number: len(pairs[number].source))
            pairs = [pairs[number] for number in sorted(order[: options.most_pairs])]
        with progress("align the pairs", None):
            source, target = sides = tokenisers(pairs, options)
            text = _linked(source, target, options)
            _check_builds(text, options.alike)
            # Articles that the other language lacks are free in one direction only. The pairs are
            # learnt in that direction, and turned again when they are drawn.
            agreement = None
            free = free_variants(text, options.support)
            if not free:
                turned = _linked(target, source, options)
                free = free_variants(turned, options.support)
                if free:
                    text, sides = turned, (target, source)
                else:
                    # Articles that correspond, in either direction.
                    found = (options.similarity, options.support)
                    agreement = find_agreement(text, *found)
                    if agreement is None and (agreement := find_agreement(turned, *found)):
                        sides = target, source
        with progress("find classes and phrases", None):
            if agreement is None:
                joins = Joining(options.class_size, options.clearly) if options.rare else None
                classes = word_classes(text, options.similarity, options.support, rare=joins)
                if not classes:
                    raise _nothing_in_common(len(pairs))
                grammar = PhraseGrammar(text, classes, options.support, free)
            else:
                grammar = PhraseGrammar(
                    agreement.text,
                    agreement.classes,
                    options.support,
                    agreement.articles.source,
                    agreement.gender,
                )
        with progress("find frames", None):
            # Of few pairs less is asked.
            support = max(options.support, min(options.frame_support, len(pairs) // 1000))
            repertoire = learn_repertoire(grammar, support)
            if agreement is not None:
                repertoire.inflector = learn_forms(agreement, grammar, repertoire)
        paradigms: list[dict[str, Any]] = []
        analogies: list[dict[str, Any]] = []
        with progress("find analogies", None):
            if options.paradigms:
                paradigms = fill_forms(repertoire, options.analogy_support)
            else:
                place_bare_words(repertoire, [], {})
            if options.sentence_analogies and repertoire.inflection is not None:
                finder = SentenceAnalogies(
                    repertoire, repertoire.inflection, options.analogy_support
                )
                analogies = finder.run()
        if not any(len(frame.members) >= FEWEST_MEMBERS for frame in repertoire.frames):
            raise _nothing_in_common(len(pairs))
        made = cls(pairs, options, sides[0], sides[1], repertoire, paradigms, analogies)
        made._turned = sides[0] is target
        made._known = sources
        made._check_reads()
        return made

    def draw(self, n: int | None = None, seed: int | None = None) -> Iterator[Recombined]:
        """Yield new pairs, no source twice and none that is in training."""
        options = self.options
        n = options.n if n is None else n
        composer = self._composer()
        composer.stream = random.Random(options.seed if seed is None else seed)
        known = set(self._known)
        made = failed = 0
        while made < n and failed < 10 * n + 1000:
            found = self._compose(composer)
            if found is None or found[0] in known:
                failed += 1
                continue
            source, target, piece = found
            known.add(source)
            made += 1
            parents = dict.fromkeys(number for number in piece.parents if number >= 0)
            yield Recombined(
                source,
                target,
                tuple(self.pairs[number].id or str(number) for number in parents),
                tuple(dict.fromkeys(piece.steps)),
                piece.depth,
            )

    def _composer(self) -> Composer:
        if self.options.uniform:
            return Composer(self.repertoire, self.options.depth)
        seen = Counter(token.strip() for row in self._source.raw for token in row)
        return FrequentComposer(self.repertoire, self.options.depth, seen)

    def _compose(self, composer: Composer) -> tuple[str, str, Piece] | None:
        piece = composer.sentence()
        if piece is None or len(piece.source) > self.options.longest:
            return None
        words = piece.target
        if self.repertoire.inflector is not None:
            made = self.repertoire.inflector.inflect(piece.target)
            if made is None:
                return None
            words = made
        source, target = self._source.text(piece.source), self._target.text(words)
        return (target, source, piece) if self._turned else (source, target, piece)

    def review(self) -> Review:
        """Return what was learnt."""
        known = self.repertoire
        return Review(
            [
                {
                    "name": f"{SORT} {sort}",
                    "members": list(map(unit_text, units)),
                    "support": len(units),
                }
                for sort, units in sorted(known.units.items())
            ],
            [
                {
                    "name": str(frame),
                    "members": [
                        f"{' '.join(w.strip() for w in words)}|{member.target}".replace(CUT, "")
                        for words, member in frame.members.items()
                    ],
                    "support": frame.count,
                    "made_by": frame.made_by,
                }
                for frame in [*known.modifiers, *known.frames]
            ],
            [_readable(row) for row in self._paradigms],
            [_readable(row) for row in self._analogies],
        )

    def explain(self, source: str) -> list[str] | None:
        """Return how a sentence can be made of training pairs, line by line, or None."""
        for reading in self._readings(source, own=True):
            return list(reading.lines)
        return None

    def derived(self, pair: TrainingPair) -> list[bool]:
        """Return for every derivation of a source whether it gives the pair's own target."""
        first, second = self._sides(pair)
        return [self._target.text(one.other) == second for one in self._readings(first)]

    def own_reading(self, pair: TrainingPair) -> Reading | None:
        """Return the derivation of a pair, or None."""
        first, second = self._sides(pair)
        return next(
            (one for one in self._readings(first) if self._target.text(one.other) == second), None
        )

    def _sides(self, pair: TrainingPair) -> tuple[str, str]:
        """Return source and target in the direction in which they were learnt."""
        sides = pair.source.strip(), pair.target.strip()
        return (sides[1], sides[0]) if self._turned else sides

    def _check_reads(self) -> None:
        """Refuse pairs that what was learnt of them does not make again: the rules are wrong."""
        order = sorted(range(len(self.pairs)), key=lambda number: len(self.pairs[number].source))
        short = order[: max(TRIED, len(order) // 2)]
        tried = [self.pairs[number] for number in short[:: max(1, len(short) // TRIED)]]
        if self.repertoire.inflector is None:
            read = sum(self.own_reading(pair) is not None for pair in tried)
        else:  # Forms that agree are made when a pair is drawn, and not read back.
            read = sum(bool(self._readings(self._sides(pair)[0])) for pair in tried)
        if read < self.options.made_again * len(tried):
            raise DataError(
                f"of {len(tried)} short training pairs only {read} can be made again of what was "
                "learnt from all: their words stand, or change, in ways that are not understood",
                hint=OTHERWISE,
            )

    def _readings(self, sentence: str, *, own: bool = False) -> list[Reading]:
        """Read a sentence of the first language learnt, or of the user's `own` source language."""
        side: Literal[0, 1] = 1 if own and self._turned else 0
        reader = self._readers.get(side)
        if reader is None:
            reader = Derivations(self.repertoire, self.pairs, side, self.options.depth)
            self._readers[side] = reader
        row = "".join(self._target.cut(sentence)) if side else self._source.cut(sentence)
        fits = side == 1 or len(row) <= self.options.longest
        return reader.read(row) if row and fits else []


def _linked(source: Tokeniser, target: Tokeniser, options: AugmentOptions) -> LinkedText:
    return link(
        [source.truecase(tokens) for tokens in source.raw],
        [target.truecase(tokens) for tokens in target.raw],
        options.lift,
        options.share,
        rare=options.rare,
    )


def _check_builds(text: LinkedText, share: float) -> None:
    """Refuse running text: of SGET 86% are built as others are, of short Europarl 4%."""
    content = text.source_content
    builds = Counter(tuple("" if w in content else w for w in pair.source) for pair in text.pairs)
    alike = sum(count for count in builds.values() if count > 1)
    if alike < share * len(text.pairs):
        raise DataError(
            f"running text: of {len(text.pairs):,} pairs only {alike:,} have a source that is "
            "built as another one is",
            hint="-o method=exchange exchanges words of running text",
        )


def _nothing_in_common(count: int) -> DataError:
    return DataError(
        f"no word of the {count:,} pairs stands where another one does",
        hint="more pairs, or shorter sentences, are needed to learn what can be exchanged",
    )


def _readable(row: dict[str, Any]) -> dict[str, Any]:
    return {
        key: [str(one).replace(CUT, "") for one in value]
        if isinstance(value, list)
        else value.replace(CUT, "")
        if isinstance(value, str)
        else value
        for key, value in row.items()
    }
