"""docs/results: what its pages say of the papers is what the raw files beside them say."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from operator import mul
from pathlib import Path
from statistics import mean, stdev

import pytest

from recombine.builders.recipe import read_recipe, recipe_names
from recombine.report.tables.published import COGNITION, DBCA, SGET, lookup

TRANSFORMERS = [f"transformer-256-seed-{seed}" for seed in (1, 2, 3, 4, 5)]

DBCA_RECIPES = ("dbca-min", "dbca-random", "dbca-max")

Key = tuple[str, str, str, str]
Scores = dict[str, dict[Key, float]]


@pytest.fixture(scope="module")
def scores(repository: Path) -> Scores:
    """Every raw score of the plain models of the corrected edition."""
    found = {}
    for name in TRANSFORMERS:
        path = repository / "docs" / "results" / "sget" / f"{name}.csv"
        with path.open(encoding="utf-8", newline="") as lines:
            found[name] = {
                (row["split"], row["tag"], row["value"], row["metric"]): float(row["score"])
                for row in csv.DictReader(lines)
            }
    return found


def page(repository: Path, name: str) -> str:
    """Return a page of results and, where there is one, its appendix."""
    paths = (repository / "docs" / "results" / f"{one}.md" for one in (name, f"{name}-appendix"))
    return "\n".join(path.read_text(encoding="utf-8") for path in paths if path.is_file())


def table(repository: Path, heading: str, name: str) -> list[list[str]]:
    """Return the cells below the first row of a page that begins so."""
    text = page(repository, name)
    rows = text.split(f"\n| {heading} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_divergent_results_of_the_paper(repository: Path) -> None:
    """chrF2++ and BLEU of the authors' models, printed or released."""
    names = {"minimal": "de min", "random": "de random", "maximal": "de max"}
    for row in table(repository, "split | D_A", "dbca-appendix")[:3]:
        for cell, metric in zip(row[-2:], ("chrf++", "bleu"), strict=True):
            found = lookup(DBCA, system="Transformer", metric=metric, value=names[row[0]])
            assert cell == f"{found:.1f}", row


