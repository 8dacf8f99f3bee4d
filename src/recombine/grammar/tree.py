"""A tree of rules and words, kept as the preorder sequence of its codes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recombine.errors import GrammarError
from recombine.grammar.inventory import Inventory
from recombine.grammar.model import Rule, Word

_SYNTAX = re.compile(r"\s*(?:([\w'/-]+)|([(),]))")


class Tree:
    """What is said, in no language: ``decl(def(cat), sleep)``.

    Nodes are numbered in preorder from 0, the root; a child is itself a Tree. Equality and hash
    go by content, so trees can be counted and put in sets.
    """

    __slots__ = ("_children", "codes", "inventory")

    def __init__(self, inventory: Inventory, codes: tuple[int, ...]) -> None:
        self.inventory = inventory
        self.codes = codes
        self._children: list[list[int]] | None = None

    @property
    def label(self) -> str:
        """The name of the root's rule or word."""
        return self.inventory.labels[self.codes[0]]

    @property
    def rule(self) -> Rule | None:
        """The root's rule, or None for a word."""
        code = self.codes[0]
        return None if self.inventory.is_word(code) else self.inventory.rule(code)

    @property
    def word(self) -> Word | None:
        """The root's word, or None for a phrase."""
        code = self.codes[0]
        return self.inventory.word(code) if self.inventory.is_word(code) else None

    @property
    def positions(self) -> list[list[int]]:
        """The child nodes of every node."""
        if self._children is None:
            self._children = child_positions(self.codes, self.inventory.arity)
        return self._children

    @property
    def children(self) -> tuple[Tree, ...]:
        """The subtrees below the root, in the order of the rule's slots."""
        return tuple(self.at(node) for node in self.positions[0])

    def at(self, node: int) -> Tree:
        """The subtree at a node."""
        end = node + 1
        open_slots = self.inventory.arity[self.codes[node]]
        while open_slots:
            open_slots += self.inventory.arity[self.codes[end]] - 1
            end += 1
        return Tree(self.inventory, self.codes[node:end])

    def __getitem__(self, slot: str) -> Tree:
        rule = self.rule
        index = rule.slot(slot) if rule is not None else None
        if index is None:
            raise KeyError(f"'{self.label}' has no slot '{slot}'")
        return self.at(self.positions[0][index])

    def node(self, slot: str, parent: int = 0) -> int:
        """The number of the node that fills a slot of a node."""
        code = self.codes[parent]
        index = None if self.inventory.is_word(code) else self.inventory.rule(code).slot(slot)
        if index is None:
            raise KeyError(f"'{self.inventory.labels[code]}' has no slot '{slot}'")
        return self.positions[parent][index]

    def head(self, node: int = 0) -> int | None:
        """The node of the lexical head of a node, or None where no head is marked."""
        while not self.inventory.is_word(self.codes[node]):
            index = self.inventory.heads[self.codes[node]]
            if index is None:
                return None
            node = self.positions[node][index]
        return node

    def labels(self) -> list[str]:
        """The names of all nodes in preorder."""
        return [self.inventory.labels[code] for code in self.codes]

    def words(self) -> list[str]:
        """The ids of the words, left to right."""
        first = self.inventory.first_word
        return [self.inventory.labels[code] for code in self.codes if code >= first]

    def replace(self, node: int, subtree: Tree) -> Tree:
        """The tree with another subtree at a node."""
        end = node + len(self.at(node).codes)
        return Tree(self.inventory, self.codes[:node] + subtree.codes + self.codes[end:])

    def depth(self, tag: str) -> int:
        """The largest number of nodes with a tag on one path from the root."""
        return self._tagged(tag)[0]

    def count(self, tag: str) -> int:
        """The number of nodes with a tag."""
        return self._tagged(tag)[1]

    def _tagged(self, tag: str) -> tuple[int, int]:
        tagged, arity = self.inventory.tagged(tag), self.inventory.arity
        if tagged.isdisjoint(self.codes):
            return 0, 0
        deepest = count = 0
        above: list[int] = []  # for every slot that is still open: the tags on the path to it
        for code in self.codes:
            depth = above.pop() if above else 0
            if code in tagged:
                depth += 1
                count += 1
                if depth > deepest:
                    deepest = depth
            above.extend([depth] * arity[code])
        return deepest, count

    def __iter__(self) -> Iterator[Tree]:
        return iter(self.children)

    def __len__(self) -> int:
        return len(self.codes)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Tree)
            and self.codes == other.codes
            and (self.inventory is other.inventory or self.labels() == other.labels())
        )

    def __hash__(self) -> int:
        return hash(self.codes)

    def __repr__(self) -> str:
        return f"Tree({self})"

    def __str__(self) -> str:
        pieces: list[str] = []
        left: list[int] = []
        for code in self.codes:
            pieces.append(self.inventory.labels[code])
            arity = self.inventory.arity[code]
            if arity:
                pieces.append("(")
                left.append(arity)
                continue
            while left:
                left[-1] -= 1
                if left[-1]:
                    pieces.append(", ")
                    break
                pieces.append(")")
                left.pop()
        return "".join(pieces)


