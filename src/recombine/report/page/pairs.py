"""pairs.html: the inconsistent pairs of consistency runs, the changed words marked."""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from recombine.benchmark import Example
from recombine.corpus.segment import segment
from recombine.corpus.token_diff import differing
from recombine.report.page.frame import page, plain_head
from recombine.report.runs import ReportRuns, read_rows, read_translations

# Per system and split; more is for the score files.
MOST_PAIRS = 500
_SPLITS = ("systematicity", "substitutivity")
_OWN_STYLE = (
    ".pair{border-top:1px solid var(--line);padding:.6rem 0}.pair p{margin:.15rem 0}"
    ".pair .src{color:var(--soft)}mark{background:var(--mark);color:inherit;border-radius:3px;padding:0 .15em}"
)


class MarkedPair(NamedTuple):
    """An inconsistent pair: sources and outputs as (word, changed?), and why it failed."""

    system: str
    seed: int
    key: str
    kind: str
    tags: Mapping[str, Any]
    sources: tuple[str, str]
    outputs: tuple[tuple[tuple[str, bool], ...], tuple[tuple[str, bool], ...]]
    detail: Mapping[str, Any]


def has_pairs(source: ReportRuns) -> bool:
    """Return True when a consistency metric was scored."""
    return any(one.metric == "consistency" for one in source.scores)


def pairs_page(source: ReportRuns) -> str:
    """Return a page that needs nothing else: one section per split, condition and template."""
    found = {split: _split_section(source, split) for split in _SPLITS}
    sections = {split: (split, html) for split, html in found.items() if html}
    manifest = source.benchmark.manifest
    return page(
        f"Inconsistent pairs: {manifest.name}",
        f"Recombine report · {manifest.source} → {manifest.target or 'any'}",
        plain_head(
            f"Inconsistent pairs: {manifest.name}",
            "Two sources that differ in one place, and two translations that differ in more. Words of the outputs that are not the same are marked.",
        ),
        sections or {"pairs": ("pairs", "<p>Every pair was consistent.</p>")},
        style=_OWN_STYLE,
    )


def _split_section(source: ReportRuns, split: str) -> str:
    if not any(one.metric == "consistency" and one.split == split for one in source.scores):
        return ""
    by_system: dict[str, list[MarkedPair]] = defaultdict(list)
    for pair in inconsistent_pairs(
        source,
        split,
        ("local", "context", "empty") if split == "substitutivity" else ("context", "empty"),
    ):
        by_system[f"{pair.system}, seed {pair.seed}"].append(pair)
    parts = [f"<h2>{escape(split)}</h2>"] if by_system else []
    for system, pairs in by_system.items():
        parts.append(f"<h3>{escape(system)}: {len(pairs):,} pairs</h3>{_listed(pairs)}")
    return "".join(parts)


def _listed(pairs: Sequence[MarkedPair]) -> str:
    """One group per condition; each has its share of what the page can show."""
    groups: dict[str, list[MarkedPair]] = defaultdict(list)
    for pair in pairs:
        groups[_heading(pair)].append(pair)
    most = max(1, MOST_PAIRS // max(1, len(groups)))
    parts = []
    for heading, members in groups.items():
        shown = members[:most]
        count = f"{len(shown)} of {len(members)}" if len(shown) < len(members) else len(shown)
        rows = "".join(_pair(one) for one in shown)
        parts.append(f"<details><summary>{escape(heading)} ({count})</summary>{rows}</details>")
    return "".join(parts)


def _heading(pair: MarkedPair) -> str:
    # A synonym in all its templates is one group: each template alone has a handful.
    names = ("synonym", "data") if "synonym" in pair.tags else ("condition", "data", "template")
    return ", ".join(str(pair.tags[name]) for name in names if name in pair.tags)


def _pair(pair: MarkedPair) -> str:
    lines = [
        f'<p class="src">{escape(source)}</p><p>{_marked(output)}</p>'
        for source, output in zip(pair.sources, pair.outputs, strict=True)
    ]
    reason = pair.detail.get("reason")
    return f'<div class="pair">{"".join(lines)}{f"<p><em>{escape(str(reason))}</em></p>" if reason else ""}</div>'


def _marked(output: Sequence[tuple[str, bool]]) -> str:
    words = [
        f"<mark>{escape(word)}</mark>" if changed else escape(word) for word, changed in output
    ]
    return " ".join(words) or "<em>nothing</em>"


def inconsistent_pairs(
    source: ReportRuns, split: str = "systematicity", kinds: Sequence[str] = ("context", "empty")
) -> Iterator[MarkedPair]:
    """Yield pairs that failed, for a browser: changed words are marked on both sides."""
    examples = source.examples(split)
    for cell in source.cells:
        hypotheses = read_translations(cell, split)
        system = source.names[cell.path]
        path = cell.scores("consistency", split)
        if not path.is_file():
            continue
        for row in read_rows(path):
            detail = row["detail"]
            if detail.get("class") not in kinds or not all(one in examples for one in row["ids"]):
                continue
            variant, base = (examples[one] for one in row["ids"])
            yield _mark(system, cell.seed, row, base, variant, hypotheses)


def _mark(
    system: str,
    seed: int,
    row: Mapping[str, Any],
    base: Example,
    variant: Example,
    hypotheses: Mapping[str, str],
) -> MarkedPair:
    outputs = tuple(segment(hypotheses.get(one.id, "")) for one in (base, variant))
    changed: tuple[set[int], set[int]] = (set(), set())
    for one in differing(outputs[0], outputs[1]):
        changed[0].update(range(one.first_start, one.first_end))
        changed[1].update(range(one.second_start, one.second_end))
    marked = [
        tuple((token, place in changed[side]) for place, token in enumerate(outputs[side]))
        for side in (0, 1)
    ]
    return MarkedPair(
        system,
        seed,
        str(row["key"]),
        str(row["detail"].get("class", "")),
        dict(variant.tags),
        (base.source, variant.source),
        (marked[0], marked[1]),
        dict(row["detail"]),
    )
