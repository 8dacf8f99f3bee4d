"""Tables on Paradox: an English-Dutch model on the released tests."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import correlation, mean

from raw import Row, Table, bare, chosen, rows, share

from recombine.report.tables.published import PARADOX, find, lookup

DATA = ("synthetic", "semi-natural", "natural")
SMALL, FULL, ALL_SIZES = (
    "Transformer, small data",
    "Transformer, full data",
    "Transformer, mean of sizes",
)
PLACES = {
    "np synthetic": "S -> NP VP, noun of NP changed, synthetic", "np semi-natural": "the same, semi-natural",
    "vp synthetic": "S -> NP VP, noun of VP changed, synthetic", "s1p synthetic": "S -> S CONJ S, S1', synthetic",
    "s1p semi-natural": "the same, semi-natural", "s1p natural": "the same, natural", "s3 synthetic": "S -> S CONJ S, S3, synthetic",
    "s3 semi-natural": "the same, semi-natural", "s3 natural": "the same, natural",
}  # fmt: skip


def at(place: str) -> list[Row]:
    """Pairs and consistent ones of a condition, by template."""
    condition, data = place.split()
    return chosen(
        rows("consistency/en-nl-systematicity"), rule="official", condition=condition, data=data
    )


def systematicity() -> Table:
    """Table 4a."""
    made = []
    ours, small = [], []
    for place, label in PLACES.items():
        one = share(at(place), "consistent", "pairs")
        theirs = [
            float(lookup(PARADOX, table="4a", system=size, value=place)) for size in (SMALL, FULL)
        ]  # type: ignore[arg-type]
        ours.append(one)
        small.append(theirs[0])
        made.append([label, f"{one:.1f}", *(f"{x:.0f}" for x in theirs), f"{one - theirs[0]:+.1f}"])
    made.append(
        [
            "correlation with the paper's small model, 9 rows",
            bare(correlation(ours, small)),
            "",
            "",
            "",
        ]
    )
    return Table(
        (
            "consistency, published rule",
            "ours, Europarl",
            "paper, small",
            "paper, full",
            "ours - small",
        ),
        made,
    )


def templates() -> Table:
    """Table 4b: how the templates are ordered, beside the paper's mean of sizes."""
    made = []
    for place, label in PLACES.items():
        own = {row["template"]: share([row], "consistent", "pairs") for row in at(place)}
        condition, data = place.split()
        theirs = {}
        for name in own:
            found = find(
                PARADOX, table="4b", system=ALL_SIZES, value=f"{condition} {data} t{name[1:]}"
            ) or find(PARADOX, table="4b", system=ALL_SIZES, value=f"{condition} {data} {name}")
            if found is not None and found.score is not None:
                theirs[name] = found.score
        pairs = [(own[name], theirs[name]) for name in own if name in theirs]
        r = bare(correlation(*zip(*pairs, strict=True))) if len(pairs) > 2 else "-"
        lows = (
            [min(side.values()) for side in (own, theirs)]
            if theirs
            else [min(own.values()), float("nan")]
        )
        highs = (
            [max(side.values()) for side in (own, theirs)]
            if theirs
            else [max(own.values()), float("nan")]
        )
        made.append(
            [
                label,
                str(len(pairs)),
                f"{lows[0]:.0f} to {highs[0]:.0f}",
                f"{lows[1]:.0f} to {highs[1]:.0f}",
                r,
            ]
        )
    return Table(
        ("Table 4b", "templates", "ours, lowest to highest", "paper", "r over templates"), made
    )


def synonyms() -> Table:
    """Tables 6a and 6b: means over pairs, and how alike the pairs are ordered."""
    made = []
    for data in DATA:
        own = chosen(rows("consistency/en-nl-substitutivity"), data=data)
        cells = []
        for column, metric in (
            ("consistent", "consistency"),
            ("term consistent", "synonym-consistency"),
        ):
            ours = [share([row], column, "pairs") for row in own]
            theirs = lookup(PARADOX, table="6a", system=SMALL, metric=metric, value=data)
            pairs = []
            for row, value in zip(own, ours, strict=True):
                found = find(
                    PARADOX,
                    table="6b",
                    system=ALL_SIZES,
                    metric=metric,
                    value=f"{row['synonym']} {data}",
                )
                if found is not None and found.score is not None:
                    pairs.append((value, found.score))
            r = bare(correlation(*zip(*pairs, strict=True))) if len(pairs) > 2 else "-"
            cells += [f"{mean(ours):.1f}", f"{theirs:.0f}", f"{r} ({len(pairs)})"]
        made.append([data, *cells])
    head = (
        "synonyms, published rule",
        "sentence, ours",
        "paper, small",
        "r by pair (Table 6b)",
        "term, ours",
        "paper, small",
        "r by pair (Table 6b)",
    )
    return Table(head, made)


