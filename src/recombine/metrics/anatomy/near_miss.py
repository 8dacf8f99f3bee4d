"""What is missing, new or replaced in a sentence that the grammar does not accept.

A reader of broken output compares it with what should have been said: the words that are there, in
their order, and the function words between them.  So does this: both sides become words with gaps,
the words are aligned, and when every gap is explained by the words that left or joined it, the
difference has a name.  When a word has moved or a gap stays unexplained, the sentence is broken
beyond that, and nothing is claimed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from recombine.metrics.anatomy.dependencies import (
    CLASSES,
    RELATED,
    Finding,
    Unit,
    dropped,
    nominal_categories,
)

# The same word in another form, and another word in its place: dearer than leaving it, so that
# a word that is there is found, but cheaper than leaving one and adding one.
INFLECTED, REPLACED = 0.2, 1.5


class Spoken(NamedTuple):
    """Words with the function words before, between and after them: one gap more than words."""

    words: tuple[str, ...]
    gaps: tuple[str, ...]


def spoken(pieces: Iterable[tuple[str, bool]]) -> Spoken:
    """Pieces of text, each a word or not, as words and gaps."""
    words: list[str] = []
    gaps = [""]
    for text, is_word in pieces:
        if is_word:
            words.append(text)
            gaps.append("")
        elif not text.isspace():
            gaps[-1] += text
    return Spoken(tuple(words), tuple(gaps))


def forms_of(unit: Unit) -> frozenset[str]:
    """Every form of a unit's word, as it is compared."""
    return (
        frozenset(map(str.casefold, unit.word)) if isinstance(unit.word, frozenset) else frozenset()
    )


class Edit(NamedTuple):
    """One step from the reference to what was said: positions, None where a side has no word."""

    wanted: int | None
    given: int | None
    cost: float


def name_edits(
    wanted: Spoken,
    given: Spoken,
    said: Sequence[int],
    units: Sequence[Unit],
    recursive: Callable[[Unit], str | None],
    categories: Mapping[str, frozenset[str]],
) -> list[Finding]:
    """What happened, in the words of dependencies.py; empty when it stays unclear.

    ``said`` gives the unit of each wanted word, ``recursive`` names the chain that a unit is a
    link of, and ``categories`` tells which kinds of words a form belongs to.
    """
    nominal = nominal_categories(units)
    forms = [forms_of(units[unit]) for unit in said]

    def is_noun(place: int) -> bool:
        return units[said[place]].category in nominal

    def may_replace(place: int, word: str) -> bool:
        return any((kind in nominal) == is_noun(place) for kind in categories.get(word, ()))

    gaps = changed_gaps(wanted, given)
    if gaps:
        # Other particles around the same nouns are other roles; the end is not about roles.
        beside = [{place - 1, place} & set(range(len(said))) for place in gaps]
        if gaps[-1] < len(said) and all(any(map(is_noun, near)) for near in beside):
            return [
                Finding(
                    "role changed", "for", (given.gaps[place] or "–", wanted.gaps[place] or "–")
                )
                for place in gaps
            ]
        return []
    edits = near_miss(wanted, given, forms, may_replace)
    if edits is None:
        return []
    kept = sum(edit.cost <= INFLECTED for edit in edits)
    if kept < RELATED * min(len(wanted.words), len(given.words)):
        return []
    return _findings(edits, wanted, given, said, units, nominal, recursive)


def changed_gaps(wanted: Spoken, given: Spoken) -> list[int]:
    """Gaps that differ between two rows of the same words."""
    if wanted.words != given.words:
        return []
    return [place for place, text in enumerate(wanted.gaps) if text != given.gaps[place]]


def near_miss(
    wanted: Spoken,
    given: Spoken,
    forms: Sequence[frozenset[str]],
    may_replace: Callable[[int, str], bool],
) -> list[Edit] | None:
    """The edits that explain what was said; None when they do not explain all of it.

    ``forms`` holds every form of each word wanted; ``may_replace`` tells whether a word can stand
    in the place of a wanted one (a noun for a noun).
    """
    costs = _costs(wanted, given, forms, may_replace)
    # Of two equal words side by side either may be the new one.
    for late in (True, False):
        edits = _cheapest(costs, late)
        if not _has_moved(given, forms, edits) and _gaps_explained(wanted, given, edits):
            return edits
    return None


class _Costs(NamedTuple):
    step: list[list[float]]
    total: list[list[float]]


def _costs(
    wanted: Spoken,
    given: Spoken,
    forms: Sequence[frozenset[str]],
    may_replace: Callable[[int, str], bool],
) -> _Costs:
    """Edit distances of all beginnings of both rows of words (Wagner & Fischer 1974)."""

    def price(row: int, word: str) -> float:
        if wanted.words[row] == word:
            return 0.0
        if word in forms[row]:
            return INFLECTED
        return REPLACED if may_replace(row, word) else math.inf

    step = [[price(row, word) for word in given.words] for row in range(len(wanted.words))]
    rows, columns = len(wanted.words), len(given.words)
    total = [[float(row + column) for column in range(columns + 1)] for row in range(rows + 1)]
    for row in range(1, rows + 1):
        for column in range(1, columns + 1):
            total[row][column] = min(
                total[row - 1][column - 1] + step[row - 1][column - 1],
                total[row - 1][column] + 1,
                total[row][column - 1] + 1,
            )
    return _Costs(step, total)


