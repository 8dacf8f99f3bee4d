"""Partial Match: is the constituent that a pattern is about rendered right, in the right role?

Kumon et al. 2024, section 4.1.3 and appendix D: a wrong word is wrong, a wrong role is wrong, all
other words are free. The benchmark records the constituent, its rendering and its role (`focus`);
here the hypothesis is parsed with the benchmark's own grammar and the role is read off the tree.

What a constituent looks like depends on what stands around it: case, capitals, agreement. So the
reference is parsed too, and where the hypothesis has other words in the role than the rendering,
the reference's constituent is put in that place of the hypothesis' tree and said again: when the
place then reads as it did, the hypothesis says what the reference says. The form of a verb is
different: its tense belongs to it. There the reference's clause is put in the place of the
hypothesis' clause, with the hypothesis' arguments (with which the verb may agree).

What does not parse is judged by its longest constituents, and the observation says so.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from recombine.benchmark import Example, Focus, normalise
from recombine.errors import ConfigError, GrammarError
from recombine.grammar import Grammar
from recombine.grammar.benchmark_grammar import benchmark_reader, grammar_signature
from recombine.grammar.parsing.parser import Parser
from recombine.grammar.parsing.relaxed import relax
from recombine.grammar.realise.realiser import Realisation, Realiser
from recombine.grammar.tree import Tree
from recombine.metrics.base import Metric, Missing, Observation, Scored
from recombine.statistics.aggregate import Kind

MOST_READINGS = 24  # of one hypothesis; a reading with the right role is enough
MOST_STARTS = 60  # characters before a constituent that may belong to it
PARTICLE = "part"  # the field of the particle that a verb gives its object
TRIED = 50  # references that are read before a grammar is said not to fit the benchmark
MOST_KEPT = 20_000  # sentences whose readings are remembered


def names_constituents(example: Example) -> bool:
    """Whether an example says which constituents a translation must have."""
    # A focus without renderings (a minimal pair's noun, an idiom) is another metric's matter.
    named = example.focus and all(focus.accepted for focus in example.focus)
    return bool(named and example.references)


class Constituent(NamedTuple):
    """A constituent in a sentence: how the sentence is read and said, and the node there."""

    realiser: Realiser
    tree: Tree
    realisation: Realisation
    node: int

    @property
    def whole(self) -> str:
        """What the sentence says there; of a verb without the particle of its object."""
        return self._said(self.node)

    @property
    def head(self) -> str:
        """What its head word says there."""
        node = self.tree.head(self.node)
        return "" if node is None else self._said(node)

    @property
    def own(self) -> str | None:
        """The form of its head word by itself, where that comes in pieces."""
        node = self.tree.head(self.node)
        return None if node is None else self.realiser.own_form(self.tree.codes, node)

    @property
    def texts(self) -> tuple[str, str]:
        """The whole, and its head."""
        return self.whole, self.head

    def _said(self, node: int) -> str:
        codes, inventory = self.tree.codes, self.tree.inventory
        word = node
        while not inventory.is_word(codes[word]) and len(self.tree.positions[word]) == 1:
            (word,) = self.tree.positions[word]
        if not inventory.is_word(codes[word]):
            return self.realisation.piece(node)
        tokens = [token for token in self.realisation.tokens if token.node == word]
        if len(tokens) > 1:
            particles = self.realiser.compiled.word_forms(codes[word]).get(PARTICLE, ())
            tokens = tokens[tokens[0].text in particles :]
        # The parts of a separable verb stand apart, or touch.
        gaps = ["", *(" " * (b.start > a.end) for a, b in itertools.pairwise(tokens))]
        return "".join(gap + token.text for gap, token in zip(gaps, tokens, strict=False))


@dataclass(kw_only=True)
class Partial(Metric):
    """1 when every focus of the example is rendered and has its role; else 0."""

    name: ClassVar[str] = "partial"
    kind: ClassVar[Kind] = "mean"
    higher_is_better: ClassVar[bool] = True
    right_value: ClassVar[float] = 1.0
    missing: ClassVar[Missing] = "empty"
    one_wording: ClassVar[bool] = True
    grammar: str = ""
    edition: str | None = None
    grammar_sha256: str = ""
    target_language: str = ""
    same_role: dict[str, str] = field(default_factory=lambda: {"theme": "obj"})
    _grammar: Grammar | None = field(init=False, repr=False, default=None)
    _parser: Parser | None = field(init=False, repr=False, default=None)
    _phrases: Grammar | None = field(init=False, repr=False, default=None)
    _heads: frozenset[str] = field(init=False, repr=False, default=frozenset())
    _readings: dict[str, tuple[Tree, ...]] = field(init=False, repr=False, default_factory=dict)
    _last: tuple[Any, list[Constituent]] = field(init=False, repr=False, default=(None, []))

    def prepare(self, items: Sequence[Scored]) -> None:
        """Load the benchmark's grammar, which must be there and know the references."""
        examples = [item.example for item in items if names_constituents(item.example)][:TRIED]
        if examples and not any(self._read(example.references[0]) for example in examples):
            raise ConfigError(
                f"metric partial: the grammar '{self.grammar}' parses none of the first "
                f"{len(examples)} references",
                hint="name the benchmark's own: partial.grammar=..., partial.edition=...",
            )

    def key(self, example: Example) -> str | None:
        """Examples of patterns that name a constituent are observed one by one."""
        return example.id if names_constituents(example) else None

    def observe(self, items: Sequence[Scored]) -> Observation:
        """Judge one hypothesis."""
        (item,) = items
        example = item.example
        hypothesis = normalise(item.hypothesis.strip())
        detail: dict[str, Any]
        if hypothesis in example.references:
            value, detail = 1.0, {"how": "exact"}
        else:
            verdicts = [self._judge(hypothesis, focus, example) for focus in example.focus]
            value = float(all(right for right, _ in verdicts))
            detail = next((d for right, d in verdicts if not right), verdicts[0][1])
        return Observation(example.id, (example.id,), value, (value,), detail)

    def signature(self) -> str:
        """Name grammar and language."""
        read_with = grammar_signature(self.grammar, self.edition, self.grammar_sha256)
        return f"partial|{read_with}|{self.target_language}"

    # --- by parsing

    def _judge(
        self, hypothesis: str, focus: Focus, example: Example
    ) -> tuple[bool, dict[str, Any]]:
        readings = self._read(hypothesis)
        if not readings:
            return self._judge_fragments(hypothesis, focus, example)
        is_predicate = self._is_predicate(focus.role)
        says_same = self._says_verb if is_predicate else self._says_argument
        judged: dict[str, None] = {}
        tried: set[tuple[str, Any]] = set()

        def has_role(slot: str) -> bool:
            same = self._same_role(slot, focus.role)
            return same or (is_predicate and slot in self._heads)

        for here, _, _ in self._constituents(readings, has_role):
            texts = here.texts
            place = texts[0], here.realisation.span(here.node)
            if any(text in focus.accepted for text in texts) or (
                place not in tried
                and self._may_say(here, focus)
                and any(says_same(here, there, focus) for there in self._wanted(focus, example))
            ):
                return True, {"how": "parsed"}
            tried.add(place)
            judged[texts[0]] = None
        elsewhere = self._slots_of(focus, hypothesis, readings, has_role)
        detail: dict[str, Any] = {"how": "parsed", "role": focus.role, "wanted": focus.accepted[0]}
        detail["found"] = list(judged)[:3]
        if elsewhere:
            detail["elsewhere"] = elsewhere[:3]
        return False, detail

    def _slots_of(
        self,
        focus: Focus,
        hypothesis: str,
        readings: Sequence[Tree],
        has_role: Callable[[str], bool],
    ) -> list[str]:
        """The slots of another role in which a hypothesis has the rendering."""
        # A rendering whose parts stand apart has a space between them.
        if not any(all(p in hypothesis for p in text.split()) for text in focus.accepted):
            return []
        slots = {
            slot: None
            for place, slot, _ in self._constituents(readings, lambda slot: not has_role(slot))
            if any(text in focus.accepted for text in place.texts)
        }
        return list(slots)

    def _loaded(self) -> Grammar:
        if self._grammar is None:
            grammar = benchmark_reader(
                "partial", self.grammar, self.edition, self.grammar_sha256, self.target_language
            )
            # Which nouns stand beside things is the generator's concern, not the translator's.
            self._grammar = relax(grammar, self.target_language).grammar
            concrete = self._grammar.concrete(self.target_language)
            # From the right, which is less work where verbs end clauses.
            self._parser = Parser(concrete, backwards=True)
        return self._grammar

    def _read(self, text: str) -> tuple[Tree, ...]:
        if text not in self._readings:
            self._loaded()
            assert self._parser is not None
            trees = tuple(self._parser.parse(text).trees(MOST_READINGS)) if text else ()
            if len(self._readings) > MOST_KEPT:
                self._readings.clear()
            self._readings[text] = trees
        return self._readings[text]

    def _may_say(self, here: Constituent, focus: Focus) -> bool:
        """Whether some form of the head is in a rendering: if not, there is no need to look."""
        head = here.tree.head(here.node)
        if head is None:
            return True
        forms = self._loaded().concrete(self.target_language).word_forms(here.tree.codes[head])
        return any(
            text.casefold() in rendering.casefold()
            for texts in forms.values()
            for text in texts
            for rendering in focus.accepted
        )

    def _constituents(
        self, readings: Sequence[Tree], is_asked: Callable[[str], bool]
    ) -> Iterator[tuple[Constituent, str, list[Tree]]]:
        """What fills the slots that are asked for, with the name of the slot.

        Readings whose words are said alike (two verbs that are *helped*) are one, of which all
        trees are given.
        """
        realiser = self._loaded().realiser(self.target_language)
        said_alike: dict[int, tuple[Realisation, list[Tree]]] = {}
        for tree in readings:
            realisation = realiser.realise(tree)
            said_alike.setdefault(id(realisation), (realisation, []))[1].append(tree)
        for realisation, trees in said_alike.values():
            tree = trees[0]
            rules, codes = tree.inventory.rules, tree.codes
            for parent, children in enumerate(tree.positions):
                if children:
                    for part, child in zip(rules[codes[parent]].parts, children, strict=True):
                        if is_asked(part.slot):
                            place = Constituent(realiser, tree, realisation, child)
                            yield place, part.slot, trees

    def _wanted(self, focus: Focus, example: Example) -> list[Constituent]:
        """Where the references have the focus."""
        key = (example.references, focus)
        if self._last[0] != key:
            places = [
                (place, trees)
                for reference in example.references
                for place, _, trees in self._constituents(self._read(reference), focus.role.__eq__)
            ]
            # Elsewhere another form of the verb (信じると信じた) is not the one that is asked for.
            spots = [here for here in places if self._is_rendering(here[0], focus)]
            # By itself a phrase has no comma behind its clause (*das Mädchen, dem Oliver half*).
            spots = spots or [here for here in places if self._alone(here[0]) in focus.accepted]
            wanted = [place._replace(tree=tree) for place, trees in spots for tree in trees]
            self._last = (key, wanted)
        return self._last[1]

    def _is_rendering(self, place: Constituent, focus: Focus) -> bool:
        if any(text in focus.accepted for text in place.texts):
            return True
        # The own piece of a separable verb.
        return place.own in focus.accepted

    def _alone(self, place: Constituent) -> str | None:
        """What a constituent says by itself."""
        try:
            return place.realiser.text(place.tree.at(place.node))
        except GrammarError:
            return None

    def _same_role(self, slot: str, role: str) -> bool:
        return self.same_role.get(slot, slot) == self.same_role.get(role, role)

    def _is_predicate(self, role: str) -> bool:
        """Whether a role is that of a head, such as a verb: its frame is then free."""
        if not self._heads:
            rules = self._loaded().abstract.rules.values()
            self._heads = frozenset(
                part.slot
                for rule in rules
                for index, part in enumerate(rule.parts)
                if index == rule.head and len(rule.parts) > 1
            )
        return role in self._heads

    def _says_argument(self, here: Constituent, wanted: Constituent, focus: Focus) -> bool:
        """Whether the place reads the same with the reference's constituent in it."""
        there = self._said(here.tree.replace(here.node, wanted.tree.at(wanted.node)), here.node)
        if there is None:
            return False
        # Of a single word the modifiers are free; of a phrase every word counts.
        is_word = wanted.head in focus.accepted
        return there.whole == here.whole or (is_word and there.head == here.head)

    def _says_verb(self, here: Constituent, wanted: Constituent, focus: Focus) -> bool:
        """Whether the reference's clause, with the arguments found here, shapes the verb."""
        clause, node = _with_arguments(wanted, _arguments(here))
        tops = {clause.inventory.category(clause.codes[top]): top for top in _clause(clause, node)}
        for top in _clause(here.tree, here.node):
            other = tops.get(here.tree.inventory.category(here.tree.codes[top]))
            if other is not None:
                whole = here.tree.replace(top, clause.at(other))
                there = self._said(whole, top + node - other)
                return there is not None and there.head == here.head
        return False

    def _said(self, tree: Tree, node: int) -> Constituent | None:
        """A place of a tree that nobody sampled; None where the language cannot say it."""
        realiser = self._loaded().realiser(self.target_language)
        try:
            return Constituent(realiser, tree, realiser.realise(tree), node)
        except GrammarError:
            return None

    # --- without a parse of the whole

    def _judge_fragments(
        self, hypothesis: str, focus: Focus, example: Example
    ) -> tuple[bool, dict[str, Any]]:
        """Look for the rendering beside the mark of its role, as a longest constituent."""
        detail: dict[str, Any] = {
            "how": "fragments",
            "role": focus.role,
            "wanted": focus.accepted[0],
        }
        if self._is_predicate(focus.role):
            return any(rendering in hypothesis for rendering in focus.accepted), detail
        every = self._wanted(focus, example)
        wanted = {(id(place.realisation), place.node): place for place in every}.values()
        marks = {_mark(place) for place in wanted} or {Mark("", "")}
        is_word = any(
            place.whole not in focus.accepted and place.head in focus.accepted for place in wanted
        )
        spellings = () if is_word else (text for place in wanted for text in _spellings(place))
        for rendering in dict.fromkeys((*focus.accepted, *spellings)):
            start = hypothesis.find(rendering)
            while start >= 0:
                end = start + len(rendering)
                if any(
                    hypothesis.endswith(mark.before, 0, start)
                    and hypothesis.startswith(mark.after, end)
                    for mark in marks
                ):
                    longer = None if is_word else self._longer(hypothesis, start, end)
                    if longer is None:
                        return True, detail
                    detail["found"] = [longer]
                start = hypothesis.find(rendering, start + 1)
        return False, detail

    def _longer(self, hypothesis: str, start: int, end: int) -> str | None:
        """A longer phrase that ends where the rendering ends, if the words before belong to it."""
        if self._phrases is None:
            source = self._loaded().source
            rules = source.abstract.rules.values()
            slots = {part.symbol.category for rule in rules for part in rule.parts}
            start_symbols = tuple(
                sorted(c for c in slots if any(rule.category == c for rule in rules))
            )
            abstract = dataclasses.replace(source.abstract, start=start_symbols)
            self._phrases = Grammar(dataclasses.replace(source, abstract=abstract))
        for begin in range(max(0, start - MOST_STARTS), start):
            if self._phrases.parse(hypothesis[begin:end], self.target_language).ok:
                return hypothesis[begin:end]
        return None


