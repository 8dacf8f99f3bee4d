"""Focus: the constituent that a pattern is about, in both languages, and the tags it gives."""

from __future__ import annotations

from recombine.benchmark import Focus
from recombine.builders.generated.lexicon import Lexicon
from recombine.builders.generated.parts import GeneratedOptions, RecipePart, with_targets
from recombine.errors import ConfigError, GrammarError
from recombine.grammar import Grammar
from recombine.grammar.pattern import Matcher, Pattern
from recombine.grammar.realise.realiser import Realiser
from recombine.grammar.tree import Tree

MAX_SHAPES = 100_000
# The tags of a judged sentence, beside that of which half of its part it is.
TAGS = ("pattern", "category", "group_name", "target_word", "regularity", "depth")


class FocusFinder:
    """Finds what Partial Match looks at in the sentences of one part."""

    def __init__(
        self, grammar: Grammar, lexicon: Lexicon, part: RecipePart, options: GeneratedOptions
    ) -> None:
        self.recipe = part
        self.inventory = grammar.inventory
        self._source = grammar.realiser(options.source_language)
        self._target = grammar.realiser(options.target_language)
        self._is_plain = lexicon.plain
        self._codes = frozenset(self.inventory.code(word) for word in part.targets)
        self._irregular = frozenset(self.inventory.code(word) for word in part.irregular)
        self._named = {code: lexicon.citation(code) for code in self._codes}
        self._looks: list[tuple[Matcher, str, bool]] = [
            (
                Pattern.parse(with_targets(look.find, part.targets)).compile(self.inventory),
                look.take,
                look.head,
            )
            for look in part.look
        ]
        for look in part.look:
            if not any(rule.slot(look.take) is not None for rule in self.inventory.rules):
                raise ConfigError(f"look: no rule has a slot '{look.take}'")
        self._depth = next(iter(part.depth), None) if part.depth else None
        self._inside_tag = options.inside_tag
        self._shapes: dict[tuple[int, ...], tuple[int, str] | None] = {}

    def target_words(self, codes: tuple[int, ...]) -> list[int]:
        """The target words of a tree."""
        return [code for code in codes if code in self._codes]

    def tags(self, codes: tuple[int, ...], inside: int) -> dict[str, str | int | float]:
        """The tags of a sentence: what its part is, and what its tree shows of it."""
        found: dict[str, str | int | float] = {
            "category": self.recipe.category,
            "group_name": self.recipe.group,
            self._inside_tag: inside,
        }
        if self._codes:
            code = next((code for code in codes if code in self._codes), None)
            if code is not None:
                found["target_word"] = self._named[code]
                if self._irregular:
                    found["regularity"] = "irregular" if code in self._irregular else "regular"
        if self._depth is not None:
            found["depth"] = Tree(self.inventory, codes).depth(self._depth)
        return found

    def focus(self, codes: tuple[int, ...], source: str, target: str) -> tuple[Focus, ...]:
        """The constituent the pattern is about, where it stands, and how it is rendered."""
        place = self._place(codes)
        if place is None:
            return ()
        node, slot = place
        tree = Tree(self.inventory, codes)
        start, end = said_in(self._source, tree, node, source, is_plain=self._is_plain)
        first, last = said_in(self._target, tree, node, target)
        rendering = target[first:last]
        return (
            Focus(text=source[start:end], role=slot, accepted=(rendering,), start=start, end=end),
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
        for matcher, slot, head in self._looks:
            nodes = matcher.find(tree)
            if nodes:
                node = tree.node(slot, nodes[0])
                head_node = tree.head(node) if head else None
                found = (node if head_node is None else head_node), slot
                break
        if len(self._shapes) >= MAX_SHAPES:
            self._shapes.clear()
        self._shapes[shape] = found
        return found


def said_in(
    realiser: Realiser, tree: Tree, node: int, text: str, *, is_plain: bool = True
) -> tuple[int, int]:
    """The character range in which a sentence renders a constituent.

    Mostly it is the wording the constituent has by itself. Where the language inflects it for its
    place in the sentence, or joins words (not `is_plain`), the sentence is spelt out node by node,
    which takes much longer.
    """
    try:
        said = wording(realiser, tree, node)
    except GrammarError:  # nothing by itself, such as a noun phrase that must have a case
        said = ""
    spaced = " " in realiser.join
    start = find_words(text, said, spaced=spaced) if said else -1
    if start >= 0 and is_plain:
        return start, start + len(said)
    stretches = realiser.realise(tree).stretches(node)
    if not stretches:
        raise GrammarError(f"'{text}' does not say the constituent {tree.at(node)}")
    for first, last in stretches if start >= 0 else ():
        # The same form elsewhere is another verb's.
        place = find_words(text[first:last], said, spaced=spaced)
        if place >= 0:
            return first + place, first + place + len(said)
    return stretches[-1]


def find_words(text: str, words: str, *, spaced: bool) -> int:
    """Where whole words stand in a text; at the beginning they may be capitalised. -1: nowhere."""
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not spaced or not (before.isalnum() or after.isalnum()):
            return start
        start = text.find(words, start + 1)
    folded, wanted = text.casefold(), words.casefold()
    return -1 if (folded, wanted) == (text, words) else find_words(folded, wanted, spaced=spaced)


def wording(realiser: Realiser, tree: Tree, node: int) -> str:
    """The text of a constituent: a phrase in its plain form, a word in the form it has there."""
    inventory = tree.inventory
    word = node
    while not inventory.is_word(tree.codes[word]) and len(tree.positions[word]) == 1:
        word = tree.positions[word][0]
    form = realiser.own_form(tree.codes, word)
    return form if form is not None else realiser.fill(tree.at(node).codes)
