"""docs/results/sget*.md say what the raw files beside them and Kumon et al. (2024) say."""

from __future__ import annotations

import csv
import runpy
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import correlation, mean, stdev
from typing import Any

import pytest

from recombine.builders.recipe import read_recipe
from recombine.report.tables.published import SGET, find

OFFICIAL = [f"released-256-official-seed-{seed}" for seed in (1, 2, 3)]
CORRECTED = [f"transformer-256-seed-{seed}" for seed in (1, 2, 3, 4, 5)]
LARGE = ["transformer-1024-seed-1"]
LSTMS = [f"lstm-256-seed-{seed}" for seed in (1, 2)]
GROUPS = ("lexical", "lexical+morphological", "structural")
PLACES = [
    ("test", "all", "all"),
    ("gen", "all", "all"),
    *(("gen", "group_name", name) for name in GROUPS),
]


@pytest.fixture(scope="module")
def short(repository: Path) -> str:
    """The page."""
    return (repository / "docs" / "results" / "sget.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def appendix(repository: Path) -> str:
    """Its appendix."""
    return (repository / "docs" / "results" / "sget-appendix.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tables(repository: Path) -> dict[str, Any]:
    """The script that prints the tables of the authors' edition."""
    return runpy.run_path(str(repository / "examples" / "reproduce-sget" / "tables.py"))


@pytest.fixture(scope="module")
def cells(repository: Path) -> list[dict[str, str]]:
    """Exact matches on the authors' edition, by model, pattern and what its sentences are."""
    return raw(repository, "official-cells")


def raw(repository: Path, name: str) -> list[dict[str, str]]:
    """The rows of a raw file."""
    path = repository / "docs" / "results" / "sget" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def rows_below(text: str, heading: str) -> list[list[str]]:
    """The cells below the first row that begins so."""
    rows = text.split(f"\n| {heading} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def spread(values: Sequence[float]) -> str:
    """Mean and standard deviation as the tables write them; one value has no deviation."""
    return f"{mean(values):.1f}" + (f" ± {stdev(values):.1f}" if len(values) > 1 else "")


def scores(repository: Path, names: Sequence[str], place: Sequence[str], metric: str) -> str:
    """What models have at a place; a group's BLEU is the mean of its patterns', by sentences."""
    found = []
    parts = read_recipe("sget").builder.split["gen"]
    for name in names:
        by_place = {
            (row["split"], row["tag"], row["value"]): float(row["score"])
            for row in raw(repository, name)
            if row["metric"] == metric
        }
        if metric == "bleu" and place[1] == "group_name":
            own = [pattern for pattern in parts if parts[pattern].group == place[2]]
            sizes = [parts[pattern].size for pattern in own]
            each = [by_place["gen", "pattern", pattern] for pattern in own]
            found.append(sum(map(lambda n, s: n * s, sizes, each)) / sum(sizes))
        else:
            found.append(by_place[tuple(place)])  # type: ignore[index]
    return spread(found)


def printed(number: str, system: str, metric: str, value: str) -> str:
    """What the paper prints, with its standard deviation where it prints one."""
    found = find(SGET, table=number, system=system, metric=metric, value=value)
    if found is None or found.score is None:
        return "-"
    return f"{found.score:.1f}" + ("" if found.sd is None else f" ± {found.sd:.1f}")


def printed_at(place: Sequence[str], system: str, metric: str) -> str:
    """What the paper prints at a place of Tables 2 and 3."""
    split, tag, value = place
    return printed(
        *(("2", system, metric, split) if tag == "all" else ("3", system, metric, value))
    )


def test_the_cells_add_up_to_the_scores(
    repository: Path, tables: dict[str, Any], cells: list[dict[str, str]]
) -> None:
    """Two raw files of the same outputs agree in every pattern."""
    seeds = tables["models"](cells, "released", "beam")
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
            assert {early, whole.split()[0]} <= set(paragraph.replace(",", "").split())


def test_what_explains_the_rows(
    repository: Path, tables: dict[str, Any], cells: list[dict[str, str]], appendix: str
) -> None:
    """What is said of words, errors and dev scores is what the raw files of both seeds say."""
    text = " ".join(appendix.split())
    _, *seeds = tables["models"](cells, "released", "beam")
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


def test_without_concatenation_every_row_falls(
    repository: Path, tables: dict[str, Any], cells: list[dict[str, str]], appendix: str
) -> None:
    """Table 6: the seed with concatenation is above all three without, as the text says."""
    (early,) = tables["models"](cells, "released", "greedy")
    without = tables["models"](cells, "without-concatenation", "greedy")
    values = tables["published_values"]("6")
    rates = [[tables["rate"](own, [value]) for own in (early, *without)] for value in values]
    assert len(values) == 8
    assert all(with_ > max(others) for with_, *others in rates)
    passive = [f"{tables['rate'](own, ['wh_passive_subject']):.1f}" for own in without]
    text = " ".join(appendix.split())
    assert f"seeds have {passive[0]}, {passive[1]} and {passive[2]}" in text
    place = ("gen", "pattern", "cp_depth_3")
    former = [
        scores(repository, names, place, "exact")
        for names in (CORRECTED, ["transformer-256-without-concatenation-seed-1"])
    ]
    assert f"({former[0]} with, {former[1]} without, one seed)" in text


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


def test_whole_words(tables: dict[str, Any], cells: list[dict[str, str]], appendix: str) -> None:
    """How many patterns gain and lose without BPE."""
    (pieces,), (words,) = (
        tables["models"](cells, name, "greedy") for name in ("released", "whole-words")
    )
    gains = [
        tables["rate"](words, [value]) - tables["rate"](pieces, [value])
        for value in read_recipe("sget-official").builder.split["gen"]
    ]
    more, less = sum(one > 0 for one in gains), sum(one < 0 for one in gains)
    text = " ".join(appendix.split())
    assert f"Of the 42 patterns {more} gain from whole words" in text
    assert f"and {less} lose" in text


def test_the_training_set(repository: Path, appendix: str) -> None:
    """Depths, single words and overlaps, released and built."""
    rows = rows_below(appendix, "sentences of train")
    at = {(row["what"], row["value"]): row for row in raw(repository, "training-shares")}
    places = [(f"depth of {kind}", ("1", "2", "4")) for kind in ("pp", "ce", "adj")]
    places += [("depth of cp", ("1", "2", "3", "4"))]
    places += [("single words shown so often", ("25", "22", "21", "16"))]
    places += [("different sentences", ("train",)), ("also in train", ("dev",))]
    for row, (what, values) in zip(rows, places, strict=True):
        assert row[1:] == [
            ", ".join(f"{int(at[what, value][name] or 0):,}" for value in values)
            for name in ("released", "official", "corrected")
        ]
    for name in ("released", "official", "corrected"):
        counted = [int(row[name] or 0) for (what, _), row in at.items() if what == "depth of pp"]
        assert sum(counted) == 42_600
    assert (
        f"and {int(at['also in train', 'test']['official']):,} in the authors' edition" in appendix
    )


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


def test_learnt_and_lost_again(repository: Path, appendix: str) -> None:
    """The caption of the curve, and three patterns that rise with training."""
    at = {
        (row["value"], row["step"]): float(row["score"])
        for row in raw(repository, "transformer-256-seed-4-curve")
        if row["split"] == "gen" and row["metric"] == "exact"
    }
    deep, every = (
        [at[value, step] for step in ("20000", "70000")] for value in ("cp_depth_3", "all")
    )
    told = f"{deep[0]:.1f}% right at step 20,000 and {deep[1]:.1f}% at step 70,000"
    told += f", while the score over all patterns rises from {every[0]:.1f} to {every[1]:.1f}"
    assert told in appendix
    text = " ".join(appendix.split())
    first, *later = (f"{at['cp_depth_5_6', s]:.1f}" for s in ("5000", "10000", "20000", "70000"))
    told = (
        f"*CP recursion deeper* {first} at step 5,000, {later[0]} at 10,000, {later[1]} at 20,000"
    )
    assert f"{told} and {later[2]} at 70,000" in text
    steps = ("5000", "20000", "70000")
    for name, value in (
        ("PP", "pp_depth_3"),
        ("CE", "embedding_depth_3"),
        ("indirect-object RC", "recipient_rc"),
    ):
        first, middle, last = (f"{at[value, step]:.1f}" for step in steps)
        assert f"{name} {first}, {middle} and {last}" in text


def test_other_models(repository: Path, appendix: str) -> None:
    """BLEU of the authors' edition, and the models of the corrected edition."""
    rows = rows_below(appendix, "BLEU")
    for row, place in zip(rows, PLACES, strict=True):
        ours = scores(repository, OFFICIAL, place, "bleu")
        assert row[1:] == [ours, printed_at(place, "Transformer", "bleu")], place
    rows = rows_below(appendix, "corrected edition, a former build")
    for row, place in zip(rows, PLACES, strict=True):
        assert row[1:] == [
            scores(repository, names, place, metric)
            for metric in ("exact", "bleu")
            for names in (CORRECTED, LARGE, LSTMS)
        ], place


def test_why_the_lstm_is_another(repository: Path, appendix: str) -> None:
    """The differences taken one at a time: every number of the table is in the raw file."""
    found = [row for row in raw(repository, "lstm-variants") if not row["tag"]]

    def said(variant: str, early: bool, split: str, metric: str) -> str:
        """The scores of all seeds at step 5,000, or at the step that dev chose."""
        return ", ".join(
            f"{float(row['score']):.1f}"
            for row in sorted(found, key=lambda row: row["seed"])
            if (row["variant"], row["split"], row["metric"]) == (variant, split, metric)
            and (row["step"] == "5000") == early
        )

    rows = rows_below(appendix, "LSTM")
    places = [(split, metric) for metric in ("exact", "bleu") for split in ("test", "gen")]
    for row, variant in zip(rows[:4], ("paper", "fed", "unscaled", "released"), strict=True):
        assert row[1:] == [
            said(variant, early, *place) for early in (True, False) for place in places
        ]
    assert rows[4][5:] == [printed("2", "LSTM", metric, split) for split, metric in places]
    text = " ".join(appendix.split())
    dev = [row for row in raw(repository, "lstm-variants") if row["split"] == "dev"]

    def first(variant: str, seed: str, share: int) -> int | None:
        """The first thousand of steps where so many dev sentences are right."""
        return min(
            (
                int(row["step"])
                for row in dev
                if (row["variant"], row["seed"]) == (variant, seed) and float(row["score"]) >= share
            ),
            default=None,
        )

    runs = [("paper", "1"), ("paper", "2"), ("fed", "1"), ("unscaled", "1"), ("unscaled", "2")]
    runs += [("released", "1")]
    assert [first(*run, 50) for run in runs] == [3000, 3000, 3000, 8000, 7000, 8000]
    assert [first(*run, 90) for run in runs] == [5000, 5000, 10000, None, None, None]
    best = {
        variant: mean(map(float, said(variant, False, "gen", "exact").split(", ")))
        for variant in ("paper", "fed", "unscaled", "released")
    }
    less = [best["paper"] - best[name] for name in ("fed", "unscaled", "released")]
    told = "has {:.1f} at its best of 10,000 steps; input feeding takes {:.1f} points of that, "
    told += "embeddings that are not scaled {:.1f}, both with beta2 .999 {:.1f}."
    assert told.format(best["paper"], *less) in text


def test_llama_of_the_paper(repository: Path, appendix: str) -> None:
    """The row that stands below our language model."""
    rows = {row[0]: row[1:] for row in rows_below(appendix, "| test exact")}
    whole = [
        printed("2", "Llama 2", metric, split)
        for split in ("test", "gen")
        for metric in ("exact", "bleu")
    ]
    parts = [printed("3", "Llama 2", "exact", group) for group in GROUPS]
    assert rows["Llama 2 (paper)"] == [*whole, "-", *parts]
    ours = [
        scores(repository, ["smollm2-lora-seed-1"], place, metric)
        for place, metric in (
            *((place, metric) for place in PLACES[:2] for metric in ("exact", "bleu")),
            (PLACES[1], "partial"),
            *((place, "exact") for place in PLACES[2:]),
        )
    ]
    assert rows["SmolLM2-135M, LoRA"] == ours


def test_two_partial_matches(repository: Path, appendix: str) -> None:
    """How often they agree, by how much more than by chance, and what both give."""
    rows = raw(repository, "partial-agreement")
    told = rows_below(appendix, "outputs")
    for line, sample in zip(told, ("any", "no exact match"), strict=True):
        cells = []
        for model in ("released", "paper-lstm"):
            said = Counter[tuple[str, str]]()
            for row in rows:
                if (row["model"], row["sample"]) == (model, sample):
                    said[row["partial"], row["partial_ginza"]] += int(row["n"])
            n, same = said.total(), said["1", "1"] + said["0", "0"]
            ours, ginza = (said["1", "1"] + said[only] for only in (("1", "0"), ("0", "1")))
            chance = (ours * ginza + (n - ours) * (n - ginza)) / n**2
            kappa = f"{(same / n - chance) / (1 - chance):.3f}".removeprefix("0")
            both = f"{100 * ours / n:.1f} and {100 * ginza / n:.1f}"
            cells += [f"{same} of {n}", kappa, both]
        assert line[1:] == cells