def literal(row: Row) -> float:
    """The share of literal renderings."""
    return share([row], "literal", "sentences")


def idioms() -> Table:
    """Figure 3 and Table 8, means over twenty idioms."""
    found = rows("consistency/en-nl-idioms")
    steps = sorted({int(row["step"]) for row in found if row["step"] != "end"})
    natural = [
        f"{mean(literal(r) for r in chosen(found, step=str(step), data='natural')):.1f}"
        for step in steps
    ]
    return Table(
        ("literal renderings by step, natural", *(f"{step:,}" for step in steps)),
        [["mean of 20 idioms", *natural]],
    )


def idiom_ends() -> Table:
    """Every idiom with the last weights, beside the paper's small model."""
    found = rows("consistency/en-nl-idioms")
    made = []
    for name in dict.fromkeys(row["idiom"] for row in found if row["data"] == "natural"):
        cells = []
        for data in DATA:
            (end,) = chosen(found, step="end", data=data, idiom=name)
            theirs = lookup(
                PARADOX, table="8", system=SMALL, value=f"{name} {data}", metric="literal"
            )
            cells += [f"{literal(end):.0f}", f"{theirs:.0f}"]
        made.append([name, *cells])
    return Table(
        (
            "idioms, literal at the end",
            *(cell for data in DATA for cell in (f"{data}: ours", "paper, small")),
        ),
        made,
    )


def by_rarest() -> Table:
    """Consistency by the rarest word of a pair."""
    frequent = ("100 to 999", "more")
    bins = {
        "never": ("never",),
        "1 to 9": ("1 to 9",),
        "10 to 99": ("10 to 99",),
        "100 and more": frequent,
    }
    made = []
    for place, label in PLACES.items():
        condition, data = place.split()
        own = chosen(rows("consistency/en-nl-rare-words"), what=f"{data} {condition}")
        cells = []
        for names in bins.values():
            part = [row for row in own if row["rarest word"] in names]
            cells.append(
                f"{share(part, 'consistent', 'pairs'):.1f} ({sum(int(r['pairs']) for r in part):,})"
            )
        theirs = lookup(PARADOX, table="4a", system=SMALL, value=place)
        made.append([label, *cells, f"{share(own, 'consistent', 'pairs'):.1f}", f"{theirs:.0f}"])
    return Table(("rarest word in training (pairs)", *bins, "all", "paper, small"), made)


def words() -> Table:
    """How many pairs have a word that training lacks, by its size."""
    found = {(r["training pairs"], r["what"]): r for r in rows("consistency/words-in-training")}
    labels = {
        "synthetic np": "S -> NP VP, noun of NP, synthetic", "semi-natural np": "the same, semi-natural",
        "synthetic s1p": "S -> S CONJ S, S1', synthetic", "semi-natural s1p": "the same, semi-natural", "natural s1p": "the same, natural",
        "synonyms": "terms of the 20 synonym pairs", "idioms": "the 20 idioms",
    }  # fmt: skip
    made = []
    for what, label in labels.items():
        cells = []
        for size in ("157000", "792980"):
            row = found[size, what]
            never, few, of = (int(row[key]) for key in ("never", "1 to 9", "of"))
            cells += [f"{100 * never / of:.0f}%", f"{100 * (never + few) / of:.0f}%"]
        made.append([label, *cells])
    sizes = [
        f"{size}: {kind}"
        for size in ("157,000 pairs", "792,980 pairs")
        for kind in ("never", "under 10 times")
    ]
    return Table(("rarest word of a pair", *sizes), made)


def over(found: Iterable[Row]) -> float:
    """A pooled share."""
    return share(found, "consistent", "pairs")


