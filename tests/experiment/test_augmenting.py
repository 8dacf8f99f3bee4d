"""`augment = { ... }` of a system: more text to learn from, of a known track, never stale."""

from __future__ import annotations

import json

import pytest

from recombinable import recombinable
from recombine.errors import ConfigError, StaleOutput
from recombine.experiment.experiment import check_experiment, read_experiment
from recombine.experiment.failures import SystemsFailed
from recombine.experiment.plan import plan_experiment
from recombine.experiment.scoring import score_run
from recombine.experiment.training import train
from recombine.experiment.translating import translate
from recombine.report.reading.runs import open_runs

MEMORY = '''
import json
from dataclasses import dataclass
@dataclass(kw_only=True)
class Memory:
    """Remembers what it was given to learn."""
    def train(self, data, model_dir, seed):
        model_dir.mkdir(parents=True, exist_ok=True)
        rows = [[(e.source, e.references[0]) for e in part] for part in (data.train, data.dev)]
        (model_dir / "rows.json").write_text(json.dumps(rows))
    def load(self, model_dir):
        self.rows = dict(json.loads((model_dir / "rows.json").read_text())[0])
        return self
    def translate(self, sources):
        return (self.rows.get(source, "?") for source in sources)
'''


@pytest.fixture
def experiment_file(tmp_path, monkeypatch):
    """The same system with and without recombined pairs, worked on where its code lies."""
    monkeypatch.chdir(tmp_path)
    benchmark = recombinable(tmp_path / "data").path
    (tmp_path / "memory.py").write_text(MEMORY, encoding="utf-8")
    use = f'use = "{tmp_path / "memory.py"}:Memory"'
    path = tmp_path / "e.toml"
    path.write_text(
        f'benchmark = "{benchmark}"\nrun = "{tmp_path / "run"}"\nmetrics = ["exact"]\n'
        f"[system.alone]\n{use}\n[system.more]\n{use}\naugment = {{ n = 200 }}\n",
        encoding="utf-8",
    )
    return path


def learned(experiment, system="more", seed=1):
    """Return what a system was given: train and dev."""
    cell = experiment.run / system / f"seed-{seed}"
    return json.loads((cell / "model" / "rows.json").read_text(encoding="utf-8"))


def test_the_text_is_two_copies_and_the_recombined_pairs(experiment_file):
    """Plain and augmented stand side by side; the dev set does not choose."""
    experiment = read_experiment(experiment_file)
    assert train(experiment) == 2
    plain, dev = learned(experiment, "alone")
    more, no_dev = learned(experiment)
    assert (len(plain), len(dev), no_dev) == (60, 10, [])
    assert more[:120] == [*plain, *plain]
    (folder,) = (experiment.run / "_augmented").iterdir()
    certificate = json.loads((folder / "certificate.json").read_text())
    assert len(more) == 120 + certificate["kept"]
    held = {row["source"] for row in map(json.loads, (experiment.benchmark / "gen.jsonl").open())}
    assert not {source for source, _ in more} & held
    assert train(experiment) == 0


def test_model_run_and_report_say_the_track(experiment_file):
    """Every name in a report says what its system has learned from."""
    experiment = read_experiment(experiment_file)
    train(experiment)
    translate(experiment)
    score_run(experiment)
    cell = experiment.run / "more" / "seed-1"
    assert json.loads((cell / "run.json").read_text())["track"] == "train-only"
    meta = json.loads((cell / "model.meta.json").read_text())
    assert meta["fingerprint"]["augment"]["track"] == "train-only"
    assert open_runs([experiment.run]).systems == ("alone (plain)", "more (train-only)")


def test_other_options_make_a_model_and_its_translations_stale(experiment_file):
    """In every stage, with the option that differs."""
    experiment = read_experiment(experiment_file)
    train(experiment)
    translate(experiment)
    changed = read_experiment(experiment_file, ["system.more.augment.seed=2"])
    with pytest.raises(StaleOutput, match=r"'augment\.seed'"):
        train(changed)
    with pytest.raises(SystemsFailed, match=r"'augment\.seed'"):
        translate(changed)
    with pytest.raises(SystemsFailed, match=r"'augment\.seed'"):
        score_run(changed)
    before = learned(experiment)[0]
    assert train(changed, force=True) == 2
    assert learned(changed)[0] != before
    kept = experiment.run / "more" / "seed-1" / "translations" / "gen.jsonl.old-1"
    assert kept.is_file()  # what the former model said
    assert translate(changed) == 2 * 10


def test_equal_pairs_are_made_once_and_edited_ones_refused(experiment_file, monkeypatch):
    """Seeds and systems share them by what they are made of."""
    experiment = read_experiment(
        experiment_file, ["seeds=[1,2]", "system.alone.augment={n=200, copies=1}"]
    )
    assert train(experiment) == 4
    (folder,) = (experiment.run / "_augmented").iterdir()
    assert len(learned(experiment, "alone")[0]) == len(learned(experiment)[0]) - 60
    with (folder / "pairs.jsonl").open("a", encoding="utf-8") as stream:
        stream.write("{}\n")
    with pytest.raises(SystemsFailed, match="not the pairs that the certificate"):
        train(read_experiment(experiment_file, ["seeds=[3]"]))


def test_held_out_combinations_can_choose_the_weights(experiment_file):
    """They are a dev set of pairs that are not learned from."""
    given = ["system.more.augment={n=200, method='words', choose='held-out', held_out=15}"]
    experiment = read_experiment(experiment_file, given)
    train(experiment)
    text, dev = learned(experiment)
    assert len(dev) == 15
    assert not {source for source, _ in dev} & {source for source, _ in text}
    own = read_experiment(experiment_file, ["system.more.augment.choose=dev", "seeds=[2]"])
    train(own)
    assert len(learned(own, seed=2)[1]) == 10


def test_text_that_cannot_be_recombined_stops_no_other_system(experiment_file):
    """A first look at ten pairs is too small for one and enough for the other."""
    given = ["system.alone.train_size=10", "system.more.train_size=10"]
    experiment = read_experiment(experiment_file, given)
    with pytest.raises(SystemsFailed, match=r"more.seed-1: too few pairs to recombine: 10"):
        train(experiment)
    assert len(learned(experiment, "alone")[0]) == 10


def test_mistakes_are_found_when_the_experiment_is_read(experiment_file, tmp_path):
    """With the line, and before anything is trained."""
    with pytest.raises(ConfigError, match=r"unknown key 'system\.more\.augment\.m'"):
        read_experiment(experiment_file, ["system.more.augment.m=3"])
    with pytest.raises(ConfigError, match="is not trained"):
        read_experiment(experiment_file, ['system.copy={use="copy", augment={n=3}}'])
    text = experiment_file.read_text(encoding="utf-8").replace("n = 200", "suport = 3")
    experiment_file.write_text(text, encoding="utf-8")
    (problem,) = check_experiment(experiment_file, trust=True)
    assert "did you mean 'support'?" in problem.render()
    assert problem.where is not None
    assert problem.where.line == 8


def test_a_plan_counts_the_pairs(experiment_file):
    """Two copies of 60 and 200 new ones."""
    plan = plan_experiment(read_experiment(experiment_file), ["train"])
    assert [row["train"] for row in plan["cells"]] == [60, 320]
