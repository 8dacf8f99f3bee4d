"""The scorecard of six systems over two suites, and how alike it orders them."""

from __future__ import annotations

import csv

from raw import HERE, Table


def scorecard() -> Table:
    """Scores with half-widths."""
    with (HERE / "cross-suite" / "scorecard.csv").open(encoding="utf-8", newline="") as lines:
        _, *found = csv.reader(lines)
    made = []
    for name, *cells in sorted(found, key=lambda row: -float(row[1])):
        pairs = zip(cells[::2], cells[1::2], strict=True)
        made.append(
            [
                name,
                *(
                    f"{float(a):.1f} ± {float(b):.1f}" if a not in ("", "nan") else "-"
                    for a, b in pairs
                ),
            ]
        )
    return Table(
        (
            "system",
            "toy-es, gen: chrF++",
            "test: chrF++",
            "systematicity",
            "substitutivity",
            "literal idioms (less is better)",
        ),
        made,
    )


def rank_correlation() -> Table:
    """Kendall's tau and Spearman's rho."""
    with (HERE / "cross-suite" / "rank-correlation.csv").open(
        encoding="utf-8", newline=""
    ) as lines:
        _, *found = csv.reader(lines)
    made = []
    for _, other, n, tau, low, high, down, up, rho, less, more, p in found:

        def short(number: str) -> str:
            return f"{float(number):.2f}".replace("0.", ".", 1)

        name = "literal idioms" if "literal" in other else other.split(" on ")[1]
        made.append([name, n, short(tau), f"{short(low)} to {short(high)}", f"{short(down)} to {short(up)}", short(rho),
                     f"{short(less)} to {short(more)}", short(p)])  # fmt: skip
    return Table(
        (
            "chrF++ on toy-es and",
            "systems",
            "Kendall's tau",
            "95%",
            "redrawn",
            "Spearman's rho",
            "95%",
            "p (Holm)",
        ),
        made,
    )
