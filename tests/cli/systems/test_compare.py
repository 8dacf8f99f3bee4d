"""Outputs of several systems from anywhere, in one line."""

import json

import pytest

from recombine.benchmark import Example
from recombine.cli import main
from report.scored_run import small_benchmark as small_benchmark_of

RIGHT = ["Der König sah eine Königin.", "Ein Hund schlief.", "Die Katze lief."]


@pytest.fixture
def files(tmp_path):
    """Outputs of two systems; one gets one right, the other all."""
    found = []
    for name, texts in (("ours", RIGHT), ("theirs", [RIGHT[0], "?", "?"])):
        path = tmp_path / f"{name}.txt"
        path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
        found.append(str(path))
    return found


def test_files_are_scored_and_tested(small_benchmark, files, capsys):
    """Without a run, an experiment or a report."""
    arguments = ["compare", str(small_benchmark), *files, "--metric", "exact", "--json"]
    assert main(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(row["system"], row["score"][0]) for row in found["scores"]] == [
        ("ours", 100.0),
        ("theirs", pytest.approx(100 / 3)),
    ]
    (difference,) = found["differences"]
    assert (difference["first"], difference["second"]) == ("theirs", "ours")
    assert difference["difference"][0] == pytest.approx(200 / 3)  # the better one's lead
    assert difference["better"] == "undecided"


def test_the_report_is_written_beside(small_benchmark, files, tmp_path, capsys):
    """With --out, under the names that were given."""
    out = tmp_path / "comparison"
    arguments = ["compare", str(small_benchmark), *files, "--metric", "exact", "--names", "a,b"]
    assert main([*arguments, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "test   exact   a       100.0" in printed
    assert "b" in (out / "report.md").read_text(encoding="utf-8")
    assert (out / "report.html").is_file()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--names", "a"], "1 names for 2 files"),
        (["--names", "a,a"], "two systems are called 'a'"),
        (["--names", "a,"], "a system has no name"),
        (["--metric", "partial"], "nothing to score"),
    ],
)
def test_mistakes_are_told(small_benchmark, files, capsys, more, told):
    """Exit code 2, and what is wrong."""
    assert main(["compare", str(small_benchmark), *files, *more]) == 2
    assert told in capsys.readouterr().err


def test_a_missing_file_is_told_before_any_is_scored(small_benchmark, files, capsys, monkeypatch):
    """Scoring may take minutes."""
    monkeypatch.setattr("recombine.evaluation.score", lambda *_, **__: pytest.fail("scored"))
    assert main(["compare", str(small_benchmark), files[0], "nowhere.txt"]) == 2
    assert "no such file: nowhere.txt" in capsys.readouterr().err


def test_a_pattern_has_the_name_that_the_page_gives_it(tmp_path, capsys):
    """It had four names on four surfaces; JSON keeps that of the files."""
    patterns = ("pp_on_subject", "rc_on_subject")
    examples = [
        Example.make(source=f"{at} .", references=(str(at),), tags={"pattern": patterns[at % 2]})
        for at in range(8)
    ]
    benchmark = small_benchmark_of(tmp_path / "b", {"gen": examples})
    lines = {"ours": [str(at) for at in range(8)], "theirs": ["?"] * 8}
    for name, texts in lines.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    paths = [str(tmp_path / f"{name}.txt") for name in lines]
    arguments = ["compare", str(benchmark.path), *paths, "--metric", "exact", "--slices"]
    assert main(arguments) == 0
    assert "place phrase on subject" in capsys.readouterr().out
    assert main([*arguments, "--json"]) == 0
    assert '"value": "pp_on_subject"' in capsys.readouterr().out
