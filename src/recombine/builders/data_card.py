"""The data card of a generated benchmark: what it holds, how it was made, what was proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recombine.benchmark import Example
from recombine.registry import data_path

if TYPE_CHECKING:
    from recombine.builders.generated import Generated
    from recombine.grammar import Grammar

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
