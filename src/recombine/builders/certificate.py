"""Certificate: what a generated benchmark promises, proved by parsing its training set.

Nothing here trusts the sampler: held-out patterns are looked for in analyses of the training
sentences, words and overlaps in the text of the files. `check_certificate` does it all again
from the files and compares.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recombine.benchmark import Benchmark, Example
from recombine.builders.part import Part, Setting, held_out
from recombine.config import parse_config
from recombine.errors import DataError, RecombineError, Where
from recombine.files import sha256_of
from recombine.grammar import Grammar, Tree
from recombine.grammar.constraints import Allowed, read_bound
from recombine.grammar.grammar import find_grammar
from recombine.grammar.inventory import Inventory
from recombine.grammar.pattern import Formula, Matcher, Node, Pattern

if TYPE_CHECKING:
    from recombine.builders.generated import Generated

FORMAT = 1
TRAIN = "train"
MARKS = ".?!,。？"
SHOWN = 3  # offending sentences kept as evidence


class HeldOut:
    """The pattern of one part, ready to be looked for in many trees."""

    def __init__(self, grammar: Grammar, part: Part, setting: Setting) -> None:
        self.inventory = grammar.inventory
        self.text = held_out(part, setting)
        self.depth: dict[str, Allowed] = {t: read_bound(t, b) for t, b in part.depth.items()}
        self._matcher: Matcher | None = None
        self._needs: list[list[frozenset[int]]] = []
        self.words: frozenset[int] = frozenset()
        if self.text:
            pattern = Pattern.parse(self.text)
            self._matcher = pattern.compile(self.inventory)
            self._needs = [self._needed(formula) for formula in _alternatives(pattern.formula)]
            self.words = frozenset(filter(self.inventory.is_word, self._named(pattern.formula)))

    @property
    def defined(self) -> bool:
        """Whether there is anything to look for."""
        return self._matcher is not None or bool(self.depth)

    def describe(self) -> str:
        """The pattern and depths as text."""
        depths = [f"depth of {tag} in {sorted(one.values)}" for tag, one in self.depth.items()]
        return " and ".join([*([self.text] if self.text else []), *depths])

    @property
    def needs(self) -> list[list[frozenset[int]]]:
        """Ways to show it: sets of codes of which a tree has at least one each."""
        return self._needs if self._matcher is not None else [[]]

    def shows(self, tree: Tree) -> bool:
        """Whether a tree shows it."""
        return all(allowed.admits(tree.depth(tag)) for tag, allowed in self.depth.items()) and (
            self._matcher is None or self._matcher.matches(tree)
        )

    def _needed(self, formula: Formula) -> list[frozenset[int]]:
        """Sets of codes of which a matching tree has at least one each (nothing for negations)."""
        if formula.node is not None:
            return self._needed_of(formula.node)
        if formula.kind == "and":
            return [codes for part in formula.parts for codes in self._needed(part)]
        return []

    def _named(self, formula: Formula) -> Iterator[int]:
        """Every code that a pattern names, wanted or not."""
        for part in formula.parts:
            yield from self._named(part)
        waiting = [] if formula.node is None else [formula.node]
        while waiting:
            node = waiting.pop()
            if node.atom.kind != "any":
                yield from node.atom.codes(self.inventory)
            waiting.extend(branch.target for branch in node.branches)

    def _needed_of(self, node: Node) -> list[frozenset[int]]:
        found = [] if node.atom.kind == "any" else [node.atom.codes(self.inventory)]
        for branch in node.branches:
            if not branch.negated:
                found.extend(self._needed_of(branch.target))
        return found


class Findings(NamedTuple):
    """What the analyses of training sentences show."""

    shown: dict[str, tuple[int, list[str]]]  # pattern -> how often, and the first sentences
    unparsed: int
    words: dict[str, int]


class HeldOuts:
    """What the parts of a recipe hold out of training."""

    def __init__(self, inventory: Inventory, held: Mapping[str, HeldOut]) -> None:
        self.inventory = inventory
        self.held = held
        self._telling = frozenset().union(*(one.words for one in held.values()))
        self._shapes: dict[tuple[int, ...], tuple[str, ...]] = {}
        # Most trees lack what most patterns need. One bit per needed set of codes says so at once.
        defined = {name: one for name, one in held.items() if one.defined}
        sets = {codes for one in defined.values() for way in one.needs for codes in way}
        bits = {codes: 1 << number for number, codes in enumerate(sets)}
        self._bits = dict.fromkeys(range(len(inventory.labels)), 0)
        for codes, bit in bits.items():
            for code in codes:
                self._bits[code] |= bit
        self._ways = {
            name: tuple(sum(bits[codes] for codes in set(way)) for way in one.needs)
            for name, one in defined.items()
        }

    @classmethod
    def of(cls, recipe: Generated, grammar: Grammar) -> HeldOuts:
        """Those of all patterns of a recipe."""
        setting = recipe.setting(grammar)
        return cls(
            grammar.inventory,
            {name: HeldOut(grammar, part, setting) for _, name, part in _patterns(recipe)},
        )

    def shown_by(self, codes: tuple[int, ...]) -> tuple[str, ...]:
        """The parts whose pattern a tree shows."""
        first = self.inventory.first_word
        # Words that no pattern names cannot decide, so trees that differ in those are judged once.
        shape = tuple([c if c < first or c in self._telling else -1 for c in codes])
        found = self._shapes.get(shape)
        if found is None:
            tree, has = Tree(self.inventory, codes), 0
            for code in set(codes):
                has |= self._bits[code]
            found = tuple(
                name
                for name, ways in self._ways.items()
                if any(way & has == way for way in ways) and self.held[name].shows(tree)
            )
            self._shapes[shape] = found
        return found


def _patterns(recipe: Generated) -> Iterator[tuple[str, str, Part]]:
    """Split, name and part of all patterns."""
    for split, parts in recipe.split.items():
        for name, part in parts.items():
            if split != TRAIN and part.category:
                yield split, name, part


def _alternatives(formula: Formula) -> Sequence[Formula]:
    return formula.parts if formula.kind == "or" else (formula,)


def certify(
    recipe: Generated,
    grammar: Grammar,
    examples: Mapping[str, Sequence[Example]],
    held: HeldOuts,
    look: Callable[[], Findings],
) -> dict[str, Any]:
    """Count and prove; the result is written to certificate.json.

    `look` gives what `look_in_train` found.
    """
    setting = recipe.setting(grammar)
    sources = {split: [one.source for one in rows] for split, rows in examples.items()}
    certificate: dict[str, Any] = {
        "format": FORMAT,
        "grammar": {
            "name": recipe.grammar,
            "edition": grammar.edition,
            "sha256": grammar_hash(recipe.grammar),
        },
        "splits": {split: _summary(rows) for split, rows in examples.items()},
        "overlaps": _overlaps(sources),
        "sources_with_two_translations": _conflicts(examples),
    }
    shown, unparsed, train_words = look()
    certificate["train_sentences_without_analysis"] = unparsed
    lexicon = Lexicon(grammar, recipe.source_language)
    train_forms = lexicon.tokens(sources.get(TRAIN, ()))
    train_lemmas = lexicon.lemmas(train_forms)
    patterns: dict[str, Any] = {}
    rows_of: dict[tuple[str, Any], list[Example]] = {}
    for split, every in examples.items():
        for one in every:
            rows_of.setdefault((split, one.tags.get("pattern")), []).append(one)
    for split, name, part in _patterns(recipe):
        rows = rows_of.get((split, name), [])
        forms = lexicon.tokens(one.source for one in rows)
        new = sorted(forms - train_forms)
        allowed = lexicon.forms_of(part.targets[: setting.target_words])
        targets = Counter(str(one.tags["target_word"]) for one in rows if "target_word" in one.tags)
        patterns[name] = {
            "split": split,
            "held_out": held.held[name].describe(),
            "sentences": len(rows),
            "in_train": shown[name][0],
            "in_train_examples": shown[name][1],
            "targets": dict(sorted(targets.items())),
            "targets_in_train": {
                lexicon.name(word): train_words.get(word, 0)
                for word in part.targets[: setting.target_words]
            },
            "new_word_forms": new,
            "unexpected_word_forms": [form for form in new if form not in allowed],
            "lemmas_not_in_train": sorted(lexicon.lemmas(forms) - train_lemmas),
        }
    certificate["patterns"] = patterns
    certificate["disjoint"] = recipe.disjoint
    return certificate


def look_in_train(
    grammar: Grammar, language: str, train: Iterable[Example], held: HeldOuts
) -> Findings:
    """Parse training sentences; count held-out patterns, failures and words."""
    inventory = grammar.inventory
    counts: Counter[str] = Counter()
    evidence: dict[str, list[str]] = {name: [] for name in held.held}
    words: Counter[int] = Counter()
    unparsed = 0
    first = inventory.first_word
    parse = grammar.parser(language).parse
    for source, times in Counter(one.source for one in train).items():
        tree = parse(source).tree
        if tree is None:
            unparsed += times
            continue
        for code in tree.codes:
            if code >= first:
                words[code] += times
        for name in held.shown_by(tree.codes):
            counts[name] += times
            if len(evidence[name]) < SHOWN:
                evidence[name].append(source)
    seen = {inventory.labels[code]: count for code, count in words.items()}
    return Findings({name: (counts[name], evidence[name]) for name in held.held}, unparsed, seen)


class Lexicon:
    """Word forms and lemmas of one language, by the text alone."""

    def __init__(self, grammar: Grammar, language: str) -> None:
        self._grammar = grammar
        self._concrete = grammar.concrete(language)
        self._lemmas: dict[str, set[str]] = {}
        for code in range(grammar.inventory.first_word, len(grammar.inventory.labels)):
            forms = self._concrete.word_forms(code)
            lemma = forms["form"][0] if "form" in forms else grammar.inventory.labels[code]
            for variants in forms.values():
                for form in variants:
                    self._lemmas.setdefault(form, set()).add(lemma)

    def tokens(self, sources: Iterable[str]) -> set[str]:
        """The distinct word forms of some sentences."""
        found: set[str] = set()
        for source in sources:
            found.update(source.split(" "))
        return {word.strip(MARKS) for word in found} - {""}

    def lemmas(self, tokens: Iterable[str]) -> set[str]:
        """Their lemmas; a word outside the lexicon is its own."""
        return {lemma for token in tokens for lemma in sorted(self._lemmas.get(token, {token}))}

    def forms_of(self, words: Iterable[str]) -> set[str]:
        """All forms of some words."""
        return {
            form
            for word in words
            for variants in self._concrete.word_forms(self._grammar.inventory.code(word)).values()
            for form in variants
        }

    def name(self, word: str) -> str:
        """The word with its sense, as the grammar calls it."""
        return word


def grammar_hash(name: str) -> str:
    """SHA-256 over the files of a grammar."""
    digest = hashlib.sha256()
    folder = find_grammar(name)
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".tsv", ".grammar")):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{sha256_of(path)}\n".encode())
    return digest.hexdigest()


def _summary(rows: Sequence[Example]) -> dict[str, Any]:
    digest = hashlib.sha256()
    for one in rows:
        digest.update(f"{one.source}\t{one.references[0]}\n".encode())
    return {
        "sentences": len(rows),
        "different": len({one.source for one in rows}),
        "sha256": digest.hexdigest(),
    }


def _overlaps(sources: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """How many sentences of a split stand in an earlier one too."""
    names = list(sources)
    found: dict[str, int] = {}
    for index, later in enumerate(names):
        for earlier in names[:index]:
            known = set(sources[earlier])
            found[f"{later} in {earlier}"] = sum(source in known for source in sources[later])
    return found


def _conflicts(examples: Mapping[str, Sequence[Example]]) -> int:
    known: dict[str, str] = {}
    conflicts: set[str] = set()
    for rows in examples.values():
        for one in rows:
            if known.setdefault(one.source, one.references[0]) != one.references[0]:
                conflicts.add(one.source)
    return len(conflicts)


def broken_promises(certificate: Mapping[str, Any]) -> list[str]:
    """What a certificate itself admits to be wrong."""
    found: list[str] = []
    if certificate["sources_with_two_translations"]:
        found.append(
            f"{certificate['sources_with_two_translations']} source sentences have two translations"
        )
    if certificate["train_sentences_without_analysis"]:
        number = certificate["train_sentences_without_analysis"]
        found.append(f"{number} training sentences are outside the grammar")
    for name, row in certificate["patterns"].items():
        if row["in_train"]:
            evidence = f", e.g. {row['in_train_examples'][0]!r}" if row["in_train_examples"] else ""
            found.append(
                f"pattern '{name}' is held out but occurs {row['in_train']} times in train"
                + evidence
            )
        if row["unexpected_word_forms"]:
            form = row["unexpected_word_forms"][0]
            found.append(
                f"pattern '{name}' has the word form '{form}', which training does not show"
            )
        if row["lemmas_not_in_train"]:
            lemma = row["lemmas_not_in_train"][0]
            found.append(f"pattern '{name}' has the word '{lemma}', which training does not show")
    if certificate["disjoint"]:
        found.extend(
            f"{number} sentences of {pair.replace(' in ', ' are also in ')}"
            for pair, number in certificate["overlaps"].items()
            if number
        )
    return found


def check_certificate(benchmark: Benchmark, recipe_class: type[Any]) -> list[RecombineError]:
    """Prove the certificate again from the files alone; return what does not hold."""
    path = benchmark.path / "certificate.json"
    where = Where(str(path))
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return [DataError(f"the certificate cannot be read: {error}", where)]
    try:
        recipe = parse_config(recipe_class, benchmark.manifest.recipe)
        grammar = recipe.load()
        examples = {split: benchmark.read(split) for split in benchmark.splits}
        held = HeldOuts.of(recipe, grammar)
        train = examples.get(TRAIN, ())
        proved = certify(
            recipe,
            grammar,
            examples,
            held,
            lambda: look_in_train(grammar, recipe.source_language, train, held),
        )
    except RecombineError as error:
        return [error]
    problems: list[RecombineError] = [
        DataError(text, Where(str(benchmark.path))) for text in broken_promises(proved)
    ]
    for key in proved:
        difference = _difference(written.get(key), proved[key], key)
        if difference:
            problems.append(DataError(f"the certificate says otherwise: {difference}", where))
    return problems


def _difference(written: Any, proved: Any, name: str) -> str:
    if isinstance(proved, dict) and isinstance(written, dict):
        for key in [*proved, *(key for key in written if key not in proved)]:
            found = _difference(written.get(key), proved.get(key), f"{name}.{key}")
            if found:
                return found
        return ""
    return "" if written == proved else f"{name} is {proved!r}, not {written!r}"


__all__ = ["HeldOut", "Path", "broken_promises", "certify", "check_certificate", "look_in_train"]