class Mark(NamedTuple):
    """What stands before or after a constituent and shows its role."""

    before: str
    after: str


def _mark(place: Constituent) -> Mark:
    """The function word after a constituent, or else the one before it."""
    text, tokens = place.realisation.text, place.realisation.tokens
    span = place.realisation.span(place.node)
    if span is None:
        return Mark("", "")
    # The last piece that a word gives is the word; what it gives before that is a particle.
    last = {token.node: token for token in tokens}
    words = {last[node] for node in last if place.tree.inventory.is_word(place.tree.codes[node])}
    marks = [
        token
        for token in tokens
        if token not in words and any(letter.isalpha() for letter in token.text)
    ]
    following = next((token for token in tokens if token.start >= span.end), None)
    if following in marks:
        return Mark("", text[span.end : following.end])
    preceding = next((token for token in reversed(tokens) if token.end <= span.start), None)
    if preceding in marks:
        return Mark(text[preceding.start : span.start], "")
    return Mark("", "")


def _spellings(place: Constituent) -> tuple[str, ...]:
    """What a constituent says, with and without the capital that begins a sentence."""
    span = place.realisation.span(place.node)
    text = place.whole
    if span is None:
        return ()
    capital = text[:1].upper() + text[1:]
    first = next(token for token in place.realisation.tokens if token.start == span.start)
    if span.start or place.tree.inventory.is_word(place.tree.codes[first.node]):
        return (text, capital)
    return (text, text[:1].lower() + text[1:])


