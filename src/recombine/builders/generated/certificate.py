"""Certificate: what a generated benchmark promises, proved by parsing its training set.

Nothing here trusts the sampler: held-out patterns are looked for in analyses of the training
sentences, words and overlaps in the text of the files. `recombine check` does it all again from
the files and compares.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine.benchmark import Example
from recombine.builders.generated.blueprint import Blueprint
from recombine.builders.generated.parts import TRAIN
from recombine.errors import DataError, RecombineError, Where
from recombine.files import sha256_of
from recombine.grammar.grammar import find_grammar

FORMAT = 1
EVIDENCE = 3  # offending sentences kept as evidence
EXAMPLES = 2  # sentences of each pattern on the data card


class TrainFindings(NamedTuple):
    """What the analyses of training sentences show."""

    shown: dict[str, tuple[int, list[str]]]  # pattern -> how often, and the first sentences
    unparsed: int
    words: dict[str, int]


def certify(
    blueprint: Blueprint,
    name: str,
    examples: Mapping[str, Sequence[Example]],
    look: Callable[[], TrainFindings],
) -> dict[str, Any]:
    """Count and prove; the result is written to certificate.json.

    `name` is the grammar's, `look` gives what `look_in_train` found.
    """
    grammar, lexicon = blueprint.grammar, blueprint.lexicon
    sources = {split: [one.source for one in rows] for split, rows in examples.items()}
    certificate: dict[str, Any] = {
        "format": FORMAT,
        "grammar": {
            "name": name,
            "edition": grammar.edition,
            "sha256": grammar_hash(name),
        },
        "splits": {split: _summary(rows) for split, rows in examples.items()},
        "overlaps": _overlaps(sources),
        "sources_with_two_translations": _conflicts(examples),
    }
    shown, unparsed, train_words = look()
    certificate["train_sentences_without_analysis"] = unparsed
    train_forms = lexicon.tokens(sources.get(TRAIN, ()))
    train_lemmas = lexicon.lemmas(train_forms)
    patterns: dict[str, Any] = {}
    rows_of: dict[tuple[str, Any], list[Example]] = {}
    for split, every in examples.items():
        for one in every:
            rows_of.setdefault((split, one.tags.get("pattern")), []).append(one)
    for pattern in blueprint.patterns():
        rows = rows_of.get((pattern.split, pattern.name), [])
        words = pattern.part.targets[: blueprint.setting.target_words]
        forms = lexicon.tokens(one.source for one in rows)
        new = sorted(forms - train_forms)
        allowed = lexicon.forms_of(words)
        targets = Counter(str(one.tags["target_word"]) for one in rows if "target_word" in one.tags)
        in_train, evidence = shown[pattern.name]
        patterns[pattern.name] = {
            "split": pattern.split,
            "held_out": blueprint.held.held[pattern.name].describe(),
            "sentences": len(rows),
            "in_train": in_train,
            "in_train_examples": evidence,
            "targets": dict(sorted(targets.items())),
            "targets_in_train": {word: train_words.get(word, 0) for word in words},
            "new_word_forms": new,
            "unexpected_word_forms": [form for form in new if form not in allowed],
            "lemmas_not_in_train": sorted(lexicon.lemmas(forms) - train_lemmas),
        }
    certificate["patterns"] = patterns
    certificate["disjoint"] = blueprint.setting.disjoint
    return certificate


def look_in_train(blueprint: Blueprint, train: Iterable[Example]) -> TrainFindings:
    """Parse training sentences; count held-out patterns, failures and words."""
    held, inventory = blueprint.held, blueprint.grammar.inventory
    counts: Counter[str] = Counter()
    evidence: dict[str, list[str]] = {name: [] for name in held.held}
    words: Counter[int] = Counter()
    unparsed = 0
    first = inventory.first_word
    parse = blueprint.grammar.parser(blueprint.setting.source).parse
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
            if len(evidence[name]) < EVIDENCE:
                evidence[name].append(source)
    seen = {inventory.labels[code]: count for code, count in words.items()}
    return TrainFindings(
        {name: (counts[name], evidence[name]) for name in held.held}, unparsed, seen
    )


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


def compare(folder: Path, proved: Mapping[str, Any]) -> list[RecombineError]:
    """What does not hold: broken promises, and what the written certificate says otherwise."""
    path = folder / "certificate.json"
    where = Where(str(path))
    problems: list[RecombineError] = [
        DataError(text, Where(str(folder))) for text in broken_promises(proved)
    ]
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return [*problems, DataError(f"the certificate cannot be read: {error}", where)]
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


def card_of(certificate: Mapping[str, Any], examples: Mapping[str, Sequence[Example]]) -> str:
    """What was proved, pattern by pattern, and examples, for the data card."""
    lines = [
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
    return "\n".join(lines)
