"""docs/results/paradox.md says of the English-Dutch model what the raw files beside it say."""

from __future__ import annotations

import csv
import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from pathlib import Path
from statistics import correlation, mean

from recombine.report.tables.published import PARADOX, lookup
from test_results import page, table

DATA = ("synthetic", "semi-natural", "natural")
SMALL = "Transformer, small data"


def rows_of(repository: Path, name: str) -> list[dict[str, str]]:
    """Return a raw file of the English-Dutch model."""
    path = repository / "docs" / "results" / "consistency" / f"en-nl-{name}.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def pooled(rows: Iterable[tuple[Hashable, dict[str, str]]]) -> dict[Hashable, tuple[int, int]]:
    """Return consistent pairs and all pairs by a key."""
    right, pairs = Counter[Hashable](), Counter[Hashable]()
    for key, row in rows:
        right[key] += int(row["consistent"])
        pairs[key] += int(row["pairs"])
    return {key: (right[key], pairs[key]) for key in pairs}


def test_systematicity_beside_table_4a(repository: Path) -> None:
    """Every condition by the published rule, pooled over templates."""
    found = pooled(
        (f"{row['condition']} {row['data']}", row)
        for row in rows_of(repository, "systematicity")
        if row["rule"] == "official"
    )
    values = [
        "np synthetic", "np semi-natural", "vp synthetic", "s1p synthetic", "s1p semi-natural",
        "s1p natural", "s3 synthetic", "s3 semi-natural", "s3 natural",
    ]  # fmt: skip
    rows = table(repository, "consistency, published rule", "paradox")
    for row, value in zip(rows, values, strict=True):
        right, pairs = found[value]
        theirs = [
            lookup(PARADOX, table="4a", system=f"Transformer, {size} data", value=value)
            for size in ("small", "full")
        ]
        expected = [f"{100 * right / pairs:.1f}", *(f"{one:.0f}" for one in theirs)]
        assert row[1:] == expected, value
    ours, small = ([float(row[place]) for row in rows] for place in (1, 2))
    text = " ".join(page(repository, "paradox").split())
    assert f"(r = {correlation(ours, small):.2f} over the rows)".replace("0.", ".") in text
    dropped = sum(
        int(row["dropped"])
        for row in rows_of(repository, "systematicity")
        if row["rule"] == "official" and row["condition"] == "s1p"
    )
    assert f"{2 * dropped} of 30,000 conjunction pairs are dropped" in text
    neutral = [
        row
        for row in rows_of(repository, "systematicity")
        if (row["rule"], row["data"], row["condition"]) == ("neutral", "synthetic", "np")
    ]
    right, pairs = (sum(int(row[key]) for row in neutral) for key in ("consistent", "pairs"))
    assert f"where this one has {100 * right / pairs:.1f} by the rule that knows no" in text


def test_synonyms_beside_table_6a(repository: Path) -> None:
    """Means over the twenty pairs, of whole sentences and of the term."""
    raw = rows_of(repository, "substitutivity")
    for data, *cells in table(repository, "synonyms, published rule", "paradox"):
        expected = []
        for column, metric in (
            ("consistent", "consistency"),
            ("term consistent", "synonym-consistency"),
        ):
            shares = [int(row[column]) / int(row["pairs"]) for row in raw if row["data"] == data]
            assert len(shares) == 20
            theirs = lookup(PARADOX, table="6a", system=SMALL, metric=metric, value=data)
            expected += [f"{100 * mean(shares):.1f}", f"{theirs:.0f}"]
        assert cells == expected, data
    shares_by: dict[bool, list[float]] = {True: [], False: []}
    for known in (True, False):
        for data in DATA:
            chosen = [
                100 * int(row["term consistent"]) / int(row["pairs"])
                for row in raw
                if row["data"] == data
                and (min(int(row[f"{one} in training"]) for one in ("first", "second")) > 0)
                == known
            ]
            assert len(chosen) == (6 if known else 14)
            shares_by[known].append(mean(chosen))
    text = " ".join(page(repository, "paradox").split())
    assert "{:.1f}, {:.1f} and {:.1f} percent, on the 14 in".format(*shares_by[True]) in text
    assert "on the 14 in {:.1f}, {:.1f} and {:.1f}".format(*shares_by[False]) in text


def test_idioms_over_training_beside_table_8(repository: Path) -> None:
    """Means over idioms at each kept step; every idiom beside the printed peak."""
    shares: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows_of(repository, "idioms"):
        value = 100 * int(row["literal"]) / int(row["sentences"])
        shares[row["data"], row["idiom"]][row["step"]] = value
    text = page(repository, "paradox").split("\n| idioms rendered literally, by step |", 1)[1]
    steps = text.splitlines()[0].replace(",", "").strip("| ").split(" | ")
    ((data, *cells),) = table(repository, "idioms rendered literally, by step", "paradox")
    curves = [curve for (kind, _), curve in shares.items() if kind == data]
    assert len(curves) == 20
    assert cells == [f"{mean(one[step] for one in curves):.1f}" for step in steps]
    ends: dict[str, list[tuple[float, float]]] = defaultdict(list)
    peaks = []
    for idiom, *cells in table(repository, "by idiom", "paradox"):
        expected = []
        for data in DATA:
            where = {"table": "8", "system": SMALL, "value": f"{idiom} {data}"}
            own, released = shares[data, idiom], lookup(PARADOX, **where, metric="literal")
            printed = lookup(PARADOX, **where, metric="literal-peak", origin="printed")
            ends[data].append((own["end"], released))
            end = [f"{own['end']:.0f}", f"{released:.0f}"]
            high = "-" if printed is None else f"{printed:.0f}"
            if data == "natural":
                best = max(own[step] for step in steps)
                expected += [f"{best:.0f}", high, *end]
                if printed is not None:
                    peaks.append((best, printed))
            else:
                expected += [*end, high]
        assert cells == expected, idiom
    assert len(ends["natural"]) == 20
    assert len(peaks) == 18  # the paper prints no more
    said = " ".join(page(repository, "paradox").split())
    ours, theirs = (mean(side) for side in zip(*peaks, strict=True))
    assert f"{ours:.1f} on natural sentences (paper, small: {theirs:.1f})" in said
    for side, form in enumerate(
        ("{:.1f}, {:.1f} and {:.1f} percent are", "has {:.1f}, {:.1f} and {:.1f}")
    ):
        assert form.format(*(mean(pair[side] for pair in ends[data]) for data in DATA)) in said
    random = [one["end"] for (kind, _), one in shares.items() if kind == "random-words"]
    assert f"literal in {mean(random):.1f}% (mean of {len(random)}" in said