def test_compounds_of_the_paper(repository: Path) -> None:
    """Table 6 as people judged it."""
    text = page(repository, "cognition-appendix")
    row = next(line for line in text.splitlines() if line.startswith("| people"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    places = [("gen category", one) for one in ("NP", "VP", "PP")] + [("split", "gen")]
    for cell, (tag, value) in zip(cells[1:], places, strict=True):
        found = [
            lookup(COGNITION, table="6", metric=f"cter-{kind}", tag=tag, value=value)
            for kind in ("instance", "aggregate")
        ]
        assert cell == " / ".join(f"{one:.2f}" for one in found)
        assert f"{lookup(COGNITION, table='6', metric='bleu', tag=tag, value=value)}" in cells[0]


def test_size_of_the_consistency_benchmark(repository: Path) -> None:
    """The how-to gives the number of sentences that the recipe plans."""
    planned = sum(read_recipe("consistency").builder.plan()["splits"].values())
    text = (repository / "docs" / "how-to" / "consistency.md").read_text(encoding="utf-8")
    assert f"sizes of the paper: {planned:,} sentences" in text


@pytest.mark.parametrize("name", [name for name in recipe_names() if name != "consistency"])
def test_recipes_cite_titles_that_exist(repository: Path, name: str) -> None:
    """Every recipe of a paper cites it by its title in CITATION.cff."""
    known = (repository / "CITATION.cff").read_text(encoding="utf-8").lower()
    titles = [line.split('"')[1] for line in known.splitlines() if line.strip().startswith("title")]
    needed = {"sget-release": ["path=x"], **{key: ["corpus=x"] for key in DBCA_RECIPES}}
    citation = read_recipe(name, needed.get(name, [])).head.citation
    assert any(title in citation.lower() for title in titles)


# The pages in short


def test_dbca_in_short(repository: Path) -> None:
    """The small table is the appendix's, and that is the raw files'."""
    folder = repository / "docs" / "results" / "divergent"
    longer = {row[0]: row for row in table(repository, "split | D_A", "dbca-appendix")}
    for row in table(repository, "split | D_A", "dbca"):
        assert row[1:5] == longer[row[0]][1:5]
        assert row[6] == longer[row[0]][6]
        kind = {"minimal": "min", "random": "random", "maximal": "max"}.get(row[0])
        if kind is not None:
            with (folder / f"en-de-{kind}.csv").open(encoding="utf-8", newline="") as lines:
                whole = next(r for r in csv.DictReader(lines) if r["tag"] == "all")
            assert row[3] == f"{float(whole['score']):.1f}"
            assert row[4] == f"{float(whole['ci_low']):.1f} to {float(whole['ci_high']):.1f}"


def test_cognition_in_short(repository: Path) -> None:
    """The small table is the appendix's; of Europarl it is the report's own table."""
    rows = table(repository, "instance / aggregate CTER", "cognition-appendix")
    longer = {row[0].split(" (")[0]: row for row in rows}
    short = table(repository, "CTER, instance / aggregate", "cognition")
    for row, name in zip(
        short, ("people", "the published tool", '`mode = "official"`', "default"), strict=False
    ):
        assert row[1:] == longer[name][1:], name
    path = repository / "docs" / "results" / "compounds" / "europarl-en-de-table-6.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        six = list(csv.DictReader(lines))
    found = {
        system: [
            (f"{float(row['instance CTER']):.1f}", f"{float(row['aggregate CTER']):.1f}")
            for row in six
            if row["split"] == "gen" and row["system"] == system
        ]
        for system in ("plain", "substituted")
    }
    assert short[4][1:] == [" / ".join(cell) for cell in found["plain"]]
    bleus = {row["split"]: row["BLEU"] for row in six if row["system"] == "plain" and row["BLEU"]}
    context, held_out = float(bleus["train (context)"]), float(bleus["test"])
    said = f"{context:.1f} on the training sentences that lend their contexts and {held_out:.1f}"
    assert said in " ".join(page(repository, "cognition").split())
    rows = table(repository, "split", "cognition-appendix")
    assert [row[3] for row in rows[:2]] == [f"{context:.1f}", f"{held_out:.1f}"]
    for row, *cells in zip(rows[2:], *found.values(), strict=True):
        assert [(row[1], row[2]), (row[4], row[5])] == cells, row[0]
    # Errors of the compounds in the raw file, of which the table is the mean.
    with path.with_name("europarl-en-de-novel.csv").open(encoding="utf-8", newline="") as lines:
        raw = list(csv.DictReader(lines))
    for name, cells in found.items():
        seeds = [column for column in raw[0] if column.startswith(f"{name}-")]
        assert len(seeds) == {"plain": 3, "substituted": 2}[name]
        failed = [[int(row[seed]) for seed in seeds] for row in raw]
        once = mean(mean(one > 0 for one in both) for both in failed)
        assert cells[-1] == (f"{20 * mean(map(mean, failed)):.1f}", f"{100 * once:.1f}")
    # The caption of the figure: where our judge is nearer to the people than the published tool.
    people, tool, ours = (
        [[float(one) for one in cell.split(" / ")] for cell in short[row][1:]] for row in (0, 1, 3)
    )
    nearer = [
        sum(abs(a - b) for a, b in zip(mine, true, strict=True))
        < sum(abs(a - b) for a, b in zip(theirs, true, strict=True))
        for mine, theirs, true in zip(ours, tool, people, strict=True)
    ]
    assert nearer == [True, False, True, True], "NP, VP, PP, all"
    assert "but for verb phrases (VP)" in page(repository, "cognition")


def test_german_models_over_training(repository: Path) -> None:
    """The last checkpoints of the German models are those of the raw file."""
    folder = repository / "docs" / "results" / "consistency"
    with (folder / "en-de-training-systematicity.csv").open(encoding="utf-8", newline="") as lines:
        last = {
            (row["data"], row["condition"]): [
                f"{float(row[f'size-{size}']):.1f}" for size in ("020k", "065k", "157k")
            ]
            for row in csv.DictReader(lines)
            if row["step"] == "1600"
        }
    places = [
        ("synthetic", "np"), ("semi-natural", "np"), ("synthetic", "s1p"), ("natural", "s1p"),
    ]  # fmt: skip
    rows = table(repository, "at the last checkpoint", "paradox")
    for row, place in zip(rows, places, strict=False):
        assert row[1:] == last[place], place


def test_words_of_the_tests_in_training(repository: Path) -> None:
    """How many pairs have a word that a text lacks, and the paper's own counts of terms."""
    folder = repository / "docs" / "results" / "consistency"
    found: dict[tuple[str, str], tuple[int, int, int]] = {}
    for name in ("words-in-training", "words-in-training-paper"):
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                never, few = int(row["never"]), int(row["1 to 9"])
                found[row["training pairs"], row["what"]] = int(row["of"]), never, never + few
                assert sum(map(int, list(row.values())[3:])) == int(row["of"])
    places = [
        "synthetic np", "semi-natural np", "synthetic s1p", "semi-natural s1p", "natural s1p",
        "synonyms", "idioms",
    ]  # fmt: skip
    for row, place in zip(
        table(repository, "rarest word of a pair", "paradox"), places, strict=True
    ):
        expected = []
        for size in ("157000", "792980"):
            whole, *parts = found[size, place]
            expected += [f"{100 * part / whole:.0f}%" for part in parts]
        assert row[1:] == expected, place
    (terms, none, few), (idioms, nought, some) = (
        found["1072851", what] for what in ("synonyms", "idioms")
    )
    assert none == nought == 0
    text = " ".join(page(repository, "paradox").split())
    assert f"all {terms} synonym terms and all {idioms} idioms, {terms - few} and" in text
    assert f"and {idioms - some} of them ten times and more" in text
    (terms, none, few), (idioms, nought, some) = (
        found["792980", what] for what in ("synonyms", "idioms")
    )
    held = f"hold {terms - none} and {idioms - nought}, {terms - few} and {idioms - some} of them"
    assert held in text


def test_further_splits(repository: Path) -> None:
    """What is said of further splits and of the fixed train set is in the file."""
    folder = repository / "docs" / "results" / "divergent"
    text = " ".join(page(repository, "dbca-appendix").split())
    ranges: dict[str, list[tuple[float, float]]] = {}
    with (folder / "splits.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            ranges.setdefault(row["split"], []).append((float(row["D_A"]), float(row["D_C"])))
    assert len(ranges["min"]) == len(ranges["random"]) == len(ranges["max"]) == 3

    def between(split: str, place: int, digits: int) -> str:
        values = sorted({f"{one[place]:.{digits}f}".lstrip("0") for one in ranges[split]})
        return " to ".join((values[0], values[-1])[: len(values)])

    assert f"minimal splits have D_C {between('min', 1, 3)} at D_A {between('min', 0, 4)}" in text
    assert f"random ones {between('random', 1, 3)} at {between('random', 0, 4)}" in text
    assert f"maximal ones {between('max', 1, 3)} at {between('max', 0, 4)}" in text
    for kind, said in (("max", "D_C is {} at D_A {}"), ("min", "for c = 0 {} at {}")):
        name = f"{kind} for a fixed train"
        assert said.format(between(name, 1, 4), between(name, 0, 4)) in text


def test_random_splits_with_sums_of_eight_bits(repository: Path) -> None:
    """The printed D_A of random splits is that of overflown sums; the draws' means are said."""
    path = repository / "docs" / "results" / "divergent" / "random-splits.csv"
    drawn: dict[tuple[str, str, int], list[float]] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            for metric in ("D_A", "D_C"):
                key = metric, row["sums"], int(row["test"])
                drawn.setdefault(key, []).append(float(row[metric]))
    sizes = {3_000: "3k", 10_000: "10k", 30_000: "30k"}
    found = {}
    for name, *cells in table(repository, "random split", "dbca-appendix"):
        metric, _, kind = name.partition(", ")
        expected = [
            lookup(DBCA, table="2", metric=metric, row=f"Europarl random split {sizes[size]}")
            if kind == "paper"
            else mean(drawn[metric, "eight bits" if kind else "whole", size])
            for size in sizes
        ]
        digits = 2 if kind == "paper" else 3
        assert cells == [f"{one:.{digits}f}".removeprefix("0") for one in expected], name
        found[name] = expected
    both = zip(found["D_A, sums of eight bits"], found["D_A, paper"], strict=True)
    assert all(abs(ours - theirs) < 0.01 for ours, theirs in both)
    assert found["D_A"][-1] < found["D_A, paper"][-1] / 20


def test_splits_with_exchanged_words(repository: Path) -> None:
    """Every score is in the raw file, the ratios follow, and no gain is claimed."""
    path = repository / "docs" / "results" / "divergent" / "en-de-substituted.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    found = {
        (row["split"], row["split seed"], row["system"], row["seed"]): float(row["chrf++"])
        for row in rows
    }
    short = {"minimal": "min", "maximal": "max"}
    means = {}
    for name, _, one, two, middle, interval in table(repository, "chrF2++", "dbca"):
        kind, system = name.replace("*", "").split(", ")
        seeds = [
            [found[short[split], "1", system, seed] for seed in ("1", "2")]
            for split in kind.split(" / ")
        ]
        values = seeds[0] if len(seeds) == 1 else [a / b for a, b in zip(*seeds, strict=True)]
        digits = 1 if len(seeds) == 1 else 3
        assert [one, two] == [f"{value:.{digits}f}" for value in values], name
        assert middle.strip("*") == f"{mean(values):.{digits}f}", name
        low, high = map(float, interval.split(" to "))
        assert low <= mean(values) <= high, name
        means[kind, system] = mean(values)
    text = " ".join(page(repository, "dbca").split())
    for kind, ends in (("maximal", "(-0.42 to -0.18)"), ("minimal", "(-0.25 to 0.01)")):
        less = means[kind, "substituted"] - means[kind, "plain"]
        assert f"{less:.2f} {ends} on the {kind}" in text
    assert means["maximal / minimal", "substituted"] < means["maximal / minimal", "plain"]
    *_, maximal, ratio = table(repository, "English to German, Europarl", "recombination")
    for row, kind, digits in ((maximal, "maximal", 1), (ratio, "maximal / minimal", 3)):
        both = [f"{means[kind, system]:.{digits}f}" for system in ("plain", "substituted")]
        assert row[1:3] == [one.removeprefix("0") for one in both], kind


def test_ratios_of_splits(repository: Path) -> None:
    """Each ratio is that of the raw scores; its interval adds up those of the two."""
    folder = repository / "docs" / "results" / "divergent"
    scored: dict[tuple[str, str], tuple[float, float]] = {}
    kinds = ("min", "random", "max")
    for kind in kinds:
        with (folder / f"en-de-{kind}.csv").open(encoding="utf-8", newline="") as lines:
            whole = next(row for row in csv.DictReader(lines) if row["tag"] == "all")
        width = float(whole["ci_high"]) - float(whole["ci_low"])
        scored["first", kind] = float(whole["score"]), width
        for language in ("de", "fr"):
            theirs = lookup(DBCA, table="Figure 2", metric="chrf++", value=f"{language} {kind}")
            scored[f"paper {language}", kind] = theirs, 0.0
    with (folder / "en-de-substituted.csv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["system"] == "plain"]
    for kind in ("min", "max"):
        same = [row for row in rows if row["split"] == kind]
        widths = (float(row["high"]) - float(row["low"]) for row in same)
        scored["smaller", kind] = mean(float(row["chrf++"]) for row in same), mean(widths)
    text = " ".join(page(repository, "dbca").split())
    with (folder / "other-splits.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            score, low, high = (float(row[key]) for key in ("chrf++", "low", "high"))
            scored[f"{row['language']} {row['split seed']}", row["split"]] = score, high - low
            assert f" {score:.1f} ({low:.1f} to {high:.1f}" in text, row
    scored["de 2", "random"] = scored["de 1", "random"]  # no random split of its own
    pairs = [("max", "min"), ("random", "min"), ("max", "random")]
    names = ("first", "smaller", "de 2", "de 3", "mean", "paper de", "fr 1", "paper fr")
    for row, name in zip(table(repository, "models", "dbca"), names, strict=True):
        for cell, pair in zip(row[1:], pairs, strict=True):
            if name == "mean":
                own = ("first", "de 3") if "random" in pair else ("first", "de 2", "de 3")
                seeds = [scored[n, pair[0]][0] / scored[n, pair[1]][0] for n in own]
                said = f"({min(seeds):.3f} to {max(seeds):.3f})"
                if len(seeds) == 3:  # Student's t, two degrees of freedom
                    said = f"± {4.303 * stdev(seeds) / 3**0.5:.3f}"
                assert cell == f"{mean(seeds):.3f} {said}", pair
            elif any((name, kind) not in scored for kind in pair):
                assert cell == "-"
            else:
                (above, wide), (below, broad) = (scored[name, kind] for kind in pair)
                around = above / below * ((wide / above) ** 2 + (broad / below) ** 2) ** 0.5 / 2
                said = f"{above / below:.3f}" + ("" if "paper" in name else f" ± {around:.3f}")
                assert cell == said, (name, pair)


def test_the_floor_of_the_judge_on_natural_text(repository: Path) -> None:
    """What was read, and what cutting closed compounds changes."""
    folder = repository / "docs" / "results" / "compounds"
    with (folder / "read-references.tsv").open(encoding="utf-8", newline="") as lines:
        read = Counter(row["read as"] for row in csv.DictReader(lines, delimiter="\t"))
    rows = table(repository, "what it is", "cognition-appendix")
    assert {row[0]: int(row[1]) for row in rows} == read
    with (folder / "europarl-en-de-floor.csv").open(encoding="utf-8", newline="") as lines:
        plain, closed = csv.DictReader(lines)
    text = " ".join(page(repository, "cognition-appendix").split())
    shares = [100 * int(row["rejected"]) / int(row["references"]) for row in (plain, closed)]
    assert (
        f"rejects {shares[0]:.1f}% ({int(plain['rejected']):,} of {int(plain['references']):,}"
        in text
    )
    assert f"a word missing in {int(plain['missing']):,}, torn apart {plain['detached']}" in text
    assert f"overlapping {plain['overlapping']}, misplaced {plain['misplaced']})" in text
    assert f"the floor is {shares[1]:.1f}%" in text
    assert int(plain["rejected"]) - int(closed["rejected"]) == 207 - 8


def test_seen_and_novel_compounds(repository: Path) -> None:
    """Errors by how often training shows a compound, and what exchanging words changes."""
    path = repository / "docs" / "results" / "compounds" / "europarl-en-de-seen.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    models = ["plain-1", "plain-2", "plain-3", "substituted-1", "substituted-2"]

    def shown(row: dict[str, str]) -> str:
        count = int(row["in train"])
        return "never" if not count else "1 to 10 times" if count < 11 else "more often"

    def errors(chosen: Sequence[dict[str, str]]) -> list[float]:
        return [100 * sum(int(r[m]) for r in chosen) / (5 * len(chosen)) for m in models]

    for name, count, *cells, _ in table(repository, "in training", "cognition"):
        chosen = [row for row in rows if shown(row) == name]
        if "DET ADJ N" in name:
            chosen = [row for row in rows if row["pattern"] == "DET ADJ N"]
            chosen = [row for row in chosen if (shown(row) == "never") == name.endswith("never")]
        assert int(count) == len(chosen), name
        *plain, one, two = errors(chosen)
        expected = mean(plain), mean((one, two)), mean((one, two)) - mean(plain[:2])
        for cell, value in zip(cells, expected, strict=True):
            middle, low, high = map(float, cell.translate(str.maketrans("[],", "   ")).split())
            assert abs(middle - value) <= 0.051, name
            assert low <= middle <= high, name
    for name, count, *cells in table(repository, "errors by seed", "cognition-appendix"):
        key = name.removesuffix(" in training")
        chosen = [row for row in rows if name == "all" or key in (row["category"], shown(row))]
        assert int(count) == len(chosen), name
        assert ", ".join(cells) == ", ".join(f"{one:.1f}" for one in errors(chosen)), name
    new = errors([row for row in rows if shown(row) == "never"])
    short = table(repository, "English to German, Europarl", "recombination")[0]
    assert short[1:3] == [f"{mean(new[:2]):.1f}%", f"{mean(new[3:]):.1f}%"]
    every = errors(rows)
    less = 100 * (1 - sum(every[3:]) / sum(every[:2]))
    text = " ".join(page(repository, "cognition").split())
    assert f"takes {less:.0f}% off the" in text
    often, rare = (
        errors([r for r in rows if shown(r) == k]) for k in ("more often", "1 to 10 times")
    )
    assert f"three models: {mean(often[:3]):.1f}% of the sentences with a compound" in text
    assert f"often fail, {mean(rare[:3]):.1f}% where it is rare, {mean(new[:3]):.1f}% where" in text
    with path.with_stem(f"{path.stem}-comparison").open(encoding="utf-8", newline="") as lines:
        found = next(csv.DictReader(lines))
    low, high = float(found["low"]), float(found["high"])
    assert f"{low:.1f} to {high:.1f} over seeds and compounds, p {found['p (Holm)'][1:4]}" in text
    with path.with_stem(f"{path.stem}-cooccurrence").open(encoding="utf-8", newline="") as lines:
        by_sign = {
            row["value"]: float(row["error %"])
            for row in csv.DictReader(lines)
            if row["system"] == "plain"
        }
    for count, name in ((3, "three atoms"), (4, "four")):
        cells = by_sign[f"{count} atoms, positive"], by_sign[f"{count} atoms, negative"]
        said = "{:.1f} where it is positive against {:.1f} where negative with {}"
        said = said if count == 3 else "{:.1f} against {:.1f} with {}"
        assert said.format(*cells, name) in text
    with path.with_stem(f"{path.stem}-regression").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["factor"].startswith(("co-occurrence", "rarest")):
                odds = [float(row[key]) for key in ("odds ratio", "low", "high")]
                assert f"{odds[0]:.2f}, {odds[1]:.2f} to {odds[2]:.2f}" in text


def test_novel_compounds_plain_and_substituted(repository: Path) -> None:
    """Where exchanging words helps, and where it harms, as the raw counts say."""
    path = repository / "docs" / "results" / "compounds" / "europarl-en-de-novel.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    models = ["plain-1", "plain-2", "plain-3", "substituted-1", "substituted-2"]
    means = {}
    for name, count, *cells, interval in table(repository, "novel, by seed", "cognition-appendix"):
        chosen = [row for row in rows if name in ("all", row["category"])]
        assert int(count) == len(chosen), name
        found = [100 * sum(int(r[m]) for r in chosen) / (5 * len(chosen)) for m in models]
        assert ", ".join(cells) == ", ".join(f"{one:.1f}" for one in found), name
        means[name] = mean(found[:2]), mean(found[3:])
        middle = means[name][1] - means[name][0]
        assert abs(float(interval.split()[0]) - middle) <= 0.051, name
    plain, substituted = means["all"]
    short = table(repository, "English to German, Europarl", "recombination")[1]
    assert short[1:3] == [f"{plain:.1f}%", f"{substituted:.1f}%"]
    text = " ".join(page(repository, "cognition").split())
    assert f"{plain:.1f}% fail plain and {substituted:.1f}% substituted" in text
    assert f"{100 * (1 - substituted / plain):.0f}% less where we aimed at a quarter" in text
    assert f"noun phrases lose {means['NP'][1] - means['NP'][0]:.1f} points" in text
    with path.with_stem(f"{path.stem}-adjectives").open(encoding="utf-8", newline="") as lines:
        adjectives = {
            f"{row['category']} *{row['adjective']}*": row for row in csv.DictReader(lines)
        }
    for name, train, drawn, *cells in table(repository, "adjective missing", "cognition-appendix"):
        row = adjectives[name]
        assert (train, drawn) == (row["in train"], row["drawn"]), name
        own = (row[model] for model in models if model != "plain-3")  # seeds that have a pair
        assert ", ".join(cells) == ", ".join(own), name


def test_recombined_pairs_beside_plain_and_llama(repository: Path, scores: Scores) -> None:
    """Every cell of the page on recombined pairs is in a raw file or printed in the paper."""
    found = []
    names = [f"recombined-256-{n}" for n in ("seed-1", "seed-2", "seed-3", "other-build-seed-1")]
    for name in (*names, "grammar-256-seed-1"):
        path = repository / "docs" / "results" / "sget" / f"{name}.csv"
        with path.open(encoding="utf-8", newline="") as lines:
            found.append(
                {
                    (row["split"], row["tag"], row["value"], row["metric"]): float(row["score"])
                    for row in csv.DictReader(lines)
                }
            )
    rows = table(repository, "exact match", "recombination")
    patterns = list(read_recipe("sget").builder.split["gen"])
    assert [row[0] for row in rows] == ["test", "gen", *patterns]
    for name, *cells in rows:
        whole = name in ("test", "gen")
        key = (name, "all", "all", "exact") if whole else ("gen", "pattern", name, "exact")
        plain = mean(scores[model][key] for model in TRANSFORMERS)
        llama = lookup(
            SGET, table="2" if whole else "10", system="Llama 2", metric="exact", value=name
        )
        *recombined, grammar = (f"{scores_of[key]:.1f}" for scores_of in found)
        assert cells == [f"{plain:.1f}", *recombined, f"{llama:.1f}", grammar], name
        if not whole:
            assert min(scores_of[key] for scores_of in found[:4]) >= max(51, plain), name
    gen = [scores_of["gen", "all", "all", "exact"] for scores_of in found]
    *sorted_errors, every = (
        [int(cell.replace(",", "")) for cell in row[1:3]]
        for row in table(repository, "what goes wrong | build 1 | build 3", "recombination")
    )
    assert every == [sum(column) for column in zip(*sorted_errors, strict=True)]
    assert every == [round(76_000 * (1 - gen[n] / 100)) for n in (0, 3)]
    text = " ".join(page(repository, "recombination").split())
    assert (
        f"{mean(gen[:3]):.1f} ± {stdev(gen[:3]):.1f} on gen (three seeds), and {gen[3]:.1f} on"
        in text
    )


def test_recombined_pairs_in_short(repository: Path) -> None:
    """The small table is of the raw files: means of seeds, the lowest, and how many are low."""
    patterns = list(read_recipe("sget").builder.split["gen"])
    models = [
        [raw_scores(repository, name) for name in names]
        for names in (
            TRANSFORMERS,
            [f"recombined-256-seed-{seed}" for seed in (1, 2, 3)],
            ["recombined-256-other-build-seed-1"],
            ["grammar-256-seed-1"],
        )
    ]
    columns = []
    for seeds in models:
        whole = [[one[split, "all"][0] for one in seeds] for split in ("test", "gen")]
        own = [mean(one["gen", pattern][0] for one in seeds) for pattern in patterns]
        ends = [f" ± {stdev(values):.1f}" if len(values) == 3 else "" for values in whole]
        cells = [f"{mean(values):.1f}{end}" for values, end in zip(whole, ends, strict=True)]
        columns.append([*cells, f"{min(own):.1f}", str(sum(one < 80 for one in own))])
    llama = [
        lookup(SGET, table=number, system="Llama 2", metric="exact", value=value)
        for number, value in [("2", "test"), ("2", "gen"), *(("10", one) for one in patterns)]
    ]
    low = str(sum(one < 80 for one in llama[2:]))
    columns.insert(3, [*(f"{one:.1f}" for one in (*llama[:2], min(llama[2:]))), low])
    rows = table(repository, "exact match, all models", "recombination")
    assert [row[1:] for row in rows] == [list(row) for row in zip(*columns, strict=True)]


def raw_scores(repository: Path, name: str) -> dict[tuple[str, str], tuple[float, int]]:
    """Return scores and sizes of a model on splits and patterns."""
    path = repository / "docs" / "results" / "sget" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        return {
            (row["split"], row["value"]): (float(row["score"]), int(row["n"]))
            for row in csv.DictReader(lines)
            if row["metric"] in ("exact", "meaning")
        }


def categories(repository: Path, name: str) -> dict[str, str]:
    """Return a model's scores on test, gen and each category: means over sentences of patterns."""
    scores_of = raw_scores(repository, name)
    patterns = read_recipe("sget").builder.split["gen"]
    keys = {
        **{split: [(split, "all")] for split in ("test", "gen") if (split, "all") in scores_of},
        **{
            part.category: [("gen", n) for n, p in patterns.items() if p.category == part.category]
            for part in patterns.values()
        },
    }
    return {
        label: f"{sum(mul(*scores_of[k]) for k in own) / sum(scores_of[k][1] for k in own):.1f}"
        for label, own in keys.items()
    }


def test_what_each_step_of_recombination_brings(repository: Path) -> None:
    """Rows of the ablations are in raw files, and so is what the text says of single patterns."""
    rows = table(repository, "exact match on gen, 4,000 steps", "recombination")
    names = ("full", "no-analogies", "flat", "frequent", "no-paradigms", "words", "places", "plain")
    found = {name: categories(repository, f"ablation-256-{name}-seed-1") for name in names}
    assert [row[1:] for row in rows] == [list(found[name].values()) for name in names]
    text = " ".join(page(repository, "recombination").split())
    raw = {n: raw_scores(repository, f"ablation-256-{n}-seed-1") for n in names}
    brought = {n: raw["full"]["gen", "all"][0] - raw[n]["gen", "all"][0] for n in names}
    assert (
        f"Forms bring {brought['no-paradigms']:.1f} points (with the sentence analogies that rest "
        f"on them), depth {brought['flat']:.1f}, sentence analogies "
        f"{brought['no-analogies']:.1f}, even sampling {brought['frequent']:.1f}" in text
    )
    assert all(score >= raw["plain"][key][0] for key, (score, _) in raw["full"].items())


def test_what_else_was_tried(repository: Path) -> None:
    """Every row is of the raw file: how many seeds, means and deviations."""
    path = repository / "docs" / "results" / "sget" / "recombined-tries.csv"
    tried: dict[str, list[dict[str, str]]] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            tried.setdefault(row["tried"], []).append(row)
    expected = sorted(
        [
            str(len(own)),
            *(
                f"{mean(float(row[split]) for row in own):.1f} ± "
                f"{stdev(float(row[split]) for row in own):.1f}"
                for split in ("test", "gen")
            ),
        ]
        for own in tried.values()
    )
    rows = table(repository, "tried, small", "recombination")
    assert sorted(row[1:4] for row in rows) == expected
    held: dict[str, list[float]] = {}
    with path.with_name("recombined-tries-held-out.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            held.setdefault(row["tried"], []).append(float(row["held_out"]))
    rows = table(repository, "tried, small, held out from training", "recombination")
    assert [row[1:] for row in rows] == [
        [str(len(own)), f"{mean(own):.1f} ± {stdev(own):.1f}"] for own in held.values()
    ]
    assert min(held["positions = rope"]) > max(held["as it is (relative)"])


def test_recombined_pairs_into_spanish(repository: Path) -> None:
    """The categories of the Spanish table are means over the sentences of their patterns."""
    found = [
        categories(repository, f"es-{name}-256-seed-1")
        for name in ("plain", "recombined", "grammar")
    ]
    for name, *cells in table(repository, "exact match, English to Spanish", "recombination"):
        assert cells == [scores_of[name] for scores_of in found], name
    plain, recombined, grammar = (float(scores_of["gen"]) for scores_of in found)
    text = " ".join(page(repository, "recombination").split())
    assert f"gains {recombined - plain:.1f} of the {grammar - plain:.1f} points" in text
    before, now = (raw_scores(repository, f"es-{n}-256-seed-1") for n in ("plain", "recombined"))
    below = {key[1] for key, (score, _) in now.items() if score < before[key][0]}
    low = {key[1] for key, (score, _) in now.items() if score < 50}
    assert f"{len(low)} of 42 patterns are below 50, and {len(below)} below plain" in text
    worse, _, lowest = text.split("Six patterns are below plain: ")[1].partition("Twelve are")
    for pattern in below:
        assert f"*{pattern}*" in worse
    for pattern in low - below:
        assert f"*{pattern}* ({now['gen', pattern][0]:.1f})" in lowest


def test_recombined_pairs_from_japanese(repository: Path) -> None:
    """The cells are means of two seeds, and what recombined pairs gain is said in numbers."""
    found = [
        [categories(repository, f"ja-en-{name}-256-seed-{seed}{end}") for seed in (1, 2)]
        for end in ("", "-meaning")
        for name in ("plain", "recombined", "grammar")
    ]
    heading = "Japanese to English, means of two seeds"
    for name, *cells in table(repository, heading, "recombination"):
        for cell, seeds in zip(cells, found, strict=True):
            assert abs(float(cell) - mean(float(one[name]) for one in seeds)) <= 0.101, name
    gen = [
        mean(
            raw_scores(repository, f"ja-en-{name}-256-seed-{seed}{end}")["gen", "all"][0]
            for seed in (1, 2)
        )
        for end in ("", "-meaning")
        for name in ("plain", "recombined", "grammar")
    ]
    text = " ".join(page(repository, "recombination").split())
    for plain, recombined, grammar in (gen[:3], gen[3:]):
        assert f"{recombined - plain:.1f} of {grammar - plain:.1f}" in text


def test_recombined_pairs_that_were_read(repository: Path) -> None:
    """The table on the pairs that were read counts the rows of the raw file."""
    path = repository / "docs" / "results" / "sget" / "recombined-pairs-read.tsv"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    read = Counter(row["read as"] for row in rows)
    assert {row[0]: int(row[1]) for row in table(repository, "read as", "recombination")} == read
    unparsed = [row["read as"] == "right" for row in rows if row["grammar"] == "no parse"]
    text = " ".join(page(repository, "recombination").split())
    assert f"{sum(unparsed)} of the {len(unparsed)} sources that do not parse are right" in text
    assert sum(row["grammar"] != "right" for row in rows) == 21
