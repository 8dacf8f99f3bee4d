"""Tables on SGET: the paper's, and recombined training pairs."""

from __future__ import annotations

import runpy
from collections import Counter
from collections.abc import Sequence
from functools import cache
from statistics import correlation, mean
from typing import Any

from raw import HERE, Row, Table, bare, chosen, paper, rows, score, share, spread

from recombine.builders.recipe import read_recipe
from recombine.report.tables.published import SGET

OFFICIAL = [f"sget/released-256-official-seed-{seed}" for seed in (1, 2, 3)]
FORMER = [f"sget/transformer-256-seed-{seed}" for seed in (1, 2, 3, 4, 5)]
RECOMBINED = [f"sget/recombined-256-seed-{seed}" for seed in (1, 2, 3)]
OTHER_BUILD = "sget/recombined-256-other-build-seed-1"
GRAMMAR = "sget/grammar-256-seed-1"
GROUPS = ("lexical", "lexical+morphological", "structural")
PLACES = ("test", "gen", *GROUPS)
CATEGORIES = (
    "Primitive substitution", "Tense", "Verb argument structure", "Phrase recombination", "Recursion", "Gap position",
    "Wh-question alternation",
)  # fmt: skip


@cache
def parts() -> dict[str, Any]:
    """The 42 patterns."""
    found: dict[str, Any] = read_recipe("sget").builder.split["gen"]
    return found


def members(place: str) -> list[str]:
    """The patterns of a group or a category, or all."""
    return [n for n, p in parts().items() if place in ("gen", p.group, p.category)]


def at(name: str, place: str, metric: str = "exact") -> float:
    """A model's score on a split, group, category or pattern: means over sentences of patterns."""
    if place in ("test", "gen"):
        return score(name, place, metric=metric)
    sizes = [parts()[pattern].size for pattern in ([place] if place in parts() else members(place))]
    names = [place] if place in parts() else members(place)
    found = [score(name, "gen", pattern, metric) for pattern in names]
    return sum(n * s for n, s in zip(sizes, found, strict=True)) / sum(sizes)


def over(names: Sequence[str], place: str, metric: str = "exact") -> str:
    """Mean and deviation over models."""
    return spread([at(name, place, metric) for name in names])


def printed(place: str, system: str = "Transformer", metric: str = "exact") -> str:
    """What Tables 2, 3 and 10 of Kumon et al. 2024 print."""
    number = "2" if place in ("test", "gen") else "10" if place in parts() else "3"
    return paper(SGET, table=number, system=system, metric=metric, value=place)


def curve(steps: str, patterns: Sequence[str]) -> list[float]:
    """Shares right of the two seeds that were decoded every 10,000 steps."""
    found = chosen(rows("sget/official-curve"), steps=steps)
    return [
        share([r for r in found if r["seed"] == seed and r["pattern"] in patterns], "exact", "n")
        for seed in ("2", "3")
    ]


def apart(ours: Sequence[float]) -> tuple[str, str, str]:
    """Mean distance from Table 10, correlation with it, and how many rows are over 15 points."""
    theirs = [float(printed(pattern)) for pattern in parts()]
    distances = [abs(one - other) for one, other in zip(ours, theirs, strict=True)]
    over_15 = sum(one > 15 for one in distances)
    return f"{mean(distances):.1f}", bare(correlation(ours, theirs)), str(over_15)


def headline() -> Table:
    """Both ends of our training beside the paper's Transformer."""
    made = []
    for place in PLACES:
        patterns = ["test"] if place == "test" else members(place)
        early = spread(curve("40000", patterns))
        made.append([place, early, over(OFFICIAL, place), printed(place)])
    early_rows = [mean(curve("40000", [pattern])) for pattern in parts()]
    late_rows = [mean(at(name, pattern) for name in OFFICIAL) for pattern in parts()]
    for label, *cells in zip(
        ("mean distance from Table 10", "correlation with it (42 patterns)", "patterns over 15 points away"),
        apart(early_rows), apart(late_rows), strict=True,
    ):  # fmt: skip
        made.append([label, *cells, ""])
    return Table(
        ("exact match", "40,000 steps (2 seeds)", "to the end (3 seeds)", "paper (5 seeds)"), made
    )


@cache
def of_cells() -> dict[str, Any]:
    """The tables that examples/reproduce-sget/tables.py makes of cells."""
    script = runpy.run_path(str(HERE.parents[1] / "examples" / "reproduce-sget" / "tables.py"))
    return {
        name: Table(*part) for name, part in script["tables"](rows("sget/official-cells")).items()
    }


def table_10() -> Table:
    """Every pattern."""
    return of_cells()["table_10"]


def table_6() -> Table:
    """With and without concatenated sentences."""
    return of_cells()["table_6"]


