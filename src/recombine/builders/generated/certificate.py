"""Certificate: what a generated benchmark promises as a whole, and whether it keeps it.

Nothing here trusts the sampler: held-out patterns are looked for in analyses of the training
sentences, words and overlaps in the text of the files. `recombine check` does it all again from
the files, proves every row besides (proof.py), and compares.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recombine.benchmark import CONTROL, TRAIN, TRAINING_SPLITS, Example
from recombine.builders.generated.blueprint import Blueprint
from recombine.builders.generated.proof import Fault, TrainFindings
from recombine.errors import DataError, Where
from recombine.grammar.benchmark_grammar import grammar_hash

FORMAT = 1
NOTHING_SHOWN = TrainFindings({}, 0, {})  # by a benchmark without train
EXAMPLES = 2  # sentences of each pattern on the data card


def certify(
    blueprint: Blueprint,
    name: str,
    examples: Mapping[str, Sequence[Example]],
    look: Callable[[], Mapping[str, TrainFindings]],
    violations: Mapping[str, int],
) -> dict[str, Any]:
    """Count and prove; the result is written to certificate.json.

    `name` is the grammar's, `look` gives what `look_in_training` found, `violations` are sentences
    of each split whose words do not go together.
    """
    grammar, lexicon = blueprint.grammar, blueprint.lexicon
    sources = {split: [row.source for row in rows] for split, rows in examples.items()}
    certificate: dict[str, Any] = {
        "format": FORMAT,
        "grammar": {
            "name": name,
            "edition": grammar.edition,
            "sha256": grammar_hash(
                name,
                (blueprint.options.source_language, blueprint.options.target_language),
                grammar.edition,
            ),
        },
        "splits": {split: _summary(rows) for split, rows in examples.items()},
        "overlaps": _overlaps(sources),
        "sources_with_two_translations": _conflicts(examples),
    }
    training = look()
    shown, unparsed, train_words = training.get(TRAIN, NOTHING_SHOWN)
    certificate["train_sentences_without_analysis"] = unparsed
    train_forms = lexicon.tokens(sources.get(TRAIN, ()))
    train_lemmas = lexicon.lemmas(train_forms)
    patterns: dict[str, Any] = {}
    rows_of: dict[tuple[str, Any], list[Example]] = {}
    for split, every in examples.items():
        for row in every:
            rows_of.setdefault((split, row.tags.get("pattern")), []).append(row)
    for pattern in blueprint.patterns():
        rows = rows_of.get((pattern.split, pattern.name), [])
        words = pattern.recipe.targets
        forms = lexicon.tokens(row.source for row in rows)
        new = sorted(forms - train_forms)
        allowed = lexicon.forms_of(words)
        targets = Counter(str(row.tags["target_word"]) for row in rows if "target_word" in row.tags)
        in_train, evidence = shown.get(pattern.name, (0, []))
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
    if blueprint.control:
        certificate["control"] = control_of(blueprint, examples, training[CONTROL])
    certificate["disjoint"] = blueprint.options.disjoint
    certificate["unique"] = [split for split in blueprint.options.unique if split in examples]
    certificate["violations"] = violations
    if blueprint.options.partial:
        certificate["left_out"] = blueprint.describe_left_out()
    return certificate


def control_of(
    blueprint: Blueprint, examples: Mapping[str, Sequence[Example]], findings: TrainFindings
) -> dict[str, Any]:
    """What makes the control one: where it differs from train, and how often it shows what.

    Both are compared line by line: a control has the order of train.
    """
    train, control = examples[TRAIN], examples[CONTROL]
    exchanged = [
        (old, new)
        for old, new in zip(train, control, strict=False)
        if (old.source, old.references) != (new.source, new.references)
    ]
    labels = Counter(str(new.tags.get("pattern")) for _, new in exchanged)
    tokens = blueprint.lexicon.tokens
    tested = [split for split in examples if split not in TRAINING_SPLITS]
    patterns: dict[str, dict[str, Any]] = {
        part.name: {
            "sentences": labels[part.name],
            "share": round(labels[part.name] / max(1, len(control)), 6),
            "shown": findings.shown[part.name][0],
            "targets": {word: findings.words.get(word, 0) for word in part.recipe.targets},
        }
        for part in blueprint.control
    }
    return {
        "sentences": len(control),
        "lines_of_train": len(train) - len(exchanged),
        "exchanged": dict(
            sorted(Counter(str(old.tags.get("pattern")) for old, _ in exchanged).items())
        ),
        "exchanged_for_others": labels.total() - sum(row["sentences"] for row in patterns.values()),
        "sentences_without_analysis": findings.unparsed,
        # With disjoint = false, train itself has sentences of dev and test.
        "tested": {split: _also_in(control, examples[split]) for split in tested},
        "tested_in_train": {split: _also_in(train, examples[split]) for split in tested},
        "lost_word_forms": sorted(
            tokens(row.source for row in train) - tokens(row.source for row in control)
        ),
        "sentences_per_pattern": {part.name: part.size for part in blueprint.control},
        "patterns": patterns,
    }


def _also_in(rows: Sequence[Example], tested: Sequence[Example]) -> int:
    known = {row.source for row in tested}
    return sum(row.source in known for row in rows)


def _unmarked(blueprint: Blueprint) -> dict[str, list[str]]:
    """The patterns that ask for what a language does not mark, by language."""
    grammar, options = blueprint.grammar, blueprint.options
    found: dict[str, list[str]] = {}
    for code in options.languages:
        rules = frozenset(map(grammar.inventory.code, grammar.source.languages[code].unmarked))
        names = [n for n, held in blueprint.held.held.items() if held.needs_one_of(rules)]
        if rules and names:
            found[code] = names
    return found


def _summary(rows: Sequence[Example]) -> dict[str, Any]:
    digest = hashlib.sha256()
    for row in rows:
        digest.update(f"{row.source}\t{''.join(row.references[:1])}\n".encode())
    return {
        "sentences": len(rows),
        "different": len({row.source for row in rows}),
        "sha256": digest.hexdigest(),
    }


def _overlaps(sources: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """How many sentences of a split stand in an earlier one too."""
    names = [split for split in sources if split != CONTROL]  # it has train's on purpose
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
        for row in rows:
            first = "".join(row.references[:1])
            if known.setdefault(row.source, first) != first:
                conflicts.add(row.source)
    return len(conflicts)


def broken_promises(certificate: Mapping[str, Any]) -> list[str]:
    """Faults that a certificate states itself."""
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
    if "control" in certificate:
        found.extend(_broken_by_control(certificate["control"], certificate["splits"][TRAIN]))
    if certificate["disjoint"]:
        found.extend(
            f"{number} sentences of {pair.replace(' in ', ' are also in ')}"
            for pair, number in certificate["overlaps"].items()
            if number
        )
    return found


def _broken_by_control(control: Mapping[str, Any], train: Mapping[str, Any]) -> Iterator[str]:
    """Every way in which a control is not valid."""
    if control["sentences"] != train["sentences"]:
        yield f"the control has {control['sentences']} sentences, train has {train['sentences']}"
    if number := control["sentences_without_analysis"]:
        yield f"{number} sentences of the control are outside the grammar"
    if number := control["exchanged_for_others"]:
        yield f"{number} lines of the control differ from train and show no pattern"
    for split, number in control["tested"].items():
        if number > control["tested_in_train"][split]:
            yield f"{number} sentences of the control are also in {split}"
    if control["lost_word_forms"]:
        words = ", ".join(f"'{word}'" for word in control["lost_word_forms"])
        yield f"the control lacks the word forms {words}, which training shows"
    for name, row in control["patterns"].items():
        wanted = control["sentences_per_pattern"][name]
        if row["sentences"] != wanted:
            yield f"the control has {row['sentences']} sentences of pattern '{name}', not {wanted}"
        if row["shown"] < row["sentences"]:
            yield f"pattern '{name}' is seen in {row['shown']} sentences of the control alone"


def rows_at_fault(folder: Path, faults: Sequence[Fault]) -> Iterator[DataError]:
    """One problem per part and kind of fault, with the first row and how many there are."""
    kinds: dict[tuple[str, str, str], list[Fault]] = {}
    for fault in faults:
        kinds.setdefault((fault.split, fault.label, fault.kind), []).append(fault)
    for (split, label, _), found in kinds.items():
        more = f" (and {len(found) - 1:,} more of '{label}')" if len(found) > 1 else ""
        where = Where(str(folder / f"{split}.jsonl"), found[0].line)
        yield DataError(found[0].message + more, where)


def sizes_at_fault(
    folder: Path, blueprint: Blueprint, examples: Mapping[str, Sequence[Example]]
) -> Iterator[DataError]:
    """Where a split has more or fewer sentences of a part than the recipe asks for."""
    asked = blueprint.sizes()
    for split, rows in examples.items():
        if split == CONTROL:
            continue
        written = Counter(str(row.tags.get("pattern")) for row in rows)
        for label in dict.fromkeys([*asked.get(split, {}), *written]):
            size = asked.get(split, {}).get(label, 0)
            if written[label] != size:
                message = f"{written[label]:,} sentences of '{label}', the recipe asks for {size:,}"
                yield DataError(message, Where(str(folder / f"{split}.jsonl")))
    for split in asked:
        if split not in examples:
            yield DataError(f"the recipe has a split '{split}'", Where(str(folder)))


def card_of(
    certificate: Mapping[str, Any],
    examples: Mapping[str, Sequence[Example]],
    shown: Collection[str],
) -> str:
    """What was proved, pattern by pattern, and examples, for the data card.

    `shown` are the parts of train of which there are examples: not what prepares a pattern.
    """
    lines = [
        "## Proved",
        "",
        f"- source sentences with two translations: {certificate['sources_with_two_translations']}",
    ]
    lines += [f"- {pair}: {number}" for pair, number in certificate["overlaps"].items()]
    violations = certificate.get("violations", {})
    if violations:
        lines.append(
            "- word pairs outside the selectional lists: "
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
    if "control" in certificate:
        lines += ["", *_control_card(certificate["control"])]
    lines += ["", "## Examples", ""]
    for split, rows in examples.items():
        counts: Counter[str] = Counter()
        for row in rows if split != CONTROL else ():
            pattern = str(row.tags.get("pattern", split))
            if counts[pattern] < EXAMPLES and (split != TRAIN or pattern in shown):
                counts[pattern] += 1
                lines.append(f"- {split}, {pattern}: {row.source} -> {''.join(row.references[:1])}")
    return "\n".join(lines)


def _control_card(control: Mapping[str, Any]) -> list[str]:
    """What the control is, and how often it shows each pattern."""
    tested = ", ".join(f"{split} {number}" for split, number in control["tested"].items())
    exchanged = control["sentences"] - control["lines_of_train"]
    return [
        "## Control",
        "",
        f"`control` is a second training set, {control['sentences']:,} sentences like train, for "
        "which no pattern is new. Line by line it is train, but for "
        f"{exchanged:,} plain sentences, each exchanged for a sentence of a pattern.",
        "",
        f"- sentences of the control that are tested: {tested}",
        "- word forms of train that it lacks: " + (", ".join(control["lost_word_forms"]) or "none"),
        "",
        "| pattern | sentences | share of the control | sentences that show it |",
        "| --- | ---: | ---: | ---: |",
        *(
            f"| {name} | {row['sentences']} | {100 * row['share']:.2f}% | {row['shown']} |"
            for name, row in control["patterns"].items()
        ),
    ]
