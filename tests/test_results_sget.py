"""docs/results/sget*.md say of the authors' edition what the raw files and the paper say."""

from __future__ import annotations

import csv
import runpy
from pathlib import Path
from statistics import correlation, mean
from typing import Any

import pytest

from recombine.builders.recipe import read_recipe
from sget_results import (
    CORRECTED,
    LARGE,
    OFFICIAL,
    PLACES,
    page,
    printed,
    printed_at,
    raw,
    rows_below,
    scores,
)


@pytest.fixture(scope="module")
def short(repository: Path) -> str:
    """The page."""
    return page(repository, "sget")


@pytest.fixture(scope="module")
def appendix(repository: Path) -> str:
    """Its appendix."""
    return page(repository, "sget-appendix")


@pytest.fixture(scope="module")
def tables(repository: Path) -> dict[str, Any]:
    """The script that prints the tables of the authors' edition."""
    return runpy.run_path(str(repository / "examples" / "reproduce-sget" / "tables.py"))


@pytest.fixture(scope="module")
def cells(repository: Path) -> list[dict[str, str]]:
    """Exact matches on the authors' edition, by model, pattern and what its sentences are."""
    return raw(repository, "official-cells")


def test_the_cells_add_up_to_the_scores(
    repository: Path, tables: dict[str, Any], cells: list[dict[str, str]]
) -> None:
    """Two raw files of the same outputs agree in every pattern."""
    seeds = tables["models"](cells, "released")
    assert len(seeds) == len(OFFICIAL)
    for own, name in zip(seeds, OFFICIAL, strict=True):
        exact = [
            row
            for row in raw(repository, name)
            if row["metric"] == "exact" and (row["tag"] == "pattern" or row["split"] == "test")
        ]
        assert len({row["value"] for row in exact}) >= 43
        for row in exact:
            pattern = "base" if row["split"] == "test" else row["value"]
            assert tables["rate"](own, [pattern]) == pytest.approx(float(row["score"]), abs=1e-4)