def table_7() -> Table:
    """Clauses deeper than training."""
    return of_cells()["table_7"]


def distances() -> Table:
    """How far seeds and the paper are from each other."""
    return of_cells()["distances"]


def findings() -> Table:
    """Appendix E of the paper."""
    return of_cells()["findings"]


def whole_words() -> Table:
    """The control of appendix E.1."""
    return of_cells()["whole_words"]


def over_training() -> Table:
    """Every 10,000 steps, the rows that come within reach of the paper's on the way."""
    steps = ("10000", "20000", "30000", "40000")
    rows_of = {"test": ["test"], "gen": list(parts())}
    rows_of |= {
        pattern: [pattern]
        for pattern in ("primitive_to_subject_proper", "primitive_to_object_proper", "pp_depth_3", "embedding_depth_3", "recipient_rc")
    }  # fmt: skip
    made = [
        [
            name,
            *(f"{mean(curve(step, own)):.1f}" for step in steps),
            over(OFFICIAL, name),
            printed(name),
        ]
        for name, own in rows_of.items()
    ]
    far = [apart([mean(curve(step, [pattern])) for pattern in parts()]) for step in steps]
    end = apart([mean(at(name, pattern) for name in OFFICIAL) for pattern in parts()])
    for place, label in ((0, "points from Table 10"), (2, "rows over 15")):
        made.append([label, *(one[place] for one in far), end[place], "-"])
    head = (
        "mean of two seeds",
        "10,000",
        "20,000",
        "30,000",
        "40,000",
        "to the end (3 seeds)",
        "paper",
    )
    return Table(head, made)


def bleu() -> Table:
    """BLEU of the authors' edition."""
    return Table(
        ("BLEU", "to the end", "paper"),
        [[p, over(OFFICIAL, p, "bleu"), printed(p, metric="bleu")] for p in PLACES],
    )


def training_set() -> Table:
    """The released training set beside those that are built."""
    found = {(row["what"], row["value"]): row for row in rows("sget/training-shares")}
    lines = [
        ("PP, depth 1, 2, 4", "depth of pp", ("1", "2", "4")),
        ("centre embedding, depth 1, 2, 4", "depth of ce", ("1", "2", "4")),
        ("adjectives, depth 1, 2, 4", "depth of adj", ("1", "2", "4")),
        ("complement clauses, depth 1, 2, 3, 4", "depth of cp", ("1", "2", "3", "4")),
        (
            "single words shown 25, 22, 21, 16 times",
            "single words shown so often",
            ("25", "22", "21", "16"),
        ),
        ("different sentences", "different sentences", ("train",)),
        ("dev sentences that are in train, too", "also in train", ("dev",)),
    ]
    kinds = ("released", "official", "corrected")
    made = [
        [
            label,
            *(", ".join(f"{int(found[what, v][kind] or 0):,}" for v in values) for kind in kinds),
        ]
        for label, what, values in lines
    ]
    return Table(
        ("sentences of train", "released", "authors' edition", "default edition, a former build"),
        made,
    )


def clauses() -> Table:
    """Table 7: how deep the outputs are where five or six clauses are asked for."""
    names = {"released": "with", "without-concatenation": "without"}
    found: dict[str, list[int]] = {}
    for row in rows("sget/official-clauses"):
        if int(row["clauses"]) < 5:
            continue
        name = f"{names[row['model']]}, {int(row['steps']):,} steps, seed {row['seed']}"
        depth = int(row["written"] or 0)
        place = 0 if not depth else 1 if depth < 4 else 2 if depth == 4 else 3
        counts = found.setdefault(name, [0] * 5)
        counts[place] += int(row["n"])
        counts[4] += int(row["exact"])
    head = (
        "five or six clauses, 1,000 sentences",
        "no sentence",
        "three or fewer",
        "four",
        "five or more",
        "right",
    )
    return Table(head, [[name, *map(str, counts)] for name, counts in found.items()])


def lstm() -> Table:
    """Four differences, taken one at a time."""
    found = [row for row in rows("sget/lstm-variants") if not row["tag"]]

    def cell(variant: str, early: bool, split: str, metric: str) -> str:
        own = [
            r
            for r in chosen(found, variant=variant, split=split, metric=metric)
            if (r["step"] == "5000") == early
        ]
        return ", ".join(f"{float(r['score']):.1f}" for r in sorted(own, key=lambda r: r["seed"]))

    names = {
        "paper": "`paper-lstm`: embeddings scaled, no input feeding", "fed": "with input feeding",
        "unscaled": "embeddings not scaled", "released": "`released-lstm`: input feeding, not scaled, beta2 .999",
    }  # fmt: skip
    places = [(split, metric) for metric in ("exact", "bleu") for split in ("test", "gen")]
    made = [
        [label, *(cell(name, early, *p) for early in (True, False) for p in places)]
        for name, label in names.items()
    ]
    theirs = [
        paper(SGET, table="2", system="LSTM", metric=metric, value=split)
        for split, metric in places
    ]
    made.append(["paper, 70,000 steps, five seeds", *[""] * 4, *theirs])
    head = (
        "LSTM",
        "step 5,000: test",
        "gen",
        "BLEU on test",
        "on gen",
        "best of 10,000: test",
        "gen",
        "BLEU on test",
        "on gen",
    )
    return Table(head, made)


