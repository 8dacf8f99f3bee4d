"""Tree patterns: ``decl.subj >> beside``. Operators follow TGrep; chains read to the right.

A pattern is compiled to bits that are computed from the leaves up, so that matching a tree,
counting trees and constructing trees that match (product.py) share one definition.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from recombine.errors import GrammarError, Where
from recombine.grammar.files.notation import Cursor, quote, tokens
from recombine.grammar.inventory import Inventory
from recombine.grammar.tree import Tree

Relation = Literal[">", ">>", "="]
MAX_DEPTH = 40  # nesting of brackets in a pattern


class PatternAtom(NamedTuple):
    """One test of a node: kind is name, tag, class, category, any or group."""

    kind: str
    value: str = ""
    group: tuple[PatternAtom, ...] = ()

    def codes(self, inventory: Inventory) -> frozenset[int]:
        """The rules and words that pass; raises GrammarError for an unknown name."""
        if self.kind == "group":
            return frozenset().union(*(atom.codes(inventory) for atom in self.group))
        if self.kind == "name":
            return frozenset((inventory.code(self.value),))
        every = range(len(inventory.labels))
        if self.kind == "any":
            return frozenset(every)
        if self.kind == "tag":
            found = frozenset(code for code in every if self.value in inventory.tags(code))
        elif self.kind == "class":
            found = frozenset(
                code
                for code in every
                if inventory.is_word(code) and self.value in inventory.word(code).classes
            )
        else:
            found = frozenset(code for code in every if inventory.category(code) == self.value)
        if not found:
            raise GrammarError(f"nothing in the grammar has the {self.kind} '{self.value}'")
        return found

    def __str__(self) -> str:
        shapes = {"name": "{}", "tag": "{{{}}}", "class": "<{}>", "category": ":{}", "any": "_"}
        if self.kind == "group":
            return f"({'|'.join(map(str, self.group))})"
        return shapes[self.kind].format(self.value)


class Branch(NamedTuple):
    """A demand on what is below a node."""

    slot: str | None
    relation: Relation
    negated: bool
    target: PatternNode


class PatternNode(NamedTuple):
    """A node test with its demands."""

    atom: PatternAtom
    branches: tuple[Branch, ...] = ()


class Formula(NamedTuple):
    """A boolean combination: kind is contains, root, and, or, not."""

    kind: str
    node: PatternNode | None = None
    parts: tuple[Formula, ...] = ()


@dataclass(frozen=True)
class Pattern:
    """What a tree contains."""

    text: str
    formula: Formula

    @staticmethod
    def parse(text: str) -> Pattern:
        """Read a pattern; raises GrammarError with a caret."""
        found = tokens(text, "pattern", 1)
        line = Cursor(found, Where("pattern", 1, len(text) + 1, text))
        try:
            formula = _Reader(line).formula(0)
            line.finish()
        except GrammarError as error:
            raise GrammarError(
                error.message, error.where, error.hint or "for example: decl.subj >> beside"
            ) from None
        return Pattern(text, formula)

    def compile(self, inventory: Inventory) -> Matcher:
        """Bind the names to a grammar; raises GrammarError for a name it does not have."""
        try:
            return Matcher(inventory, self.formula)
        except GrammarError as error:
            raise GrammarError(
                f"pattern {quote(self.text)}: {error.message}", hint=error.hint
            ) from None

    def matches(self, tree: Tree) -> bool:
        """Whether a tree matches."""
        return self.compile(tree.inventory).matches(tree)

    def named_codes(self, inventory: Inventory) -> frozenset[int]:
        """The rules and words that the pattern speaks of; any node and categories are none."""
        formulas, nodes = [self.formula], []
        while formulas:
            formula = formulas.pop()
            formulas.extend(() if formula.kind == "not" else formula.parts)
            nodes.extend([formula.node] if formula.node else [])
        found: set[int] = set()
        while nodes:
            node = nodes.pop()
            nodes.extend(branch.target for branch in node.branches if not branch.negated)
            if node.atom.kind not in ("any", "category"):
                found |= node.atom.codes(inventory)
        return frozenset(found)

    def __str__(self) -> str:
        return self.text


class _Reader:
    def __init__(self, line: Cursor) -> None:
        self.line = line

    def formula(self, depth: int) -> Formula:
        if depth > MAX_DEPTH:
            self.line.fail("the pattern is nested too deeply")
        parts = [self._and(depth)]
        while self.line.accept("|"):
            parts.append(self._and(depth))
        return parts[0] if len(parts) == 1 else Formula("or", None, tuple(parts))

    def _and(self, depth: int) -> Formula:
        parts = [self._not(depth)]
        while self.line.accept("&"):
            parts.append(self._not(depth))
        return parts[0] if len(parts) == 1 else Formula("and", None, tuple(parts))

    def _not(self, depth: int) -> Formula:
        negations = 0
        while self.line.accept("!"):
            negations += 1
        found = self._primary(depth)
        return Formula("not", None, (found,)) if negations % 2 else found

    def _primary(self, depth: int) -> Formula:
        if self.line.peek() == "(" and not self._is_group():
            self.line.take()
            inner = self.formula(depth + 1)
            self.line.expect(")", "to close the bracket")
            return inner
        kind = "root" if self.line.accept("^") else "contains"
        return Formula(kind, self._node(depth))

    def _is_group(self) -> bool:
        ahead = 1
        while self.line.kind(ahead) != "end":
            text = self.line.peek(ahead)
            if text == ")":
                return True
            if self.line.kind(ahead) == "symbol" and text not in "|{}<>:":
                return False
            ahead += 1
        return False

    def _node(self, depth: int) -> PatternNode:
        if depth > MAX_DEPTH:
            self.line.fail("the pattern is nested too deeply")
        atom = self._atom()
        branches: list[Branch] = []
        while self.line.peek() == "(":
            self.line.take()
            branches.append(self._branch(depth + 1))
            self.line.expect(")", "to close the bracket")
        if self.line.peek() in (".", ">", ">>", "=", "!>", "!>>", "!="):
            branches.append(self._branch(depth + 1))
        return PatternNode(atom, tuple(branches))

    def _branch(self, depth: int) -> Branch:
        slot = self.line.name("a slot") if self.line.accept(".") else None
        relation = self.line.peek()
        if relation.lstrip("!") not in (">", ">>", "=") or self.line.kind() != "symbol":
            self.line.fail("expected > (child), >> (anywhere below) or = (head word)")
        self.line.take()
        target = self._node(depth)
        bare: Relation = (
            ">"
            if relation.endswith("!>") or relation == ">"
            else ("=" if relation.endswith("=") else ">>")
        )
        if bare == "=" and target.branches:
            self.line.fail("a head word has nothing below it")
        return Branch(slot, bare, relation.startswith("!"), target)

    def _atom(self) -> PatternAtom:
        line = self.line
        if line.accept("("):
            group = [self._atom()]
            while line.accept("|"):
                group.append(self._atom())
            line.expect(")", "to close the group")
            return PatternAtom("group", "", tuple(group))
        if line.accept("{"):
            atom = PatternAtom("tag", line.name("a tag"))
            line.expect("}", "after the tag")
            return atom
        if line.accept("<"):
            atom = PatternAtom("class", line.name("a class"))
            line.expect(">", "after the class")
            return atom
        if line.accept(":"):
            return PatternAtom("category", line.name("a category"))
        name = line.name("a rule, a word, {tag}, <class>, :Category or _")
        return PatternAtom("any") if name == "_" else PatternAtom("name", name)


@lru_cache(maxsize=4096)
def parse_atom(text: str) -> PatternAtom:
    """Read a single node test, as used for weights."""
    line = Cursor(tokens(text, "pattern", 1), Where("pattern", 1, len(text) + 1, text))
    atom = _Reader(line)._atom()
    line.finish()
    return atom


class _Test(NamedTuple):
    """A node test with numbered bits: `here` this node, `below` anywhere in its subtree, `head`."""

    codes: frozenset[int]
    branches: tuple[tuple[dict[int, int] | None, Relation, bool, int], ...]  # rule -> its slot
    here: int
    below: int
    head: int


class Matcher:
    """A pattern bound to a grammar: states are bit masks, computed from the leaves up."""

    def __init__(self, inventory: Inventory, formula: Formula) -> None:
        self.inventory = inventory
        self._tests: list[_Test] = []
        self._numbers: dict[PatternNode, int] = {}
        self._formula = self._bind(formula)
        # Of words nothing holds but the tests that name them and ask for nothing below them.
        self.named: frozenset[int] = frozenset().union(
            *(
                test.codes
                for test in self._tests
                if all(negated for _, _, negated, _ in test.branches)
            )
        )
        self._states: dict[tuple[int, tuple[int, ...]], int] = {}

    def _bind(self, formula: Formula) -> tuple[str, int, list[object]]:
        if formula.node is not None:
            return formula.kind, self._number(formula.node), []
        return formula.kind, 0, [self._bind(part) for part in formula.parts]

    def _number(self, node: PatternNode) -> int:
        if node not in self._numbers:
            branches: list[tuple[dict[int, int] | None, Relation, bool, int]] = []
            codes = node.atom.codes(self.inventory)
            for branch in node.branches:
                slots = None if branch.slot is None else self._slots(codes, branch.slot, node.atom)
                branches.append(
                    (slots, branch.relation, branch.negated, self._number(branch.target))
                )
            number = len(self._tests)
            self._numbers[node] = number
            bit = 3 * number
            self._tests.append(_Test(codes, tuple(branches), 1 << bit, 2 << bit, 4 << bit))
        return self._numbers[node]

    def _slots(self, codes: frozenset[int], slot: str, atom: PatternAtom) -> dict[int, int]:
        """Where the rules of a test have a slot."""
        rules = {c: self.inventory.rule(c) for c in sorted(codes) if not self.inventory.is_word(c)}
        found = {c: i for c, rule in rules.items() if (i := rule.slot(slot)) is not None}
        if not found:
            known = sorted({part.slot for rule in rules.values() for part in rule.parts})
            raise GrammarError(
                f"'{atom}' has no slot '{slot}'", hint=f"it has: {', '.join(known) or 'none'}"
            )
        return found

    @cached_property
    def useful(self) -> int:
        """The bits that something still asks for; the others are not kept in states."""
        mask = 0

        def walk(bound: tuple[str, int, list[object]]) -> None:
            nonlocal mask
            kind, number, parts = bound
            if kind == "contains":
                mask |= self._tests[number].below
            elif kind == "root":
                mask |= self._tests[number].here
            for part in parts:
                walk(part)  # type: ignore[arg-type]

        walk(self._formula)
        for test in self._tests:
            for _, relation, _, target in test.branches:
                wanted = self._tests[target]
                mask |= {">": wanted.here, ">>": wanted.below, "=": wanted.head}[relation]
        return mask

    def step(self, code: int, children: tuple[int, ...]) -> int:
        """The state of a node from those of its children."""
        return self._tested(code, children) & self.useful

    def _tested(self, code: int, children: tuple[int, ...]) -> int:
        """The bits of all tests at a node."""
        if not children and code not in self.named:
            return 0
        state = self._states.get((code, children))
        if state is None:
            every = 0
            for child in children:
                every |= child
            is_word = self.inventory.is_word(code)
            head = None if is_word else self.inventory.heads[code]
            head_state = children[head] if head is not None else 0
            state = 0
            for test in self._tests:
                if code in test.codes and self._holds(test, code, children, every, head_state):
                    state |= test.here | test.below
                    if is_word:
                        state |= test.head
                state |= (every & test.below) | (head_state & test.head)
            self._states[code, children] = state
        return state

    def _holds(
        self, test: _Test, code: int, children: tuple[int, ...], every: int, head_state: int
    ) -> bool:
        for slots, relation, negated, target in test.branches:
            wanted = self._tests[target]
            if slots is not None:
                state = children[slots[code]] if code in slots else 0
            else:
                state = head_state if relation == "=" else every
            bit = {">": wanted.here, ">>": wanted.below, "=": wanted.head}[relation]
            if bool(state & bit) == negated:
                return False
        return True

    def accepts(self, state: int) -> bool:
        """Whether a tree whose root has this state matches."""
        return self._value(self._formula, state)

    def _value(self, bound: tuple[str, int, list[object]], state: int) -> bool:
        kind, number, parts = bound
        if kind == "contains":
            return bool(state & self._tests[number].below)
        if kind == "root":
            return bool(state & self._tests[number].here)
        values = (self._value(part, state) for part in parts)  # type: ignore[arg-type]
        if kind == "and":
            return all(values)
        if kind == "or":
            return any(values)
        return not next(values)

    @cached_property
    def single(self) -> int | None:
        """The bit that alone decides and, once set, stays set; None for other formulas."""
        kind, number, _ = self._formula
        return self._tests[number].below if kind == "contains" else None

    def matches(self, tree: Tree) -> bool:
        """Whether a tree matches."""
        states = [0] * len(tree.codes)
        positions = tree.positions
        for node in range(len(tree.codes) - 1, -1, -1):
            states[node] = self.step(
                tree.codes[node], tuple([states[child] for child in positions[node]])
            )
        return self.accepts(states[0])

    def find(self, tree: Tree) -> list[int]:
        """The nodes at which the (first) node test of the pattern holds."""
        wanted = self._tests[self._first(self._formula)].here
        states = [0] * len(tree.codes)
        found: list[int] = []
        positions = tree.positions
        for node in range(len(tree.codes) - 1, -1, -1):
            children = tuple([states[child] for child in positions[node]])
            tested = self._tested(tree.codes[node], children)
            states[node] = tested & self.useful
            if tested & wanted:
                found.append(node)
        return found[::-1]

    def _first(self, bound: tuple[str, int, list[object]]) -> int:
        while bound[2]:
            bound = bound[2][0]  # type: ignore[assignment]
        return bound[1]
