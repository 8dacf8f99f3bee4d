"""Report parts of consistency runs, from a run on disk."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from recombine.builders.recipe import build
from recombine.experiment.experiment import read_experiment
from recombine.experiment.scoring import score_run
from recombine.experiment.translating import translate
from recombine.methods.consistency.tables import (
    consistency_tables,
    window_table,
)
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.page.examples import pack_examples
from recombine.report.page.first_screen import verdict_section
from recombine.report.reading.runs import ReportRuns, open_runs
from recombine.report.tables.published import PARADOX, PublishedSetting
from recombine.report.tables.table import markdown
from report.synthetic import unpack

SYSTEM = '''
"""A system that loses the verb after the queen."""
import re
from dataclasses import dataclass


@dataclass(kw_only=True)
class Forgetful:
    def translate(self, sources):
        for source in sources:
            words = re.findall(r"[\\w'-]+|[^\\w\\s]", source.lower())
            if "queen" in words and len(words) > 3:
                words = [word for word in words if not word.endswith("s")]
            yield " ".join(f"x{word}" for word in words)
'''


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> ReportRuns:
    """A scored run of a small benchmark."""
    folder = tmp_path_factory.mktemp("report")
    build(
        "consistency",
        folder / "bench",
        overrides=(
            "sentences=0", "pairs=40", "triples=10", "synonym_samples=2", "idiom_samples=2",
            "context_samples=2", "repeats=10", "benchmark.target=xx",
        ),
    )  # fmt: skip
    (folder / "forgetful.py").write_text(SYSTEM, encoding="utf-8")
    experiment = folder / "experiment.toml"
    experiment.write_text(
        f'benchmark = "{folder / "bench"}"\nrun = "{folder / "run"}"\n'
        f'[system.forgetful]\nuse = "{folder / "forgetful.py"}:Forgetful"\n',
        encoding="utf-8",
    )
    read = read_experiment(experiment, trust=True)
    translate(read)
    score_run(read)
    return open_runs([folder / "run"])


def test_tables_of_the_paper(source: ReportRuns) -> None:
    """Tables 4, 6 and 8, the templates of figure 1, and the notes beside the scores."""
    tables = {table.name: table for table in consistency_tables(source)}
    assert set(tables) == {
        "table-4-systematicity",
        "figure-1-templates",
        "table-6-synonyms",
        "table-8-idioms-overgeneralisation",
        "table-8-idioms-context",
        "consistency-window",
        "consistency-notes",
        "table-5-tested-synonyms",
        "table-7-tested-idioms",
    }
    four = {row[1]: row for row in tables["table-4-systematicity"].rows}
    assert set(four) == {"np", "vp", "s1p", "s3"}
    assert four["np"][2] == 400
    assert four["s1p"][4:] == ()
    assert len(tables["figure-1-templates"].rows) == 40
    six, eight = tables["table-6-synonyms"], tables["table-8-idioms-overgeneralisation"]
    assert [len(table.rows) for table in (six, eight)] == [21, 21]
    assert {row[0] for table in (six, eight) for row in table.rows[20:]} == {"all"}
    assert not any("(paper)" in name for table in tables.values() for name in table.columns)
    assert (
        len(tables["table-5-tested-synonyms"].rows)
        == len(tables["table-7-tested-idioms"].rows)
        == 20
    )
    assert "forgetful" in markdown(tables["consistency-notes"])


def test_printed_and_released_numbers_are_told_apart(
    source: ReportRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the released tests the paper's Transformers stand beside ours, each number as printed."""
    setting = PublishedSetting(PARADOX, (), ("Transformer",))
    monkeypatch.setattr("recombine.methods.consistency.tables.published_setting", lambda _: setting)
    tables = {table.name: table for table in consistency_tables(source)}
    four = {row[1]: row for row in tables["table-4-systematicity"].rows}
    assert tables["table-4-systematicity"].columns[4:] == (
        "small (paper)", "medium (paper)", "full (paper)",
    )  # fmt: skip
    assert four["s1p"][4:] == (81, 90, 92)
    one = tables["figure-1-templates"]
    assert one.columns[-4:] == (
        "mean of sizes (paper)", "small (released)", "medium (released)", "full (released)",
    )  # fmt: skip
    rows = {row[:3]: row[-4:] for row in one.rows}
    assert rows["synthetic", "s1p", "t1"][:2] == (91, 85.0)
    six = tables["table-6-synonyms"]
    assert six.columns[-4:-2] == ("mean of sizes, sentence (paper)", "full, sentence (paper)")
    assert six.rows[0][-4:] == (54, None, 100, None)
    assert six.rows[-1][-4:] == (None, 76, None, 92)
    eight = tables["table-8-idioms-overgeneralisation"]
    assert eight.columns[-2:] == ("full peak (released)", "full end (released)")
    assert eight.rows[-1][-5:] == (None, None, None, 73.2, 15.9)
    while_ = next(row for row in eight.rows if row[0] == "once in a while")
    assert while_[-5:-2] == (98, 99, 97)


def test_the_examples_of_the_page_are_pairs(source: ReportRuns) -> None:
    """A changed sentence comes with the one it was made from, also where there is little room."""
    report = build_report(source, ReportOptions(trials=50))
    for budget in (10_000_000, 60_000):
        packed = pack_examples(report, budget)
        data = unpack(packed.text)
        tests = data["tags"]["split"]
        paired = 0
        for number, other in enumerate(data["partner"]):
            split = tests["values"][tests["codes"][number]]
            if other >= 0:
                assert data["source"][number] != data["source"][other]
                assert data["partner"][other] == -1
                paired += 1
            elif split == "overgeneralisation":
                assert number not in data["partner"]
        assert paired > 20
    assert packed.shown < packed.total


def test_the_first_screen_has_a_card_per_test(source: ReportRuns) -> None:
    """Three tests, each with its question, sentences that show it and a bar."""
    text = verdict_section(build_report(source, ReportOptions(trials=50)))
    assert text.count('<article class="card test">') == 3
    assert text.count('<p class="shown">') == 5
    assert "once in a while</mark>" in text
    first = re.findall(r'<p class="shown">(.*?)</p>', text)[0]
    sources = {one.source for one in source.examples("systematicity").values()}
    assert re.sub("<.*?>", "", first) in sources, "spaced as it is written"


def test_window_sensitivity(source: ReportRuns) -> None:
    """A wider window never lowers the share."""
    row = window_table(source).rows[0]
    shares = [share for share in row[3:] if isinstance(share, float)]
    assert shares == sorted(shares)
    assert row[2] == 784  # 16 of 800 pairs collapsed: they lost the nouns as well


def test_a_sample_is_looked_at_everywhere(source: ReportRuns) -> None:
    """Pairs and windows are of the examples that the report is about, and no others."""
    part = replace(source, sample=60)
    looked_at = part.examples("systematicity")
    assert 0 < len(looked_at) < len(source.examples("systematicity"))
    whole, sampled = (window_table(one).rows for one in (source, part))
    assert sum(row[2] for row in sampled) < sum(row[2] for row in whole)


def test_of_one_system_nothing_is_said_to_be_the_best(source: ReportRuns) -> None:
    """A share of one system is what it is, not "at best"."""
    told, *_ = build_report(source, ReportOptions(), examples=False).headline.sentences
    assert re.match(r"\d+ of 100 pairs are translated alike \(systematicity\);", told)