def former() -> Table:
    """The default edition before November 2026."""
    models = (
        FORMER,
        ["sget/transformer-1024-seed-1"],
        [f"sget/lstm-256-seed-{seed}" for seed in (1, 2)],
    )
    made = [
        [p, *(over(names, p, metric) for metric in ("exact", "bleu") for names in models)]
        for p in PLACES
    ]
    head = ("default edition, a former build", "Transformer exact (5 seeds)", "at 1,024 (1)", "LSTM exact (2)",
            "Transformer BLEU", "at 1,024", "LSTM BLEU")  # fmt: skip
    return Table(head, made)


def language_model() -> Table:
    """SmolLM2 with LoRA beside Llama 2 of the paper."""
    name = "sget/smollm2-lora-seed-1"
    ours = [over([name], p, m) for p in ("test", "gen") for m in ("exact", "bleu")]
    theirs = [printed(p, "Llama 2", m) for p in ("test", "gen") for m in ("exact", "bleu")]
    made = [["SmolLM2-135M, LoRA (1 seed)", *ours, *(over([name], g) for g in GROUPS)],
            ["Llama 2 (paper)", *theirs, *(printed(g, "Llama 2") for g in GROUPS)]]  # fmt: skip
    return Table(("", "test exact", "test BLEU", "gen exact", "gen BLEU", *GROUPS), made)


def two_judges() -> Table:
    """Partial Match by our grammar and by GiNZA."""
    made = []
    for sample, label in (
        ("any", "32 of each pattern"),
        ("no exact match", "of those that are no exact match, up to 25 of each"),
    ):
        cells = []
        for model in ("released", "paper-lstm"):
            said = Counter[tuple[str, str]]()
            for row in chosen(rows("sget/partial-agreement"), model=model, sample=sample):
                said[row["partial"], row["partial_ginza"]] += int(row["n"])
            n, same = said.total(), said["1", "1"] + said["0", "0"]
            ours, ginza = (said["1", "1"] + said[only] for only in (("1", "0"), ("0", "1")))
            chance = (ours * ginza + (n - ours) * (n - ginza)) / n**2
            kappa = bare((same / n - chance) / (1 - chance), 3)
            cells += [f"{same} of {n}", kappa, f"{100 * ours / n:.1f} and {100 * ginza / n:.1f}"]
        made.append([label, *cells])
    head = (
        "outputs",
        "Transformer: agree",
        "kappa",
        "`partial` and `partial-ginza`",
        "LSTM: agree",
        "kappa",
        "both",
    )
    return Table(head, made)


# Recombined training pairs


def paired() -> Table:
    """Plain and recombined on one build, and what stands beside them and is not paired."""
    made = []
    for label, files in (
        ("English to Japanese, 4,000 steps", ["ablation-256-{}-seed-1"]),
        ("English to Spanish, 4,500 steps", ["es-{}-256-seed-1"]),
        ("Japanese to English, 6,000 steps", ["ja-en-{}-256-seed-1", "ja-en-{}-256-seed-2"]),
        ("the same, by `meaning`", ["ja-en-{}-256-seed-1-meaning", "ja-en-{}-256-seed-2-meaning"]),
    ):
        metric = "meaning" if "meaning" in label else "exact"
        first = files[0].startswith("ablation")
        names = {"plain": "plain", "recombined": "full" if first else "recombined"}
        if not first:
            names["grammar"] = "grammar"
        models = {
            kind: [f"sget/{file.format(name)}" for file in files] for kind, name in names.items()
        }
        gen = {kind: mean(at(one, "gen", metric) for one in own) for kind, own in models.items()}
        more = sum(
            mean(at(one, pattern, metric) for one in models["recombined"])
            > mean(at(one, pattern, metric) for one in models["plain"])
            for pattern in parts()
            if chosen(rows(models["plain"][0]), split="gen", value=pattern, metric=metric)
        )
        grammar = f"{gen['grammar']:.1f}" if "grammar" in gen else "-"
        made.append([label, str(len(files)), f"{gen['plain']:.1f}", f"{gen['recombined']:.1f}",
                     f"{gen['recombined'] - gen['plain']:+.1f}", f"{more} of 42", grammar])  # fmt: skip
    return Table(
        (
            "gen, exact match",
            "seeds",
            "plain",
            "recombined",
            "gain",
            "patterns that gain",
            "trained on the grammar",
        ),
        made,
    )


