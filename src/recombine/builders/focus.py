"""Focus: the constituent that a pattern is about, in both languages, and the tags it gives."""

from __future__ import annotations

from recombine.benchmark import Focus
from recombine.builders.part import Part, Setting, with_targets
from recombine.errors import ConfigError
from recombine.grammar import Grammar
from recombine.grammar.pattern import Matcher, Pattern
from recombine.grammar.tree import Tree

MAX_SHAPES = 100_000


class FocusFinder:
    """Finds what Partial Match looks at in the sentences of one part."""

    def __init__(
        self, grammar: Grammar, source: str, target: str, part: Part, setting: Setting
    ) -> None:
        self.inventory = grammar.inventory
        self._source = grammar.realiser(source)
        self._target = grammar.realiser(target)
        targets = part.targets[: setting.target_words]
        self._codes = frozenset(self.inventory.code(word) for word in targets)
        self._irregular = frozenset(self.inventory.code(word) for word in part.irregular)
        self._named = {
            code: grammar.concrete(source).word_forms(code)["form"][0] for code in self._codes
        }
        self._looks: list[tuple[Matcher, str]] = [
            (Pattern.parse(with_targets(look.find, targets)).compile(self.inventory), look.take)
            for look in part.look
        ]
        for look in part.look:
            if not any(rule.slot(look.take) is not None for rule in self.inventory.rules):
                raise ConfigError(f"look: no rule has a slot '{look.take}'")
        self._depth = next(iter(part.depth), None) if part.depth else None
        self._shapes: dict[tuple[int, ...], tuple[int, str] | None] = {}

    def tags(self, codes: tuple[int, ...]) -> dict[str, str | int | float]:
        """The tags that the tree itself gives."""
        found: dict[str, str | int | float] = {}
        if self._codes:
            code = next((code for code in codes if code in self._codes), None)
            if code is not None:
                found["target_word"] = self._named[code]
                if self._irregular:
                    found["regularity"] = "irregular" if code in self._irregular else "regular"
        if self._depth is not None:
            found["depth"] = Tree(self.inventory, codes).depth(self._depth)
        return found

    def focus(self, codes: tuple[int, ...], text: str) -> tuple[Focus, ...]:
        """The constituent the pattern is about, with its rendering."""
        place = self._place(codes)
        if place is None:
            return ()
        node, slot = place
        said, rendering = self._said(self._source, codes, node), self._said(self._target, codes, node)
        start = text.find(said)
        if start < 0:  # at the beginning of the sentence it is capitalised
            start = text.casefold().find(said.casefold())
        if start < 0:
            return (Focus(text=said, role=slot, accepted=(rendering,)),)
        end = start + len(said)
        return (
            Focus(text=text[start:end], role=slot, accepted=(rendering,), start=start, end=end),
        )

    def _place(self, codes: tuple[int, ...]) -> tuple[int, str] | None:
        """Node and slot; they depend on the structure and on where target words stand."""
        if not self._looks:
            return None
        first = self.inventory.first_word
        shape = tuple([c if c < first or c in self._codes else -1 for c in codes])
        if shape in self._shapes:
            return self._shapes[shape]
        tree = Tree(self.inventory, codes)
        found: tuple[int, str] | None = None
        for matcher, slot in self._looks:
            nodes = matcher.find(tree)
            if nodes:
                found = tree.node(slot, nodes[0]), slot
                break
        if len(self._shapes) >= MAX_SHAPES:
            self._shapes.clear()
        self._shapes[shape] = found
        return found

    def _said(self, realiser: object, codes: tuple[int, ...], node: int) -> str:
        """The text of a node: a phrase in its plain form, a word in the form of the sentence."""
        from recombine.grammar.realise import Realiser

        assert isinstance(realiser, Realiser)
        tree = Tree(self.inventory, codes)
        head = node
        while not self.inventory.is_word(codes[head]) and len(tree.positions[head]) == 1:
            head = tree.positions[head][0]
        if self.inventory.is_word(codes[head]) and not self._is_nominal(codes, node):
            # A verb may bring its particle too; its own form is the last piece it gives.
            forms = [column[codes[head]] for n, column in realiser.form_slots(codes) if n == head]
            if forms:
                return forms[-1]
        return realiser.fill(tree.at(node).codes)

    def _is_nominal(self, codes: tuple[int, ...], node: int) -> bool:
        """Whether a node has a plain form of its own in the target language."""
        code = codes[node]
        concrete = self._target.concrete
        if self.inventory.is_word(code):
            return False
        return concrete.line(code, "form") is not None and len(self.inventory.rule(code).parts) > 1