def test_tables_of_the_authors_edition(
    repository: Path, tables: dict[str, Any], appendix: str, short: str,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Every table that the script prints stands in the appendix, and so do the distances."""
    path = repository / "docs" / "results" / "sget" / "official-cells.csv"
    monkeypatch.setattr("sys.argv", ["tables.py", str(path)])
    tables["main"]()
    *blocks, last = capsys.readouterr().out.strip().split("\n\n")
    missing = [block for block in (*blocks, last) if block not in appendix]
    assert not missing, "\n\n".join(missing)


def test_rows_far_from_the_paper_are_explained(appendix: str) -> None:
    """Each bold difference of Table 10 has its paragraph, with its number, and no other has."""
    rows = rows_below(appendix, "pattern of Table 10")
    far = {(row[0], row[6].strip("*")) for row in rows if row[6].startswith("**")}
    told = appendix.split("## Rows that differ by more than 15 points")[1].split("\n## ")[0]
    heads = [line[3:].split("*", 1) for line in told.splitlines() if line.startswith("- *")]
    assert {(name, rest.split("(")[1].split(")")[0]) for name, rest in heads} == far
    for paragraph in told.split("\n- *")[1:]:
        *_, whole, _, _, early = next(r for r in rows if paragraph.startswith(f"{r[0]}*"))
        if "training time" in paragraph.split("**")[1]:
            assert f"{early} after 10,000 steps" in paragraph
            assert f"{whole.split()[0]} at the end" in paragraph


def test_what_explains_the_rows(
    repository: Path, tables: dict[str, Any], cells: list[dict[str, str]], appendix: str
) -> None:
    """What is said of words, errors and dev scores is what the raw files of both seeds say."""
    text = " ".join(appendix.split())
    _, *seeds = tables["models"](cells, "released")
    words = {
        "primitive_to_subject_proper": ("Lina", "Patrick", "Coco", "Miles"),
        "primitive_to_object_proper": ("Brian", "Felix", "Nova", "Ben"),
    }
    for pattern, names in words.items():
        for name in names:
            rates = [tables["rate"](own, [pattern], target_word=name) for own in seeds]
            assert f"{name} {rates[0]:.1f} and {rates[1]:.1f}" in text
    for pattern, name in (
        ("primitive_to_subject_proper", "Josh"),
        ("primitive_to_object_proper", "Elara"),
        ("active_to_passive", "recognize"),
    ):
        assert all(tables["rate"](own, [pattern], target_word=name) == 0 for own in seeds)
    wrong = raw(repository, "official-errors")

    def counts(pattern: str, **wanted: str) -> list[int]:
        """How many errors of each seed are so."""
        return [
            sum(
                int(row["n"])
                for row in wrong
                if (row["seed"], row["pattern"]) == (seed, pattern)
                and all(row[name] == value for name, value in wanted.items())
            )
            for seed in "23"
        ]

    def said(form: str, *pairs: list[int]) -> None:
        assert form.format(*(one for pair in zip(*pairs, strict=True) for one in pair)) in text

    subject, thing = "primitive_to_subject_proper", "primitive_to_object_proper"
    said("{} and {} of the 400 sentences with Josh", counts(subject, word="Josh", instead="ア"))
    said("{} and {} of its 400 sentences", counts(thing, word="Elara", missing="ラ", instead=""))
    said("{} and {} of Ben's", counts(thing, word="Ben", missing="", instead="ジャミン"))
    tense = "present_infinitive"
    said("past in {} and {} of 400", counts(tense, word="need", missing="る", instead="った"))
    past = [
        sum(pair)
        for pair in zip(
            counts(tense, word="plan", missing="", instead="った"),
            counts(tense, word="plan", missing="である", instead="だった"),
            strict=True,
        )
    ]
    said("*plan* in {} and {} (", past)
    said("({} and {}), *prefer*", counts(tense, word="mean", missing="つもりだ", instead=""))
    added, all_of_them = counts("recipient_rc", missing=""), counts("recipient_rc")
    said("added in {} of {} and {} of {})", added, all_of_them)
    lacking = [
        sum(pair)
        for pair in zip(
            *(
                counts("adjective_depth_5_6", missing=one, instead="")
                for one in (
                    *(f"{land}生まれの" for land in ("日本", "中国", "イギリス", "韓国", "ロシア")),
                    "赤い",
                    "青い",
                )
            ),
            strict=True,
        )
    ]
    said("{} of {} and {} of {} errors lack", lacking, counts("adjective_depth_5_6"))
    questions = counts("wh_passive_subject", word="What")
    assert questions == counts("wh_passive_subject")
    said("All {} and {} errors", questions)
    assert f"({counts('pp_depth_3', missing='')[0]} of seed 2's {counts('pp_depth_3')[0]}" in text
    left_out = counts("pp_depth_3", instead="")
    assert f"({left_out[1]} of seed 3's {counts('pp_depth_3')[1]}" in text
    dev = {
        (row["seed"], int(row["step"])): float(row["dev_exact"])
        for row in raw(repository, "official-dev")
        if row["model"] == "released"
    }
    for seed, best in (("2", 60_000), ("3", 65_000)):
        assert dev[seed, 25_000] < 99.3 < dev[seed, 30_000]
        assert max(step for (one, step) in dev if one == seed) == 65_000
        assert max((s for (one, s) in dev if one == seed), key=lambda s: dev[seed, s]) == best
    for row in raw(repository, "official-dev"):
        if row["model"] == "released-again":
            assert abs(float(row["dev_exact"]) - dev[row["seed"], int(row["step"])]) < 0.061


def test_without_concatenation_every_row_falls(
    repository: Path, tables: dict[str, Any], cells: list[dict[str, str]], appendix: str
) -> None:
    """Table 6: all means fall, and in four rows all seeds with are above all seeds without."""
    early, without = (
        tables["models"](cells, name, 10_000) for name in ("released", "without-concatenation")
    )
    assert len(early) == len(without) == 3
    values = tables["published_values"]("6")
    assert len(values) == 8
    rates = {
        value: [[tables["rate"](own, [value]) for own in seeds] for seeds in (early, without)]
        for value in values
    }
    assert all(mean(with_) > mean(others) for with_, others in rates.values())
    apart = {value for value, (with_, others) in rates.items() if min(with_) > max(others)}
    assert apart == {"cp_depth_3", "pp_depth_3", "embedding_depth_3", "pp_depth_5_6"}
    text = " ".join(appendix.split())
    lost = [mean(rates[value][0]) - mean(rates[value][1]) for value in ("cp_depth_3", "pp_depth_3")]
    theirs = [
        float(printed("6", tables["WITH"], "exact", value).split()[0])
        - float(printed("6", tables["WITHOUT"], "exact", value).split()[0])
        for value in ("cp_depth_3", "pp_depth_3", "adjective_depth_3", "adjective_depth_5_6")
    ]
    told = "lose {:.1f} and {:.1f} points, in the paper {:.1f} and {:.1f}."
    assert told.format(*lost, *theirs[:2]) in text
    assert "which lose {:.1f} and {:.1f} in the paper".format(*theirs[2:]) in text
    passive = [f"{tables['rate'](own, ['wh_passive_subject']):.1f}" for own in (*early, *without)]
    told = "seeds have {}, {} and {}, without concatenation {}, {} and {}."
    assert told.format(*passive) in text
    place = ("gen", "pattern", "cp_depth_3")
    former = [
        scores(repository, names, place, "exact")
        for names in (CORRECTED, ["transformer-256-without-concatenation-seed-1"])
    ]
    assert f"({former[0]} with, {former[1]} without, one seed)" in text


def test_rows_that_rise_with_training(tables: dict[str, Any], cells: list[dict[str, str]]) -> None:
    """In three rows every seed is below the paper after 10,000 steps and above it at the end."""
    for value in ("pp_depth_3", "embedding_depth_3", "recipient_rc"):
        early, late = (
            [tables["rate"](own, [value]) for own in tables["models"](cells, "released", steps)]
            for steps in (10_000, None)
        )
        assert len(early) == len(late) == 3
        paper = float(printed("10", "Transformer", "exact", value))
        assert max(early) < paper < min(late)


def test_words_that_were_exchanged(repository: Path, appendix: str) -> None:
    """What other names, verbs and adjectives would have given, in both seeds."""
    rows = raw(repository, "official-exchanged")
    text = " ".join(appendix.split())

    def right(seed: str, pattern: str, word: str, **tags: str) -> tuple[int, int]:
        own = [
            row
            for row in rows
            if (row["seed"], row["pattern"], row["word"]) == (seed, pattern, word)
            and all(row[name] == value for name, value in tags.items())
        ]
        return sum(int(row["exact"]) for row in own), sum(int(row["n"]) for row in own)

    assert sum(int(row["n"]) for row in rows if row["seed"] == "2") == 12_000
    roles = [f"primitive_to_{role}_proper" for role in ("subject", "object")]
    never = ("Coco", "Josh", "Ben", "Nova", "Elara")
    names = (*never, "Patrick", "Lina", "Miles", "Brian", "Felix")
    chosen: dict[str, list[list[float]]] = {}
    for seed in "23":
        counts = {(role, name): right(seed, role, name) for role in roles for name in names}
        assert all(n == 200 for _, n in counts.values())
        share = {place: exact / 2 for place, (exact, _) in counts.items()}
        assert all(share[role, name] <= 5 for role in roles for name in never)
        said = [share[role, "Patrick"] for role in roles]
        assert f"{said[0]:.1f} and {said[1]:.1f} in seed {seed}" in text
        chosen[seed] = [[], []]
        for pair in (("Miles", "Brian"), ("Brian", "Miles")):
            for one in ("Patrick", "Josh", "Ben"):
                others = [name for name in ("Patrick", "Josh", "Ben") if name != one]
                kinds = (
                    ("Coco", "Lina", pair[0], *others),
                    ("Felix", "Elara", "Nova", pair[1], one),
                )
                for found, role, own in zip(chosen[seed], roles, kinds, strict=True):
                    found.append(mean(share[role, name] for name in own))
    (first, last), (two, three) = [[(min(v), max(v)) for v in chosen[seed]] for seed in "23"]
    told = "one has {:.1f} and another {:.1f} as subjects in seed 2 ({:.1f} and {:.1f} in seed 3), "
    told += "{:.1f} and {:.1f} as objects ({:.1f} and {:.1f})."
    assert told.format(*first, *two, *last, *three) in text

    def plain(seed: str, verb: str, in_cp: str = "0") -> int:
        exact, n = right(seed, "present_infinitive", verb, in_cp=in_cp)
        assert n == 100
        return exact

    past = ("prefer", "yearn", "long", "wish", "love")
    assert {plain(seed, verb) for seed in "23" for verb in past} <= set(range(5))
    known = [plain(seed, verb) for seed in "23" for verb in ("want", "crave")]
    assert "in {} and {} (seed 2), {} and {} (seed 3)".format(*known) in text
    inside = [plain(seed, verb, "1") for seed in "23" for verb in ("want", "crave")]
    assert "right in {} and {}, {} and {} of 100".format(*inside) in text
    few = [
        right(seed, "adjective_depth_5_6", kept, kind="thing")
        for kept in ("the sixth alone", "first and sixth", "third to sixth", "first to fifth")
        for seed in "23"
    ]
    assert {n for _, n in few} == {343}
    told = (
        "alone it is right in {} and {} sentences, as the second of two adjectives in {} and {}, "
    )
    told += "as the fourth of four (a depth of training) in {} and {}; "
    told += "the five adjectives without it in {} and {}."
    assert told.format(*(exact for exact, _ in few)) in text


def test_clauses_that_are_written(repository: Path, appendix: str) -> None:
    """Table 7: how deep the outputs are where five or six clauses were asked for."""
    rows = raw(repository, "official-clauses")
    told = rows_below(appendix, "five or six clauses, 1,000 sentences")
    names = {"released": "with", "without-concatenation": "without"}
    found = {
        f"{names[row['model']]}, {int(row['steps']):,} steps, seed {row['seed']}": [0] * 5
        for row in rows
    }
    assert {name for name, *_ in told} == found.keys()
    for row in rows:
        if int(row["clauses"]) > 4:
            name = f"{names[row['model']]}, {int(row['steps']):,} steps, seed {row['seed']}"
            depth = int(row["written"] or 0)
            place = 0 if not depth else 1 if depth < 4 else 2 if depth == 4 else 3
            found[name][place] += int(row["n"])
            found[name][4] += int(row["exact"])
    assert {name: list(map(int, cells)) for name, *cells in told} == found
    assert all(sum(cells[:4]) == 1000 for cells in found.values())
    text = " ".join(appendix.split())
    last = [found[f"with, 65,500 steps, seed {seed}"] for seed in (2, 3)]
    assert ", ".join(f"{own[2]} of {1000 - own[0]}" for own in last) in text
    early = [found[f"with, 10,000 steps, seed {seed}"] for seed in (1, 2, 3)]
    assert ", ".join(f"{own[3]} of {1000 - own[0]}" for own in early) in text


def test_whole_words(tables: dict[str, Any], cells: list[dict[str, str]], appendix: str) -> None:
    """Which patterns gain and lose without BPE in all seeds, and what names have."""
    pieces, words = (tables["models"](cells, name, 10_000) for name in ("released", "whole-words"))
    assert (len(pieces), len(words)) == (3, 2)

    def rates(seeds: list[list[dict[str, str]]], value: str) -> list[float]:
        return [tables["rate"](own, [value]) for own in seeds]

    values = list(read_recipe("sget-official").builder.split["gen"])
    more = [v for v in values if min(rates(words, v)) > max(rates(pieces, v))]
    less = [v for v in values if max(rates(words, v)) < min(rates(pieces, v))]
    text = " ".join(appendix.split())
    assert f"In {len(more)} of the 42 patterns both are above all three with BPE" in text
    assert f"in {len(less)} below" in text
    assert sum(value.startswith("present_") for value in less) == 2
    active = "({:.1f} and {:.1f}; BPE {})".format(
        *rates(words, "passive_to_active"), tables["over"](pieces, "passive_to_active")
    )
    assert active in text
    better = []
    for role in ("subject", "object"):
        common, proper = (f"primitive_to_{role}_{kind}" for kind in ("common", "proper"))
        better.append(sum(map(float.__gt__, rates(pieces, proper), rates(pieces, common))))
        pairs = list(zip(rates(words, common), rates(words, proper), strict=True))
        assert all(name <= noun for noun, name in pairs)
        assert ", ".join(f"{noun:.1f} and {name:.1f}" for noun, name in pairs) in text
    assert better == [2, 3]


def test_how_many_findings_hold(appendix: str, short: str) -> None:
    """The sums that the text draws from the table of findings."""
    verdicts = [row[3] for row in rows_below(appendix, "finding")]
    whole, none = (verdicts.count(word) for word in ("holds", "contradicted"))
    told = f"{whole} hold in all three seeds, {len(verdicts) - whole - none} in some, {none} are"
    assert f"Of {len(verdicts)} statements {told}" in " ".join(appendix.split())
    for text in (f"Of {len(verdicts)} statements", f"[{whole} hold in all three seeds]"):
        assert text in short


def test_in_short(repository: Path, short: str) -> None:
    """The small table: both editions beside the paper's Tables 2 and 3."""
    rows = rows_below(short, "exact match")[1:]
    for row, place in zip(rows[:5], PLACES, strict=True):
        ours = [scores(repository, names, place, "exact") for names in (OFFICIAL, CORRECTED)]
        assert row[1:] == [*ours, printed_at(place, "Transformer", "exact")], place


def test_the_verdict(
    tables: dict[str, Any], cells: list[dict[str, str]], short: str, appendix: str
) -> None:
    """Its numbers are those of the tables below it and in the appendix."""
    verdict = " ".join(short.split("**Verdict.**")[1].split("\n\n")[0].split())
    small = {row[0]: row[1:] for row in rows_below(short, "exact match")}
    ours, _, paper = small["gen, all 42 patterns"]
    assert f"has {ours} on new structures (three seeds) where the paper's has {paper}" in verdict
    near, apart = (
        small[f"{name} Table 10"][0] for name in ("correlation with", "mean distance from")
    )
    distances = {row[0]: row[1:] for row in rows_below(appendix, "distance over the 42 rows")}
    own = [row[0] for name, row in distances.items() if name[-6:-2] == "seed"]
    told = f"r = {near} over 42, {apart} points apart on average (two of our own seeds: "
    assert f"{told}{min(own)} to {max(own)})" in verdict
    assert distances["three seeds from Table 10"] == [apart, near, "8"]
    assert "Eight patterns differ" in verdict
    kinds = [
        line.split("**")[1]
        for line in appendix.splitlines()
        if line.startswith("- *") and "): **" in line
    ]
    assert (kinds.count("not explained."), kinds.count("training time.")) == (1, 5)
    assert "[two are explained]" in verdict
    early, late = distances["10,000 steps from Table 10"], distances["three seeds from Table 10"]
    assert f"farther from the paper ({early[0]}) than the end ({late[0]})" in " ".join(
        appendix.split()
    )


def test_scores_over_training(repository: Path, appendix: str) -> None:
    """Means of the two seeds that were decoded every 10,000 steps, and how far the rows are."""
    path = repository / "docs" / "results" / "sget" / "official-curve.csv"
    curve: dict[tuple[str, str], list[float]] = {}
    whole: dict[str, list[int]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            share = 100 * int(row["exact"]) / int(row["n"])
            curve.setdefault((row["steps"], row["pattern"]), []).append(share)
            if row["pattern"] != "test":
                right, count = whole.setdefault(row["steps"], [0, 0])
                whole[row["steps"]] = [right + int(row["exact"]), count + int(row["n"])]
    steps = ["10000", "20000", "30000", "40000"]
    table = {row[0]: row[1:5] for row in rows_below(appendix, "mean of two seeds")}
    assert table["test"] == [f"{mean(curve[step, 'test']):.1f}" for step in steps]
    overall = [f"{100 * right / count:.1f}" for right, count in (whole[step] for step in steps)]
    assert table["gen, all 42 patterns"] == overall
    values = list(read_recipe("sget").builder.split["gen"])
    paper = {value: float(printed("10", "Transformer", "exact", value)) for value in values}
    apart = [[abs(mean(curve[step, v]) - paper[v]) for v in values] for step in steps]
    assert table["points from Table 10"] == [f"{mean(one):.1f}" for one in apart]
    assert table["rows over 15"] == [str(sum(x > 15 for x in one)) for one in apart]
    names = {
        "Prim → Subj (proper)": "primitive_to_subject_proper",
        "Prim → Obj (proper)": "primitive_to_object_proper",
        "PP recursion shallower": "pp_depth_3",
        "CE recursion shallower": "embedding_depth_3",
        "Indirect Obj-extracted RC": "recipient_rc",
    }
    for name, value in names.items():
        assert table[name] == [f"{mean(curve[step, value]):.1f}" for step in steps], name


def test_distances_from_the_paper(repository: Path, short: str, appendix: str) -> None:
    """Mean distance and correlation over the 42 rows of Table 10, of every kind of model."""
    values = list(read_recipe("sget").builder.split["gen"])
    paper = [float(printed("10", "Transformer", "exact", value)) for value in values]
    found = {}
    for label, names in (("official", OFFICIAL), ("corrected", CORRECTED), ("large", LARGE)):
        exact = [
            {r["value"]: float(r["score"]) for r in raw(repository, name) if r["metric"] == "exact"}
            for name in names
        ]
        ours = [mean(one[value] for one in exact) for value in values]
        apart = mean(abs(one - other) for one, other in zip(ours, paper, strict=True))
        near = f"{correlation(ours, paper):.2f}".removeprefix("0")
        found[label] = f"{apart:.1f}", near
    distances, near_rows = rows_below(short, "exact match")[6:]
    assert distances[1:3] == [found["official"][0], found["corrected"][0]]
    assert near_rows[1:3] == [found["official"][1], found["corrected"][1]]
    text = " ".join(appendix.split())
    rows = [raw(repository, name) for name in OFFICIAL]
    for metric, told in (
        ("bleu", "In BLEU the rows of Table 10 are {} points from the paper's ({})"),
        ("partial", "in Partial Match {} ({})"),
    ):
        known = [v for v in values if printed("10", "Transformer", metric, v) != "-"]
        apart = mean(
            abs(
                mean(
                    float(row["score"])
                    for own in rows
                    for row in own
                    if (row["value"], row["metric"]) == (value, metric)
                )
                - float(printed("10", "Transformer", metric, value))
            )
            for value in known
        )
        assert told.format(f"{apart:.1f}", len(known)) in text
    assert f"one seed with 1,024 was {found['large'][0]} points from it" in text
    assert f"five with 256 were {found['corrected'][0]} points from Table 10" in text
