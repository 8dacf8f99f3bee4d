"""The page on runs over divergent splits."""

from __future__ import annotations

import csv
import re

from parsed_corpora import made_up, write_conllu
from recombine.builders.recipe import build
from recombine.experiment.experiment import Experiment
from recombine.experiment.scoring import score_run
from recombine.experiment.translating import translate
from recombine.report import ReportOptions, write_report
from recombine.report.reading.runs import open_runs
from report.divergent_runs import make_runs


def test_a_family_of_runs_has_a_page_of_its_own(tmp_path):
    """Several divergent runs give page, Markdown, CSV, LaTeX and figures; nothing is fetched."""
    runs = make_runs(tmp_path)
    paths = write_report(runs, tmp_path / "out", ReportOptions(trials=50))
    page = paths.html.read_text(encoding="utf-8")
    for words in (
        "How much is lost",
        "Is it the compounds?",
        "Within one test set",
        "<svg",
        "<h2>Sentences</h2>",
        "<del>",
    ):
        assert words in page
    assert "half keeps 4" in page
    assert "Generalisation score: chrF++ on new combinations (max)" in page
    assert "chrF++ by compound divergence" in page
    assert re.search(r"half falls from \d+ at 0\.\d\d? to", page)  # two decimals are enough
    assert "of 100 points of chrF++ when combinations are new" in page
    # What is lost between two splits is not all composition: only a control can say that.
    assert "the price of new combinations" not in page
    assert "Only a control tells the two apart." in page
    assert "://" not in page.replace("http://www.w3.org", "")
    assert "Generalisation score" in paths.markdown.read_text(encoding="utf-8")
    names = {path.name for path in (*paths.tables, *paths.figures)}
    assert {"generalisation-scores.tex", "dose-response.csv", "dose-response-de.pdf"} <= names
    rows = list(csv.DictReader(paths.csv.open(encoding="utf-8")))
    assert {row["kind"] for row in rows} == {"min", "random", "max"}


def test_the_experiments_own_metric_is_the_first(tmp_path):
    """A divergent split is measured by what its experiment asks for first."""
    corpus = write_conllu(tmp_path / "c.conllu", made_up(60, words=30))
    options = [f"corpus={corpus}", "edition=all", "method=random", "benchmark.target=de"]
    build("divergent", tmp_path / "b", overrides=[*options, "train_size=30", "test_size=10"])
    experiment = Experiment(
        benchmark=tmp_path / "b",
        run=tmp_path / "run",
        system={"copy": {"use": "copy"}},
        metrics=("bleu", "chrf++"),
    )
    translate(experiment)
    score_run(experiment)
    assert open_runs([tmp_path / "run"]).metrics("test")[:2] == ("bleu", "chrf++")
