"""Outputs made elsewhere take part as a system among others."""

import json

import pytest

from recombine.benchmark import Benchmark
from recombine.errors import ConfigError, RecombineError, SystemFailure
from recombine.experiment.experiment import read_experiment
from recombine.experiment.scoring import score_run
from recombine.experiment.translating import translate
from recombine.report.reading.runs import open_runs
from recombine.systems.file import TranslationsFile

RIGHT = ["Der König sah eine Königin.", "Ein Hund schlief.", "Die Katze lief."]


@pytest.fixture
def experiment(small_benchmark, tmp_path):
    """Return a function that reads an experiment with one system of files."""

    def read(**options):
        given = "".join(f"{key} = {json.dumps(value)}\n" for key, value in options.items())
        path = tmp_path / "experiment.toml"
        text = f'benchmark = "{small_benchmark}"\nrun = "{tmp_path / "run"}"\nmetrics = ["exact"]\n'
        seeds = "seeds = [1, 2]\n" if "{seed}" in options["path"] else ""
        more = 'checkpoints = ["all"]\n' if "checkpoint_path" in options else ""
        path.write_text(f'{text}{seeds}{more}[system.theirs]\nuse = "file"\n{given}', "utf-8")
        return read_experiment(path)

    return read


def lines(path, texts):
    """Write plain lines."""
    path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")


def scores(tmp_path, cell="seed-1", table="scores.csv"):
    """The first score of a cell."""
    text = (tmp_path / "run" / "theirs" / cell / table).read_text(encoding="utf-8")
    return text.splitlines()[1].split(",")[4:8]


def test_plain_lines_go_by_the_order_of_a_split(experiment, tmp_path):
    """{split} is its name; a run of files is a run like any other."""
    lines(tmp_path / "theirs.test.txt", [*RIGHT[:2], "?"])
    wanted = experiment(path=str(tmp_path / "theirs.{split}.txt"))
    assert translate(wanted) == 3
    assert translate(wanted) == 0
    score_run(wanted)
    assert scores(tmp_path) == ["3", "3", "0", "66.6667"]
    assert open_runs([tmp_path / "run"]).systems == ("theirs",)


def test_rows_go_by_id_and_what_lacks_is_lost(experiment, small_benchmark, tmp_path):
    """A sentence without a row is no translation, and is counted as none."""
    ids = [one.id for one in Benchmark.open(small_benchmark).read("test")]
    rows = [json.dumps({"id": ids[2], "hyp": RIGHT[2]}), json.dumps({"id": ids[0], "hyp": "?"})]
    lines(tmp_path / "theirs.jsonl", rows)
    wanted = experiment(path=str(tmp_path / "theirs.jsonl"))
    with pytest.raises(SystemFailure, match=r"1 of 3 sentences .* no translation of it"):
        translate(wanted)
    score_run(wanted)
    assert scores(tmp_path) == ["3", "3", "1", "33.3333"]


def test_seeds_and_checkpoints_have_files_of_their_own(experiment, tmp_path):
    """Outputs of several trainings, and of one training on its way."""
    for seed, texts in ((1, RIGHT), (2, ["?"] * 3)):
        lines(tmp_path / f"theirs-{seed}.test.txt", texts)
        lines(tmp_path / f"theirs-{seed}.test@step-5.txt", [RIGHT[0], "?", "?"])
    wanted = experiment(
        path=str(tmp_path / "theirs-{seed}.{split}.txt"),
        checkpoint_path=str(tmp_path / "theirs-{seed}.{split}@{checkpoint}.txt"),
    )
    assert translate(wanted) == 12
    score_run(wanted)
    assert scores(tmp_path)[-1] == "100.0000"
    assert scores(tmp_path, "seed-2")[-1] == "0.0000"
    assert scores(tmp_path, "seed-2", "scores@step-5.csv")[-1] == "33.3333"


def test_files_that_changed_are_other_translations(experiment, tmp_path):
    """Content counts, not the name."""
    path = tmp_path / "theirs.test.txt"
    lines(path, RIGHT)
    wanted = experiment(path=str(tmp_path / "theirs.{split}.txt"))
    translate(wanted)
    lines(path, ["?", *RIGHT[1:]])
    with pytest.raises(RecombineError, match="made with another 'code"):
        translate(wanted)
    assert translate(wanted, force=True) == 3


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"path": "none/{split}.txt"}, r"no file none/\*\.txt"),
        ({"path": "x/{spilt}.txt"}, "unknown placeholder '{spilt}'"),
        ({"path": "x/{checkpoint}.txt"}, "'path' must not contain"),
        ({"path": "x", "checkpoint_path": "y"}, "'checkpoint_path' must"),
    ],
)
def test_a_path_that_leads_nowhere_is_told(options, told):
    """Before any work begins."""
    with pytest.raises(ConfigError, match=told):
        TranslationsFile(**options)


def test_a_split_without_a_file_is_told(experiment, tmp_path):
    """With the way to leave it out."""
    lines(tmp_path / "theirs.gen.txt", RIGHT)
    with pytest.raises(SystemFailure, match=r"no file .*theirs\.test\.txt"):
        translate(experiment(path=str(tmp_path / "theirs.{split}.txt")))
