"""Experiments: stages that resume, skip and refuse."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil

import pytest

from recombine.benchmark import Benchmark, Example
from recombine.config import to_plain
from recombine.draft import Draft
from recombine.errors import ConfigError, DataError, RecombineError, StaleOutput
from recombine.experiment.experiment import (
    Experiment,
    check_experiment,
    read_experiment,
    series_experiments,
)
from recombine.experiment.failures import SystemsFailed
from recombine.experiment.plan import plan_experiment
from recombine.experiment.run import Run
from recombine.experiment.scoring import score_run
from recombine.experiment.training import train
from recombine.experiment.translating import translate
from recombine.stage import Meta, source_hash


@pytest.fixture(autouse=True)
def working_here(tmp_path, monkeypatch):
    """Work in the folder of the test: code from elsewhere is not run unless it is trusted."""
    monkeypatch.chdir(tmp_path)


FAULTY = '''
from dataclasses import dataclass
from recombine.errors import SystemFailure
from recombine.systems.base import Failure
@dataclass(kw_only=True)
class Faulty:
    """Fails as told: in training, as a whole or on the sentences with a word."""
    where: str
    word: str = ""
    def translate(self, sources):
        if self.where == "all":
            raise ValueError("a bug of mine")
        for source in sources:
            yield Failure("I refuse", final=True) if self.word in source else source
class Untrainable(Faulty):
    def train(self, data, model_dir, seed):
        raise SystemFailure("no memory")
    def load(self, model_dir):
        return self
'''
TRAINABLE = '''
import json
from dataclasses import dataclass
@dataclass(kw_only=True)
class Memory:
    """Remembers its training pairs."""
    default: str = "?"
    decoding_options = ("default",)
    def train(self, data, model_dir, seed):
        model_dir.mkdir(parents=True, exist_ok=True)
        pairs = {e.source: e.references[0] for e in data.train}
        (model_dir / "pairs.json").write_text(json.dumps({"seed": seed, "pairs": pairs}))
    def load(self, model_dir, checkpoint=None):
        self.pairs = json.loads((model_dir / "pairs.json").read_text())["pairs"]
        return self
    def checkpoints(self, model_dir):
        return ["step-1"]
    def translate(self, sources):
        return (self.pairs.get(s, self.default) for s in sources)
    def describe(self):
        return {"pairs": len(self.pairs)}
'''


@pytest.fixture
def experiment_file(tmp_path, small_benchmark):
    """An experiment with a fixed and a trainable system."""
    (tmp_path / "memory.py").write_text(TRAINABLE, encoding="utf-8")
    path = tmp_path / "e.toml"
    path.write_text(
        f'benchmark = "{small_benchmark}"\nrun = "{tmp_path / "run"}"\nseeds = [1, 2]\n'
        'splits = ["train", "test"]\nmetrics = ["exact", "chrf"]\n'
        '[system.copy]\nuse = "copy"\n'
        f'[system.memory]\nuse = "{tmp_path / "memory.py"}:Memory"\n',
        encoding="utf-8",
    )
    return path


def test_all_stages_run_and_then_have_nothing_to_do(experiment_file):
    """Train, translate, score; a second time nothing is done again."""
    experiment = read_experiment(experiment_file)
    assert train(experiment) == 2
    assert translate(experiment) == 3 * 5  # no seed makes copying different
    assert score_run(experiment) == 3
    assert (train(experiment), translate(experiment), score_run(experiment)) == (0, 0, 0)
    rows = (experiment.run / "memory" / "seed-1" / "scores.csv").read_text().splitlines()
    assert rows[0].startswith("split,tag,value,metric,n,of,failed,score,ci_low,ci_high,method,")
    assert rows[1].startswith("train,all,all,exact,2,2,0,100.0000,")
    record = json.loads((experiment.run / "memory" / "seed-1" / "run.json").read_text())
    assert record["seed"] == 1
    assert record["translate"]["test"]["sentences"] == 3


def test_what_is_complete_has_been_noted(experiment_file, monkeypatch):
    """Nobody comes back to what is complete: all that is noted of it is noted before."""
    experiment = read_experiment(experiment_file)
    write = Meta.write

    def killed(self, fingerprint, *, complete, **more):
        write(self, fingerprint, complete=complete, **more)
        if complete and fingerprint:  # not a single file of scores
            raise KeyboardInterrupt

    monkeypatch.setattr(Meta, "write", killed)
    kills = 0
    for stage in (train, translate, score_run):
        for _ in range(9):
            with contextlib.suppress(KeyboardInterrupt):
                stage(experiment)
                break
            kills += 1
    assert kills == 2 + 3 * 2 + 3  # models, translations of two splits, scores
    record = json.loads((experiment.run / "memory" / "seed-1" / "run.json").read_text())
    assert {"train_seconds", "described", "score"} <= record.keys()


def test_a_changed_option_is_refused_and_force_keeps_the_old_file(experiment_file):
    """Stale translations are never reused silently, and --force loses nothing."""
    experiment = read_experiment(experiment_file)
    train(experiment)
    translate(experiment)
    changed = read_experiment(experiment_file, ["system.memory.default=!"])
    assert train(changed) == 0  # a decoding option does not make the model stale
    with pytest.raises(StaleOutput, match=r"'options\.default'"):
        translate(changed)
    translate(changed, force=True)
    folder = changed.run / "memory" / "seed-1" / "translations"
    assert (folder / "test.jsonl.old-1").is_file()
    assert '"hyp":"!"' in (folder / "test.jsonl").read_text(encoding="utf-8")


def test_checkpoints_are_decoded_beside_the_final_model(experiment_file):
    """translations/SPLIT@step-N.jsonl and scores of their own."""
    experiment = read_experiment(experiment_file, ['checkpoints=["all"]'])
    train(experiment)
    translate(experiment)
    score_run(experiment)
    folder = experiment.run / "memory" / "seed-2"
    assert (folder / "translations" / "test@step-1.jsonl").is_file()
    assert (folder / "scores" / "exact.test@step-1.jsonl").is_file()
    assert (folder / "scores@step-1.csv").is_file()


def test_training_sizes_are_parts_of_one_text(experiment_file):
    """`train_size` is a key of every trainable system; the model's fingerprint knows it."""
    small = read_experiment(experiment_file, ["system.memory.train_size=1", "seeds=[1]"])
    train(small)
    stored = json.loads((small.run / "memory" / "seed-1" / "model" / "pairs.json").read_text())
    assert len(stored["pairs"]) == 1
    with pytest.raises(StaleOutput, match="train_size"):
        train(read_experiment(experiment_file, ["system.memory.train_size=2", "seeds=[1]"]))
    with pytest.raises(DataError, match="train_size is 9"):
        train(read_experiment(experiment_file, ["system.memory.train_size=9", "seeds=[3]"]))


