"""Modifiers, found by deletion.

If "X saw X in X. | XがXの中のXを見た。" without " in X" is a known sentence whose target lacks just
"Xの中の", and that stands next to the same X, then (" in X" | "Xの中の") modifies X. Adjectives,
prepositional phrases and relative clauses are all found so, each with its own place before or
behind the head in both languages. A string that also stands elsewhere (" by X" behind a verb) is no
modifier.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from recombine.augment.phrases.slots import FREE, HEAD, PHRASE, Item, Modifier, PhraseSlot

LONGEST_MODIFIER = 9
# So many words in one build make it productive.
PRODUCTIVE = 5
# Of the places of a modifier's source, this share must show it beside its head.
MODIFIER_PURITY = 0.8


def chosen_modifiers(
    found: Counter[Modifier],
    usual: dict[tuple[str, ...], tuple[Item, ...]],
    support: int,
    alike: bool,
) -> dict[tuple[Item, ...], list[Modifier]]:
    """Return the modifiers that are no rows of others and stand beside heads, by their source.

    `alike`: the languages put words in a similar order, so that the open word of the target may
    stand before its phrases.
    """
    likely = Counter(_frame(modifier, alike) for modifier in found)
    by_source: dict[tuple[str, ...], list[tuple[int, Modifier]]] = {}
    for modifier, count in found.items():
        # One of a build that many words share needs no second witness.
        if count >= support or likely[_frame(modifier, alike)] >= PRODUCTIVE:
            by_source.setdefault(_symbols(modifier.source), []).append((count, modifier))
    single = {part: options for part, options in by_source.items() if not _is_row(part, by_source)}
    for options in single.values():
        options.sort(key=lambda option: (-option[0], str(option[1])))
    everywhere: Counter[tuple[str, ...]] = Counter()
    beside: Counter[tuple[str, ...]] = Counter()
    ending: Counter[object] = Counter()
    for symbols, target in usual.items():
        size = len(symbols)
        for i in range(size):
            first = sum(symbol in (PHRASE, HEAD) for symbol in symbols[:i])
            for k in range(i + 1, min(size, i + LONGEST_MODIFIER) + 1):
                part = symbols[i:k]
                if part in single and _has(target, single[part][0][1].target, first):
                    everywhere[part] += 1
                    if single[part][0][1].before[0]:
                        after = {symbols[k : k + n] for n in (1, 2) if k + n <= size}
                        beside[part] += any(x == (HEAD,) or x in single for x in after)
                    else:
                        beside[part] += i > 0 and symbols[i - 1] in (PHRASE, HEAD)
                        # A phrase may be the last of its sentence, and so what is added to it:
                        # "X said that X ran" is no X with "said that X" added.
                        ending[_frame(single[part][0][1], alike)] += k == size - 1
    chosen: dict[tuple[Item, ...], list[Modifier]] = {}
    sentences = {symbols[:-1] for symbols in usual}
    for part, options in sorted(single.items()):
        # Behind its first word a sentence may follow ("said that X changed"): that tells nothing.
        if part[1:] not in sentences and beside[part] < MODIFIER_PURITY * everywhere[part]:
            continue
        most, best = options[0]
        if not best.before[0] and not ending[_frame(best, alike)]:
            continue
        for count, modifier in options:
            if count >= 0.2 * most and modifier.before[0] == best.before[0]:
                own = replace(modifier, support=count)
                chosen.setdefault(modifier.source, []).append(own)
    return chosen


def _frame(modifier: Modifier, alike: bool) -> tuple[object, ...]:
    """Return how a modifier is built apart from its last word and the target's last stretch."""
    places = [n for n, item in enumerate(modifier.source) if isinstance(item, str)]
    source = tuple(
        "_" if n == places[-1] else PHRASE if isinstance(item, PhraseSlot) else item
        for n, item in enumerate(modifier.source)
    )
    last = max(
        (n for n, item in enumerate(modifier.target) if isinstance(item, PhraseSlot)), default=-1
    )
    if alike and last >= 0 and not modifier.before[0]:
        target = tuple(
            PHRASE if isinstance(item, PhraseSlot) else "_" if n else item
            for n, item in enumerate(modifier.target)
        )
        return source, target, modifier.before
    # Without a phrase or a function word inside, nothing is shared but being one word.
    return source, modifier.target[: last + 2] if last >= 0 else (), modifier.before


