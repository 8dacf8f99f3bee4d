"""The control of a compound test: training text in which half of the tested compounds are not new.

The sentences of the corpus that show a tested compound are taken out of training, all of them. The
control is training with some of its sentences exchanged for those that show compounds of one half;
the other half stays new, and the two halves can be exchanged. A compound and one that contains it
are in the same half, or no sentence could show the longer one alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from recombine.builders.compounds.filter import Pair
from recombine.corpus.segment import segment

# What a control knows of a tested compound: the tag `held_in`.
SHOWN, OTHER_HALF, NEVER = "yes", "other half", "never"


class CompoundFinder:
    """Looks for texts, as consecutive words, in sentences."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = frozenset(texts)
        self._lengths: dict[str, set[int]] = {}
        for text in self.texts:
            words = text.split()
            self._lengths.setdefault(words[0], set()).add(len(words))
        self._last = sorted({text.split()[-1] for text in self.texts})

    def in_words(self, words: Sequence[str]) -> set[str]:
        """Return the texts that words in lower case show."""
        shown: set[str] = set()
        for place in [place for place, word in enumerate(words) if word in self._lengths]:
            for length in self._lengths[words[place]]:
                text = " ".join(words[place : place + length])
                if text in self.texts:
                    shown.add(text)
        return shown

    def in_text(self, source: str) -> set[str]:
        """Return the texts that a sentence shows."""
        # Cutting a sentence into words costs far more than to see that it lacks the last one of
        # every text. Outside ASCII the letters of a word in lower case may be others than those of
        # its text.
        if source.isascii() and not any(map(source.lower().__contains__, self._last)):
            return set()
        return self.in_words(words_of(source))


class HeldCompounds(NamedTuple):
    """Compounds by half, and the sentences that show them: none of these is in training."""

    halves: tuple[frozenset[str], frozenset[str]]
    hidden: Mapping[int, set[str]]  # number of a sentence -> the compounds that it shows

    # A sentence is cut into words twice: by its parser, and as whoever checks the text does.
    @classmethod
    def draw(
        cls, pairs: Sequence[Pair], texts: Iterable[str], generator: np.random.Generator
    ) -> HeldCompounds:
        """Divide the compounds that the corpus shows into two halves by lot."""
        finder = CompoundFinder(texts)
        hidden = {}
        for number, pair in enumerate(pairs):
            if shown := finder.in_words(pair.tokens) | finder.in_text(pair.source):
                hidden[number] = shown
        families = _families({text for shown in hidden.values() for text in shown})
        order = [families[int(place)] for place in generator.permutation(len(families))]
        first, second = (frozenset().union(*order[start::2]) for start in (0, 1))
        return cls((first, second), hidden)

    def told_of(self, text: str, half: int, shown: Iterable[str]) -> str:
        """Return the tag of a compound, where the control shows these."""
        if text in shown:
            return SHOWN
        return OTHER_HALF if text in self.halves[2 - half] else NEVER


def _families(texts: Iterable[str]) -> list[set[str]]:
    """Return groups of texts: a text that contains another is in its group."""
    family_of: dict[str, set[str]] = {}
    for text in sorted(texts, key=lambda text: (len(text), text)):
        family = {text}
        for inside in CompoundFinder(family_of).in_words(text.split()):
            family |= family_of[inside]
        family_of.update(dict.fromkeys(family, family))
    return list({id(family): family for family in family_of.values()}.values())


def exchange(
    pairs: Sequence[Pair],
    held: HeldCompounds,
    half: int,
    *,
    templates: Iterable[int],
    tested: Iterable[str],
    generator: np.random.Generator,
) -> list[Pair]:
    """Return the control: training, with sentences exchanged for those of one half, in its order.

    A sentence stays that is a template of the test, or the last to have some word.
    """
    wanted, barred, kept = held.halves[half - 1], set(tested), set(templates)
    finder = CompoundFinder(wanted)
    coming = [
        pairs[number]
        for number, shown in held.hidden.items()
        if shown <= wanted
        and pairs[number].source not in barred
        and finder.in_text(pairs[number].source)
    ]
    train = [number for number in range(len(pairs)) if number not in held.hidden]
    control = [pairs[number] for number in train]
    words = [Counter(words_of(pair.source)) for pair in control]
    left: Counter[str] = Counter()
    for own in words:
        left.update(own)
    waiting = iter(coming)
    for place in generator.permutation(len(train)).tolist():
        if train[place] in kept:
            continue
        if all(left[word] > times for word, times in words[place].items()):
            another = next(waiting, None)
            if another is None:
                break
            left.subtract(words[place])
            control[place] = another
    return control