def test_a_first_look_makes_room_for_the_whole(experiment_file):
    """What was learned from a sample is kept aside; what needed no training is used again."""
    small = ["system.memory.train_size=1", "seeds=[1]", "sample=1"]
    look = read_experiment(experiment_file, small)
    train(look)
    assert translate(look) == 2 * 2
    whole = read_experiment(experiment_file, ["seeds=[1]"])
    assert train(whole) == 1
    cell = whole.run / "memory" / "seed-1"
    assert len(json.loads((cell / "model" / "pairs.json").read_text())["pairs"]) == 2
    assert (cell / "model.old-1").is_dir()
    assert (cell / "translations" / "test.jsonl.old-1").is_file()
    assert translate(whole) == 5 + 3  # all with the new model, and what copying has not done yet
    with pytest.raises(StaleOutput, match=r"sample_seed|train_size"):
        train(look)  # a whole model never makes room for a sample


def test_translating_before_training_says_what_to_do(experiment_file):
    """No half-loaded model."""
    experiment = read_experiment(experiment_file)
    with pytest.raises(SystemsFailed, match=r"memory.seed-1: .*not trained yet") as failed:
        translate(experiment)
    assert failed.value.exit_code == 2
    assert (experiment.run / "copy" / "seed-1" / "translations" / "test.jsonl").is_file()


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("system.copy.speed=1", "unknown key"),
        ("sede=[1]", "unknown key"),
        ("seeds=[]", "'seeds' is empty"),
        ("system.copy.use=cpoy", "unknown system"),
        ("system.memory.train_size=0", "train_size must be a whole number"),
    ],
)
def test_mistakes_are_found_before_any_work(experiment_file, override, message):
    """Options of every system are checked when the file is read."""
    with pytest.raises(ConfigError, match=message):
        read_experiment(experiment_file, [override])


