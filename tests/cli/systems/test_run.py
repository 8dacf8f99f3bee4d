"""translate, score, report and run from the command line."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from recombine.benchmark import Benchmark
from recombine.builders.recipe import build
from recombine.cli import main
from recombine.cli.talk import print_tree


@pytest.fixture(autouse=True)
def working_here(tmp_path, monkeypatch):
    """Work in the folder of the test: code from elsewhere is not run unless it is trusted."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def stdin(monkeypatch):
    """Give text on standard input."""

    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


def test_lines_in_lines_out(stdin, capsys):
    """Stdin to stdout, U+2028 untouched, CRLF understood."""
    stdin("a\u2028b\r\nc".encode())
    assert main(["translate", "--system", "copy"]) == 0
    assert capsys.readouterr().out == "a\u2028b\nc\n"


def test_an_empty_line_stays_one(stdin, tmp_path, capsys):
    """Nobody is asked for it, and the lines of both files still belong together."""
    stdin(b"a\n\nb\n")
    assert main(["translate", "--system", "copy"]) == 0
    assert capsys.readouterr().out == "a\n\nb\n"
    (tmp_path / "s").write_text("a\n \nb\n\n")
    out = str(tmp_path / "t")
    assert (
        main(["translate", "--system", "copy", "--input", str(tmp_path / "s"), "--output", out])
        == 0
    )
    assert Path(out).read_text() == "a\n\nb\n\n"


PICKY = """\
from recombine.errors import SystemFailure
from recombine.systems.base import Failure
class Picky:
    def translate(self, sources):
        for source in sources:
            if source == "die":
                raise SystemFailure("it broke")
            if source == "bug":
                raise ZeroDivisionError("it broke")
            yield Failure("it is too long") if source == "long" else source.upper()
"""


@pytest.mark.parametrize(
    ("text", "written", "lost"),
    [("a\nlong\nb\n", "A\n\nB\n", 1), ("a\ndie\nb\nc\n", "A\n\n\n\n", 3), ("a\nbug\n", "A\n\n", 1)],
)
def test_as_many_lines_come_as_were_given(tmp_path, capsys, text, written, lost):
    """With one sentence that failed no file was written at all."""
    (tmp_path / "picky.py").write_text(PICKY)
    (tmp_path / "s").write_text(text)
    command = ["translate", "--system", f"{tmp_path}/picky.py:Picky"]
    command += ["--input", str(tmp_path / "s"), "--output", str(tmp_path / "t")]
    if "bug" in text:
        with pytest.raises(ZeroDivisionError):  # its traceback is for whoever wrote the system
            main(command)
    else:
        assert main(command) == 1
    assert (tmp_path / "t").read_text() == written
    told = capsys.readouterr().err
    assert f"{lost} of them are empty" in told
    assert "bug" in text or "it is too long" in told or "it broke" in told


def test_a_file_to_file_translation_is_kept_and_verified(tmp_path, capsys):
    """A second run does nothing; another input is refused until forced."""
    source, target = tmp_path / "s", tmp_path / "t"
    source.write_text("a\nb\n")
    command = ["translate", "--system", "copy", "--input", str(source), "--output", str(target)]
    assert main(command) == 0
    assert target.read_text() == "a\nb\n"
    source.write_text("a\nc\n")
    assert main(command) == 2
    assert "'input'" in capsys.readouterr().err
    assert main([*command, "--force"]) == 0
    assert target.read_text() == "a\nc\n"