def _cheapest(costs: _Costs, late: bool) -> list[Edit]:
    """One cheapest alignment, walked back from the end of the table of distances.

    Where there are several, words are paired late or early.
    """
    step, total = costs
    edits = []
    row, column = len(total) - 1, len(total[0]) - 1
    while row or column:
        here = total[row][column]
        options = []
        if row and column and here == total[row - 1][column - 1] + step[row - 1][column - 1]:
            options.append(Edit(row - 1, column - 1, step[row - 1][column - 1]))
        if row and here == total[row - 1][column] + 1:
            options.append(Edit(row - 1, None, 1.0))
        if column and here == total[row][column - 1] + 1:
            options.append(Edit(None, column - 1, 1.0))
        taken = options[0] if late else options[-1]
        row -= taken.wanted is not None
        column -= taken.given is not None
        edits.append(taken)
    return edits[::-1]


def _has_moved(given: Spoken, forms: Sequence[frozenset[str]], edits: Sequence[Edit]) -> bool:
    """Whether a word that was left in one place came back in another."""
    lost = [forms[edit.wanted] for edit in edits if edit.given is None and edit.wanted is not None]
    return any(
        given.words[edit.given] in others
        for edit in edits
        if edit.wanted is None and edit.given is not None
        for others in lost
    )


def _gaps_explained(wanted: Spoken, given: Spoken, edits: Sequence[Edit]) -> bool:
    """Whether each gap is the reference's, less what words took along, or more what they brought.

    Between two words that both sides have only one side may have more words.
    """
    here, there = wanted.gaps[0], given.gaps[0]
    lost = added = False
    for edit in [*edits, Edit(len(wanted.words), len(given.words), 0.0)]:
        if edit.wanted is not None and edit.given is not None:
            if lost and added:
                return False
            if not (
                _within(there, here) if lost else _within(here, there) if added else here == there
            ):
                return False
            here = wanted.gaps[edit.wanted + 1] if edit.wanted < len(wanted.words) else ""
            there = given.gaps[edit.given + 1] if edit.given < len(given.words) else ""
            lost = added = False
        elif edit.wanted is not None:
            here += wanted.gaps[edit.wanted + 1]
            lost = True
        elif edit.given is not None:
            there += given.gaps[edit.given + 1]
            added = True
    return True


def _within(shorter: str, longer: str) -> bool:
    """Whether the letters of one occur in the other in their order."""
    letters = iter(longer)
    return all(letter in letters for letter in shorter)


def _findings(
    edits: Sequence[Edit],
    wanted: Spoken,
    given: Spoken,
    said: Sequence[int],
    units: Sequence[Unit],
    nominal: set[str],
    recursive: Callable[[Unit], str | None],
) -> list[Finding]:
    missing = [
        said[edit.wanted] for edit in edits if edit.wanted is not None and edit.given is None
    ]
    findings = [
        Finding("recursion level skipped", "without", (chain, units[unit].label))
        for unit in missing
        if (chain := recursive(units[unit])) is not None
    ]
    findings += dropped(units, missing, nominal)
    for place, edit in enumerate(edits):
        if edit.given is None:
            continue
        word = given.words[edit.given]
        if edit.wanted is None:
            findings.append(Finding("word added", "word", (word,)))
            continue
        here = wanted.words[edit.wanted]
        # A form that a neighbour demands which came or went is no error of its own.
        near = edits[max(place - 1, 0) : place + 2]
        settled = all(edit.wanted is not None and edit.given is not None for edit in near)
        if edit.cost == INFLECTED and settled:
            findings.append(Finding("tense or voice", "for", (word, here)))
        elif edit.cost == REPLACED:
            alike = "wrong word, same prefix" if word[0] == here[0] else "wrong word"
            findings.append(Finding(alike, "for", (word, here)))
    return sorted(findings, key=lambda one: CLASSES.index(one.kind))


def split_words(
    text: str, forms: Collection[str], letters: Container[str], favoured: Container[str]
) -> Spoken | None:
    """Words and gaps of a text; None when something is neither a known form nor a function word.

    The fewest pieces win, and among them those with most of the ``favoured`` forms: a shortest path
    over the places of the text, on which a letter costs 1 and a form as much, or half if favoured.
    """
    folded = text.casefold()
    longest = max(map(len, forms), default=1)
    best: list[tuple[float, int, bool] | None] = [None] * (len(text) + 1)
    best[0] = (0.0, 0, False)
    for start in range(len(text)):
        reached = best[start]
        if reached is None:
            continue
        steps: list[tuple[int, float, bool]] = []
        if folded[start].isspace():
            steps.append((start + 1, 0.0, False))
        elif folded[start] in letters:
            steps.append((start + 1, 1.0, False))
        for end in range(start + 1, min(len(text), start + longest) + 1):
            if folded[start:end] in forms:
                steps.append((end, 0.5 if folded[start:end] in favoured else 1.0, True))
        for end, cost, is_word in steps:
            there = best[end]
            if there is None or reached[0] + cost < there[0]:
                best[end] = (reached[0] + cost, start, is_word)
    if best[len(text)] is None:
        return None
    pieces = []
    end = len(text)
    while end > 0:
        step = best[end]
        assert step is not None
        pieces.append((folded[step[1] : end], step[2]))
        end = step[1]
    return spoken(reversed(pieces))