def test_a_series_expands_to_its_members(tmp_path, small_benchmark):
    """Each member has a run directory of its own; a plain benchmark stays alone."""
    (tmp_path / "series.toml").write_text(
        'format = 1\nname = "s"\n'
        + "".join(
            f'[[member]]\nbenchmark = "c-{c}"\ntarget_divergence = {c}\nseed = 1\n'
            f"atom_divergence = 0.0\ncompound_divergence = {c}\n"
            for c in (0.3, 0.7)
        )
    )
    for place in (tmp_path, tmp_path / "series.toml"):
        whole = Experiment(benchmark=place, run=tmp_path / "run", system={"copy": {"use": "copy"}})
        members = series_experiments(whole)
        assert [one.benchmark for one in members] == [tmp_path / "c-0.3", tmp_path / "c-0.7"]
        assert [one.run.name for one in members] == ["c-0.3", "c-0.7"]
    plain = Experiment(benchmark=small_benchmark, system={"copy": {"use": "copy"}})
    assert series_experiments(plain) == [plain]


def test_one_systems_failure_stops_no_other(experiment_file, tmp_path):
    """A training, a bug and a sentence fail; everything else is translated and said at the end."""
    (tmp_path / "faulty.py").write_text(FAULTY, encoding="utf-8")
    use = f'use = "{tmp_path / "faulty.py"}:'
    faulty = "".join(
        f'[system.{name}]\n{use}{kind}"\nwhere = "{where}"\nword = "dog"\n'
        for name, kind, where in (
            ("a-training", "Untrainable", "training"),
            ("a-bug", "Faulty", "all"),
            ("a-word", "Faulty", "some"),
        )
    )
    text = experiment_file.read_text(encoding="utf-8")
    head, _, systems = text.partition("[system")
    experiment_file.write_text(f"{head}{faulty}[system{systems}", encoding="utf-8")
    experiment = read_experiment(experiment_file, ["seeds=[1]"])
    with pytest.raises(SystemsFailed, match=r"a-training.*no memory"):
        train(experiment)
    for _ in range(2):  # running again says the same
        with pytest.raises(SystemsFailed) as failed:
            translate(experiment)
        said = failed.value.render()
        assert "a-training, seed 1: error: this system is not trained yet" in said
        assert "a-bug, seed 1: error: ValueError: a bug of mine" in said
        assert "a-word, seed 1: error: 1 of 3 sentences of test could not be translated" in said
        assert "I refuse" in said
    assert "a bug of mine" in (experiment.run / "a-bug" / "seed-1" / "traceback.txt").read_text()
    for name in ("copy", "memory"):
        rows = experiment.run / name / "seed-1" / "translations" / "test.jsonl"
        assert rows.read_text().count("\n") == 3


def test_scores_of_a_killed_translation_are_made_again(experiment_file):
    """Killed, scored, run again: the score of a part says so, and does not stay."""
    experiment = read_experiment(experiment_file)
    train(experiment)
    translate(experiment)
    cell = Run(experiment.run).cell("memory", 1)
    path = cell.translations("train")
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.splitlines(keepends=True)[0], encoding="utf-8")
    meta = Meta(path).read()
    Meta(path).write(meta["fingerprint"], complete=False, sentences=2, failed=0)
    assert score_run(experiment) == 3
    scores = cell.path / "scores.csv"
    assert scores.read_text().splitlines()[1].startswith("train,all,all,exact,2,2,1,50.0000,")
    assert cell.record()["score"]["asked"] - cell.record()["score"]["hypotheses"] == 1
    translate(experiment)
    assert path.read_text(encoding="utf-8") == whole
    assert score_run(experiment) == 1
    assert scores.read_text().splitlines()[1].startswith("train,all,all,exact,2,2,0,100.0000,")


def test_missing_outputs_can_be_skipped(experiment_file):
    """The choice is part of what a score was made from."""
    experiment = read_experiment(experiment_file)
    train(experiment)
    translate(experiment)
    cell = Run(experiment.run).cell("memory", 1)
    path = cell.translations("train")
    path.write_text(path.read_text(encoding="utf-8").splitlines(keepends=True)[0], encoding="utf-8")
    score_run(experiment)
    assert score_run(experiment, missing="skip") == 3
    first = (cell.path / "scores.csv").read_text().splitlines()[1]
    assert first.startswith("train,all,all,exact,1,2,1,100.0000,")


