"""Certificate: what a generated benchmark promises, proved by parsing its training set.

Nothing here trusts the sampler: held-out patterns are looked for in analyses of the training
sentences, words and overlaps in the text of the files. `check_certificate` does it all again
from the files and compares.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recombine.benchmark import Benchmark, Example
from recombine.builders.generated.held_out import MARKS, TRAIN, HeldOutFindings, HeldOuts, _patterns
from recombine.config import parse_config
from recombine.errors import DataError, RecombineError, Where
from recombine.files import sha256_of
from recombine.grammar import Grammar
from recombine.grammar.grammar import find_grammar
from recombine.registry import data_path

if TYPE_CHECKING:
    from recombine.builders.generated.builder import Generated


FORMAT = 1


SHOWN = 3  # offending sentences kept as evidence


def certify(
    recipe: Generated,
    grammar: Grammar,
    examples: Mapping[str, Sequence[Example]],
    held: HeldOuts,
    look: Callable[[], HeldOutFindings],
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
) -> HeldOutFindings:
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
    return HeldOutFindings(
        {name: (counts[name], evidence[name]) for name in held.held}, unparsed, seen
    )


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


def check_generated(benchmark: Benchmark, recipe_class: type[Any]) -> list[RecombineError]:
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


EXAMPLES = 2


def card_of(
    recipe: Generated,
    grammar: Grammar,
    certificate: Mapping[str, Any],
    examples: Mapping[str, Sequence[Example]],
) -> str:
    """Return the body of the data card."""
    lines = [
        f"Drawn from the grammar `{recipe.grammar}`, edition `{grammar.edition}`. Word choice: "
        f"Zipf exponent {recipe.zipf}; selectional restrictions "
        f"{'on' if recipe.selection else 'off'}; concatenation "
        f"{'on' if recipe.concatenation else 'off'}; {recipe.exposures} exposures per block; "
        f"{recipe.target_words} target words per pattern; scale {recipe.scale}.",
        "",
        "## Proved",
        "",
        f"- source sentences with two translations: {certificate['sources_with_two_translations']}",
    ]
    lines += [f"- {pair}: {number}" for pair, number in certificate["overlaps"].items()]
    violations = certificate.get("violations", {})
    if violations:
        lines.append(
            "- word pairs outside the selectional lists (a noun of several verbs satisfies one): "
            + ", ".join(f"{split} {number}" for split, number in violations.items())
        )
    lines += [
        "",
        "## Patterns",
        "",
        "| pattern | held out | sentences | in train | new word forms |",
        "| --- | --- | ---: | ---: | --- |",
    ]
    for name, row in certificate["patterns"].items():
        held = row["held_out"].replace("|", "\\|")
        forms = ", ".join(row["new_word_forms"][:12])
        lines.append(f"| {name} | `{held}` | {row['sentences']} | {row['in_train']} | {forms} |")
    lines += ["", "## Examples", ""]
    for split, rows in examples.items():
        shown: dict[str, int] = {}
        for one in rows:
            pattern = str(one.tags.get("pattern", split))
            if shown.get(pattern, 0) < EXAMPLES and (split != "train" or "/" not in pattern):
                shown[pattern] = shown.get(pattern, 0) + 1
                lines.append(f"- {split}, {pattern}: {one.source} -> {one.references[0]}")
    notes = data_path("grammars", recipe.grammar, "NOTES.md")
    if notes.is_file():
        lines += ["", notes.read_text(encoding="utf-8").strip()]
    return "\n".join(lines)
