"""Whose code runs: what an experiment file may do, and that a benchmark may do nothing."""

from __future__ import annotations

import json

import pytest

from recombine.benchmark import Benchmark
from recombine.builders.check import check_benchmark
from recombine.builders.recipe import read_recipe
from recombine.cli import main
from recombine.errors import ConfigError
from recombine.experiment.experiment import check_experiment, read_experiment
from recombine.metrics.scoring import score

EVIL = """\
from pathlib import Path
Path({mark!r}).touch()
class System:
    def translate(self, sources):
        yield from sources
class Measure:
    name = "measure"
class Builder:
    def build(self, draft): ...
"""


@pytest.fixture
def stranger(tmp_path, small_benchmark, monkeypatch):
    """An experiment and code that somebody else wrote, and the folder one works in."""
    folder = tmp_path / "downloads"
    folder.mkdir()
    mark = tmp_path / "it-ran"
    (folder / "evil.py").write_text(EVIL.format(mark=str(mark)))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return folder, mark, small_benchmark


def written(folder, benchmark, use, metrics=("exact",)):
    """An experiment file."""
    path = folder / "e.toml"
    path.write_text(
        f'benchmark = "{benchmark}"\nrun = "run"\nmetrics = {json.dumps(list(metrics))}\n'
        f'[system.s]\nuse = "{use}"\n'
    )
    return path


def test_code_from_elsewhere_is_not_run(stranger):
    """Neither as a system nor as a metric, by reading, checking or running."""
    folder, mark, benchmark = stranger
    for use, metric in (
        (f"{folder}/evil.py:System", "exact"),
        ("copy", f"{folder}/evil.py:Measure"),
    ):
        path = written(folder, benchmark, use, [metric])
        with pytest.raises(ConfigError, match="from outside the folder you work in") as refused:
            read_experiment(path)
        assert refused.value.where.line
        assert "--trust" in refused.value.hint
        assert check_experiment(path)
        assert main(["run", str(path)]) == 2
        assert main(["check", str(path)]) == 2
    assert not mark.exists()


def test_trusted_and_own_code_runs(stranger, capsys):
    """With --trust, in the working folder, and where one types it oneself."""
    folder, mark, benchmark = stranger
    path = written(folder, benchmark, f"{folder}/evil.py:System")
    assert main(["translate", str(path), "--trust"]) == 0
    assert mark.exists()
    assert f"imports {folder}/evil.py:System (s)" in capsys.readouterr().err
    plain = written(folder, benchmark, "copy")
    read_experiment(plain, [f'system.s.use="{folder}/evil.py:System"'])
    (folder.parent / "work" / "mine.py").write_text((folder / "evil.py").read_text())
    read_experiment(written(folder, benchmark, "./mine.py:System"))


def test_a_link_out_of_the_working_folder_is_outside(stranger):
    """What counts is where the code lies."""
    folder, mark, benchmark = stranger
    (folder.parent / "work" / "link.py").symlink_to(folder / "evil.py")
    with pytest.raises(ConfigError, match="from outside"):
        read_experiment(written(folder, benchmark, "./link.py:System"))
    assert not mark.exists()


def test_a_recipe_runs_no_builder_from_elsewhere(stranger):
    """A recipe is a file that one is sent, too."""
    folder, mark, _ = stranger
    (folder / "r.toml").write_text(f'builder = "{folder}/evil.py:Builder"\n')
    with pytest.raises(ConfigError, match="from outside"):
        read_recipe(str(folder / "r.toml"))
    assert not mark.exists()
    read_recipe(str(folder / "r.toml"), trust=True)
    assert mark.exists()


def test_a_benchmark_runs_nothing(stranger):
    """Its manifest could name a builder or a metric in a file, and `check` or `score` ran it."""
    folder, mark, path = stranger
    manifest = path / "benchmark.toml"
    text = manifest.read_text(encoding="utf-8")
    text = text.replace('builder = "imported"', f'builder = "{folder}/evil.py:Builder"')
    text = text.replace("metrics = []", f'metrics = ["{folder}/evil.py:Measure"]')
    assert text.count("evil.py") == 2
    manifest.write_text(text, encoding="utf-8")
    benchmark = Benchmark.open(path)
    check_benchmark(benchmark)
    with pytest.raises(ConfigError, match="a benchmark cannot make one run"):
        score(benchmark, {one.id: one.source for one in benchmark.read("test")})
    assert not mark.exists()