def test_scores_of_earlier_translations_go_with_them(experiment_file):
    """A metric that is not asked for again leaves no score of what was translated before."""
    experiment = read_experiment(experiment_file)
    train(experiment)
    translate(experiment)
    score_run(experiment)
    folder = experiment.run / "memory" / "seed-1" / "scores"
    fewer = ['metrics=["exact"]']
    score_run(read_experiment(experiment_file, fewer))
    assert (folder / "chrf.test.jsonl").is_file()  # of the same translations
    changed = read_experiment(experiment_file, [*fewer, "system.memory.default=!"])
    translate(changed, force=True)
    score_run(changed)
    assert (folder / "exact.test.jsonl").is_file()
    assert not (folder / "chrf.test.jsonl").exists()
    assert not (folder / "chrf.test.meta.json").exists()


def test_translations_of_a_system_with_other_options_are_not_scored(experiment_file):
    """What was translated before an option changed is no output of this system."""
    experiment = read_experiment(experiment_file)
    train(experiment)
    translate(experiment)
    changed = read_experiment(experiment_file, ['system.memory.default="!"'])
    with pytest.raises(SystemsFailed, match=r"another 'options.default'") as raised:
        score_run(changed)
    assert {one.cell.system for one in raised.value.failures} == {"memory"}
    assert (experiment.run / "copy" / "seed-1" / "scores.csv").is_file()  # stops no other
    meta = Meta(experiment.run / "memory" / "seed-2" / "translations" / "test.jsonl")
    stored = meta.read()
    meta.write({**stored["fingerprint"], "train_size": 1}, complete=True)  # of a former model
    with pytest.raises(SystemsFailed, match="another 'train_size'"):
        score_run(experiment)


def test_a_metric_whose_file_was_edited_is_scored_again(experiment_file, tmp_path):
    """A score is that of the metric as it is now."""
    code = tmp_path / "own.py"
    code.write_text(
        "from recombine.metrics.exact import Exact\nclass Own(Exact):\n    name = 'Own'\n",
        encoding="utf-8",
    )
    experiment = read_experiment(experiment_file, [f'metrics=["{code}:Own"]'])
    train(experiment)
    translate(experiment)
    assert (score_run(experiment), score_run(experiment)) == (3, 0)
    code.write_text(code.read_text(encoding="utf-8") + "    limits = (0, 50)\n", encoding="utf-8")
    assert score_run(experiment) == 3


