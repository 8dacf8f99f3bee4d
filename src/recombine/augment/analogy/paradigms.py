"""Paradigms: forms of words by proportional analogy, in both languages at once.

finds : found = passes : passed. Forms of one word are found by their shape: members of two frames
(or of one) that are alike at their beginning in both languages. What changes at their ends is a
rule with a context: "けた。" -> "ける。". A new form gets the change that the words with the
longest common ending show, if they agree (Lepage 1998 has the general form, Skousen 1989 the
longest context). Where they disagree (った -> る, う, つ) nothing is made.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from recombine.augment.tokens import CUT

Form = tuple[str, str]
# How sure a new form is (agreement, then length of the context), and it.
Judged = tuple[tuple[float, int], str]

# Of the words that share an ending this share must agree on what becomes of it.
AGREEMENT = 0.8
LONGEST_CONTEXT = 14
# A change that was seen behind so many letters is one of any letter.
VARIED = 3
# So many words behind letters of one script tell of others behind that script.
BY_SCRIPT = 5


class FormPair(NamedTuple):
    """Two forms of one word: source and target of each."""

    first: Form
    second: Form


def common(a: str, b: str) -> int:
    """Return how many characters two words have in common at their beginning."""
    for place, (one, other) in enumerate(zip(a, b, strict=False)):
        if one != other:
            return place
    return min(len(a), len(b))


def beginning(texts: Sequence[str]) -> str:
    """Return what all texts begin with."""
    return min(texts)[: common(min(texts), max(texts))] if texts else ""


def prefix_of(targets: Sequence[str], share: float = 0.6) -> str:
    """Return what most of the targets begin with: a particle that belongs to the frame."""
    best = ""
    for size in range(1, 13):
        counts = Counter(target[:size] for target in targets if len(target) > size)
        top, count = max(counts.items(), key=lambda row: (row[1], row[0]), default=("", 0))
        if count < share * len(targets) or not top.startswith(best):
            break
        best = top
    return best


@cache
def script(letter: str) -> str:
    """Return the script of a letter, and its case."""
    name = unicodedata.name(letter, "").split() if letter else []
    case = "upper" if letter != letter.lower() else "lower"
    return f"{name[0] if name else ''} {case}"


def _seen(text: str) -> int:
    return len(text) - text.count(CUT)


def _letter_before(word: str, ending: str) -> str:
    return word[: len(word) - len(ending)][-1:]


def _behind_script(word: str, ending: str) -> str:
    """Return an ending with the script of the letter before it."""
    before = word[: len(word) - len(ending)].removesuffix(CUT)[-1:]
    return f"{script(before)}\0{ending}"


class Endings:
    """What becomes of the end of a word, by the longest ending that words agree on.

    `against` are words that are known to have no such form. `varied`: where words disagree, what
    was seen behind all kinds of letters holds behind a letter that none of them has.
    """

    def __init__(
        self,
        pairs: Iterable[tuple[str, str]],
        support: int,
        against: Iterable[str] = (),
        *,
        varied: bool = True,
    ) -> None:
        self._fewest_letters = VARIED if varied else math.inf
        self._changes: dict[str, Counter[tuple[int, str]]] = defaultdict(Counter)
        # What stood before an ending where it changed so.
        self._before: dict[tuple[str, tuple[int, str]], set[str]] = defaultdict(set)
        # How many words have an ending, and how many of them behind which letter.
        self._total: Counter[str] = Counter()
        self._behind: Counter[tuple[str, str]] = Counter()
        self._support = support
        every: Counter[tuple[int, str]] = Counter()
        self._forms: list[tuple[str, str]] = []
        for old, new in pairs:
            self._forms.append((old, new))
            kept = common(old, new)
            every[len(old) - kept, new[kept:]] += 1
            self._count(old)
            change = len(old) - kept, new[kept:]
            for ending in self._ends(old):
                if len(ending) >= len(old) - kept or ending[0] == "^":
                    self._changes[ending][change] += 1
                    self._before[ending, change].add(_letter_before(old, ending))
                    self._changes[_behind_script(old, ending)][change] += 1
        for old in against:
            self._count(old)
        # The share of the words that change in the commonest way.
        self.regularity = max(every.values()) / every.total() if every else 0.0

    def _count(self, word: str) -> None:
        for ending in self._ends(word):
            self._total[ending] += 1
            self._behind[ending, _letter_before(word, ending)] += 1
            self._total[_behind_script(word, ending)] += 1

    @staticmethod
    def _ends(word: str) -> list[str]:
        sizes = range(min(len(word), LONGEST_CONTEXT) + 1)
        return ["^" + word, *(word[len(word) - size :] or "$" for size in sizes)]

    def apply(self, word: str) -> str | None:
        """Return the new form, or None where known words disagree or are too few."""
        found = self.judge(word)
        return found and found[1]

    def judge(self, word: str) -> Judged | None:
        """Return how sure the new form is (agreement, then length of the context), and it."""
        ends = self._ends(word)
        doubted: set[tuple[int, str]] = set()
        for ending in [ends[0], *ends[:0:-1]]:
            if not doubted and (found := self._by_script(word, ending)):
                return found
            counts = self._changes.get(ending)
            if not counts:
                if self._total[ending]:
                    # The words that are most like this one change otherwise.
                    return None
                continue
            (cut, new), count = max(counts.items(), key=lambda row: (row[1], row[0]))
            agreed = count / self._total[ending]
            if agreed < AGREEMENT:
                # The letter before may tell: 努め|た is like 食べ|た, whatever becomes of 走っ|た;
                # 返し|た is like 渡し|た, not like 料理|し|た. What was seen behind all kinds of
                # letters holds behind any, if all that change otherwise stand behind others:
                # pasó : pasa and miró : mira tell nothing where there is mostró : muestra.
                told = {
                    change: number
                    for change, number in counts.items()
                    if len(before := self._before[ending, change]) >= self._fewest_letters
                    and number == sum(self._behind[ending, letter] for letter in before)
                }
                if not told:
                    return None
                (cut, new), count = max(told.items(), key=lambda row: (row[1], row[0]))
                agreed = count / self._total[ending]
            context = _seen(ending) - _seen(word[len(word) - cut :])
            if ending[0] != "^" and count < self._support and context < 2:
                # Too few to follow, enough to doubt: continuó is continúa, so evaluó is not evalua.
                doubted.add((cut, new))
                continue
            if doubted - {(cut, new)}:
                return None
            made = self._spelled(word[: len(word) - cut], cut, new)
            return ((agreed, len(ending)), made) if made else None
        return None

    def _by_script(self, word: str, ending: str) -> Judged | None:
        """Judge by the words with the same ending behind a letter of the same script.

        走る and 踊る tell of 座る, 食べる and 投げる do not.
        """
        key = _behind_script(word, ending)
        counts = self._changes.get(key)
        if not counts or self._total[key] == self._total[ending]:
            return None
        (cut, new), count = max(counts.items(), key=lambda row: (row[1], row[0]))
        agreed = count / self._total[key]
        if count < BY_SCRIPT or agreed < AGREEMENT:
            return None
        return (agreed, len(ending)), word[: len(word) - cut] + new

    def _spelled(self, kept: str, cut: int, new: str) -> str | None:
        """Return the new form, with one letter for two where known words lose one.

        Stabbed is stabs, called is calls: planned is plans, because cleans and calls are words
        and nothing ends in nns.
        """
        twice = kept[-2:]
        lost, stays = set(), set()
        if len(twice) == 2 and twice[0] == twice[1]:
            for old, other in self._forms:
                stem = old[: len(old) - cut]
                if stem[-2:-1] == stem[-1:] and stem:
                    lost |= {stem[-1]} if other == stem[:-1] + new else set()
                    stays |= {stem[-1]} if other == stem + new else set()
        letter = twice[:1]
        if len(lost) < 2 or letter in stays:
            return kept + new
        single = any(
            other.endswith(letter + new) and not other.endswith(twice + new)
            for _, other in self._forms
        )
        return kept[:-1] + new if letter in lost or single else None


def pair_forms(
    first: Mapping[str, str],
    second: Mapping[str, str],
    *,
    within: bool = False,
    loose: bool = False,
) -> list[FormPair]:
    """Pair the forms of words in two sets (or within one) by their common beginnings.

    `first` and `second` map source forms to targets. The same source form is the same word; else
    both languages must share a beginning, and each must be the other's best partner. `loose` pairs
    by the source alone.
    """
    pairs = []
    taken_first: set[str] = set()
    taken_second: set[str] = set()
    if not within:
        for source in sorted(first.keys() & second.keys()):
            pairs.append(FormPair((source, first[source]), (source, second[source])))
            taken_first.add(source)
            taken_second.add(source)
    scores = []
    by_letter: dict[str, list[str]] = defaultdict(list)
    for source in sorted(second):
        by_letter[source[:2]].append(source)
    for a in sorted(first):
        for b in by_letter[a[:2]]:
            if a == b:
                continue
            if within and first[a] == second[b]:
                continue  # two words, not two forms of one
            same_target = common(first[a], second[b])
            same_source = common(a, b)
            if (same_target or loose) and same_source >= 2:
                scores.append(
                    (
                        same_source / max(len(a), len(b))
                        + same_target / max(len(first[a]), len(second[b])),
                        a,
                        b,
                    )
                )
    for _, a, b in sorted(scores, key=lambda row: (-row[0], row[1:])):
        if a not in taken_first and b not in taken_second:
            taken_first.add(a)
            taken_second.add(b)
            pairs.append(FormPair((a, first[a]), (b, second[b])))
    return pairs


def stems(
    seen: Mapping[tuple[object, str, str], str],
) -> tuple[dict[str, tuple[int, str]], dict[int, dict[tuple[object, str], str]]]:
    """Take the target of two words apart: 見たがった is 見 with たがった.

    `seen` has (frame, first word, second word) -> target. What all second words have in common at
    the end behind one first word belongs to that first word. First words that leave the same of
    the second ones ask for the same form of them: a cell. Returned are cell and ending by first
    word, and by cell what is left of (frame, second word).
    """
    by_first: dict[str, dict[tuple[object, str], str]] = defaultdict(dict)
    for (frame, one, two), target in seen.items():
        by_first[one][frame, two] = target
    endings: dict[str, tuple[int, str]] = {}
    cells: dict[int, dict[tuple[object, str], str]] = {}
    for one in sorted(by_first, key=lambda word: (-len(by_first[word]), word)):
        own = by_first[one]
        best: tuple[float, int, int, str] = (0.0, 0, -1, "")
        for number, cell in cells.items():
            rest = Counter(
                target[len(cell[key]) :]
                for key, target in own.items()
                if key in cell and target.startswith(cell[key])
            )
            known = sum(key in cell for key in own)
            if rest:
                ending, count = max(rest.items(), key=lambda row: (row[1], row[0]))
                if count >= 2 or known == 1:
                    best = max(best, (count / known, count, number, ending))
        agreed, _, number, ending = best
        if agreed < AGREEMENT:
            if len(own) < 8:
                continue
            targets = sorted(target[::-1] for target in own.values())
            number = len(cells)
            ending = targets[0][: common(targets[0], targets[-1])][::-1]
            cells[number] = {}
        endings[one] = number, ending
        for key, target in own.items():
            if target.endswith(ending) and len(target) > len(ending):
                cells[number].setdefault(key, target[: len(target) - len(ending)])
    return endings, cells


def prefixes_off(forms: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the particle that most targets begin with, and the targets that do without it."""
    prefix = prefix_of(list(forms.values()))
    return prefix, {
        word: target[len(prefix) :]
        for word, target in forms.items()
        if target.startswith(prefix) and len(target) > len(prefix)
    }