def _has(target: tuple[Item, ...], part: tuple[Item, ...], first: int) -> bool:
    wanted = tuple(
        PhraseSlot(item.number + first) if isinstance(item, PhraseSlot) else item for item in part
    )
    size = len(wanted)
    return any(target[a : a + size] == wanted for a in range(len(target) - size + 1))


def _is_row(part: tuple[str, ...], known: Mapping[tuple[str, ...], object]) -> bool:
    """Say whether a modifier is made of known ones: one behind another, or one inside."""
    size = len(part)
    return any(
        part[i:k] in known
        for i in range(size)
        for k in range(i + 1, size + 1)
        if k - i < size and (i == 0 or part[i - 1] == PHRASE or part[:i] in known)
    )


def _symbols(items: Sequence[Item]) -> tuple[str, ...]:
    return tuple(PHRASE if isinstance(item, PhraseSlot) else item for item in items)


def deletions(
    symbols: tuple[str, ...],
    target: tuple[Item, ...],
    usual: dict[tuple[str, ...], tuple[Item, ...]],
) -> Iterator[Modifier]:
    """Yield what can be deleted beside a head so that a known pair is left."""
    is_slot = [symbol in (PHRASE, HEAD) for symbol in symbols]
    number = [sum(is_slot[:place]) for place in range(len(symbols))]
    for i in range(1, len(symbols)):
        for k in range(i + 1, min(len(symbols), i + LONGEST_MODIFIER + 1)):
            inside = [number[p] for p in range(i, k) if is_slot[p]]
            if len(inside) == k - i or any(symbols[p] == HEAD for p in range(i, k)):
                continue
            if symbols[k] == HEAD:
                # Before a head; its D must be what stands before the rest.
                head, before = number[k], True
                left = symbols[:i]
                rest = (
                    (*left[:-1], PHRASE, *symbols[k + 1 :])
                    if left[-1] == FREE
                    else (*left, *symbols[k:])
                )
            elif symbols[i - 1] == PHRASE:
                head, before = number[i - 1], False
                rest = symbols[:i] + symbols[k:]
            else:
                continue
            known = usual.get(rest)
            if known is None:
                continue
            # The slots of the rest, by their numbers in the whole.
            outer = [n for n in range(sum(is_slot)) if n not in inside]
            expected = [
                PhraseSlot(outer[item.number]) if isinstance(item, PhraseSlot) else item
                for item in known
            ]
            made = _insertion(expected, list(target), head, inside)
            if made is not None:
                part, made_before = made
                inner = {n: PhraseSlot(m) for m, n in enumerate(inside)}
                own = iter(inside)
                yield Modifier(
                    tuple(inner[next(own)] if is_slot[p] else symbols[p] for p in range(i, k)),
                    tuple(inner[i.number] if isinstance(i, PhraseSlot) else i for i in part),
                    (before, made_before),
                )


def _insertion(
    rest: list[Item], whole: list[Item], head: int, inside: Sequence[int]
) -> tuple[list[Item], bool] | None:
    """Return the contiguous part that `whole` has more than `rest`, if it is beside the head."""
    extra = len(whole) - len(rest)
    if extra <= 0 or PhraseSlot(head) not in whole:
        return None
    at = whole.index(PhraseSlot(head))
    for before, a in ((True, at - extra), (False, at + 1)):
        if a < 0 or a + extra > len(whole):
            continue
        part = whole[a : a + extra]
        if whole[:a] + whole[a + extra :] == rest and sorted(
            item.number for item in part if isinstance(item, PhraseSlot)
        ) == list(inside):
            return part, before
    return None