def test_an_installed_metric_whose_code_changed_is_scored_again(
    experiment_file, tmp_path, monkeypatch
):
    """Nobody raises a number for it: ours and other packages' code is part of what scores are."""
    package, info = tmp_path / "lengths", tmp_path / "lengths-1.dist-info"
    package.mkdir()
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lengths\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[recombine.metrics]\nlengths = lengths:Lengths\n")
    (package / "__init__.py").write_text(
        "from recombine.metrics.exact import Exact\n\n\nclass Lengths(Exact):\n    pass\n"
    )
    (package / "counting.py").write_text("LIMIT = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    experiment = read_experiment(experiment_file, ["metrics=['lengths']"])
    train(experiment)
    translate(experiment)
    assert (score_run(experiment), score_run(experiment)) == (3, 0)
    (package / "counting.py").write_text("LIMIT = 2\n")
    source_hash.cache_clear()  # another process
    assert (score_run(experiment), score_run(experiment)) == (3, 0)


def test_our_own_code_is_part_of_what_scores_are(experiment_file, monkeypatch):
    """Another version of the metrics, the statistics or the grammar scores again."""
    experiment = read_experiment(experiment_file)
    train(experiment)
    translate(experiment)
    score_run(experiment)
    made_from = Meta(experiment.run / "memory" / "seed-1" / "scores" / "scores").read()
    wings = ("benchmark", "corpus", "grammar", "metrics", "statistics")
    assert made_from["fingerprint"]["metric_code"] == source_hash(
        tuple(f"recombine.{wing}" for wing in wings)
    )


def test_a_system_whose_file_was_edited_is_another_system(experiment_file, tmp_path):
    """Its model and translations are refused."""
    experiment = read_experiment(experiment_file, ["seeds=[1]"])
    train(experiment)
    translate(experiment)
    code = tmp_path / "memory.py"
    code.write_text(code.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")
    for stage in (train, translate):
        with pytest.raises(StaleOutput, match=r"another 'code\.memory\.py'"):
            stage(experiment)
    with pytest.raises(SystemsFailed, match=r"another 'code\.memory\.py'"):
        score_run(experiment)


def test_a_dictionary_with_other_words_is_another_system(experiment_file, tmp_path):
    """Files behind options count by what they say, wherever they lie."""
    words = tmp_path / "words.tsv"
    words.write_text("dog\tHund\n", encoding="utf-8")
    options = ["use=dictionary", f"path={words}"]
    experiment = read_experiment(experiment_file, [f"system.copy.{one}" for one in options])
    experiment = dataclasses.replace(experiment, system={"copy": experiment.system["copy"]})
    assert translate(experiment) == 5
    words.write_text("dog\tDogge\n", encoding="utf-8")
    with pytest.raises(StaleOutput, match=r"another 'code\.words\.tsv'"):
        translate(experiment)


def test_rows_that_were_taken_away_are_translated_again(experiment_file):
    """A finished file is finished as long as it is whole."""
    experiment = read_experiment(experiment_file, ["seeds=[1]"])
    train(experiment)
    translate(experiment)
    path = Run(experiment.run).cell("copy", 1).translations("test")
    whole = path.read_bytes()
    for left in (whole[: whole.index(b"\n") + 1], whole[:-3], b""):
        path.write_bytes(left)
        assert translate(experiment) == 3 - left.count(b"\n")
        assert path.read_bytes() == whole
    path.unlink()
    assert translate(experiment) == 3
    assert translate(experiment) == 0


PLAIN = """
class Plain:
    def __init__(self, *, mark="!"):
        self.mark = mark
    def translate(self, sources):
        return (source + self.mark for source in sources)
"""


def test_a_plain_class_is_a_system(experiment_file, tmp_path):
    """Its keyword arguments are its options, in messages and in fingerprints."""
    (tmp_path / "plain.py").write_text(PLAIN, encoding="utf-8")
    use = f"system.copy.use={tmp_path / 'plain.py'}:Plain"
    experiment = read_experiment(experiment_file, [use, "seeds=[1]"])
    train(experiment)
    assert translate(experiment) == 2 * 5
    other = read_experiment(experiment_file, [use, "seeds=[1]", 'system.copy.mark="?"'])
    with pytest.raises(StaleOutput, match=r"another 'options\.mark'"):
        translate(other)
    with pytest.raises(ConfigError, match=r"unknown key 'system\.copy\.marc'") as raised:
        read_experiment(experiment_file, [use, 'system.copy.marc="?"'])
    assert raised.value.hint == "did you mean 'mark'?"
    assert raised.value.where is not None
    assert raised.value.where.text == "[system.copy]"


TOGETHER = """
from dataclasses import dataclass
from recombine.errors import SystemFailure
from recombine.systems.base import TrainingsFailed
@dataclass(kw_only=True)
class Together:
    def train(self, data, model_dir, seed):
        raise NotImplementedError
    def train_many(self, data, model_dirs):
        raise TrainingsFailed({model_dirs[2]: SystemFailure("the loss is nan")}, len(model_dirs))
    def load(self, model_dir):
        return self
    def translate(self, sources):
        return iter(sources)
"""


def test_a_seed_that_fails_among_others_fails_alone(experiment_file, tmp_path):
    """Seeds that were trained together are done, noted and translated without it."""
    (tmp_path / "together.py").write_text(TOGETHER, encoding="utf-8")
    use = f"system.memory.use={tmp_path / 'together.py'}:Together"
    experiment = read_experiment(experiment_file, [use, "seeds=[1, 2, 3]"])
    with pytest.raises(SystemsFailed, match="the loss is nan") as failed:
        train(experiment)
    assert [(one.cell.system, one.cell.seed) for one in failed.value.failures] == [("memory", 2)]
    with pytest.raises(SystemsFailed, match="not trained yet") as failed:
        translate(experiment)
    assert [one.cell.seed for one in failed.value.failures] == [2]
    assert Run(experiment.run).cell("memory", 3).translations("test").is_file()


def test_a_model_that_is_trained_again_has_translated_nothing(experiment_file):
    """What its predecessor said is kept aside, and neither scored nor reported as its own."""
    experiment = read_experiment(experiment_file, ["seeds=[1]"])
    train(experiment)
    translate(experiment)
    assert train(experiment, force=True) == 1
    folder = Run(experiment.run).cell("memory", 1).translations("test").parent
    assert sorted(path.name for path in folder.glob("test.*")) == ["test.jsonl.old-1"]
    with pytest.raises(SystemsFailed, match="no translations yet"):
        score_run(experiment)
    assert translate(experiment) == 5


def test_scores_of_which_a_file_is_gone_are_made_again(experiment_file):
    """Whatever of them is missing or was changed, the report would miss it."""
    experiment = read_experiment(experiment_file, ["seeds=[1]"])
    train(experiment)
    translate(experiment)
    score_run(experiment)
    cell = Run(experiment.run).cell("copy", 1)
    for path in (cell.scores("exact", "test"), cell.path / "scores.csv"):
        whole = path.read_bytes()
        path.unlink()
        assert score_run(experiment) == 1
        path.write_bytes(whole[:-5])
        assert score_run(experiment) == 1
        assert path.read_bytes() == whole
    assert score_run(experiment) == 0


def test_a_model_that_is_gone_is_trained_again(experiment_file):
    """What was noted of it beside is no model."""
    experiment = read_experiment(experiment_file, ["seeds=[1]"])
    train(experiment)
    shutil.rmtree(Run(experiment.run).cell("memory", 1).model)
    assert train(experiment) == 1
    assert translate(experiment) == 2 * 5


def test_translations_that_cannot_be_read_stop_no_other_score(experiment_file):
    """They are told by file and line; the next translation puts them right."""
    experiment = read_experiment(experiment_file, ["seeds=[1]"])
    train(experiment)
    translate(experiment)
    path = Run(experiment.run).cell("copy", 1).translations("test")
    whole = path.read_text(encoding="utf-8")
    first = whole.splitlines(keepends=True)[0]
    for damaged in (whole + first, whole.replace('"hyp"', '"hpy"', 1)):
        path.write_text(damaged, encoding="utf-8")
        with pytest.raises(SystemsFailed, match=r"test\.jsonl:[14]: ") as failed:
            score_run(experiment, force=True)
        assert [one.cell.system for one in failed.value.failures] == ["copy"]
        assert (experiment.run / "memory" / "seed-1" / "scores.csv").is_file()
        translate(experiment)
        assert path.read_text(encoding="utf-8") == whole


def with_control(small_benchmark, folder):
    """A copy of a benchmark with a control of three sentences, built as any other."""
    benchmark = Benchmark.open(small_benchmark)
    draft = Draft(folder, seed=1)
    for split in benchmark.splits:
        draft.write(split, benchmark.read(split))
    draft.write("control", benchmark.read("test")[:3])
    return draft.finish(to_plain(benchmark.manifest))


def test_a_system_is_trained_on_the_control(experiment_file, small_benchmark, tmp_path):
    """It says so in its record, is another model, and nobody translates the control."""
    benchmark = with_control(small_benchmark, tmp_path / "with-control")
    text = experiment_file.read_text(encoding="utf-8")
    text = text.replace(str(small_benchmark), str(benchmark.path)).replace("splits =", "# splits =")
    both = text + text[text.index("[system.memory]") :].replace(
        "memory]", 'known]\ntrain = "control"'
    )
    experiment_file.write_text(both, encoding="utf-8")
    experiment = read_experiment(experiment_file)
    assert train(experiment) == 4
    pairs = {
        name: json.loads((Run(experiment.run).cell(name, 1).model / "pairs.json").read_text())
        for name in ("memory", "known")
    }
    sources = {one.source for one in benchmark.read("control")}
    assert set(pairs["known"]["pairs"]) == sources != set(pairs["memory"]["pairs"])
    assert Run(experiment.run).cell("known", 1).record()["track"] == "control"
    translate(experiment)
    translated = {path.stem for path in Run(experiment.run).cell("known", 1).path.rglob("*.jsonl")}
    assert not {"train", "control"} & translated
    options = {**experiment.system["known"]}
    del options["train"]
    changed = dataclasses.replace(experiment, system={"known": options})
    with pytest.raises(StaleOutput):
        train(changed)


def test_a_control_must_be_there(experiment_file):
    """A benchmark that was built without one says how to get it; other splits are no training."""
    text = experiment_file.read_text(encoding="utf-8")
    for split, message in (("control", "no split 'control'"), ("gen", "cannot train on 'gen'")):
        wrong = text.replace("[system.memory]", f'[system.memory]\ntrain = "{split}"')
        experiment_file.write_text(wrong, encoding="utf-8")
        with pytest.raises(RecombineError, match=message):
            train(read_experiment(experiment_file))


READY = """
from dataclasses import dataclass
@dataclass(kw_only=True)
class Ready:
    learning: bool = False
    @property
    def learns(self):
        return self.learning
    def train(self, data, model_dir, seed):
        raise AssertionError("it is used as it is")
    def load(self, model_dir):
        raise AssertionError("it is used as it is")
    def translate(self, sources):
        return iter(sources)
"""


@pytest.fixture
def test_set_alone(tmp_path):
    """An experiment on a benchmark without a training split, with a trainable system."""
    draft = Draft(tmp_path / "test-set", seed=1)
    draft.write("test", [Example.make(source=one, references=[one]) for one in ("a b", "a c")])
    draft.finish(
        {
            "format": 1, "name": "test-set", "version": "1", "source": "en", "target": "de",
            "builder": "imported", "seed": 1, "recipe": {}, "metrics": ["exact"],
        }
    )  # fmt: skip
    (tmp_path / "ready.py").write_text(READY, encoding="utf-8")
    path = tmp_path / "ready.toml"
    path.write_text(
        'benchmark = "test-set"\nrun = "run"\n[system.ready]\nuse = "./ready.py:Ready"\n',
        encoding="utf-8",
    )
    return path


def test_what_is_used_as_it_is_needs_no_training_split(test_set_alone, tmp_path):
    """No training, no model, no second seed; check and the plan agree."""
    experiment = dataclasses.replace(read_experiment(test_set_alone), seeds=(1, 2))
    assert check_experiment(test_set_alone, trust=True) == []
    assert "train" not in plan_experiment(experiment)["cells"][0]
    assert train(experiment) == 0
    assert translate(experiment) == 2
    assert score_run(experiment) == 1
    assert not (tmp_path / "run" / "ready" / "seed-1" / "model").exists()


def test_a_missing_training_split_is_found_before_any_work(test_set_alone):
    """Check, plan and run say the same."""
    text = test_set_alone.read_text(encoding="utf-8") + "learning = true\n"
    test_set_alone.write_text(text, encoding="utf-8")
    told = "no split 'train' to train 'ready' on"
    (problem,) = check_experiment(test_set_alone, trust=True)
    assert told in str(problem)
    experiment = read_experiment(test_set_alone)
    for stage in (plan_experiment, train):
        with pytest.raises(DataError, match=told):
            stage(experiment)


def test_final_failures_can_be_accepted(experiment_file, tmp_path):
    """They are counted in the record, and no error; with --retry they are asked for again."""
    (tmp_path / "faulty.py").write_text(FAULTY, encoding="utf-8")
    text = experiment_file.read_text(encoding="utf-8").partition("[system.")[0]
    text += '[system.faulty]\nuse = "./faulty.py:Faulty"\nwhere = "some"\nword = "dog"\n'
    experiment_file.write_text(text, encoding="utf-8")
    experiment = read_experiment(experiment_file)
    with pytest.raises(SystemsFailed, match="could not be translated") as failed:
        translate(experiment)
    assert "--accept-failures or --retry" in failed.value.hint
    assert translate(experiment, accept_failures=True) == 0
    record = Run(experiment.run).cell("faulty", 1).record()
    lost = sum(one["failed"] for one in record["translate"].values())
    assert lost == sum("dog" in one.source for one in examples_of(experiment)) > 0
    (tmp_path / "faulty.py").write_text(FAULTY.replace("self.word in source", "False"))
    with pytest.raises(StaleOutput):
        translate(experiment)
    assert translate(experiment, retry=True) == lost


def examples_of(experiment):
    """All that an experiment translates."""
    benchmark = Benchmark.open(experiment.benchmark)
    return [one for split in experiment.splits for one in benchmark.read(split)]
