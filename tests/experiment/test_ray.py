"""Work goes to a real two-node Ray cluster, and a dead machine loses nothing."""

from __future__ import annotations

import dataclasses
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recombinable import recombinable
from recombine.benchmark import Example
from recombine.builders.divergent.encode import ReadingOptions, prepare
from recombine.cli import main
from recombine.draft import Draft
from recombine.errors import DataError
from recombine.experiment.experiment import Experiment
from recombine.experiment.ray import pack, run_experiment_on_ray, unpack
from recombine.files import read_jsonl
from recombine.parallel import map_on_ray

MORTAL = '''
"""A system that kills its own worker process the first time it is asked to translate."""
import os, signal
from dataclasses import dataclass
from pathlib import Path


@dataclass(kw_only=True)
class Mortal:
    mark: str

    def translate(self, sources):
        for number, source in enumerate(sources):
            if number == 2 and not Path(self.mark).exists():
                Path(self.mark).write_text("died once")
                os.kill(os.getpid(), signal.SIGKILL)
            yield source.upper()
'''


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes on this machine, each with one processor."""
    # Not above: it takes seconds, in every process that collects the tests.
    ray = pytest.importorskip("ray", reason="the extra 'cluster' is not installed")
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        # Workers import this file, and it imports what lies beside the folder.
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        yield from _cluster(ray, Cluster)


def _cluster(ray: Any, kind: Any) -> Iterator[Any]:
    made = kind(
        initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": 100_000_000}
    )
    made.add_node(num_cpus=1, object_store_memory=100_000_000)
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


@dataclasses.dataclass
class SlowSquare:
    """Squares a number and says which process did it."""

    seconds: float = 0.1

    def __call__(self, number: int) -> tuple[int, int]:
        """Return the square and the process id."""
        time.sleep(self.seconds)
        return number * number, os.getpid()


def corpus(path: Path, sentences: int) -> Path:
    """Write a small parsed corpus."""
    lines = ["text\tlemmas\trelations\theads"]
    for number in range(sentences):
        a, b = f"w{number % 50}", f"v{number % 30}"
        lines.append(f"{a} {b} {number}\t{a} {b} {number}\tnsubj root obj\t2 0 2")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_folder_survives_packing(tmp_path: Path) -> None:
    """What is packed comes out the same and replaces what was there."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").write_text("ü", encoding="utf-8")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old").write_text("old")
    unpack(pack(tmp_path / "a"), tmp_path / "out")
    assert [p.name for p in (tmp_path / "out").rglob("*")] == ["b", "c.txt"]


@pytest.mark.slow
def test_results_come_back_in_order_although_a_worker_dies(cluster: Any) -> None:
    """A worker killed in the middle of a map is replaced and no result is lost."""
    results: list[tuple[int, int]] = []
    killed = False
    for result in map_on_ray(SlowSquare(), range(40)):
        results.append(result)
        if len(results) == 5 and not killed:
            os.kill(results[-1][1], signal.SIGKILL)
            killed = True
    assert [square for square, _ in results] == [n * n for n in range(40)]
    assert len({process for _, process in results}) >= 2


@pytest.mark.slow
def test_preparation_is_the_same_on_a_cluster_that_loses_a_machine(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The encoded corpus has the same bytes, with a node removed while it is being made."""
    monkeypatch.setattr("recombine.corpus.conllu.read_blocks.__defaults__", (2_000,))
    path = corpus(tmp_path / "c.tsv", 20_000)
    local, _ = prepare(ReadingOptions(workers=1), (path,), tmp_path / "local")
    extra = cluster.add_node(num_cpus=2, object_store_memory=100_000_000)

    def lose_a_machine(*work: Any, **options: Any) -> Iterator[Any]:
        for number, result in enumerate(map_on_ray(*work, **options)):
            if number == 1:
                cluster.remove_node(extra, allow_graceful=False)
            yield result

    monkeypatch.setattr("recombine.parallel.map_on_ray", lose_a_machine)
    remote, _ = prepare(ReadingOptions(engine="ray"), (path,), tmp_path / "remote")
    assert extra not in cluster.list_all_nodes()
    for name in ("units.bin", "relations.bin", "heads.bin", "starts.bin", "names.json"):
        assert (local.directory / name).read_bytes() == (remote.directory / name).read_bytes()


@pytest.mark.slow
def test_pairs_are_recombined_alike_on_a_cluster(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts are cut and counted there; pairs, certificate and page have the same bytes."""
    monkeypatch.setattr("recombine.augment.tokens.BLOCK", 8)
    sent: list[object] = []

    def watched(function: Any, *work: Any, **options: Any) -> Iterator[Any]:
        sent.append(function)
        return map_on_ray(function, *work, **options)

    monkeypatch.setattr("recombine.parallel.map_on_ray", watched)
    data = str(recombinable(tmp_path / "data").path)
    for engine in ("local", "ray"):
        out = str(tmp_path / engine)
        assert main(["augment", data, "-n", "50", "--engine", engine, "--out", out]) == 0
    assert len(sent) == 6  # two sides cut; words counted of both, in train and in what was drawn
    names = sorted(path.name for path in (tmp_path / "local").iterdir())
    assert names == ["README.md", "certificate.json", "pairs.jsonl", "review.html"]
    for name in names[1:3]:
        assert (tmp_path / "local" / name).read_bytes() == (tmp_path / "ray" / name).read_bytes()


@pytest.mark.slow
def test_a_fault_in_the_data_arrives_as_itself(cluster: Any, tmp_path: Path) -> None:
    """A worker's error keeps its type, line and message."""
    path = corpus(tmp_path / "c.tsv", 5)
    path.write_text(path.read_text().replace("2 0 2", "2 0 9", 1))
    with pytest.raises(DataError, match="head 9") as caught:
        prepare(ReadingOptions(engine="ray"), (path,), tmp_path / "work")
    assert caught.value.where is not None
    assert caught.value.where.line == 2


@pytest.mark.slow
def test_an_experiment_fans_out_and_survives_a_dead_worker(cluster: Any, tmp_path: Path) -> None:
    """Every cell is collected, also the one whose worker was killed while translating."""
    draft = Draft(tmp_path / "benchmark", seed=1)
    examples = [Example.make(source=f"line {n}", references=[f"LINE {n}"]) for n in range(6)]
    draft.write("test", examples)
    manifest = {"name": "small", "version": "1", "source": "en", "target": "xx"}
    draft.finish({"format": 1, **manifest, "builder": "imported", "seed": 1})
    (tmp_path / "mortal.py").write_text(MORTAL)
    system = {"use": f"{tmp_path}/mortal.py:Mortal", "mark": str(tmp_path / "mark")}
    experiment = Experiment(
        benchmark=tmp_path / "benchmark",
        run=tmp_path / "run",
        system={"mortal": system, "copy": {"use": "copy"}},
        seeds=(1, 2),
    )
    assert run_experiment_on_ray(experiment) == 2  # neither is another system with another seed
    assert (tmp_path / "mark").exists()
    for name in ("mortal", "copy"):
        path = tmp_path / "run" / name / "seed-1" / "translations" / "test.jsonl"
        expected = [e.source.upper() if name == "mortal" else e.source for e in examples]
        assert [row["hyp"] for row in read_jsonl(path)] == expected
