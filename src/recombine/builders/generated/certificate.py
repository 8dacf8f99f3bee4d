"""Certificate: what a generated benchmark promises as a whole, and whether it keeps it.

Nothing here trusts the sampler: held-out patterns are looked for in analyses of the training
sentences, words and overlaps in the text of the files. `recombine check` does it all again from
the files, proves every row besides (proof.py), and compares.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recombine.benchmark import Example
from recombine.builders.generated.blueprint import Blueprint
from recombine.builders.generated.parts import TRAIN
from recombine.builders.generated.proof import Fault, TrainFindings
from recombine.errors import DataError, RecombineError, Where
from recombine.grammar.benchmark_grammar import grammar_hash

FORMAT = 1
EXAMPLES = 2  # sentences of each pattern on the data card


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
            "sha256": grammar_hash(
                name, (blueprint.setting.source, blueprint.setting.target), grammar.edition
            ),
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
            "lemmas_not_in_train": lexicon.strange(forms, train_lemmas),
        }
    certificate["patterns"] = patterns
    if unmarked := _unmarked(blueprint):
        certificate["unmarked"] = unmarked
    certificate["disjoint"] = blueprint.setting.disjoint
    return certificate


def _unmarked(blueprint: Blueprint) -> dict[str, list[str]]:
    """The patterns that ask for what a language does not mark, by language."""
    grammar, setting = blueprint.grammar, blueprint.setting
    found: dict[str, list[str]] = {}
    for code in (setting.source, setting.target):
        rules = frozenset(map(grammar.inventory.code, grammar.source.languages[code].unmarked))
        names = [n for n, held in blueprint.held.held.items() if held.needs_one_of(rules)]
        if rules and names:
            found[code] = names
    return found


def _summary(rows: Sequence[Example]) -> dict[str, Any]:
    digest = hashlib.sha256()
    for one in rows:
        digest.update(f"{one.source}\t{''.join(one.references[:1])}\n".encode())
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
            first = "".join(one.references[:1])
            if known.setdefault(one.source, first) != first:
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
        for key, what in (("unexpected_word_forms", "form "), ("lemmas_not_in_train", "")):
            if row[key]:
                words = ", ".join(f"'{word}'" for word in row[key])
                found.append(f"pattern '{name}': training does not show the word {what}{words}")
    if certificate["disjoint"]:
        found.extend(
            f"{number} sentences of {pair.replace(' in ', ' are also in ')}"
            for pair, number in certificate["overlaps"].items()
            if number
        )
    return found


def compare(
    folder: Path, proved: Mapping[str, Any], faults: Sequence[Fault]
) -> list[RecombineError]:
    """Everything that does not hold: of rows, of the whole, and of the written certificate."""
    path = folder / "certificate.json"
    where = Where(str(path))
    problems: list[RecombineError] = list(_rows_at_fault(folder, faults))
    problems += [DataError(text, Where(str(folder))) for text in broken_promises(proved)]
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return [*problems, DataError(f"the certificate cannot be read: {error}", where)]
    for key in dict.fromkeys([*proved, *written]):
        problems += [
            DataError(f"the certificate says otherwise: {difference}", where)
            for difference in _differences(written.get(key), proved.get(key), key)
        ]
    return problems


def compare_card(path: Path, proved: str) -> list[RecombineError]:
    """Where a data card says otherwise than what was proved; notes may stand below."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError) as error:
        return [DataError(f"the data card cannot be read: {error}", Where(str(path)))]
    for number, line in enumerate(proved.rstrip("\n").split("\n"), start=1):
        if lines[number - 1 : number] != [line]:
            said = lines[number - 1] if number <= len(lines) else ""
            message = f"the data card says otherwise: it should say {line!r}"
            return [DataError(message, Where(str(path), number, 1, said, max(1, len(said))))]
    return []


def _rows_at_fault(folder: Path, faults: Sequence[Fault]) -> Iterator[DataError]:
    """One problem per part and kind of fault, with the first row and how many there are."""
    kinds: dict[tuple[str, str, str], list[Fault]] = {}
    for fault in faults:
        kinds.setdefault((fault.split, fault.label, fault.kind), []).append(fault)
    for (split, label, _), found in kinds.items():
        more = f" (and {len(found) - 1:,} more of '{label}')" if len(found) > 1 else ""
        where = Where(str(folder / f"{split}.jsonl"), found[0].line)
        yield DataError(found[0].message + more, where)


def _differences(written: Any, proved: Any, name: str) -> Iterator[str]:
    if isinstance(proved, dict) and isinstance(written, dict):
        for key in [*proved, *(key for key in written if key not in proved)]:
            yield from _differences(written.get(key), proved.get(key), f"{name}.{key}")
    elif written != proved:
        yield f"{name} is {proved!r}, not {written!r}"


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
    for code, names in certificate.get("unmarked", {}).items():
        listed = ", ".join(f"`{name}`" for name in names)
        lines += ["", f"Not marked in {code}: what {listed} ask for. Tables set these apart."]
    lines += ["", "## Examples", ""]
    for split, rows in examples.items():
        shown: dict[str, int] = {}
        for one in rows:
            pattern = str(one.tags.get("pattern", split))
            if shown.get(pattern, 0) < EXAMPLES and (split != "train" or "/" not in pattern):
                shown[pattern] = shown.get(pattern, 0) + 1
                lines.append(f"- {split}, {pattern}: {one.source} -> {one.references[0]}")
    return "\n".join(lines)
