"""Tables on CoGnition and on compounds of Europarl."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, stdev

from raw import Row, Table, bare, chosen, paper, rows, share

from recombine.report.tables.published import COGNITION

CATEGORIES = ("NP", "VP", "PP")
MODELS = ("plain-1", "plain-2", "plain-3", "substituted-1", "substituted-2")
SYSTEMS = {
    "plain": "plain", "rotary": "rotary positions", "exchange": "exchanged words", "exchange-rotary": "exchanged words, rotary positions",
    "exchange-rdrop": "exchanged words, R-Drop", "together": "exchanged words, R-Drop, rotary positions",
}  # fmt: skip


def own_text() -> Table:
    """Trained on a tenth of CoGnition's text, by our default judge."""
    found = rows("compounds/own-text")
    made = []
    for system, label in SYSTEMS.items():
        own = chosen(found, system=system)
        seeds = sorted({row["seed"] for row in own})
        cells = []
        for category in (*CATEGORIES, "all"):
            by_seed = [
                [r for r in own if r["seed"] == seed and category in (r["category"], "all")]
                for seed in seeds
            ]
            wrong = [share(seed, "wrong_instances", "instances") for seed in by_seed]
            aggregate = mean(share(seed, "wrong_compounds", "compounds") for seed in by_seed)
            cells.append(f"{mean(wrong):.1f} ± {stdev(wrong):.1f} / {aggregate:.1f}")
        made.append([label, str(len(seeds)), *cells])
    theirs = []
    for tag, value in [("gen category", category) for category in CATEGORIES] + [("split", "gen")]:
        both = [
            paper(COGNITION, 1, table="6", metric=f"cter-{kind}", tag=tag, value=value)
            for kind in ("instance", "aggregate")
        ]
        theirs.append(" / ".join(both))
    made.append(["the paper (people), ten times the text", "1", *theirs])
    return Table(("error, instance / aggregate", "seeds", *CATEGORIES, "all"), made)


def judges() -> Table:
    """The published outputs by three judges."""
    theirs = []
    for tag, value in [("gen category", category) for category in CATEGORIES] + [("split", "gen")]:
        both = [
            paper(COGNITION, 2, table="6", metric=f"cter-{kind}", tag=tag, value=value)
            for kind in ("instance", "aggregate")
        ]
        theirs.append(" / ".join(both))
    made = [["people (the paper's Table 6)", *theirs]]
    for judge, label in (
        ("official", 'the published tool, and our `mode = "official"`'),
        ("default", "our default"),
    ):
        own = chosen(rows("compounds/judges"), judge=judge)
        cells = []
        for category in (*CATEGORIES, "all"):
            part = [r for r in own if category in (r["category"], "all")]
            cells.append(
                f"{share(part, 'wrong', 'instances'):.2f} / {share(part, 'wrong_compounds', 'compounds'):.2f}"
            )
        made.append([label, *cells])
    return Table(("error, instance / aggregate", *CATEGORIES, "all"), made)


def agreement() -> Table:
    """Judges against people: an error is the positive class."""

    def cells(part: Sequence[Row]) -> list[str]:
        n, ours, people, both = (
            sum(int(r[key]) for r in part)
            for key in ("instances", "wrong", "people_wrong", "both_wrong")
        )
        same = both + n - ours - people + both
        chance = (ours * people + (n - ours) * (n - people)) / n**2
        return [
            f"{100 * both / ours:.2f}",
            f"{100 * both / people:.2f}",
            bare((same / n - chance) / (1 - chance), 3),
        ]

    made = []
    for judge in ("official", "default"):
        for categories in (("NP", "VP"), ("PP",), CATEGORIES):
            own = [
                r
                for r in rows("compounds/judges")
                if r["judge"] == judge and r["category"] in categories and r["people_wrong"]
            ]
            if len(own) == len(categories):
                made.append([f"{judge}, {', '.join(categories)}", *cells(own)])
    printed = [
        paper(COGNITION, 2, table="text 4.4", metric=metric)
        for metric in ("precision (%)", "recall (%)")
    ]
    made.append(["the paper, of its tool", *printed, "-"])
    return Table(("judge", "precision", "recall", "kappa"), made)


def shown(row: Row) -> str:
    """How often training shows a compound."""
    count = int(row["in train"])
    return "never" if not count else "1 to 10 times" if count < 11 else "more often"


def errors(part: Sequence[Row], models: Sequence[str] = MODELS) -> list[float]:
    """The errors of models in percent: five contexts a compound."""
    return [100 * sum(int(r[m]) for r in part) / (5 * len(part)) for m in models]


def seen() -> Table:
    """Europarl: compounds by how often training shows them."""
    found = rows("compounds/europarl-en-de-seen")
    made = []
    for label, part in (
        *((kind, [r for r in found if shown(r) == kind]) for kind in ("never", "1 to 10 times", "more often")),
        *((f"*DET ADJ N*, {kind}", [r for r in found if r["pattern"] == "DET ADJ N" and (shown(r) == "never") == (kind == "never")])
          for kind in ("never", "seen")),
    ):  # fmt: skip
        *plain, one, two = errors(part)
        made.append([label, str(len(part)), ", ".join(f"{x:.1f}" for x in plain), f"{one:.1f}, {two:.1f}",
                     f"{mean((one, two)) - mean(plain[:2]):+.1f}"])  # fmt: skip
    return Table(
        (
            "in training",
            "compounds",
            "plain, 3 seeds",
            "substituted, 2 seeds",
            "difference, seeds 1 and 2",
        ),
        made,
    )


def novel() -> Table:
    """Europarl: novel compounds by category."""
    found = rows("compounds/europarl-en-de-novel")
    made = []
    for label in ("all", *CATEGORIES):
        part = [r for r in found if label in ("all", r["category"])]
        *plain, one, two = errors(part)
        made.append([label, str(len(part)), ", ".join(f"{x:.1f}" for x in plain), f"{one:.1f}, {two:.1f}",
                     f"{mean((one, two)) - mean(plain[:2]):+.1f}"])  # fmt: skip
    return Table(
        (
            "novel compounds",
            "compounds",
            "plain, 3 seeds",
            "substituted, 2 seeds",
            "difference, seeds 1 and 2",
        ),
        made,
    )
