"""Trainer: a from-scratch model in training; its steps, and its scores on dev."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from recombine.errors import SystemFailure
from recombine.systems.neural.checkpoint import write_tensors
from recombine.systems.neural.distributed import World
from recombine.systems.neural.loop import ModelTraining
from recombine.systems.seq2seq.batch import Batch, pad_batch
from recombine.systems.seq2seq.corpus import BatchPlan, Numbers, Prepared
from recombine.systems.seq2seq.operations import Operations
from recombine.systems.seq2seq.optimiser import ModelOptimiser
from recombine.systems.seq2seq.options import Options
from recombine.systems.seq2seq.search import Decoder


class Stepper:
    """One step after another in plain PyTorch, in smaller parts when memory runs out.

    Faster ways to take the same steps (fast/) are made from this one.
    """

    def __init__(self, trainer: Trainer, operations: Operations | None = None) -> None:
        self.trainer = trainer
        self.operations = operations or Operations()
        # R-Drop compares two dropout passes of every pair: one batch in which it stands twice.
        self.twice = trainer.options.rdrop_weight > 0
        # On a GPU the whole step goes at once if it fits; a CPU's caches like it smaller.
        self.parts = trainer.options.accumulate if trainer.device.type == "cpu" else 1
        self.loss = torch.zeros((), dtype=torch.float64, device=trainer.device)
        self.pieces: int | Tensor = 0

    def take(self, step: int, chosen: Numbers) -> None:
        """Take one optimiser step on the chosen pairs."""
        trainer = self.trainer
        pieces = int(trainer.prepared.corpus.target.lengths[chosen].sum()) * (1 + self.twice)
        mine = chosen[trainer.world.rank :: trainer.world.size]
        while True:
            try:
                loss = self._gradients(step, mine, pieces)
                break
            except torch.OutOfMemoryError as error:
                self.parts *= 2
                if self.parts > len(mine):
                    raise SystemFailure(
                        "out of memory even with one sentence at a time",
                        hint="use a smaller width or fewer layers, or another device",
                    ) from error
                trainer.note(event="out of memory", parts=self.parts, step=step)
                torch.cuda.empty_cache()
        trainer.world.sum_gradients(trainer.optimiser.copies)
        trainer.optimiser.set_rate(step)
        trainer.optimiser.step()
        self.loss += trainer.world.sum(loss)
        self.pieces += pieces

    def _gradients(self, step: int, chosen: Numbers, pieces: int) -> Tensor:
        """Compute the gradients of the mean loss per piece; return its sum."""
        trainer, model = self.trainer, self.trainer.optimiser.compute
        trainer.optimiser.clear()
        seed_streams(trainer.seed, step, trainer.world.rank)
        total = torch.zeros((), dtype=torch.float64, device=trainer.device)
        for part in np.array_split(chosen, self.parts):
            for batch in self.batches(part) if len(part) else ():
                with self.operations.within(model):
                    loss = model(batch)
                    (loss / pieces).backward()
                total += loss.detach()
        return total

    def batches(self, chosen: Numbers) -> Iterator[Batch]:
        """Return the chosen pairs as one batch or several."""
        corpus, device = self.trainer.prepared.corpus, self.trainer.device
        yield pad_batch(corpus, chosen, device, twice=self.twice)

    def read_loss(self) -> float:
        """Return the mean loss per target piece since the last call, and start anew."""
        mean = float(self.loss) / max(1, int(self.pieces))
        self.loss.zero_()
        self.pieces = 0
        return mean


class Trainer(ModelTraining):
    """A from-scratch model in training."""

    stepper: Stepper
    optimiser: ModelOptimiser

    def __init__(
        self,
        *,
        model: nn.Module,
        prepared: Prepared,
        options: Options,
        model_dir: Path,
        seed: int,
        device: torch.device,
        dtype: torch.dtype,
        world: World,
    ) -> None:
        self.prepared = prepared
        self.options = options
        self.device = device
        self.max_minutes = options.max_minutes
        self.model = model.to(device)
        self.optimiser = ModelOptimiser(self.model, options, dtype)
        self.optimiser.compute.train()
        self.plan = BatchPlan(
            prepared.corpus,
            seed,
            options.sentences_per_step,
            options.batch_unit,
            options.batch_by_length,
        )
        super().__init__(
            label=f"{options.kind} seed {seed}",
            model_dir=model_dir,
            seed=seed,
            world=world,
            steps=options.steps,
            periods=(options.log_every, options.evaluate_every, options.checkpoint_every),
            save_every=options.checkpoint_every,
        )
        self.stepper = Stepper(self)

    def batches(self, first_step: int) -> Iterator[Numbers]:
        """Yield the sentence numbers of each step."""
        return self.plan.batches(first_step)

    def look(self) -> None:
        """Evaluate on dev where that is due."""
        due = self.state.step % self.options.evaluate_every == 0 or self.done
        if due and self.prepared.dev_sources and self.world.leads:
            self._evaluate()

    def _evaluate(self) -> None:
        began = time.monotonic()
        scores = self.dev_scores()
        score = scores[self.options.select]
        step = self.state.step
        self.note(
            step=step,
            **{f"dev_{name}": round(value, 6) for name, value in scores.items()},
            seconds=round(time.monotonic() - began, 2),
        )
        weights = dict(self.model.state_dict())
        if self.options.keep_checkpoints:
            write_tensors(self.model_dir / f"step-{step}.safetensors", weights)
        # At equal score the earlier one stays: later ties would depend on when one looks.
        if score > self.state.best_score:
            self.state.best_score, self.state.best_step = score, step
            write_tensors(self.model_dir / f"best-{step}.safetensors", weights)

    def dev_scores(self) -> dict[str, float]:
        """Return the share of dev sentences translated exactly, and chrF2++ if it selects."""
        sources, references = self.prepared.dev_sources, self.prepared.dev_references
        if self.options.dev_sample:
            stride = max(1, len(sources) // self.options.dev_sample)
            sources, references = sources[::stride], references[::stride]
        was_training = self.model.training
        self.model.eval()
        decoder = Decoder(
            self.model,
            self.prepared.source_vocabulary,
            self.prepared.target_vocabulary,
            self.options,
            self.device,
        )
        hypotheses = [str(hypothesis) for hypothesis in decoder.translate(sources, exact=False)]
        self.model.train(was_training)
        hits = sum(
            hypothesis in accepted
            for hypothesis, accepted in zip(hypotheses, references, strict=True)
        )
        scores = {"exact": hits / len(sources)}
        if self.options.select == "chrf":
            scores["chrf"] = self._chrf(hypotheses, references)
        return scores

    def _chrf(self, hypotheses: list[str], references: Sequence[Sequence[str]]) -> float:
        from sacrebleu.metrics.chrf import CHRF

        # chrF2++ as in Moisio et al. 2023, section 4.1, on text of the case the model writes.
        scorer = CHRF(word_order=2, lowercase=self.options.lowercase)
        first = [accepted[0] for accepted in references]
        return float(scorer.corpus_score(hypotheses, [first]).score)


def seed_streams(seed: int, step: int, rank: int = 0) -> None:
    """Seed torch for one step: what it draws is a function of (seed, step, rank) alone."""
    words = np.random.SeedSequence([seed, step, rank]).generate_state(2)
    torch.manual_seed((int(words[0]) << 31) | (int(words[1]) >> 1))