def control_facts(sources: Mapping[str, Sequence[str]], tags: Mapping[str, str]) -> dict[str, Any]:
    """Count what makes a control one, from the sentences of each split and the tags of compounds.

    `tags` says of each tested compound, in lower case, what the control knows of it.
    """
    train, control = sources["train"], sources["control"]
    finder = CompoundFinder(tags)
    exchanged = [new for old, new in zip(train, control, strict=False) if old != new]
    shown_in = Counter(text for source in exchanged for text in finder.in_text(source))
    shown = {text for source in control for text in finder.in_text(source)}
    in_train = {text for source in train for text in finder.in_text(source)}
    return {
        "sentences": len(control),
        "lines_of_train": len(control) - len(exchanged),
        "exchanged_for_others": sum(not finder.in_text(source) for source in exchanged),
        "tested": {
            split: len(set(control) & set(sources[split])) for split in ("dev", "test", "gen")
        },
        "lost_words": sorted(
            {word for source in train for word in words_of(source)}
            - {word for source in control for word in words_of(source)}
        ),
        "compounds": dict(sorted(Counter(tags.values()).items())),
        "shown": len(shown),
        "shown_though_tagged_otherwise": sorted(
            text for text in tags if (tags[text] == SHOWN) != (text in shown) or text in in_train
        ),
        "sentences_that_show_one": dict(
            zip(
                ("fewest", "mean", "most"),
                _span([shown_in[text] for text in tags if tags[text] == SHOWN]),
                strict=True,
            )
        ),
    }


def _span(numbers: Sequence[int]) -> tuple[int, float, int]:
    if not numbers:
        return 0, 0.0, 0
    return min(numbers), round(sum(numbers) / len(numbers), 2), max(numbers)


def words_of(source: str) -> list[str]:
    """Return the words of a sentence in lower case."""
    return [token.lower() for token in segment(source)]


def control_faults(control: Mapping[str, Any], train: int) -> Iterator[str]:
    """Yield every way in which a control is not valid."""
    if control["sentences"] != train:
        yield f"the control has {control['sentences']} sentences, train has {train}"
    if number := control["exchanged_for_others"]:
        yield f"{number} lines of the control differ from train and show no tested compound"
    for split, number in control["tested"].items():
        if number:
            yield f"{number} sentences of the control are also in {split}"
    for word in control["lost_words"][:1]:
        yield f"the control lacks the word '{word}', which train has"
    for text in control["shown_though_tagged_otherwise"][:1]:
        yield f"'{text}' is in train, or the control shows it although the tag denies it"


def control_card(control: Mapping[str, Any]) -> str:
    """Return what the data card says of a control."""
    counts = control["compounds"]
    fewest, mean, most = control["sentences_that_show_one"].values()
    return (
        f"\n\n## Control\n\n`control` is a second training set, {control['sentences']:,} "
        f"sentences like train, of which {control['sentences'] - control['lines_of_train']:,} "
        "stand in the place of others: they show tested compounds, which train never does, in "
        "other sentences than those of the test. The tag `held_in` of a compound says whether the "
        "control shows it:\n\n"
        f"- `{SHOWN}`: {counts.get(SHOWN, 0):,} compounds, each in {fewest} to {most} sentences "
        f"(mean {mean})\n"
        f"- `{OTHER_HALF}`: {counts.get(OTHER_HALF, 0):,}, which it does not show although the "
        "corpus does\n"
        f"- `{NEVER}`: {counts.get(NEVER, 0):,}, of which the corpus has no sentence to show\n\n"
        "What the control gains on the first is composition; on the others it should gain nothing."
    )
