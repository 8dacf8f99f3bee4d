"""Who does what to whom: a grammar tree as words that depend on words, and how two of them differ.

Rules know their head part, so a tree is a dependency graph whose labels are the grammar's own slot
names.  Nothing here knows a language or a grammar: a modifier is what hangs on a noun, a noun is
what fills a named slot, and tense and voice are rules that say the same words with other frames.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

# What a hypothesis did, in the words of a linguist; when several apply the first gives the class.
CLASSES = (
    "recursion level skipped",
    "recursion level added",
    "subject and object swapped",
    "modifier attached elsewhere",
    "modifier dropped",
    "argument dropped",
    "clause dropped",
    "tense or voice",
    "wrong word, same prefix",
    "wrong word",
    "wrong function word",
    "modifiers reordered",
    "modifier added",
    "word added",
    "role changed",
    "other structure",
)
# When the two share less than this of their words, the hypothesis is about something else.
RELATED = 0.4


@dataclass(frozen=True, slots=True)
class Unit:
    """One word in its place."""

    word: Hashable
    label: str
    category: str
    slot: str
    named: bool
    head: int
    frame: tuple[str, ...]
    nodes: tuple[int, ...]
    contrast: str = ""  # what sets it apart from the word itself: negation, another tense

    @property
    def node(self) -> int:
        """The node of the word itself."""
        return self.nodes[-1]

    @property
    def top(self) -> int:
        """The topmost node of the phrase it heads."""
        return self.nodes[0]


class Said(NamedTuple):
    """How a unit was said: the form of its word, and the function words of its phrase."""

    form: str
    marker: str


# How the arguments of a finding belong together, as the metric itself says it.
FORMS = {
    "word": "{0}",
    "for": "{0} for {1}",
    "of": "{0} of {1}",
    "as": "{0} as {1}",
    "and": "{0} and {1}",
    "on": "{0} on {1}",
    "in": "{0} in the {1}",
    "slot": "{0} {1}",
    "among": "on {0}",
    "kept": "{0}: {1} of {2} levels",
    "made": "{0}: {1} for {2} levels",
    "without": "{0}: without {1}",
}
# The form of a finding that shows in another one: a tense in a role, a word in a structure.
SHOWN_BY = "shown by"


class Finding(NamedTuple):
    """One difference: its class, and what it is about as arguments of a form."""

    kind: str
    form: str
    arguments: tuple[str, ...]

    @property
    def text(self) -> str:
        """What it is about, in words."""
        if self.form == SHOWN_BY:
            kind, form, *arguments = self.arguments
            return f"{kind}: {Finding(kind, form, tuple(arguments)).text}"
        return FORMS[self.form].format(*self.arguments)

    @property
    def row(self) -> list[str]:
        """As it is kept with the scores; whoever shows it finds words of its own."""
        return [self.kind, self.form, *self.arguments]


def units_of(
    tree: Any, identity: Callable[[str], Hashable | None], names: Mapping[str, str]
) -> list[Unit]:
    """The dependency graph of a tree, heads before dependants.

    ``identity`` gives words the same value when the target language cannot tell them apart, and
    None to words it does not say (articles in Japanese); ``names`` says which rules are the same.
    """
    inventory, codes, positions = tree.inventory, tree.codes, tree.positions
    units: list[Unit] = []
    stack: list[tuple[int, int, str, bool]] = [(0, -1, "", False)]
    while stack:
        top, head, slot, named = stack.pop()
        node, frame, nodes, waiting = top, [], [top], []
        while not inventory.is_word(codes[node]):
            rule = inventory.rule(codes[node])
            frame.append(names.get(rule.name, rule.name))
            for index, part in enumerate(rule.parts):
                if index != rule.head:
                    # Named slots are in lower case; the others are called by their category.
                    waiting.append((positions[node][index], part.slot, part.slot.islower()))
            if rule.head is None:
                break
            node = positions[node][rule.head]
            nodes.append(node)
        label = inventory.labels[codes[node]]
        word = identity(label) if inventory.is_word(codes[node]) else (label,)
        if word is None:
            continue
        category = inventory.category(codes[node])
        if not named and _is_chained(units, head, category):
            head = units[head].head
        own = len(units)
        place = slot if named else category
        units.append(Unit(word, label, category, place, named, head, tuple(frame), tuple(nodes)))
        stack.extend((child, own, name, flag) for child, name, flag in reversed(waiting))
    return units


def _is_chained(units: Sequence[Unit], head: int, category: str) -> bool:
    """Whether a word continues a list of its own kind: adjectives that a grammar nests.

    Nouns in nouns and clauses in clauses are recursion, not lists: there the head's own head is of
    the same kind, or the head fills a role.
    """
    if head < 0 or units[head].category != category or units[head].named or units[head].head < 0:
        return False
    return units[units[head].head].category != category


def match(reference: Sequence[Unit], hypothesis: Sequence[Unit]) -> dict[int, int]:
    """Units of the reference -> units of the hypothesis with the same word, best places first."""
    places: dict[Hashable, list[int]] = {}
    for index, unit in enumerate(hypothesis):
        places.setdefault(unit.word, []).append(index)
    candidates = []
    for index, unit in enumerate(reference):
        for other in places.get(unit.word, ()):
            there = hypothesis[other]
            same_slot = unit.slot == there.slot
            same_head = _head_word(reference, unit) == _head_word(hypothesis, there)
            candidates.append((-(2 * same_head + same_slot), abs(index - other), index, other))
    pairs: dict[int, int] = {}
    used: set[int] = set()
    for _, _, index, other in sorted(candidates):
        if index not in pairs and other not in used:
            pairs[index] = other
            used.add(other)
    return pairs


def _head_word(units: Sequence[Unit], unit: Unit) -> Hashable | None:
    return units[unit.head].word if unit.head >= 0 else None


def closeness(reference: Sequence[Unit], hypothesis: Sequence[Unit]) -> int:
    """How many words stand in the same place in both: for choosing among readings."""
    left = Counter((unit.word, unit.slot, _head_word(reference, unit)) for unit in reference)
    right = Counter((unit.word, unit.slot, _head_word(hypothesis, unit)) for unit in hypothesis)
    frames = Counter((unit.word, unit.frame) for unit in reference) & Counter(
        (unit.word, unit.frame) for unit in hypothesis
    )
    return 2 * sum((left & right).values()) + sum(frames.values())


def compare(
    reference: Sequence[Unit],
    hypothesis: Sequence[Unit],
    said: tuple[Sequence[Said], Sequence[Said]],
    depths: Mapping[str, tuple[int, int]],
    prefix: Callable[[Unit, Unit], bool],
) -> list[Finding]:
    """Every difference between what should be said and what was said.

    ``said`` holds the forms of both sides unit by unit, ``depths`` the recursion depths of both
    trees by tag; ``prefix`` tells whether two words begin alike in the target language.
    """
    pairs = match(reference, hypothesis)
    if len(pairs) < RELATED * min(len(reference), len(hypothesis)):
        return [Finding("another sentence", "word", ("most words are not those of the reference",))]
    missing = [i for i in range(len(reference)) if i not in pairs]
    extra = [i for i in range(len(hypothesis)) if i not in set(pairs.values())]
    nominal = nominal_categories(reference) | nominal_categories(hypothesis)
    findings = _substitutions(reference, hypothesis, pairs, missing, extra, nominal, prefix)
    findings += _recursion(depths)
    # A shorter chain is also a missing modifier; readers differ in which they name first.
    findings += dropped(reference, missing, nominal)
    findings += _added(hypothesis, extra, nominal)
    findings += _rearranged(reference, hypothesis, pairs, nominal, said)
    findings += _function_words(reference, hypothesis, pairs, nominal, said)
    return sorted(findings, key=lambda one: CLASSES.index(one.kind))


def nominal_categories(units: Sequence[Unit]) -> set[str]:
    """Categories of words that fill named slots and have none of their own: the nouns."""
    with_arguments = {unit.head for unit in units if unit.named}
    return {
        unit.category
        for index, unit in enumerate(units)
        if unit.named and index not in with_arguments
    }


def _substitutions(
    reference: Sequence[Unit],
    hypothesis: Sequence[Unit],
    pairs: dict[int, int],
    missing: list[int],
    extra: list[int],
    nominal: set[str],
    prefix: Callable[[Unit, Unit], bool],
) -> list[Finding]:
    """Words replaced in place; both lists lose what is explained, heads before dependants."""
    findings = []
    for index in list(missing):
        unit = reference[index]
        for other in list(extra):
            there = hypothesis[other]
            same_head = there.head == -1 if unit.head == -1 else pairs.get(unit.head) == there.head
            # Verbs of other frames have other categories, but their place is the same.
            predicates = not {unit.category, there.category} & nominal
            same_place = unit.slot == there.slot or (
                predicates and not unit.named and not there.named
            )
            if same_head and same_place:
                alike = prefix(unit, there)
                kind = "wrong word, same prefix" if alike else "wrong word"
                findings.append(Finding(kind, "for", (there.label, unit.label)))
                pairs[index] = other
                missing.remove(index)
                extra.remove(other)
                break
    return findings


def _recursion(depths: Mapping[str, tuple[int, int]]) -> list[Finding]:
    findings = []
    for tag, (wanted, given) in depths.items():
        if wanted >= 2 and 1 <= given < wanted:
            findings.append(
                Finding("recursion level skipped", "kept", (tag, str(given), str(wanted)))
            )
        elif given > wanted >= 1 and given >= 2:
            findings.append(
                Finding("recursion level added", "made", (tag, str(given), str(wanted)))
            )
    return findings


def dropped(reference: Sequence[Unit], missing: Sequence[int], nominal: set[str]) -> list[Finding]:
    """Modifiers, arguments and clauses that are missing; what hangs on them is not told again."""
    findings = []
    gone = set(missing)
    for index in missing:
        unit = reference[index]
        if unit.head in gone:
            continue
        if unit.head >= 0 and reference[unit.head].category in nominal:
            kind, owner = "modifier dropped", reference[unit.head].label
            findings.append(Finding(kind, "of", (unit.label, owner)))
        elif unit.category in nominal:
            findings.append(Finding("argument dropped", "slot", (unit.slot, unit.label)))
        else:
            findings.append(Finding("clause dropped", "word", (unit.label,)))
    return findings


def _added(hypothesis: Sequence[Unit], extra: Sequence[int], nominal: set[str]) -> list[Finding]:
    findings = []
    new = set(extra)
    for index in extra:
        unit = hypothesis[index]
        if unit.head in new:
            continue
        on_noun = unit.head >= 0 and hypothesis[unit.head].category in nominal
        kind = "modifier added" if on_noun else "word added"
        findings.append(Finding(kind, "word", (unit.label,)))
    return findings


def _rearranged(
    reference: Sequence[Unit],
    hypothesis: Sequence[Unit],
    pairs: dict[int, int],
    nominal: set[str],
    said: tuple[Sequence[Said], Sequence[Said]],
) -> list[Finding]:
    """Same words, other places: swapped roles, moved modifiers, other tense or voice."""
    findings: list[Finding] = []
    inflected = {
        index
        for index, other in pairs.items()
        if reference[index].category not in nominal
        and reference[index].word == hypothesis[other].word
        and said[0][index].form != said[1][other].form
    }
    findings += [
        Finding("tense or voice", "for", (said[1][pairs[index]].form, said[0][index].form))
        for index in sorted(inflected)
    ]
    swapped: set[int] = set()
    for first, second in _argument_pairs(reference, pairs):
        if reference[first].head in inflected or {first, second} & swapped:
            continue
        there = hypothesis[pairs[first]], hypothesis[pairs[second]]
        slots = reference[first].slot, reference[second].slot
        if (there[1].slot, there[0].slot) == slots and there[0].head == there[1].head:
            kind = "subject and object swapped" if "subj" in slots else "role changed"
            findings.append(Finding(kind, "and", (reference[first].label, reference[second].label)))
            swapped |= {first, second}
    for index, other in pairs.items():
        here, there_unit = reference[index], hypothesis[other]
        if index in swapped or here.head == -1 or here.head in inflected:
            continue
        moved = pairs.get(here.head) != there_unit.head
        if moved and reference[here.head].category in nominal and there_unit.head >= 0:
            labels = here.label, hypothesis[there_unit.head].label
            findings.append(Finding("modifier attached elsewhere", "on", labels))
        elif moved or here.slot != there_unit.slot:
            kind = "role changed" if here.category in nominal else "other structure"
            findings.append(Finding(kind, "as", (here.label, there_unit.slot or "root")))
    return findings


def _function_words(
    reference: Sequence[Unit],
    hypothesis: Sequence[Unit],
    pairs: dict[int, int],
    nominal: set[str],
    said: tuple[Sequence[Said], Sequence[Said]],
) -> list[Finding]:
    """Other prepositions on the same modifiers, and lists of modifiers in another order."""
    findings: list[Finding] = []
    orders: dict[int, list[tuple[int, int]]] = {}
    for index, other in pairs.items():
        unit = reference[index]
        if unit.named or unit.head < 0 or reference[unit.head].category not in nominal:
            continue
        if unit.category in nominal and said[0][index].marker != said[1][other].marker:
            markers = said[1][other].marker or "–", said[0][index].marker or "–"
            findings.append(Finding("wrong function word", "for", markers))
        if pairs.get(unit.head) == hypothesis[other].head:
            orders.setdefault(unit.head, []).append((index, other))
    for head, members in orders.items():
        there = [other for _, other in sorted(members)]
        if there != sorted(there):
            findings.append(Finding("modifiers reordered", "among", (reference[head].label,)))
    return findings


def _argument_pairs(reference: Sequence[Unit], pairs: dict[int, int]) -> list[tuple[int, int]]:
    arguments: dict[int, list[int]] = {}
    for index, unit in enumerate(reference):
        if unit.named and index in pairs:
            arguments.setdefault(unit.head, []).append(index)
    return [
        (first, second)
        for members in arguments.values()
        for position, first in enumerate(members)
        for second in members[position + 1 :]
    ]
