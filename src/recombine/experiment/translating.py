"""Translating: the stage that takes every chosen split through every system and seed.

What is there is kept, what is missing is asked for, and what was made from other inputs is refused.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from typing import Any

from recombine.benchmark import Benchmark, Example, stratified_sample
from recombine.config import to_plain
from recombine.errors import DataError
from recombine.experiment.experiment import (
    Experiment,
    alone_in_its_cells,
    begin_cell,
    chosen_splits,
    create_system,
    system_cells,
)
from recombine.experiment.failures import Failures
from recombine.experiment.fingerprint import augmented, translation_fingerprint
from recombine.experiment.hypotheses import read_hypotheses
from recombine.experiment.run import Cell
from recombine.experiment.translations import (
    SourceSentence,
    Translated,
    is_translated,
    read_translated,
    stored_hypotheses,
    translate_to_file,
)
from recombine.stage import Meta, require_same_key
from recombine.systems.base import hook, is_trainable


@alone_in_its_cells
def translate(
    experiment: Experiment,
    *,
    force: bool = False,
    retry: bool = False,
    accept_failures: bool = False,
) -> int:
    """Translate every chosen split with every system and seed; return the number of sentences.

    A system that fails stops no other, nor does a sentence; SystemsFailed is raised when
    everything else is done. `retry` asks again for sentences that were refused for good, and for
    nothing else; `accept_failures` leaves it at them: they are counted, and no error.
    """
    benchmark = Benchmark.open(experiment.benchmark)
    splits = chosen_splits(experiment, benchmark)
    cells = []
    # All that is stale is found before any work begins.
    for name in experiment.system:
        system = create_system(experiment, name, benchmark)
        for cell in system_cells(experiment, name, system).values():
            cells.append(cell)
            made_from = translation_fingerprint(experiment, cell, system, benchmark)
            for split in () if force else splits:
                is_translated(cell.translations(split), made_from, retry=retry)

    @functools.cache
    def sample(split: str) -> list[Example]:
        return stratified_sample(benchmark.read(split), experiment.sample, experiment.sample_seed)

    count = 0
    failures = Failures()
    for cell in cells:
        with failures.apart(cell):
            for translated in _translate_cell(
                experiment, cell, benchmark, sample, force=force, retry=retry
            ):
                count += translated.now
                if translated.failed and not (accept_failures and translated.final):
                    failures.add(translated.problem(), cell)
    failures.raise_any()
    return count


def _translate_cell(
    experiment: Experiment,
    cell: Cell,
    benchmark: Benchmark,
    sample: Callable[[str], list[Example]],
    *,
    force: bool,
    retry: bool,
) -> Iterator[Translated]:
    """Translate every split with one system and seed, and with its checkpoints if asked for."""
    system = create_system(experiment, cell.system, benchmark)
    checkpoints: list[str | None] = [None]
    if is_trainable(system):
        model = Meta(cell.model).read() or {}
        if not model.get("complete"):
            raise DataError("this system is not trained yet", hint="recombine train EXPERIMENT")
        learned = {"augment": model["fingerprint"].get("augment")}
        asked = {"augment": None, **augmented(experiment, cell.system)}
        require_same_key(cell.model, learned, asked, "recombine train EXPERIMENT --force")
    checkpoints += asked_checkpoints(experiment, system, cell)
    begin_cell(experiment, cell, benchmark)
    for checkpoint in checkpoints:
        ready = None
        fingerprint = translation_fingerprint(experiment, cell, system, benchmark)
        try:
            for split in chosen_splits(experiment, benchmark):
                path = cell.translations(split, checkpoint)
                if not force and is_translated(path, fingerprint, retry=retry):
                    yield read_translated(path)
                    continue
                if ready is None:
                    ready = _load(system, cell, checkpoint) if is_trainable(system) else system
                    if not force:
                        hook(ready, "recall")(cell.record().get("described", {}))
                started = time.time()
                file = hook(ready, "outputs")(split, cell.seed, checkpoint)
                texts = None if file is None else read_hypotheses(file, benchmark, split)[0]
                translated = translate_to_file(
                    ready,
                    [SourceSentence(example.id, example.source) for example in sample(split)],
                    path,
                    fingerprint,
                    force=force,
                    retry=retry,
                    description=f"{cell.system} seed {cell.seed} {path.stem}",
                    known_answers=texts,
                    note=functools.partial(_describe, ready, cell),
                )
                _record_translation(cell, translated, time.time() - started)
                yield translated
            if ready is not None and experiment.repeat and checkpoint is None:
                try:
                    _measure_flips(experiment, benchmark, ready, cell, sample)
                finally:
                    _describe(ready, cell)
        finally:
            if ready is not None:
                hook(ready, "close")()


def _describe(system: Any, cell: Cell) -> None:
    """Store what a system says of itself: what was used was used, whatever came of it."""
    described = dict(hook(system, "describe")())
    cell.update_record(**({"described": described} if described else {}))


def asked_checkpoints(experiment: Experiment, system: Any, cell: Cell) -> list[str]:
    """The checkpoints that are translated beside the model; all of them are known once trained."""
    checkpoints = hook(system, "checkpoints")(cell.model) if experiment.checkpoints else ()
    if not checkpoints and not is_trainable(system):
        return []
    return list(checkpoints if "all" in experiment.checkpoints else experiment.checkpoints)


def _load(system: Any, cell: Cell, checkpoint: str | None) -> Any:
    if checkpoint is None:
        return system.load(cell.model)
    return system.load(cell.model, checkpoint=checkpoint)


def _record_translation(cell: Cell, translated: Translated, seconds: float) -> None:
    times = {**cell.record().get("translate", {})}
    times[translated.path.stem] = {
        "sentences": translated.now,
        "seconds": round(seconds, 2),
        "failed": len(translated.failed),
        "empty": translated.empty,
    }
    cell.update_record(translate=times)


def _measure_flips(
    experiment: Experiment,
    benchmark: Benchmark,
    system: Any,
    cell: Cell,
    sample: Callable[[str], list[Example]],
) -> None:
    """Store how often the same sentence gets another translation alone or in a shuffled batch."""
    from recombine.experiment.repeatability import flip_rate

    flips = {}
    for split in chosen_splits(experiment, benchmark):
        hypotheses = stored_hypotheses(cell.translations(split))
        examples = [example for example in sample(split) if example.id in hypotheses]
        examples = stratified_sample(examples, experiment.repeat, experiment.sample_seed)
        flips[split] = flip_rate(
            system,
            [example.source for example in examples],
            [hypotheses[example.id] for example in examples],
            seed=experiment.sample_seed,
        )
    cell.update_record(flips=to_plain(flips))