class Inflection:
    """Two forms that words have in one frame (found, finds), told apart by their ends.

    Pairs of forms are turned the same way by what they have at their ends: the commonest change
    of both languages says which form is the first, its ends say it for other pairs, and so on.
    """

    def __init__(
        self, sets: Sequence[Mapping[str, str]], weight: Counter[Form], support: int
    ) -> None:
        self.pairs: list[FormPair] = []
        seen = set()
        for forms in sets:
            # Without the particle, which words that have nothing else in common share.
            particle = prefix_of(list(forms.values()))
            bare = {word: target.removeprefix(particle) for word, target in forms.items()}
            for (a, _), (b, _) in pair_forms(bare, bare, within=True):
                pair = FormPair((a, forms[a]), (b, forms[b]))
                key = frozenset(pair)
                if key not in seen:
                    seen.add(key)
                    self.pairs.append(pair)
        changes = Counter(self._change(pair) for pair in self.pairs)
        changes.update(self._change(FormPair(b, a)) for a, b in self.pairs)
        usual = max(changes, key=lambda change: (changes[change], change), default=None)
        self.votes: Counter[str] = Counter()
        if usual is None or changes[usual] < support:
            self.pairs = []
            return
        turned = [p for p in self.pairs if self._change(p) == usual]
        turned += [FormPair(b, a) for a, b in self.pairs if self._change(FormPair(b, a)) == usual]
        for _ in range(3):
            self.votes = Counter()
            for first, second in turned:
                self.votes.update(_ends(first))
                self.votes.subtract(_ends(second))
            turned = [
                pair if self.score(pair.first) >= self.score(pair.second) else FormPair(*pair[::-1])
                for pair in self.pairs
            ]
        # The form that is seen more often is the first.
        if sum(n * ((self.score(f) > 0) - (self.score(f) < 0)) for f, n in weight.items()) < 0:
            self.votes = Counter({end: -count for end, count in self.votes.items()})
            turned = [FormPair(b, a) for a, b in turned]
        # A pair that changes like no other is no pair of forms.
        counts = Counter(self._change(pair)[0] for pair in turned)
        others = Counter(self._change(pair)[1] for pair in turned)
        self.pairs = [
            pair
            for pair in turned
            if self.score(pair.first) > 0 > self.score(pair.second)
            and (
                counts[self._change(pair)[0]] >= support or others[self._change(pair)[1]] >= support
            )
        ]
        self.source = Endings({(a[0], b[0]) for a, b in self.pairs}, 3)
        # Without what belongs to the frame: "mandó" and "le mandó" are one word, not two.
        self.target = Endings(
            {
                (
                    a[1].removeprefix(start).removesuffix(end),
                    b[1].removeprefix(start).removesuffix(end),
                )
                for forms in sets
                for start, end in [self.surroundings(forms)]
                for a, b in self._both_in(forms)
            },
            2,
        )

    def _both_in(self, forms: Mapping[str, str]) -> list[FormPair]:
        return [pair for pair in self.pairs if all(forms.get(word) == text for word, text in pair)]

    def surroundings(self, forms: Mapping[str, str]) -> tuple[str, str]:
        """Return what most targets begin with, and the words that all with two forms end in.

        Both belong to the frame. In "aprendió que" they are no context of the ending: aprendió
        changes as elsewhere.
        """
        targets = [text for pair in self._both_in(forms) for _, text in pair]
        end = beginning([text[::-1] for text in targets])[::-1]
        # Whole words only, and not the last letter of the open one.
        return prefix_of(list(forms.values())), end[end.index(CUT) :] if CUT in end else ""

    def second(self, target: str, surroundings: tuple[str, str]) -> Judged | None:
        """Return how sure the second form of a target is, and it."""
        start, end = surroundings
        if not target.endswith(end):
            return None
        kept = start if target.startswith(start) else ""
        found = self.target.judge(target.removeprefix(kept).removesuffix(end))
        return found and (found[0], kept + found[1] + end)

    @staticmethod
    def _change(pair: FormPair) -> tuple[tuple[str, str], tuple[str, str]]:
        (a, ta), (b, tb) = pair
        k, n = common(a, b), common(ta, tb)
        return (a[k:], b[k:]), (ta[n:], tb[n:])

    def score(self, form: Form) -> float:
        """Say which form this is: above zero the first, below the second."""
        votes = [self.votes[end] for end in _ends(form)]
        return sum(math.copysign(math.log1p(abs(vote)), vote) for vote in votes)

    def is_first(self, form: Form) -> bool:
        """Say whether a form is of the first kind; so is everything where there is one kind."""
        return self.score(form) >= 0


def _ends(form: Form) -> list[str]:
    source, target = form[0], form[1].replace(CUT, "")
    return [f"s{source[-1:]}", f"s{source[-2:]}", f"t{target[-2:]}", f"t{target[-3:]}"]