def test_scoring_output_from_anywhere(tmp_path, small_benchmark, capsys):
    """Plain lines, a table, JSON and observations."""
    examples = Benchmark.open(small_benchmark).read("test")
    hyps = tmp_path / "hyps.txt"
    hyps.write_text("".join(e.references[0] + "\n" for e in examples[:2]) + "wrong\n")
    command = ["score", str(small_benchmark), "--hyps", str(hyps), "--metric", "exact"]
    assert main([*command, "--observations", str(tmp_path / "o.jsonl")]) == 0
    head, row, blank, signature = capsys.readouterr().out.splitlines()
    assert head.split() == ["split", "metric", "score", "95%", "interval", "counted"]
    assert row.startswith("test   exact   66.67  [")
    assert (blank, signature) == ("", "signature of exact: exact|norm:nfc+strip|refs:any")
    assert main(["score", str(small_benchmark), str(hyps), "--metric", "exact"]) == 0
    assert capsys.readouterr().out.splitlines() == [head, row, blank, signature]
    rows = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert [row["value"] for row in rows] == [1, 1, 0]
    assert {"metric", "key", "id", "value", "detail"} <= set(rows[0])
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["n"] == 3
    assert main([*command, "--metric", "no-such"]) == 2


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--hyps", "other.txt"), "one file of hypotheses is needed"),
        (("-o", "nonsense.key=1"), "'nonsense', which is not scored"),
        (("-o", "grammar=x"), "names no metric"),
        (("--split", "tset"), "no split 'tset'"),
    ],
)
def test_what_score_would_ignore_is_refused(tmp_path, small_benchmark, capsys, more, told):
    """Nothing that was typed is left out without a word."""
    hyps = tmp_path / "hyps.txt"
    hyps.write_text("a\nb\nc\n")
    command = ["score", str(small_benchmark), "--hyps", str(hyps), "--metric", "exact", *more]
    assert main(command) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    "more", [("--hyps", "f"), ("--metric", "exact"), ("--split", "a"), ("--tags",), ("--summary",)]
)
def test_an_experiment_says_itself_what_is_scored(tmp_path, small_benchmark, capsys, more):
    """Options for a file of hypotheses do not go with it."""
    experiment = tmp_path / "e.toml"
    experiment.write_text(f'benchmark = "{small_benchmark}"\n[system.copy]\nuse = "copy"\n')
    assert main(["score", str(experiment), *more]) == 2
    assert "goes with a benchmark" in capsys.readouterr().err


def test_scores_say_how_many_have_no_output(tmp_path, small_benchmark, capsys):
    """In the terminal, counted or skipped."""
    first = Benchmark.open(small_benchmark).read("test")[0]
    hyps = tmp_path / "hyps.jsonl"
    hyps.write_text(json.dumps({"id": first.id, "hyp": first.references[0]}) + "\n")
    command = ["score", str(small_benchmark), "--hyps", str(hyps), "--metric", "exact"]
    assert main(command) == 0
    assert "  33.33  [6.15, 79.23]  n=3, 2 failed\n" in capsys.readouterr().out
    assert main([*command, "--missing", "skip"]) == 0
    assert "  100.00  [20.65, 100.00]  n=1 of 3, 2 failed\n" in capsys.readouterr().out


def test_one_sentence_has_a_score_and_no_interval(tmp_path, small_benchmark, capsys):
    """In the terminal it is a dash, for programs null, and a report is made of it all the same."""
    first = Benchmark.open(small_benchmark).read("test")[0]
    hyps = tmp_path / "hyps.jsonl"
    hyps.write_text(json.dumps({"id": first.id, "hyp": first.references[0]}) + "\n")
    command = ["score", str(small_benchmark), "--hyps", str(hyps), "--metric", "chrf"]
    command += ["--missing", "skip"]
    assert main(command) == 0
    assert "chrf    100.00  -             n=1 of 3, 2 failed\n" in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert (row["score"], row["ci_low"], row["ci_high"]) == (100, None, None)
    experiment = tmp_path / "e.toml"
    experiment.write_text(
        f'benchmark = "{small_benchmark}"\nrun = "{tmp_path / "run"}"\nmetrics = ["chrf"]\n'
        '[system.copy]\nuse = "copy"\n[system.dots]\nuse = "command"\nrun = "sed s/./x/"\n'
    )
    assert main(["run", str(experiment), "--sample", "1"]) == 0
    table = tmp_path / "run" / "report" / "tables" / "compare-chrf-test.md"
    assert "1.0000" in table.read_text()