def not_paired() -> Table:
    """The longest trainings, each on a test set of its own."""
    made = [
        ["plain, 70,000 steps", "a former build", "5", over(FORMER, "gen")],
        ["recombined, 10,400 steps", "build 1", "3", over(RECOMBINED, "gen")],
        ["recombined, 10,400 steps", "build 3, untouched", "1", over([OTHER_BUILD], "gen")],
        ["grammar, 10,400 steps", "build 1", "1", over([GRAMMAR], "gen")],
        ["Llama 2 with LoRA (paper)", "the authors' edition", "5", printed("gen", "Llama 2")],
    ]
    return Table(("model", "test set", "seeds", "gen, exact match"), made)


def every_pattern() -> Table:
    """All patterns of the longest trainings."""
    made = []
    for place in ("test", "gen", *parts()):
        cells = [at(name, place) for name in (*RECOMBINED, OTHER_BUILD)]
        made.append([place, f"{mean(at(n, place) for n in FORMER):.1f}", *(f"{one:.1f}" for one in cells),
                     printed(place, "Llama 2").split()[0], f"{at(GRAMMAR, place):.1f}"])  # fmt: skip
    head = ("exact match", "plain (5 seeds, a former build)", "recombined, build 1, seed 1", "seed 2", "seed 3",
            "build 3 (untouched), seed 1", "Llama 2 (paper)", "trained on the grammar, build 1")  # fmt: skip
    return Table(head, made)


def steps_left_out() -> Table:
    """Ablations: one thing left out each."""
    names = {
        "full": "all steps", "no-analogies": "no sentence analogies (`sentence_analogies=false`)", "flat": "no depth (`depth=1`)",
        "frequent": "drawn as often as seen (`uniform=false`)", "no-paradigms": "no forms, and so no sentence analogies (`paradigms=false`)",
        "words": "baseline: random aligned words (`method=words`)", "places": "words of the same places (a former method)", "plain": "plain",
    }  # fmt: skip
    made = [
        [label, *(f"{at(f'sget/ablation-256-{name}-seed-1', p):.1f}" for p in ("gen", *CATEGORIES))]
        for name, label in names.items()
    ]
    return Table(("exact match on gen, 4,000 steps", "all", *CATEGORIES), made)


def by_category(files: Sequence[Sequence[str]], metric: str = "exact") -> list[list[str]]:
    """Test, gen and categories of several models."""
    return [
        [p, *(f"{mean(at(f'sget/{one}', p, metric) for one in own):.1f}" for own in files)]
        for p in ("test", "gen", *CATEGORIES)
    ]


def spanish() -> Table:
    """English to Spanish, one seed."""
    kinds = ("plain", "recombined", "grammar")
    return Table(
        ("English to Spanish, one seed", *kinds),
        by_category([[f"es-{kind}-256-seed-1"] for kind in kinds]),
    )


def japanese_to_english() -> Table:
    """Japanese to English, means of two seeds, by exact match and by meaning."""
    kinds = ("plain", "recombined", "grammar")
    sides = [
        by_category(
            [[f"ja-en-{kind}-256-seed-{seed}{end}" for seed in (1, 2)] for kind in kinds], metric
        )
        for end, metric in (("", "exact"), ("-meaning", "meaning"))
    ]
    made = [[*one, *other[1:]] for one, other in zip(*sides, strict=True)]
    return Table(
        (
            "Japanese to English, means of two seeds",
            *kinds,
            *(f"{kind}, `meaning`" for kind in kinds),
        ),
        made,
    )


def tries() -> Table:
    """What else was tried with a small model, on gen and on pairs held out from training."""
    found: dict[str, list[Row]] = {}
    for row in rows("sget/recombined-tries"):
        found.setdefault(row["tried"], []).append(row)
    held: dict[str, list[float]] = {}
    for row in rows("sget/recombined-tries-held-out"):
        held.setdefault(row["tried"].removesuffix(" (relative)"), []).append(float(row["held_out"]))
    made = [
        [name, str(len(own)), *(spread([float(row[split]) for row in own]) for split in ("test", "gen")),
         f"{spread(held[name])} ({len(held[name])})" if name in held else "-"]
        for name, own in found.items()
    ]  # fmt: skip
    return Table(("tried, small", "seeds", "test", "gen", "held out from training (seeds)"), made)


def pairs_read() -> Table:
    """Two hundred drawn pairs that were read."""
    read = Counter(row["read as"] for row in rows("sget/recombined-pairs-read"))
    return Table(("read as", "pairs"), [[kind, str(n)] for kind, n in read.most_common()])
