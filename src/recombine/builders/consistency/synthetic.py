"""Synthetic sentences: templates of a grammar, drawn without repetition and minimally changed.

A template is a rule of the grammar whose trees are finite in number; every tree has a rank, so all
of them can be listed and any number drawn without drawing one twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from recombine.errors import ConfigError, GrammarError
from recombine.grammar import Grammar
from recombine.grammar.model import Symbol
from recombine.grammar.realise.realiser import Realisation
from recombine.grammar.tree import Tree

# A draw that meets this many repeated words in a row has run out of sentences.
_PATIENCE = 2000


@dataclass(frozen=True)
class TemplateSentence:
    """A source sentence and where its changeable parts stand (character offsets)."""

    source: str
    template: str
    data: str
    reference: str | None = None
    slots: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    is_plural: bool = False  # of the noun that a clause attaches to
    is_question: bool = False
    origin: Any = None  # what the maker needs to change it

    def part(self, slot: str) -> str:
        """Return the text of a changeable part."""
        start, end = self.slots[slot]
        return self.source[start:end]

    def with_clause(self, clause: str) -> tuple[str, int]:
        """Return the source with a clause after the noun it attaches to, and where it begins."""
        end = self.slots["clause"][1]
        return f"{self.source[:end]} {clause}{self.source[end:]}", end + 1


class SentenceMaker(Protocol):
    """Draws sentences of one kind of data and changes them."""

    data: str

    @property
    def templates(self) -> Sequence[str]:
        """The templates there are."""
        ...

    def draw(self, template: str, size: int, rng: np.random.Generator) -> list[TemplateSentence]:
        """Draw different sentences of one template."""
        ...

    def roles(self, template: str) -> Sequence[str]:
        """Return which parts can be swapped: np, vp."""
        ...

    def swap(
        self, sentence: TemplateSentence, role: str, rng: np.random.Generator
    ) -> TemplateSentence:
        """Return the sentence with another noun of the same number in one part."""
        ...


@dataclass(frozen=True, kw_only=True)
class TemplateUse:
    """Which slots of a template the tests change; recipe table `[template.NAME]`.

    `np` and `vp` are the nouns that are swapped for others of the classes in `swap`; a clause with
    a synonym or an idiom follows the noun in `clause`.
    """

    np: str
    vp: str
    clause: str
    swap: tuple[str, ...] = ("people", "elite")


def join_sentences(first: TemplateSentence, second: str, join: str) -> tuple[str, int]:
    """Return `first` (without its closing mark), the conjunction and `second`, and where it begins.

    The second conjunct loses its initial capital unless it is "I" or an acronym.
    """
    opening = first.source.rstrip(" .?!") + join
    return opening + lower_first(second), len(opening)


def lower_first(sentence: str) -> str:
    """Return the sentence with a lower-case beginning, except for "I", "I'm" and acronyms."""
    word = sentence.split(" ", 1)[0]
    if word == "I" or word.startswith("I'") or (len(word) > 1 and word.isupper()):
        return sentence
    return sentence[:1].lower() + sentence[1:]


class SyntheticSentences:
    """Sentences of a template grammar."""

    data = "synthetic"

    def __init__(self, trees: TemplateTrees, uses: Mapping[str, TemplateUse]) -> None:
        unknown = [name for name in uses if name not in trees.templates]
        if unknown:
            raise ConfigError(
                f"the grammar has no template '{unknown[0]}'",
                hint=f"it has: {', '.join(trees.templates)}",
            )
        for name, use in uses.items():
            slots = trees.slots(name)
            for slot in (use.np, use.vp, use.clause):
                if slot not in slots:
                    raise ConfigError(
                        f"the template '{name}' has no slot '{slot}'",
                        hint=f"it has: {', '.join(slots)}",
                    )
        self._trees = trees
        self._uses = uses

    @property
    def templates(self) -> tuple[str, ...]:
        """The templates that the recipe uses, in its order."""
        return tuple(self._uses)

    def roles(self, template: str) -> tuple[str, ...]:
        """Subject and predicate noun can both be swapped."""
        return ("np", "vp")

    def draw(self, template: str, size: int, rng: np.random.Generator) -> list[TemplateSentence]:
        """Draw different sentences of one template, or all of them where there are not more."""
        return [self._sentence(template, tree) for tree in self._trees.draw(template, size, rng)]

    def swap(
        self, sentence: TemplateSentence, role: str, rng: np.random.Generator
    ) -> TemplateSentence:
        """Return the sentence with another noun in the slot of that role."""
        use = self._uses[sentence.template]
        realised: RealisedTree = sentence.origin
        tree = self._trees.swap(realised.tree, use.np if role == "np" else use.vp, use.swap, rng)
        return self._sentence(sentence.template, tree, ask=sentence.is_question)

    def question(self, sentence: TemplateSentence) -> TemplateSentence:
        """Return the question form."""
        return self._sentence(sentence.template, sentence.origin.tree, ask=True)

    def _sentence(self, template: str, tree: Any, *, ask: bool = False) -> TemplateSentence:
        realised = self._trees.realise(tree, ask=ask)
        use = self._uses[template]
        return TemplateSentence(
            source=realised.source,
            template=template,
            data=self.data,
            reference=realised.reference,
            slots={
                name: self._trees.span(realised, slot)
                for name, slot in (("np", use.np), ("vp", use.vp), ("clause", use.clause))
            },
            is_plural=self._trees.number(realised, use.clause) == "pl",
            is_question=ask,
            origin=realised,
        )


class RealisedTree(NamedTuple):
    """A tree in words: source, reference (if the grammar speaks the target), and its nodes."""

    tree: Tree
    realisation: Realisation
    reference: str | None

    @property
    def source(self) -> str:
        """The source sentence."""
        return self.realisation.text


class TemplateTrees:
    """The templates of one grammar in one language pair."""

    def __init__(self, grammar: str | Path, source: str, target: str) -> None:
        self._grammar = Grammar.load(grammar)
        if source not in self._grammar.languages:
            raise ConfigError(
                f"the grammar '{grammar}' does not speak '{source}'",
                hint=f"it speaks {', '.join(self._grammar.languages)}: translate from there "
                f"(-o benchmark.source={self._grammar.languages[0]}, -o "
                f"text.{self._grammar.languages[0]}=FILE), or give a grammar of your own",
            )
        self.inventory = self._grammar.inventory
        self.source, self.target = source, target
        self._says_target = target in self._grammar.languages
        self._counts: dict[Symbol, int] = {}

    @property
    def templates(self) -> tuple[str, ...]:
        """The names of the templates: the rules of the category that `tell` says."""
        category = self._told().category
        return tuple(
            self.inventory.labels[code] for code in self.inventory.rules_of.get(category, ())
        )

    def slots(self, template: str) -> tuple[str, ...]:
        """The names of the slots of a template."""
        return tuple(part.slot for part in self.inventory.rule(self.inventory.code(template)).parts)

    def count(self, template: str) -> int:
        """Return how many trees a template has, repeated words included."""
        rule = self.inventory.rule(self.inventory.code(template))
        return int(np.prod([self._count(part.symbol) for part in rule.parts], dtype=object))

    def trees(self, template: str) -> Iterator[Tree]:
        """Yield every tree of a template in which no word occurs twice, in order of rank."""
        for rank in range(self.count(template)):
            tree = self._unrank(template, rank)
            if _has_no_repeats(tree):
                yield tree

    def draw(self, template: str, size: int, rng: np.random.Generator) -> list[Tree]:
        """Draw different trees of a template; all of them where there are not more."""
        total = self.count(template)
        if total <= 20 * size:
            ranks: Iterator[int] = iter(rng.permutation(total).tolist())
        else:
            ranks = _different(rng, total)
        trees: list[Tree] = []
        misses = 0
        for rank in ranks:
            if len(trees) == size or misses > _PATIENCE:
                break
            tree = self._unrank(template, rank)
            if _has_no_repeats(tree):
                trees.append(tree)
                misses = 0
            else:
                misses += 1
        return trees

    def swap(self, tree: Tree, slot: str, classes: Sequence[str], rng: np.random.Generator) -> Tree:
        """Return the tree with another word in a slot: one that it does not contain yet."""
        node = tree.node(slot, _template_node(tree))
        symbol_words = [
            code
            for code in self.inventory.words_of[self.inventory.category(tree.codes[node])]
            if set(classes) & set(self.inventory.word(code).classes) and code not in tree.codes
        ]
        if not symbol_words:
            raise GrammarError(f"no other word of {', '.join(classes)} fits the slot '{slot}'")
        word = symbol_words[int(rng.integers(len(symbol_words)))]
        return tree.replace(node, Tree(self.inventory, (word,)))

    def realise(self, tree: Tree, *, ask: bool = False) -> RealisedTree:
        """Realise a template's tree as a statement or as a question."""
        if ask:
            tree = Tree(self.inventory, (self.inventory.code("ask"), *tree.codes[1:]))
        return RealisedTree(
            tree,
            self._grammar.realise(tree, self.source),
            self._grammar.text(tree, self.target) if self._says_target else None,
        )

    def number(self, realised: RealisedTree, slot: str) -> str:
        """Return the field of the word form in a slot that was used: `sg` or `pl`."""
        node = realised.tree.node(slot, _template_node(realised.tree))
        form = realised.realisation.piece(node).lower()
        forms = self._grammar.concrete(self.source).word_forms(realised.tree.codes[node])
        return next((name for name, values in forms.items() if form in map(str.lower, values)), "")

    def span(self, realised: RealisedTree, slot: str) -> tuple[int, int]:
        """Return where a slot stands in the source."""
        span = realised.realisation.span(realised.tree.node(slot, _template_node(realised.tree)))
        if span is None:
            raise GrammarError(f"the slot '{slot}' is empty in '{realised.source}'")
        return span.start, span.end

    def phrases(self, classes: Sequence[str]) -> Iterator[tuple[str, str, str | None]]:
        """Yield every noun of some classes alone: form, source phrase, reference phrase."""
        if "phrase" not in self.inventory.codes:
            return
        rule = self.inventory.rule(self.inventory.code("phrase"))
        noun = rule.parts[-1].symbol.category
        for tree in self._rule_trees("phrase"):
            word = self.inventory.word(tree.codes[-1])
            if word.category == noun and set(classes) & set(word.classes):
                realised = self.realise(tree)
                yield (
                    realised.realisation.piece(len(tree.codes) - 1),
                    realised.source,
                    realised.reference,
                )

    def nouns(self, classes: Sequence[str], number: str) -> list[str]:
        """Return the source forms of the words of some classes in one number."""
        speaker = self._grammar.concrete(self.source)
        return [
            speaker.word_forms(code)[number][0]
            for code, word in enumerate(self.inventory.words, start=self.inventory.first_word)
            if set(classes) & set(word.classes) and number in speaker.word_forms(code)
        ]

    def _told(self) -> Symbol:
        return self.inventory.rule(self.inventory.code("tell")).parts[0].symbol

    def _rule_trees(self, name: str) -> Iterator[Tree]:
        code = self.inventory.code(name)
        for rank in range(self.count(name)):
            yield Tree(self.inventory, (code, *self._fill(code, rank)))

    def _unrank(self, template: str, rank: int) -> Tree:
        code = self.inventory.code(template)
        tell = self.inventory.code("tell")
        return Tree(self.inventory, (tell, code, *self._fill(code, rank)))

    def _fill(self, code: int, rank: int) -> list[int]:
        codes: list[int] = []
        for part in self.inventory.rule(code).parts:
            rank, below = divmod(rank, self._count(part.symbol))
            codes += self._unrank_symbol(part.symbol, below)
        return codes

    def _unrank_symbol(self, symbol: Symbol, rank: int) -> list[int]:
        for code in self.inventory.choices(symbol):
            if self.inventory.is_word(code):
                if rank == 0:
                    return [code]
                rank -= 1
                continue
            size = self.count(self.inventory.labels[code])
            if rank < size:
                return [code, *self._fill(code, rank)]
            rank -= size
        raise GrammarError(f"rank out of range for {symbol}")

    def _count(self, symbol: Symbol) -> int:
        count = self._counts.get(symbol)
        if count == -1:
            raise GrammarError(
                f"the category {symbol} contains itself: templates must be finite",
                hint="use a recursive grammar with the builder `generated`",
            )
        if count is None:
            self._counts[symbol] = -1
            count = sum(
                1 if self.inventory.is_word(code) else self.count(self.inventory.labels[code])
                for code in self.inventory.choices(symbol)
            )
            self._counts[symbol] = count
        return count


def _template_node(tree: Tree) -> int:
    """The node of the template's rule: below `tell` or `ask`."""
    return 1 if tree.label in ("tell", "ask") else 0


def _has_no_repeats(tree: Tree) -> bool:
    """The published templates never use a word twice in one sentence."""
    words = tree.words()
    return len(set(words)) == len(words)


def _different(rng: np.random.Generator, total: int) -> Iterator[int]:
    seen: set[int] = set()
    while True:
        rank = int(rng.integers(total))
        if rank not in seen:
            seen.add(rank)
            yield rank