def headed(tree: Tree, node: int) -> list[int]:
    """A node and the nodes above that it heads, the nearest first."""
    parents = {child: parent for parent, below in enumerate(tree.positions) for child in below}
    chain = [node]
    while (parent := parents.get(chain[-1])) is not None:
        head = tree.inventory.heads[tree.codes[parent]]
        if head is None or tree.positions[parent][head] != chain[-1]:
            break
        chain.append(parent)
    return chain


def _clause(tree: Tree, node: int) -> list[int]:
    """The nodes that hold a verb with all its arguments, whatever they are called."""
    tops = headed(tree, node)
    whole = [len(tree.positions[top]) > 1 for top in tops]
    return tops[len(whole) - 1 - whole[::-1].index(True) :] if any(whole) else tops


def _argument_nodes(tree: Tree, node: int) -> Iterator[tuple[str, int]]:
    """Slot and node of the arguments of a head: what fills slots with names of their own."""
    for top in headed(tree, node)[1:]:
        parts = tree.inventory.rule(tree.codes[top]).parts
        for part, child in zip(parts, tree.positions[top], strict=True):
            if part.slot.islower():
                yield part.slot, child


def _arguments(place: Constituent) -> dict[str, Tree]:
    """The arguments of a verb by slot."""
    return {slot: place.tree.at(child) for slot, child in _argument_nodes(place.tree, place.node)}


def _with_arguments(place: Constituent, arguments: dict[str, Tree]) -> tuple[Tree, int]:
    """The tree of a verb with other arguments, and where the verb is in it."""
    tree, node = place.tree, place.node
    # From the back, so that the numbers of the nodes before stay what they were.
    for slot, child in sorted(_argument_nodes(tree, node), key=lambda argument: -argument[1]):
        if slot in arguments:
            if child < node:
                node += len(arguments[slot]) - len(tree.at(child))
            tree = tree.replace(child, arguments[slot])
    return tree, node