def findings() -> Table:
    """What the paper says, and whether this one model says so."""
    rate = {place: over(at(place)) for place in PLACES}
    theirs = {
        place: float(lookup(PARADOX, table="4a", system=SMALL, value=place)) for place in PLACES
    }  # type: ignore[arg-type]
    found = rows("consistency/en-nl-idioms")
    steps = sorted({int(row["step"]) for row in found if row["step"] != "end"})
    curve = [
        mean(literal(r) for r in chosen(found, step=str(step), data="natural")) for step in steps
    ]
    ends = {
        data: mean(literal(r) for r in chosen(found, step="end", data=data))
        for data in (*DATA, "random-words")
    }
    synonym = chosen(rows("consistency/en-nl-substitutivity"), data="natural")
    whole, term = (
        mean(share([r], column, "pairs") for r in synonym)
        for column in ("consistent", "term consistent")
    )

    def said(first: str, second: str, values: dict[str, float]) -> str:
        return f"{values[first]:.1f}, {values[second]:.1f}"

    return Table(
        ("finding", "paper, small", "ours (1 seed)", "holds"),
        [
            ["4.1: synthetic pairs are more consistent than semi-natural ones (NP)", said("np synthetic", "np semi-natural", theirs),
             said("np synthetic", "np semi-natural", rate), "yes"],
            ["4.1: S3 is harder than S1' (synthetic)", said("s1p synthetic", "s3 synthetic", theirs), said("s1p synthetic", "s3 synthetic", rate), "yes"],
            ["4.1: a change of the NP has more impact than one of the VP (NP, VP)", said("np synthetic", "vp synthetic", theirs),
             said("np synthetic", "vp synthetic", rate), "not found: alike"],
            ["4.1: natural resembles semi-natural (S1')", said("s1p natural", "s1p semi-natural", theirs),
             said("s1p natural", "s1p semi-natural", rate), "not found: natural is lower"],
            ["4.2: the term is more consistent than the sentence (natural)", "65, 36", f"{term:.1f}, {whole:.1f}", "yes"],
            ["4.3: literal renderings rise, then fall", "yes", f"{curve[0]:.1f}, {max(curve):.1f}, {curve[-1]:.1f}", "yes, falls by little"],
            ["4.3: among random words nearly all idioms are local", "nearly all",
             f"{ends['random-words']:.1f} literal; in templates {ends['synthetic']:.1f}", "contradicted"],
        ],
    )  # fmt: skip


def german() -> Table:
    """Three German models at their last checkpoint."""
    made = []
    labels = {("synthetic", "np"): "S -> NP VP, noun of NP, templates", ("semi-natural", "np"): "the same, semi-natural",
              ("synthetic", "s1p"): "S -> S CONJ S, S1', templates", ("natural", "s1p"): "the same, natural"}  # fmt: skip
    for (data, condition), label in labels.items():
        (row,) = chosen(
            rows("consistency/en-de-training-systematicity"),
            data=data,
            condition=condition,
            step="1600",
        )
        made.append(
            [label, *(f"{float(row[f'size-{size}']):.1f}" for size in ("020k", "065k", "157k"))]
        )
    return Table(("English to German, last checkpoint", "20,000 pairs", "65,000", "157,000"), made)


def real_systems() -> Table:
    """Systems that are not ours, on generated tests."""
    files = ("apertium-eng-spa", "apertium-eng-cat", "bergamot-en-pt")
    lines = [
        *((label, "systematicity", value, "consistency") for value, label in (
            ("np", "S -> NP VP, noun of NP changed"), ("vp", "noun of VP changed"), ("s1p", "S -> S CONJ S, S1'"), ("s3", "S3"))),
        ("locality, all of systematicity", "systematicity", "all", "locality"),
        ("synonyms, sentence", "substitutivity", "all", "consistency"),
        ("synonyms, term", "substitutivity", "all", "synonym-consistency"),
        ("idioms rendered literally, in templates", "overgeneralisation", "all", "literal"),
        ("among random words", "context", "all", "literal"),
    ]  # fmt: skip
    made = []
    for label, split, value, metric in lines:
        cells = []
        for file in files:
            tag = "all" if value == "all" else "condition"
            (row,) = chosen(
                rows(f"consistency/{file}"), split=split, tag=tag, value=value, metric=metric
            )
            middle, low, high = (100 * float(row[key]) for key in ("score", "ci_low", "ci_high"))
            cells.append(f"{middle:.1f} ({low:.1f} to {high:.1f})")
        made.append([label, *cells])
    return Table(("neutral rule, 95%", "Apertium en-es", "Apertium en-ca", "Bergamot en-pt"), made)