def test_a_metric_about_nothing_is_said(tmp_path, small_benchmark, capsys):
    """One of two metrics is not just absent from the scores."""
    experiment = tmp_path / "e.toml"
    experiment.write_text(
        f'benchmark = "{small_benchmark}"\nrun = "{tmp_path / "run"}"\n'
        'metrics = ["exact", "literal"]\n[system.copy]\nuse = "copy"\n'
    )
    told = "literal applies to none of these sentences"
    assert main(["translate", str(experiment)]) == main(["score", str(experiment)]) == 0
    assert told in capsys.readouterr().err
    hyps = tmp_path / "hyps.txt"
    hyps.write_text("a\nb\nc\n")
    command = ["score", str(small_benchmark), "--hyps", str(hyps), "--metric", "exact"]
    assert main([*command, "--metric", "literal"]) == 0
    assert told in capsys.readouterr().err
    assert main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "out")]) == 0
    assert "literal applies to none" in (tmp_path / "out" / "report.md").read_text()


def test_run_does_everything_and_reports(tmp_path, small_benchmark, capsys):
    """One command from systems to a page."""
    experiment = tmp_path / "e.toml"
    experiment.write_text(
        f'benchmark = "{small_benchmark}"\nrun = "{tmp_path / "run"}"\nmetrics = ["exact"]\n'
        '[system.copy]\nuse = "copy"\n'
        f'[system.oracle]\nuse = "noisy-oracle"\nbenchmark = "{small_benchmark}"\nnoise = 0.0\n'
    )
    assert main(["run", str(experiment), "--dry-run", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["sentences"] == 3
    assert [cell["translate"] for cell in plan["cells"]] == [3, 3]
    assert main(["run", str(experiment), "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "oracle  1     3 sentences  3 hypotheses\n" in told
    assert "nothing was done" in told
    assert not (tmp_path / "run").exists()
    assert main(["run", str(experiment)]) == 0
    page, told = capsys.readouterr()
    assert page.strip().endswith("report.html")
    assert told.startswith(
        "\nThe data cannot tell oracle and copy apart on familiar sentences.\n"
        "copy learned from no text, so nothing is generalised.\n"
        "Exact match knows the wording of the references alone: what copy says otherwise counts "
        "as wrong there.\n\n"
    ), told
    assert re.search(r"\noracle +100\.0 \(43\.9 to 100\.0\)\n", told)
    assert "oracle" in (tmp_path / "run" / "report" / "report.md").read_text()
    plan = printed(capsys, "report", tmp_path / "run", "--dry-run", "--json")
    assert plan["systems"] == ["copy", "oracle"]
    assert plan["splits"] == {"test": ["exact"]}
    assert main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "again")]) == 0


def test_run_says_why_a_system_never_worked(tmp_path, small_benchmark, capsys):
    """Where nothing could be scored, no report hides the reason."""
    (tmp_path / "bad.py").write_text(
        "from dataclasses import dataclass\n"
        "from recombine.systems.base import Failure\n"
        "@dataclass\n"
        "class Bad:\n"
        "    def translate(self, sources):\n"
        "        return (Failure('printed a warning') for _ in sources)\n",
        encoding="utf-8",
    )
    experiment = tmp_path / "e.toml"
    experiment.write_text(
        f'benchmark = "{small_benchmark}"\nrun = "{tmp_path / "run"}"\nmetrics = ["exact"]\n'
        f'[system.bad]\nuse = "{tmp_path / "bad.py"}:Bad"\n',
        encoding="utf-8",
    )
    assert main(["run", str(experiment)]) == 1
    assert "printed a warning" in capsys.readouterr().err


def printed(capsys, *arguments) -> dict:
    """Run a verb and return the JSON it printed."""
    assert main([str(one) for one in arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_dry_run_says_how_much(tmp_path, small_benchmark, capsys):
    """Counts and sizes, and nothing is written."""
    text = tmp_path / "text"
    text.write_text("a\nb\nc\n")
    out = tmp_path / "out"
    score = ("score", small_benchmark, "--hyps", text, "--metric", "exact")
    command = ("translate", "--system", "command", "-o", 'run=["false"]', "--input", text)
    export = ("export", small_benchmark, "--format", "tsv", "--out", out)
    for verb, name, value in (
        (score, "hypotheses", 3),
        (command, "lines", 3),
        (export, "splits", {"train": 2, "test": 3}),
        (("divergence", text, text), "input_megabytes", {str(text): 0.0}),
        (("contamination", small_benchmark, text), "examples", {"test": 3}),
    ):
        assert printed(capsys, *verb, "--dry-run", "--json")[name] == value
    assert printed(capsys, *command, "--dry-run", "--json", "--sample", "2")["lines"] == 2
    assert main(["divergence", str(text), str(tmp_path / "gone"), "--dry-run"]) == 2
    assert "no such file" in capsys.readouterr().err
    assert main([str(one) for one in command] + ["--json"]) == 2
    assert "together with --dry-run" in capsys.readouterr().err
    assert not out.exists()


def test_a_dry_run_names_what_is_sent_where(tmp_path, capsys):
    """Before anything is sent; lines alone said nothing of it."""
    text = tmp_path / "text"
    text.write_text("a\n")
    given = ("-o", "url=http://h/x", "-o", "answer=text", "-o", "key_env=MY_KEY")
    plan = printed(
        capsys, "translate", "--system", "http", *given, "--input", text, "--dry-run", "--json"
    )
    assert plan["asks"] == "http://h/x"
    assert plan["sends"] == "the variable MY_KEY to http://h/x"


def test_sample_makes_everything_small(tmp_path, small_benchmark, capsys):
    """Training, translation, scores and exports; seeded, so twice the same."""
    (tmp_path / "learn.py").write_text(
        "from dataclasses import dataclass\n\n\n@dataclass(kw_only=True)\nclass Learn:\n"
        "    def train(self, data, model_dir, seed):\n"
        "        model_dir.mkdir(parents=True)\n"
        "        (model_dir / 'size').write_text(str(len(data.train)))\n\n"
        "    def load(self, model_dir):\n        return self\n\n"
        "    def translate(self, sources):\n        yield from sources\n"
    )
    experiment, run = tmp_path / "e.toml", tmp_path / "run"
    experiment.write_text(
        f'benchmark = "{small_benchmark}"\nrun = "{run}"\nmetrics = ["exact"]\n'
        f'[system.learn]\nuse = "{tmp_path / "learn.py"}:Learn"\n'
    )
    for verb in ("train", "translate"):
        assert main([verb, str(experiment), "--sample", "1"]) == 0
    cell = run / "learn" / "seed-1"
    assert (cell / "model" / "size").read_text() == "1"
    first = (cell / "translations" / "test.jsonl").read_text()
    assert first.count("\n") == 1
    assert main(["translate", str(experiment), "--force"]) == 0
    assert first in (cell / "translations" / "test.jsonl").read_text()
    assert main(["score", str(experiment), "--sample", "2"]) == 0
    assert (cell / "scores" / "exact.test.jsonl").read_text().count("\n") == 2
    assert main(["report", str(run), "--sample", "1", "-o", "figures=[]"]) == 0
    assert main(["score", str(experiment)]) == 0
    assert (cell / "scores" / "exact.test.jsonl").read_text().count("\n") == 3
    out = tmp_path / "tsv"
    sampled = ["--format", "tsv", "--out", str(out), "--sample", "1"]
    assert main(["export", str(small_benchmark), *sampled]) == 0
    assert (out / "test.tsv").read_text().count("\n") == 1
    capsys.readouterr()
    found = printed(
        capsys, "contamination", small_benchmark, out / "test.tsv", "--sample", "1", "--json"
    )
    assert found["splits"]["test"]["source"]["texts"] == 1


def test_no_verb_prints_help_and_exits_2(capsys):
    """A bare command is a question."""
    assert main([]) == 2
    assert "verbs" in capsys.readouterr().out


def test_ctrl_c_says_so_in_one_line(monkeypatch, tmp_path, capsys):
    """No traceback, and the exit code that shells give to SIGINT."""

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("recombine.cli.systems.train.read_experiments", stopped)
    assert main(["train", str(tmp_path / "e.toml")]) == 130
    assert capsys.readouterr().err.count("\n") == 1


def test_sigterm_ends_a_command_and_the_program_it_started(tmp_path):
    """A scheduler's signal is Ctrl-C: one line, nothing left running, the shell's exit code."""
    (tmp_path / "in.txt").write_text("a\n")
    mark = tmp_path / "pid"
    program = json.dumps(["sh", "-c", f"echo $$ > {mark}; exec sleep 60"])
    arguments = ["translate", "--system", "command", "-o", f"run={program}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "recombine.cli", *arguments, "--input", str(tmp_path / "in.txt")],
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (mark.exists() and mark.read_text().strip()) and process.poll() is None:
        time.sleep(0.01)
    process.terminate()
    assert "Traceback" not in process.communicate(timeout=60)[1]
    assert process.returncode == 143
    assert not Path(f"/proc/{mark.read_text().strip()}").exists()


def test_a_run_reads_each_file_about_once_per_stage(tmp_path, small_benchmark, capsys):
    """The manifest and each split: at most once in train, translate, score and report."""
    experiment = tmp_path / "e.toml"
    experiment.write_text(
        f'benchmark = "{small_benchmark}"\nrun = "{tmp_path / "run"}"\nmetrics = ["exact"]\n'
        'seeds = [1, 2]\n[system.copy]\nuse = "copy"\n[system.again]\nuse = "copy"\n'
    )
    opened: Counter[str] = Counter()
    watching = True

    def watch(event: str, given: tuple[Any, ...]) -> None:
        if watching and event == "open" and not isinstance(given[0], int):
            reading = not given[2] & (os.O_WRONLY | os.O_RDWR)
            opened[os.fspath(given[0])] += reading

    sys.addaudithook(watch)
    assert main(["run", str(experiment)]) == 0
    watching = False
    assert 1 <= opened[str(small_benchmark / "benchmark.toml")] <= 4
    for split in ("train", "test"):
        # To be read, and to see that it is the one that was built.
        assert opened[str(small_benchmark / f"{split}.jsonl")] <= 2 * 3
    scores = {path: count for path, count in opened.items() if "/scores/exact" in path}
    assert {count for path, count in scores.items() if path.endswith(".jsonl")} == {1}
    assert max(scores.values()) <= 3


def test_other_lines_on_standard_input_are_another_input(stdin, tmp_path, capsys):
    """As many lines as before are not the same lines."""
    command = ["translate", "--system", "copy", "--output", str(tmp_path / "t")]
    stdin(b"a\nb\n")
    assert main(command) == 0
    stdin(b"c\nd\n")
    assert main(command) == 2
    assert "'input'" in capsys.readouterr().err


def test_a_metric_that_is_about_nothing_is_said(tmp_path, small_benchmark, capsys):
    """An empty table with exit 0 would pass for a score."""
    hyps = tmp_path / "hyps.txt"
    hyps.write_text("a\nb\nc\n")
    command = ["score", str(small_benchmark), "--hyps", str(hyps), "--metric", "consistency"]
    assert main(command) == 2
    assert "nothing to score" in capsys.readouterr().err


def test_a_sampled_score_says_so(tmp_path, small_benchmark, capsys):
    """Two of a split of three, and less than nothing is no sample."""
    hyps = tmp_path / "hyps.txt"
    hyps.write_text("a\nb\nc\n")
    command = ["score", str(small_benchmark), "--hyps", str(hyps), "--metric", "exact", "--sample"]
    assert main([*command, "2"]) == 0
    assert "a sample: 2 of 3 examples of 'test'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*command, "-3"])


def test_a_sentence_translated_twice_is_refused(tmp_path, small_benchmark, capsys):
    """Of two translations in a file edited by hand the last would count without a word."""
    experiment, run = tmp_path / "e.toml", tmp_path / "run"
    experiment.write_text(
        f'benchmark = "{small_benchmark}"\nrun = "{run}"\nmetrics = ["exact"]\n'
        '[system.copy]\nuse = "copy"\n'
    )
    assert main(["translate", str(experiment)]) == 0
    (translations,) = run.glob("copy/seed-*/translations/test.jsonl")
    lines = translations.read_text().splitlines(keepends=True)
    translations.write_text("".join([*lines, lines[0]]))
    assert main(["score", str(experiment)]) == 2
    assert "test.jsonl:4: duplicate id" in capsys.readouterr().err


def test_a_benchmark_built_again_is_not_scored_with_old_translations(
    tmp_path, small_benchmark, capsys
):
    """Sentences that only the new one has would pass for failures of the system."""
    experiment = tmp_path / "e.toml"
    experiment.write_text(
        f'benchmark = "{small_benchmark}"\nrun = "{tmp_path / "run"}"\nmetrics = ["exact"]\n'
        '[system.copy]\nuse = "copy"\n'
    )
    assert main(["translate", str(experiment)]) == 0
    manifest = small_benchmark / "benchmark.toml"
    manifest.write_text(manifest.read_text() + "\n# built again\n")
    assert main(["score", str(experiment)]) == 2
    assert "was made with another 'benchmark'" in capsys.readouterr().err


def test_a_metric_of_ones_own_is_reported_by_run(tmp_path, small_benchmark):
    """The experiment names its file, so the report may use it."""
    path = tmp_path / "mine.py"
    path.write_text(
        "from dataclasses import dataclass\nfrom recombine.metrics.surface import Chrf\n"
        "@dataclass(kw_only=True)\nclass Mine(Chrf):\n    name = 'mine'\n"
    )
    experiment = tmp_path / "e.toml"
    experiment.write_text(
        f'benchmark = "{small_benchmark}"\nrun = "{tmp_path / "run"}"\n'
        f'metrics = ["{path}:Mine"]\n[metric.Mine]\nchar_order = 3\n[system.copy]\nuse = "copy"\n'
    )
    assert main(["run", str(experiment)]) == 0
    assert "nc:3" in (tmp_path / "run" / "report" / "report.md").read_text()


def test_scores_of_meaning_are_a_range_and_explained(tmp_path, capsys):
    """What is not understood could be right; --explain says what differs."""
    benchmark = build("sget-mini", tmp_path / "b", overrides=["scale=0.2"])
    examples = benchmark.read("test")[:4]
    hyps = tmp_path / "hyps.jsonl"
    texts = [examples[0].references[0], examples[2].references[0], "にゃあ。", "子供が走った。"]
    rows = [{"id": e.id, "hyp": text} for e, text in zip(examples, texts, strict=True)]
    hyps.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = ["score", str(benchmark.path), "--hyps", str(hyps), "--split", "test"]
    command += ["--metric", "meaning", "--missing", "skip"]
    assert main([*command, "--explain"]) == 0
    out = capsys.readouterr().out
    assert "test   meaning  25.00 to 50.00  [" in out
    assert f"{examples[1].id}\tmeaning\tdifferent\n  source\t{examples[1].source}\n" in out
    assert "  output means\t" in out
    hyps.write_text("".join(json.dumps({**row, "hyp": "にゃあ。"}) + "\n" for row in rows), "utf-8")
    assert main([*command, "--summary"]) == 0
    reasons = capsys.readouterr().out
    assert reasons.startswith("4\tmeaning\toutside\tnot understood from “ゃあ” on\n  such as\t")
    hyps.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["undecided"] == 25.0


def test_unknown_words_are_rows_of_a_lexicon(tmp_path, small_benchmark, capsys):
    """What was meant and not said is what an unknown word may stand for."""
    hyps = tmp_path / "hyps.txt"
    hyps.write_text("Der König sah eine Königin.\nEin Wauwau schlief.\nDie Katze lief.\n", "utf-8")
    command = ["score", str(small_benchmark), "--hyps", str(hyps), "--split", "test"]
    command += ["--metric", "meaning", "-o", "meaning.grammar=toy", "--summary"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "outside\tnot understood from “wauwau” on" in out
    assert "\nid\tform\ndog\twauwau\n" in out


def test_common_mistakes_are_told_with_what_helps(small_benchmark, tmp_path, capsys):
    """What people typed by hand, and what helps them."""
    (tmp_path / "experiment.toml").write_text('[system.a]\nuse = "copy"\n', "utf-8")
    for arguments, told in [
        (["report", str(small_benchmark)], "is a benchmark, not a run"),
        (["score", str(small_benchmark)], "recombine compare BENCHMARK"),
        (["build", "sgett", "--out", "x"], "did you mean 'sget'?"),
        (["build", str(tmp_path / "experiment.toml"), "--out", "x"], "this is an experiment"),
        (["build", "sget-mini", "--out", "x", "-o", "scale"], "-o scale=VALUE"),
    ]:
        assert main(arguments) == 2
        assert told in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["sample", "toy", "-n", "-4"])
    assert "must be 1 or more, not -4" in capsys.readouterr().err


def test_metrics_may_be_separated_by_commas(small_benchmark, tmp_path, capsys):
    """As everywhere else; the benchmark may be named by its file."""
    hyps = tmp_path / "hyps.txt"
    hyps.write_text("a\nb\nc\n", "utf-8")
    manifest = str(small_benchmark / "benchmark.toml")
    assert main(["score", manifest, "--hyps", str(hyps), "--metric", "exact,chrf", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["metric"] for row in found} == {"exact", "chrf"}


def test_a_dry_run_of_scorecard_and_annotation_writes_nothing(tmp_path, small_benchmark, capsys):
    """Both wrote their files; --json of them was ignored."""
    run = tmp_path / "run"
    for more in (["--scorecard"], ["--annotate", str(tmp_path / "sheet.json")]):
        assert main(["report", str(run), *more, "--dry-run"]) == 0
        assert str(tmp_path) in capsys.readouterr().out
        assert main(["report", str(run), *more, "--json"]) == 2
        assert "--json prints what a report says" in capsys.readouterr().err
    assert list(tmp_path.glob("**/*.csv")) == []
    assert not run.exists()


def test_escapes_of_outputs_do_not_reach_the_terminal(tmp_path, small_benchmark, capsys):
    """What a system or a corpus said is quoted, and moves no cursor."""
    print_tree({"found": ["a\x1b[2Jb"], "in": "c\x1b[1md"})
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(("streams", "code"), [(">&-", 0), ("<&- --json", 0), ("2>&-", 0)])
def test_closed_streams_end_in_no_traceback(streams, code):
    """A service manager or a shell may close any of them."""
    command = f"{sys.executable} -m recombine.cli list metrics {streams}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)


def test_a_terminal_of_ascii_is_printed_to(tmp_path):
    """What it cannot hold is escaped."""
    done = subprocess.run(
        [sys.executable, "-m", "recombine.cli", "parse", "猫"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr + done.stdout
