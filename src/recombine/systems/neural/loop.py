"""The one training loop: steps; at boundaries a log line, a look at the model, a checkpoint.

Everything a step draws is a function of seed and step, so a training that was killed goes on to the
very same weights. Several models can take turns (on a GPU, which one does not fill).
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from recombine.errors import RecombineError, SystemFailure, Where
from recombine.files import Appender, read_jsonl, write_jsonl
from recombine.progress import progress
from recombine.systems.neural.checkpoint import (
    TrainingCheckpoint,
    fitting,
    read_state,
    read_tensors,
    write_state,
)
from recombine.systems.neural.distributed import World
from recombine.systems.neural.optimiser import Optimiser


class TakesSteps(Protocol):
    """How the steps of a training are computed."""

    def take(self, step: int, chosen: Any) -> None:
        """Take one optimiser step on the chosen examples."""

    def read_loss(self) -> float:
        """Return the mean loss since the last call, and start anew; this waits for the device."""


class ModelTraining(ABC):
    """One model in training. A class that inherits sets `stepper` and `optimiser`."""

    stepper: TakesSteps
    optimiser: Optimiser
    max_minutes = 0.0
    keeps_last_state = True
    slowed = False  # whether steps are taken that are slower than this device's fastest

    def __init__(
        self, *, label: str, model_dir: Path, seed: int, world: World, steps: int,
        periods: Sequence[int], save_every: int,
    ) -> None:  # fmt: skip
        """`periods`: after so many steps there is something to do."""
        self.label = label
        self.model_dir = model_dir
        self.seed = seed
        self.world = world
        self.steps = steps
        self.periods = periods
        self.save_every = save_every
        self.state = TrainingCheckpoint(seed=seed)
        self._resume()
        self._batches = self.batches(self.state.step)
        self.pairs = 0
        self.clock = time.monotonic()
        self.loss = math.nan
        self.rate = 0.0

    @abstractmethod
    def batches(self, first_step: int) -> Iterator[Any]:
        """Yield the chosen examples of step `first_step` and of every one after it."""

    @abstractmethod
    def look(self) -> None:
        """Do at a boundary what is due after so many steps: evaluate, keep the weights."""

    def _resume(self) -> None:
        state = read_state(self.model_dir)
        log_path = self.model_dir / "train_log.jsonl"
        if state is not None:
            self.state = state
        self.world.wait()
        if self.world.leads:
            if log_path.exists():
                with Appender(log_path):
                    pass  # cuts a half-written last line
                rows = [row for row in read_jsonl(log_path) if row["step"] <= self.state.step]
                write_jsonl(log_path, rows if state is not None else [])
            self._log: Appender | None = Appender(log_path)
        else:
            self._log = None

    def load_weights(self) -> None:
        """Take the weights and moments of the step to go on from, once the steps are chosen.

        Fast steps are compared with plain ones on the first weights, before this: the gradient of a
        model that knows its training pairs by heart is next to nothing, and differs by rounding.
        """
        if self.state.step:
            path = self.model_dir / self.state.file
            tensors = read_tensors(path, self.optimiser.parameters[0].device)
            fitting(path, tensors, self.optimiser.tensors())
            self.optimiser.load(tensors)

    def note(self, *, step: int, **values: Any) -> None:
        """Add a row to train_log.jsonl."""
        if self._log is not None:
            self._log.append({"step": step, **values})

    @property
    def done(self) -> bool:
        """Whether all steps were taken."""
        return self.state.step >= self.steps

    def next_boundary(self) -> int:
        """Return the next step at which to log, look or save."""
        step = self.state.step
        return min(self.steps, *((step // period + 1) * period for period in self.periods))

    def take_step(self) -> None:
        """Take one step."""
        chosen = next(self._batches)
        self.stepper.take(self.state.step, chosen)
        self.state.step += 1
        self.pairs += len(chosen)

    def at_boundary(self) -> None:
        """Log; look and save where that is due."""
        step = self.state.step
        self.loss = self.stepper.read_loss()
        now = time.monotonic()
        seconds, self.rate = now - self.clock, self.pairs / max(1e-9, now - self.clock)
        if not math.isfinite(self.loss):
            last = read_state(self.model_dir)
            raise SystemFailure(
                f"the loss is {self.loss} before step {step}: training has diverged",
                Where(str(self.model_dir)),
                hint=f"lower learning_rate, {self.hint_for_divergence}; "
                + (f"the state at step {last.step} is kept" if last else "nothing was saved yet"),
            )
        self.state.seconds += seconds
        self.note(
            step=step,
            loss=round(self.loss, 6),
            learning_rate=self.optimiser.set_rate(step - 1),
            pairs_per_second=round(self.rate, 1),
            seconds=round(self.state.seconds, 2),
        )
        self.look()
        if step % self.save_every == 0 or (self.done and self.keeps_last_state):
            self.save()
        self.pairs = 0
        self.clock = time.monotonic()

    @property
    def hint_for_divergence(self) -> str:
        """Which options may keep the loss finite, besides a lower rate."""
        return 'set clip_norm or precision = "float32"'

    def save(self) -> None:
        """Store the full state."""
        self.state.finished = self.done
        if self.world.leads:
            write_state(self.model_dir, self.state, self.optimiser.tensors())
        self.world.wait()

    def close(self) -> None:
        """Close the log."""
        if self._log is not None:
            self._log.close()


def run(trainings: Sequence[ModelTraining], started: float) -> dict[Path, RecombineError]:
    """Train to the end, without those that diverge; return their failures.

    `started`: when the call began, whose minutes `max_minutes` counts.
    """
    going = [training for training in trainings if not training.done]
    failures: dict[Path, RecombineError] = {}
    total = sum(training.steps - training.state.step for training in going)
    label = ", ".join(training.label for training in trainings)
    try:
        with progress(label, total) as bar:
            while going:
                moving = [(training, training.next_boundary()) for training in going]
                while moving:
                    for training, _ in moving:
                        training.take_step()
                    bar.advance(len(moving))
                    moving = [pair for pair in moving if pair[0].state.step < pair[1]]
                for training in going:
                    try:
                        training.at_boundary()
                    except SystemFailure as error:
                        failures[training.model_dir] = error
                lead, state = going[0], going[0].state
                bar.note(
                    loss=lead.loss,
                    **({} if state.best_step is None else {"dev": state.best_score}),
                    pairs_s=sum(training.rate for training in going),
                    **({"slow": "(train_log.jsonl says why)"} if lead.slowed else {}),
                )
                going = [
                    training
                    for training in going
                    if not training.done and training.model_dir not in failures
                ]
                if going:
                    _stop_in_time(going, started)
    finally:
        for training in trainings:
            training.close()
    return failures


def _stop_in_time(trainings: Sequence[ModelTraining], started: float) -> None:
    minutes = (time.monotonic() - started) / 60
    limit = trainings[0].max_minutes
    if not limit or minutes < limit:
        return
    for training in trainings:
        training.save()
    where = ", ".join(f"{training.state.step} of {training.steps}" for training in trainings)
    raise SystemFailure(
        f"stopped at step {where} after {minutes:.1f} minutes", hint="run again to continue"
    )
