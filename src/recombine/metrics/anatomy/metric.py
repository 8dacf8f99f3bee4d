"""Error anatomy: parse the hypothesis with the target grammar and say what happened to the meaning.

For benchmarks made by a grammar.  The verdict is a class a linguist would name (dependencies.py)
with a sentence that says which words it is about; the value is 1 for a translation without error.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from recombine.benchmark import Example, normalise
from recombine.errors import ConfigError
from recombine.grammar import Grammar
from recombine.grammar.benchmark_grammar import benchmark_reader, grammar_signature
from recombine.grammar.model import LiteralText
from recombine.grammar.parsing.relaxed import Relaxed, relax
from recombine.grammar.tree import Tree
from recombine.metrics.anatomy.dependencies import (
    Finding,
    Said,
    Unit,
    closeness,
    compare,
    units_of,
)
from recombine.metrics.anatomy.near_miss import forms_of, name_edits, split_words, spoken
from recombine.metrics.base import Metric, Missing, Observation, Scored
from recombine.metrics.meaning.outline import side_by_side
from recombine.statistics.aggregate import Kind

# Readings of one hypothesis that are looked at; the closest to the reference is what was meant.
MOST_READINGS = 24
# The same stretch of at least this many characters three times running is a loop, not a sentence.
LOOP = re.compile(r"(.{3,40}?)\1\1", re.DOTALL)
# The field of a verb's own object particle, which is no form of the verb.
PARTICLE = "part"
# References tried before a grammar is said not to fit the benchmark.
TRIED = 50


class _Vocabulary(NamedTuple):
    categories: Mapping[str, frozenset[str]]
    letters: frozenset[str]


@dataclass(kw_only=True)
class Anatomy(Metric):
    """What went wrong, by parsing: modifiers, roles, recursion, words, tense and voice."""

    name: ClassVar[str] = "anatomy"
    kind: ClassVar[Kind] = "mean"
    higher_is_better: ClassVar[bool] = True
    right_value: ClassVar[float] = 1.0
    missing: ClassVar[Missing] = "empty"
    one_wording: ClassVar[bool] = True
    grammar: str = ""
    edition: str | None = None
    grammar_sha256: str = ""
    source_language: str = ""
    target_language: str = ""
    _grammar: Grammar | None = field(init=False, repr=False, default=None)
    _words: dict[str, Hashable | None] = field(init=False, repr=False, default_factory=dict)
    _relaxed: Relaxed | None = field(init=False, repr=False, default=None)
    _known: _Vocabulary | None = field(init=False, repr=False, default=None)
    _trees: dict[tuple[str, str], Tree | None] = field(init=False, repr=False, default_factory=dict)

    def prepare(self, items: Sequence[Scored]) -> None:
        """Check once that the grammar parses the benchmark's references."""
        references = [item.example for item in items if item.example.references][:TRIED]
        if references and not any(self._reference_tree(reference) for reference in references):
            raise ConfigError(
                f"metric anatomy: the grammar '{self.grammar}' parses none of the first "
                f"{len(references)} references",
                hint="name the benchmark's own: anatomy.grammar=..., anatomy.edition=...",
            )

    def key(self, example: Example) -> str | None:
        """Every example with a reference by itself."""
        return example.id if example.references else None

    def observe(self, items: Sequence[Scored]) -> Observation | None:
        """Class one hypothesis; None when the grammar does not know the reference itself."""
        (item,) = items
        example = item.example
        hypothesis = normalise(item.hypothesis.strip())
        if hypothesis in example.references:
            return self._observation(example, 1.0, {"class": "right"})
        wanted = self._reference_tree(example)
        if wanted is None:
            return None
        sides: dict[str, str] = {}
        kind, explanation, findings = self._judge(hypothesis, wanted, sides)
        detail: dict[str, Any] = {"class": kind, "explanation": explanation, **sides}
        if findings:
            detail["findings"] = [finding.row for finding in findings]
        detail["aligned"] = self._aligned(wanted)
        value = float(kind == "other wording")
        return self._observation(example, value, detail)

    def signature(self) -> str:
        """Name the grammar that parsed, and what is done where it does not."""
        read_with = grammar_signature(self.grammar, self.edition, self.grammar_sha256)
        return f"anatomy|{read_with}|target:{self.target_language}|unparsed:aligned"

    @staticmethod
    def _observation(example: Example, value: float, detail: dict[str, Any]) -> Observation:
        return Observation(example.id, (example.id,), value, (value,), detail)

    def _loaded(self) -> Grammar:
        if self._grammar is None:
            self._grammar = benchmark_reader(
                "anatomy",
                self.grammar,
                self.edition,
                self.grammar_sha256,
                self.source_language,
                self.target_language,
            )
        return self._grammar

    def _reference_tree(self, example: Example) -> Tree | None:
        """The tree that was meant: a reading of the source that is said as the reference."""
        key = (example.source, example.references[0])
        if key not in self._trees:
            self._trees[key] = self._find_reference_tree(*key)
        return self._trees[key]

    def _find_reference_tree(self, source: str, reference: str) -> Tree | None:
        grammar = self._loaded()
        for tree in grammar.parse(source, self.source_language).trees(MOST_READINGS):
            if grammar.text(tree, self.target_language) == reference:
                return tree
        strict = grammar.parse(reference, self.target_language).tree
        # A reference by somebody else, or of another version of the grammar.
        return strict or self._loosened().grammar.parse(reference, self.target_language).tree

    def _grammar_of(self, tree: Tree) -> Grammar:
        """The grammar that a tree belongs to: the benchmark's, or the relaxed one."""
        loaded = self._loaded()
        return loaded if tree.inventory is loaded.inventory else self._loosened().grammar

    def _judge(
        self, hypothesis: str, wanted: Tree, sides: dict[str, str]
    ) -> tuple[str, str, list[Finding]]:
        """Class, explanation and findings; `sides` gets the two meanings where both are read."""
        if not hypothesis:
            return "empty", "nothing was said", []
        loop = LOOP.search(hypothesis)
        if loop:
            return "repeats itself", f"“{loop.group(1)}” again and again", []
        parse = self._loaded().parse(hypothesis, self.target_language)
        if not parse.ok:
            # Wrong translations need not keep to the benchmark's choice of words.
            parse = self._loosened().grammar.parse(hypothesis, self.target_language)
        if not parse.ok:
            return self._unparsed(hypothesis, wanted, parse.failure)
        reference = self._units(wanted)
        best, best_units = max(
            ((tree, self._units(tree)) for tree in parse.trees(MOST_READINGS)),
            key=lambda reading: closeness(reference, reading[1]),
        )
        depths = {tag: (wanted.depth(tag), best.depth(tag)) for tag in _recursive_tags(wanted)}
        said = (
            self._said(wanted, reference),
            self._said(best, best_units),
        )
        findings = compare(reference, best_units, said, depths, self._begin_alike)
        if not findings:
            return "other wording", "parses to the same meaning as the reference", []
        sides["meant"], sides["said"] = side_by_side(reference, best_units)
        return findings[0].kind, told(findings), findings

    def _said(self, tree: Tree, units: Sequence[Unit]) -> list[Said]:
        """Forms and function words of each unit, as the target language says them."""
        realised = self._grammar_of(tree).realise(tree, self.target_language)
        texts: dict[int, list[str]] = {}
        for token in realised.tokens:
            texts.setdefault(token.node, []).append(token.text)
        # A verb that brings its object's particle says that first and its own form last.
        return [
            Said(
                texts.get(unit.node, [""])[-1],
                "".join(text for node in unit.nodes[:-1] for text in texts.get(node, ())),
            )
            for unit in units
        ]

    def _unparsed(
        self, hypothesis: str, wanted: Tree, failure: Any
    ) -> tuple[str, str, list[Finding]]:
        reference = self._grammar_of(wanted).text(wanted, self.target_language)
        if reference.startswith(hypothesis.rstrip("。.？?！!")):
            return "cut off", f"ends after {len(hypothesis)} of {len(reference)} characters", []
        unknown = failure is not None and failure.unknown
        nonword = self._replaced_word(hypothesis, wanted) if unknown else None
        if nonword is not None:
            return "wrong word", nonword.text, [nonword]
        units = self._units(wanted)
        findings = self._near_miss(hypothesis, wanted, units)
        if findings:
            return findings[0].kind, told(findings), findings
        absent = [
            unit.label
            for unit in units
            if isinstance(unit.word, frozenset) and not any(f in hypothesis for f in unit.word)
        ]
        text = failure.message if failure is not None else "no analysis"
        if absent:
            text += f"; words of the reference that are not there: {', '.join(absent[:6])}"
        return "no analysis", text, []

    def _near_miss(self, hypothesis: str, wanted: Tree, units: Sequence[Unit]) -> list[Finding]:
        """Findings on a sentence without an analysis whose words still explain it."""
        vocabulary = self._vocabulary()
        places = {unit.node: place for place, unit in enumerate(units)}
        pieces, said = [], []
        for token in self._grammar_of(wanted).realise(wanted, self.target_language).tokens:
            text, place = token.text.casefold(), places.get(token.node)
            is_word = place is not None and text in forms_of(units[place])
            pieces.append((text, is_word))
            if place is not None and is_word:
                said.append(place)
        reference = spoken(pieces)
        given = split_words(
            hypothesis, vocabulary.categories, vocabulary.letters, set(reference.words)
        )
        if given is None:
            return []
        chains = set(_recursive_tags(wanted))

        def recursive(unit: Unit) -> str | None:
            codes = (wanted.codes[node] for node in unit.nodes)
            tags = (tag for code in codes for tag in wanted.inventory.tags(code))
            return next((tag for tag in tags if tag in chains), None)

        return name_edits(reference, given, said, units, recursive, vocabulary.categories)

    def _vocabulary(self) -> _Vocabulary:
        """Every form of every word with its categories, and the letters of function words."""
        if self._known is None:
            grammar = self._loaded()
            concrete, inventory = grammar.concrete(self.target_language), grammar.inventory
            categories: dict[str, frozenset[str]] = {}
            letters: set[str] = set()
            for code in range(inventory.first_word, inventory.first_word + len(inventory.words)):
                for name, texts in concrete.word_forms(code).items():
                    if name == PARTICLE:
                        letters.update(*map(str.casefold, texts))
                        continue
                    for text in filter(None, map(str.casefold, texts)):
                        known = categories.get(text, frozenset())
                        categories[text] = known | {inventory.category(code)}
            for line in concrete.language.lines.values():
                for piece in (piece for variant in line.variants for piece in variant):
                    if isinstance(piece, LiteralText):
                        letters.update(piece.text.casefold())
            self._known = _Vocabulary(categories, frozenset(letters))
        return self._known

    def _replaced_word(self, hypothesis: str, wanted: Tree) -> Finding | None:
        """Something that is no word of the language, where the reference has one word."""
        realised = self._grammar_of(wanted).realise(wanted, self.target_language)
        reference = realised.text
        start = 0
        while (
            start < min(len(reference), len(hypothesis)) and reference[start] == hypothesis[start]
        ):
            start += 1
        end = 0
        while (
            end < min(len(reference), len(hypothesis)) - start
            and reference[-1 - end] == hypothesis[-1 - end]
        ):
            end += 1
        for token in realised.tokens:
            inside = token.start <= start and len(reference) - end <= token.end
            if inside and wanted.inventory.is_word(wanted.codes[token.node]):
                said = hypothesis[token.start : len(hypothesis) - (len(reference) - token.end)]
                return Finding("wrong word", "for", (said, token.text))
        return None

    def _units(self, tree: Tree) -> list[Unit]:
        return units_of(tree, self._identity, self._loosened().names)

    def _loosened(self) -> Relaxed:
        if self._relaxed is None:
            self._relaxed = relax(self._loaded(), self.target_language)
        return self._relaxed

    def _identity(self, label: str) -> Hashable | None:
        """The forms of a word in the target language; None for words it does not say."""
        if label not in self._words:
            grammar = self._loaded()
            forms = grammar.concrete(self.target_language).word_forms(grammar.inventory.code(label))
            kept = frozenset(
                text for name, texts in forms.items() if name != PARTICLE for text in texts if text
            )
            self._words[label] = kept or None
        return self._words[label]

    def _begin_alike(self, first: Unit, second: Unit) -> bool:
        left = self._first_form(first)
        right = self._first_form(second)
        return bool(left and right and left[0] == right[0])

    def _first_form(self, unit: Unit) -> str:
        return min(unit.word) if isinstance(unit.word, frozenset) and unit.word else ""

    def _aligned(self, tree: Tree) -> list[list[str]]:
        """Source and target of each argument and clause: the constituents that correspond."""
        grammar = self._grammar_of(tree)
        if self.source_language not in grammar.languages:
            return []  # relaxed for the target language alone
        source = grammar.realise(tree, self.source_language)
        target = grammar.realise(tree, self.target_language)
        rows = []
        for unit in self._units(tree):
            if unit.named or unit.head == -1:
                node = unit.top if unit.named else unit.node
                name = unit.slot if unit.named else "predicate"
                rows.append([name, source.piece(node), target.piece(node)])
        return rows[:12]


def told(findings: Sequence[Finding]) -> str:
    """The first findings as a sentence."""
    return "; ".join(f"{finding.kind}: {finding.text}" for finding in findings[:4])


def _recursive_tags(tree: Tree) -> list[str]:
    tags = dict.fromkeys(tag for code in tree.codes for tag in tree.inventory.tags(code))
    return [tag for tag in tags if tree.depth(tag) >= 2]
