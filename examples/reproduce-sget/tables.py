"""Print the tables of docs/results/sget/notes.md that are about the authors' edition.

    python examples/reproduce-sget/tables.py docs/results/sget/official-cells.csv

Ours are sums over cells (`cells.py`), the paper's what Kumon et al. (2024) print; a mean has its
standard deviation over seeds beside it. `make results` writes them into the pages.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from pathlib import Path
from statistics import correlation, mean, stdev

from recombine.builders.recipe import read_recipe
from recombine.methods.generated.tables import published_values
from recombine.report.tables.published import SGET, find

Cell = dict[str, str]
Seeds = list[list[Cell]]  # the cells of each seed
Measure = Callable[[list[Cell]], float]
Part = tuple[Sequence[str], Sequence[Sequence[str]]]  # a head and rows
WITH, WITHOUT = (f"Transformer, {word} concatenation" for word in ("with", "without"))
EARLY = 10_000  # steps of the short trainings
GROUPS = ("lexical", "lexical+morphological", "structural")


def models(cells: Iterable[Cell], model: str, steps: int | None = None) -> Seeds:
    """Return the cells of each seed of a model after so many steps, else those with a beam."""
    wanted = [
        cell
        for cell in cells
        if cell["model"] == model
        and (cell["search"] == "beam" if steps is None else cell["steps"] == str(steps))
    ]
    seeds = sorted({cell["seed"] for cell in wanted})
    return [[cell for cell in wanted if cell["seed"] == seed] for seed in seeds]


def rate(cells: Iterable[Cell], patterns: Sequence[str], **tags: str) -> float:
    """Return the percentage of right sentences of patterns and tags."""
    found = [
        cell
        for cell in cells
        if cell["pattern"] in patterns and all(cell[name] == tag for name, tag in tags.items())
    ]
    count = sum(int(c["n"]) for c in found)
    return 100 * sum(int(c["exact"]) for c in found) / count if count else math.nan


def over(seeds: Seeds, *patterns: str, **tags: str) -> str:
    """Return mean and standard deviation over seeds."""
    return spread([rate(cells, patterns, **tags) for cells in seeds])


def spread(values: Sequence[float]) -> str:
    """Return mean and, of several values, standard deviation; a dash where some are missing."""
    if any(map(math.isnan, values)):
        return "-"
    return f"{mean(values):.1f}" + (f" ± {stdev(values):.1f}" if len(values) > 1 else "")


def printed(table: str, value: str, system: str = "Transformer") -> str:
    """Return what the paper prints."""
    found = find(SGET, table=table, system=system, metric="exact", value=value)
    if found is None or found.score is None:
        return "-"
    return f"{found.score:.1f}" + ("" if found.sd is None else f" ± {found.sd:.1f}")


def row_of(value: str) -> str:
    """Return the paper's name of a pattern."""
    found = find(SGET, table="10", system="Transformer", metric="exact", value=value)
    assert found is not None
    return found.row.replace("<i>", "").replace("</i>", "").replace("wh -", "wh-")