def child_positions(codes: Sequence[int], arity: list[int]) -> list[list[int]]:
    """The child nodes of every node of a preorder sequence."""
    children: list[list[int]] = []
    waiting: list[int] = []  # nodes without a parent yet, from the end: the first child is last
    for node in range(len(codes) - 1, -1, -1):
        slots = arity[codes[node]]
        if slots:
            children.append(waiting[: -slots - 1 : -1])
            del waiting[-slots:]
        else:
            children.append([])
        waiting.append(node)
    children.reverse()
    return children


def construction_slots(tree: Tree, node: int, chain: tuple[str, ...]) -> list[int] | None:
    """The nodes that fill the slots of a chain of rules at a node; None where it does not hold.

    Between two rules of a chain there may be rules of one part.
    """
    inventory, codes, positions = tree.inventory, tree.codes, tree.positions
    labels = inventory.labels
    if labels[codes[node]] != chain[0]:
        return None
    slots: dict[str, int] = {}
    for name in (*chain[1:], None):
        rule = inventory.rule(codes[node])
        following = -1
        for part, child in zip(rule.parts, positions[node], strict=True):
            slots.setdefault(part.slot, child)
            reached = child
            while name is not None and labels[codes[reached]] != name:
                if len(positions[reached]) != 1:
                    break
                reached = positions[reached][0]
            else:
                following = reached if name is not None else -1
        if name is not None and following < 0:
            return None
        node = following
    return list(slots.values())


def read_tree(inventory: Inventory, text: str) -> Tree:
    """Read ``rule(child, word)``; raises GrammarError where it is no tree of the grammar."""
    codes: list[int] = []
    left: list[int] = []  # open slots of the nodes above
    opened = False
    for kind, value, column in _lex(text):
        if kind == "name":
            if codes and not left:
                raise GrammarError(f"'{value}' after the end of the tree (column {column})")
            code = inventory.code(value)
            codes.append(code)
            if left:
                left[-1] -= 1
            opened = False
            if inventory.arity[code]:
                left.append(inventory.arity[code])
                opened = True
        elif value == "(":
            if not opened and not (codes and inventory.arity[codes[-1]] == 0):
                raise GrammarError(f"unexpected '(' (column {column})")
            if not opened:
                left.append(0)
            opened = False
        elif value == ")":
            if not left or left[-1] != 0:
                raise GrammarError(f"a slot is not filled before column {column}")
            left.pop()
    if not codes or left:
        raise GrammarError("the tree is not complete", hint="write rule(child, word)")
    tree = Tree(inventory, tuple(codes))
    for node, children in enumerate(tree.positions):
        if children:
            parts = inventory.rule(codes[node]).parts
            for part, child in zip(parts, children, strict=True):
                if not inventory.admits(part.symbol, codes[child]):
                    name, parent = inventory.labels[codes[child]], inventory.labels[codes[node]]
                    raise GrammarError(f"'{name}' cannot fill {parent}.{part.slot} ({part.symbol})")
    return tree


def _lex(text: str) -> Iterator[tuple[str, str, int]]:
    position = 0
    text = text.rstrip()
    while position < len(text):
        match = _SYNTAX.match(text, position)
        if match is None:
            raise GrammarError(f"unexpected {text[position:].strip()[0]!r} (column {position + 1})")
        yield (
            ("name", match[1], match.start(1)) if match[1] else ("symbol", match[2], match.start(2))
        )
        position = match.end()