def test_a_plan_lists_what_would_run(stranger, capsys):
    """Programs, services and Python files, before anything of it is started."""
    folder, _, benchmark = stranger
    path = folder / "e.toml"
    path.write_text(
        f'benchmark = "{benchmark}"\nmetrics = ["exact"]\n'
        '[system.a]\nuse = "command"\nrun = ["rm", "-rf", "a b"]\n'
        '[system.b]\nuse = "http"\nurl = "https://example.org/t"\nanswer = "text"\n'
    )
    assert main(["run", str(path), "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["outside"] == [
        {"system": "a", "runs": "rm -rf 'a b'"},
        {"system": "b", "asks": "https://example.org/t"},
    ]


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_plan_imports_no_file(stranger, monkeypatch, capsys, as_json):
    """Not even one in the folder one works in, which may be what was unpacked a minute ago."""
    folder, mark, benchmark = stranger
    monkeypatch.chdir(folder)
    written(folder, benchmark, "./evil.py:System", ["./evil.py:Measure"])
    assert main(["run", "e.toml", "--dry-run", *as_json]) == 0
    told = capsys.readouterr()
    assert "./evil.py:System" in told.out
    assert "./evil.py:Measure" in told.out
    assert "--trust" in told.err
    assert not mark.exists()
    main(["run", "e.toml", "--dry-run", "--trust"])
    assert mark.exists()


def test_what_runs_is_said_before_it_runs(stranger, monkeypatch, capsys):
    """An import is a run, too; it used to come first."""
    folder, _, benchmark = stranger
    monkeypatch.chdir(folder)
    (folder / "loud.py").write_text(
        "import sys\nprint('I RAN', file=sys.stderr)\nclass System: ...\n"
    )
    written(folder, benchmark, "./loud.py:System")
    main(["translate", "e.toml"])
    told = capsys.readouterr().err
    assert told.index("imports ./loud.py:System") < told.index("I RAN")


def test_check_imports_no_file(stranger, monkeypatch, capsys):
    """It has no side effects: own code is looked at and not run, unless it is trusted."""
    folder, mark, benchmark = stranger
    monkeypatch.chdir(folder)
    written(folder, benchmark, "./evil.py:System", ["./evil.py:Measure"])
    (folder / "r.toml").write_text('builder = "./evil.py:Builder"\n')
    for name in ("e.toml", "r.toml"):
        assert main(["check", name]) == 0
        assert "./evil.py:" in capsys.readouterr().err
    assert not mark.exists()
    written(folder, benchmark, "./evil.py:Sistem", ["./evil.py:Measure"])
    assert main(["check", "e.toml"]) == 2
    assert "has no 'Sistem'" in capsys.readouterr().err
    assert not mark.exists()
    main(["check", "r.toml", "--trust"])
    assert mark.exists()


@pytest.mark.parametrize("as_json", [[], ["--json"]])
@pytest.mark.parametrize(
    "command",
    [
        ["build", "r.toml", "--out", "b"],
        ["translate", "--system", "./evil.py:System", "--input", "r.toml"],
        ["score", "BENCHMARK", "--hyps", "hyps.txt", "--metric", "./evil.py:Measure"],
    ],
)
def test_no_plan_imports_a_file(stranger, monkeypatch, capsys, command, as_json):
    """Of a recipe, of lines, of scores."""
    folder, mark, benchmark = stranger
    monkeypatch.chdir(folder)
    (folder / "r.toml").write_text('builder = "./evil.py:Builder"\n')
    (folder / "hyps.txt").write_text("a\nb\nc\n")
    command = [str(benchmark) if one == "BENCHMARK" else one for one in command]
    assert main([*command, "--dry-run", *as_json]) == 0
    told = capsys.readouterr()
    assert "./evil.py:" in told.out
    assert "--trust" in told.err
    if as_json:
        assert json.loads(told.out)["outside"][0]["imports"].startswith("./evil.py:")
    assert not mark.exists()


def test_a_file_is_imported_once(stranger, monkeypatch):
    """A file that prints, or loads a model, did so three times for a recipe."""
    folder, _, benchmark = stranger
    monkeypatch.chdir(folder)
    (folder / "count.py").write_text(
        "from pathlib import Path\n"
        "with Path('times').open('a') as stream: stream.write('x')\n"
        "class System:\n    def translate(self, sources):\n        yield from sources\n"
        "class Builder:\n    def build(self, draft): ...\n"
    )
    (folder / "r.toml").write_text('builder = "./count.py:Builder"\n')
    read_recipe("r.toml")
    written(folder, benchmark, "./count.py:System")
    assert main(["run", "e.toml"]) == 0
    assert (folder / "times").read_text() == "x"