def show(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table."""
    print("| " + " | ".join(head) + " |")
    print("| " + " | ".join(["---"] + ["---:"] * (len(head) - 1)) + " |")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def near(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """Return a correlation; a dash where there is none, as of a model that has nothing right."""
    if len(set(ours)) < 2 or any(map(math.isnan, ours)):
        return "-"
    return f"{correlation(ours, theirs):.2f}".removeprefix("0")


def far(points: float) -> str:
    """Return a difference; what the text must explain is bold."""
    if math.isnan(points):
        return "-"
    return f"**{points:+.1f}**" if abs(points) > 15 else f"{points:+.1f}"


def groups(whole: Seeds, early: Seeds, without: Seeds) -> Part:
    """Tables 2 and 3."""
    parts = read_recipe("sget-official").builder.split["gen"]
    members = {name: [p for p in parts if parts[p].group == name] for name in GROUPS}
    places = [("test", "2", ["base"])]
    places += [(name, "3", members[name]) for name in GROUPS]
    places += [("gen", "2", list(parts))]
    others = {"10,000 steps": early, "without concatenation": without}
    others = {name: seeds for name, seeds in others.items() if seeds}
    return (
        ["exact match", "trained to the end", "paper", *others],
        [
            [
                name,
                over(whole, *own),
                printed(table, name),
                *(over(seeds, *own) for seeds in others.values()),
            ]
            for name, table, own in places
        ],
    )


def concatenation(whole: Seeds, early: Seeds, without: Seeds) -> tuple[Part, Part]:
    """Tables 6 and 7."""
    steps = f"{int(without[0][0]['steps']):,}" if without else ""
    others = {"with, 10,000": early, f"without, {steps}": without}
    others = {name: seeds for name, seeds in others.items() if seeds}
    head = ["with, to the end", "paper, with", *others, "paper, without"]

    def beside(table: str, value: str, *patterns: str, **tags: str) -> list[str]:
        ours = [over(seeds, *patterns, **tags) for seeds in others.values()]
        theirs = [printed(table, value, system) for system in (WITH, WITHOUT)]
        return [over(whole, *patterns, **tags), theirs[0], *ours, theirs[1]]

    six = (
        ["pattern of Table 6", *head],
        [[row_of(value), *beside("6", value, value)] for value in published_values("6")],
    )
    seven = (
        ["CP recursion deeper, Table 7", *head],
        [
            [name, *beside("7", f"cp_depth_5_6 {tag}", "cp_depth_5_6", longer_than_train=tag)]
            for name, tag in (("longer than training", "yes"), ("shorter", "no"))
        ],
    )
    return six, seven


def patterns(whole: Seeds, earlier: dict[int, Seeds]) -> tuple[Part, Part]:
    """Table 10, and how near it is."""
    early = earlier.get(EARLY, [])
    values = list(read_recipe("sget-official").builder.split["gen"])
    ours = {value: [rate(cells, [value]) for cells in whole] for value in values}
    paper = {value: float(printed("10", value)) for value in values}
    single = [f"seed {n + 1}" for n in range(len(whole))]
    rows = []
    for value in values:
        each = [f"{one:.1f}" for one in ours[value]]
        apart = far(mean(ours[value]) - paper[value])
        theirs = next(
            (one for one in (printed("4", value), printed("6", value, WITH)) if one != "-"),
            printed("10", value),
        )
        last = [over(early, value)] if early else []
        rows.append([row_of(value), *each, spread(ours[value]), theirs, apart, *last])
    last = ["10,000 steps"] if early else []
    ten = ["pattern of Table 10", *single, "mean", "paper", "difference", *last], rows
    kinds = {"three seeds": whole} | {f"{n:,} steps": seeds for n, seeds in earlier.items()}
    kinds |= {name: [cells] for name, cells in zip(single, whole, strict=True)}
    means = {
        name: [mean(rate(cells, [value]) for cells in seeds) for value in values]
        for name, seeds in kinds.items()
    }
    pairs = {
        f"{name} from Table 10": (found, list(paper.values())) for name, found in means.items()
    }
    pairs |= {
        f"{one} from {other}": (means[one], means[other]) for one, other in combinations(single, 2)
    }
    rows = []
    for name, (found, beside) in pairs.items():
        distances = [abs(one - other) for one, other in zip(found, beside, strict=True)]
        distant = str(sum(one > 15 for one in distances))
        rows.append([name, spread([mean(distances)]), near(found, beside), distant])
    return ten, (["distance over the 42 rows", "points", "r", "rows over 15"], rows)


def training(whole: Seeds, earlier: dict[int, Seeds]) -> Part:
    """The rows that are far from the paper's, and the deepest clauses, over training."""
    values = [
        value
        for value in read_recipe("sget-official").builder.split["gen"]
        if value == "cp_depth_5_6"
        or abs(mean(rate(cells, [value]) for cells in whole) - float(printed("10", value))) > 15
    ]
    names = [f"{steps:,} steps ({len(seeds)})" for steps, seeds in earlier.items()]
    rows = []
    for value in values:
        ours = [over(seeds, value) for seeds in (*earlier.values(), whole)]
        rows.append([row_of(value), *ours, printed("10", value)])
    return ["over training (seeds)", *names, f"to the end ({len(whole)})", "paper"], rows


def direction(whole: Seeds, more: Measure, less: Measure) -> str:
    """Return in how many seeds one is more than the other."""
    holds = sum(more(cells) > less(cells) for cells in whole)
    if holds == len(whole):
        return "holds"
    return "contradicted" if holds == 0 else f"in {holds} of {len(whole)} seeds"


def findings(whole: Seeds) -> Part:
    """Appendix E of the paper."""

    def of(*patterns: str, **tags: str) -> Measure:
        return lambda cells: rate(cells, patterns, **tags)

    def compare(claim: str, more: str, less: str) -> list[str]:
        paper = f"{printed('10', more)}, {printed('10', less)}"
        ours = f"{over(whole, more)}, {over(whole, less)}"
        return [claim, paper, ours, direction(whole, of(more), of(less))]

    def inside(claim: str, pattern: str, *, better: bool) -> list[str]:
        sides = [of(pattern, in_cp=side) for side in "01"]
        return [
            claim,
            " to ".join(printed("11", f"{pattern} {side}") for side in "01"),
            " to ".join(over(whole, pattern, in_cp=side) for side in "01"),
            direction(whole, *(sides[::-1] if better else sides)),
        ]

    tense = ("ditransitive", "infinitive", "complement")
    kinds = (("PP", "pp"), ("RC", "rc"), ("adjective", "adjective"))
    return (
        ["finding", "paper", "ours", "in three seeds"],
        [
            compare(
                "E.1: names do better than common nouns as new subjects (proper, common)",
                "primitive_to_subject_proper",
                "primitive_to_subject_common",
            ),
            compare(
                "E.1: and as new objects",
                "primitive_to_object_proper",
                "primitive_to_object_common",
            ),
            *(
                [
                    f"E.3: an irregular verb is never right in an unseen tense ({kind})",
                    "0",
                    over(whole, f"present_{kind}", regularity="irregular"),
                    direction(
                        whole,
                        lambda cells: 1,
                        of(f"present_{kind}", regularity="irregular"),
                    ),
                ]
                for kind in tense
            ),
            [
                "E.3: a regular ditransitive one is in about half (40 to 60)",
                "about half",
                over(whole, "present_ditransitive", regularity="regular"),
                direction(
                    whole,
                    lambda cells: 10,
                    lambda cells: abs(
                        rate(cells, ["present_ditransitive"], regularity="regular") - 50
                    ),
                ),
            ],
            *(
                inside(
                    f"E.4: subjects with {name} do better in a complement clause",
                    f"{kind}_on_subject",
                    better=True,
                )
                for name, kind in kinds
            ),
            *(
                inside(
                    f"E.4: recipients with {name} do worse there",
                    f"{kind}_on_recipient",
                    better=False,
                )
                for name, kind in kinds
            ),
            *(
                [
                    f"E.5: {depth} adjectives are nearly perfect (95 or more)",
                    printed("10", pattern),
                    over(whole, pattern, depth=depth),
                    direction(whole, of(pattern, depth=depth), lambda cells: 94.999),
                ]
                for depth, pattern in (
                    ("3", "adjective_depth_3"),
                    ("5", "adjective_depth_5_6"),
                    ("6", "adjective_depth_5_6"),
                )
            ),
            compare(
                "E.6: wh-questions for active subjects do better than for passive ones",
                "wh_active_subject",
                "wh_passive_subject",
            ),
            [
                "E.6: direct objects of ditransitives are above 80",
                printed("10", "wh_ditransitive_object"),
                over(whole, "wh_ditransitive_object"),
                direction(whole, of("wh_ditransitive_object"), lambda cells: 80),
            ],
        ],
    )


def whole_words(early: Seeds, words: Seeds) -> Part:
    """The control of appendix E.1: no pieces of words."""
    parts = read_recipe("sget-official").builder.split["gen"]
    rows = [("test", ["base"]), ("gen", list(parts))]
    rows += [(row_of(value), [value]) for value in parts if value.startswith("primitive")]
    return (
        [f"10,000 steps ({len(early)} and {len(words)} seeds)", "BPE", "whole words"],
        [[name, over(early, *own), over(words, *own)] for name, own in rows],
    )


def tables(cells: Iterable[Cell]) -> dict[str, Part]:
    """Return every table by its name."""
    cells = list(cells)
    whole = models(cells, "released")
    steps = sorted({int(c["steps"]) for c in cells if c["search"] == "greedy"})
    earlier = {number: models(cells, "released", number) for number in steps}
    early = earlier.get(EARLY, [])
    without, words = (
        models(cells, name, EARLY) or models(cells, name)
        for name in ("without-concatenation", "whole-words")
    )
    six, seven = concatenation(whole, early, without)
    ten, distances = patterns(whole, earlier)
    found = {
        "groups": groups(whole, early, without),
        "table_6": six,
        "table_7": seven,
        "table_10": ten,
        "distances": distances,
        "findings": findings(whole),
    }
    if earlier:
        found["over_training"] = training(whole, earlier)
    if early and words:
        found["whole_words"] = whole_words(early, words)
    return found


def main() -> None:
    """Read the cells and print every table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cells", type=Path, help="what cells.py wrote")
    with parser.parse_args().cells.open(encoding="utf-8", newline="") as lines:
        for head, rows in tables(csv.DictReader(lines)).values():
            show(head, rows)


if __name__ == "__main__":
    main()