def test_consistency_by_the_rarest_word(repository: Path) -> None:
    """Each cell is a share of the raw file, and the rows add up to those of Table 4a."""
    frequent = dict.fromkeys(("100 to 999", "more"), "100 and more")
    raw = pooled(
        ((row["what"], name), row)
        for row in rows_of(repository, "rare-words")
        for name in (frequent.get(row["rarest word"], row["rarest word"]), "all")
    )
    places = [
        "synthetic np", "semi-natural np", "synthetic vp", "synthetic s1p", "semi-natural s1p",
        "natural s1p", "synthetic s3", "semi-natural s3", "natural s3",
    ]  # fmt: skip
    printed = table(repository, "consistency, published rule", "paradox")
    rows = table(repository, "rarest word in training", "paradox")
    far, near, counts = [], [], []
    for row, place, whole in zip(rows, places, printed, strict=True):
        bins = [raw[place, name] for name in ("never", "1 to 9", "10 to 99", "100 and more")]
        assert row[1:5] == [f"{100 * one[0] / one[1]:.1f} ({one[1]:,})" for one in bins], place
        assert row[5:] == [whole[1], whole[2]], place
        right, pairs = raw[place, "all"]
        assert whole[1] == f"{100 * right / pairs:.1f}", place
        far.append(float(whole[2]) - float(whole[1]))
        near.append(float(whole[2]) - 100 * bins[-1][0] / bins[-1][1])
        counts.append(bins[-1][1])
    far, near = sorted(far)[1:], sorted(near)[1:]
    text = " ".join(page(repository, "paradox").split())
    # Pairs with a rare word, weighted as the templates of those without.
    same = []
    for place in places[:3]:
        often: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        seldom: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for row in rows_of(repository, "rare-words"):
            if row["what"] == place:
                side = often if row["rarest word"] in ("100 to 999", "more") else seldom
                side[row["template"]][0] += int(row["consistent"])
                side[row["template"]][1] += int(row["pairs"])
        pairs = sum(one[1] for one in often.values())
        share = sum(one[1] * seldom[name][0] / seldom[name][1] for name, one in often.items())
        same.append(100 * share / pairs)
    assert "under 100 times have {:.1f}, {:.1f} and {:.1f} in the first".format(*same) in text
    assert f"{far[0]:.0f} to {far[-1]:.0f} points below the paper's small model** in eight" in text
    assert (
        f"ours is {near[0]:.0f} to {near[-1]:.0f} points below all pairs of the paper's in eight"
        in text
    )
    assert f"({min(counts)} to {max(counts)} pairs a row; " in text


def test_the_fall_of_a_share_beside_the_frequency(repository: Path) -> None:
    """Correlations over idioms: the English-Dutch model's, and those of the German ones."""
    curves: dict[str, dict[str, float]] = defaultdict(dict)
    seen: dict[str, int] = {}
    for row in rows_of(repository, "idioms"):
        if row["data"] == "natural" and row["step"] != "end":
            share = 100 * int(row["literal"]) / int(row["sentences"])
            curves[row["idiom"]][row["step"]] = share
            seen[row["idiom"]] = int(row["in training"])
    falls = [max(one.values()) - one["12000"] for one in curves.values()]
    frequencies = [math.log1p(seen[idiom]) for idiom in curves]
    theirs = {
        data: f"{lookup(PARADOX, row=f'drop against frequency, {data}'):.2f}".lstrip("0")
        for data in DATA
    }
    r = f"{correlation(falls, frequencies):.2f}".replace("0.", ".")
    said = " ".join(page(repository, "paradox").split())
    whole = f"(r = {r} with log(1 + n) over the {len(falls)} idioms; "
    assert f"{whole}paper, natural: {theirs['natural']})" in said
    path = repository / "docs" / "results" / "consistency" / "en-de-idiom-curves.csv"
    points: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if float(row["frequency"] or 0):  # the report leaves out idioms that never occur
                points[row["system"]].append(
                    (math.log(float(row["frequency"])), float(row["drop"]))
                )
    found = [f"{correlation(*zip(*one, strict=True)):.2f}" for one in points.values()]
    ours = ", ".join(found).replace("0.", ".")
    assert f"(r = {ours} for the three sizes; the paper has {theirs['synthetic']}, " in said


def test_held_out_bleu(repository: Path) -> None:
    """BLEU and chrF on the held-out pairs."""
    beam = next(row for row in rows_of(repository, "test") if row["decoded"] == "test")
    text = " ".join(page(repository, "paradox").split())
    bleu, plain = float(beam["bleu (13a)"]), float(beam["bleu (tokens as they are)"])
    pairs, different = (f"{int(beam[key]):,}" for key in ("sentences", "different sources"))
    assert f"BLEU {bleu:.1f} on {pairs} held-out pairs ({different} different sources; " in text
    assert f"; {plain:.1f} on its tokens as they are" in text
