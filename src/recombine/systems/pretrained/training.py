"""The fine-tuning loop: seeded batches, AdamW, a falling rate, resumable at any checkpoint.

Weights in narrow numbers have float32 masters (systems/device.py): three quarters of them would
never move otherwise.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from recombine.progress import progress
from recombine.systems.pretrained.batches import Collation, Learned, TuningBatch, plan_epoch
from recombine.systems.pretrained.checkpoint import Checkpoint


@dataclass(kw_only=True)
class TuningRecipe:
    """How to train; the defaults are those of Kumon et al. 2024 for Llama 2 and, where the paper
    is silent, those of the Hugging Face trainer.
    """

    learning_rate: float = 1e-4
    batch_size: int = 64
    epochs: int = 8
    max_steps: int | None = None
    warmup_steps: int = 0
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0
    save_every: int = 500


@dataclass(frozen=True)
class Progression:
    """What came out of a training, all calls together."""

    steps: int
    seconds: float
    loss: float
    sequences: int
    tokens: int
    path: str


class Runner(Protocol):
    """Computes loss and gradients of chosen examples; adds each batch's mean loss to `total`."""

    total: Any

    @property
    def path(self) -> str:
        """How the steps are computed, for the record."""

    def run(self, chosen: Sequence[int]) -> None:
        """Set the gradients of one batch."""


MakeRunner = Callable[[list[Any], int, int], Runner]
"""From the trained parameters, this process's rank and the number of processes."""


def fine_tune(
    model: Any,
    lengths: Sequence[int],
    make_runner: MakeRunner,
    recipe: TuningRecipe,
    *,
    seed: int,
    device: str,
    checkpoint: Checkpoint,
    after_epoch: Callable[[int], None] = lambda epoch: None,
) -> Progression:
    """Train the model's trainable parameters, going on from the checkpoint if there is one."""
    import torch

    rank, world = _place_among_processes()
    from recombine.systems.device import follow, gather_gradients, master_of

    trained = {
        name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad
    }
    copies = list(trained.values())
    masters = master_of(copies)
    stored = dict(zip(trained, masters, strict=True))
    optimizer = torch.optim.AdamW(
        masters,
        lr=recipe.learning_rate,
        weight_decay=recipe.weight_decay,
        fused=device.startswith("cuda"),
    )
    per_epoch = -(-len(lengths) // recipe.batch_size)
    total = recipe.max_steps or per_epoch * recipe.epochs
    state: dict[str, Any] = {"step": 0, "loss": 0.0, "sequences": 0, "tokens": 0, "seconds": 0.0}
    if checkpoint.exists():
        state = checkpoint.read(stored, optimizer)
        follow(copies, masters)
    first, before = state["step"], state["seconds"]
    runner = make_runner(copies, rank, world)
    model.train()
    started = time.monotonic()
    with progress("fine-tune", total) as bar:
        bar.advance(first)
        for number in range(first, total):
            epoch, place = divmod(number, per_epoch)
            if place == 0 or number == first:
                batches = plan_epoch(lengths, recipe.batch_size, seed=seed, epoch=epoch)
            # Dropout depends on seed and step alone, so that a resumed training repeats it.
            torch.manual_seed((seed << 32) + number * world + rank)
            tokens = sum(lengths[number] for number in batches[place])
            runner.run(batches[place])
            gather_gradients(masters, copies)
            torch.nn.utils.clip_grad_norm_(masters, recipe.max_grad_norm)
            for group in optimizer.param_groups:
                group["lr"] = recipe.learning_rate * _rate(number, total, recipe.warmup_steps)
            optimizer.step()
            follow(copies, masters)
            state["sequences"] += len(batches[place])
            state["tokens"] += tokens
            bar.advance()
            done = number + 1
            if done % recipe.save_every == 0 or done == total or done % per_epoch == 0:
                state = _settle(state, runner, done, first)
                state["seconds"] = before + time.monotonic() - started
                bar.note(loss=state["loss"])
                if rank == 0 and done % recipe.save_every == 0 and done < total:
                    checkpoint.write(stored, optimizer, state)
                if rank == 0 and done % per_epoch == 0:
                    after_epoch(done // per_epoch)
    model.eval()
    return Progression(
        steps=total,
        seconds=state["seconds"],
        loss=state["loss"],
        sequences=state["sequences"],
        tokens=state["tokens"],
        path=runner.path,
    )


def learned_sequences(
    tokenizer: Any, prompts: Sequence[str], answers: Sequence[str], *, whole: bool
) -> list[Learned]:
    """Return the sequences to learn: prompt, answer, end; the loss is on the answer, or on all.

    Prompt and answer are tokenised apart, since at translation time the prompt stands alone.
    """
    all_asked = tokenizer(list(prompts))["input_ids"]
    all_given = tokenizer(list(answers), add_special_tokens=False)["input_ids"]
    return [
        Learned((*asked, *given, tokenizer.eos_token_id), 1 if whole else len(asked))
        for asked, given in zip(all_asked, all_given, strict=True)
    ]


def checkpoint_of(model_dir: Path) -> Checkpoint:
    """Return the place of an unfinished training."""
    return Checkpoint(model_dir / "unfinished")


def _rate(number: int, total: int, warmup: int) -> float:
    """Linear warm-up, then linear fall to zero: the trainer's default schedule."""
    if number < warmup:
        return number / max(1, warmup)
    return max(0.0, (total - number) / max(1, total - warmup))


def _settle(state: dict[str, Any], runner: Runner, done: int, first: int) -> dict[str, Any]:
    """Read the mean loss since the last look; this waits for the device."""
    since = done - max(state["step"], first)
    loss = float(runner.total) / max(1, since)
    runner.total.zero_()
    return {**state, "step": done, "loss": loss}


class TrainingStep:
    """Computes the mean loss over the tokens to learn, and sets its gradients.

    Sequences are padded on the right, where a causal model never looks, so no mask is needed.
    """

    capture = False

    def __init__(
        self, model: Any, parameters: list[Any], device: str, *, problem: str | None = None
    ) -> None:
        import torch

        self.model = model
        self.parameters = parameters
        self.device = device
        self.problem = problem
        self.total = torch.zeros((), dtype=torch.float32, device=device)

    def run(self, batch: TuningBatch, learned: int | None = None) -> None:
        """Set the gradients of one batch and add its mean loss to `total`.

        `learned` is the number of tokens the mean is over, when other processes hold more.
        """
        import torch

        for parameter in self.parameters:
            parameter.grad = None
        arrays = (torch.from_numpy(array) for array in (batch.tokens, batch.places, batch.targets))
        scale = torch.tensor(1.0 / (learned or batch.learned), dtype=torch.float32)
        self._learn(*(array.to(self.device) for array in (*arrays, scale)))

    def _learn(self, tokens: Any, places: Any, targets: Any, scale: Any) -> None:
        from torch.nn.functional import cross_entropy

        logits = self._logits(tokens, places)
        loss = cross_entropy(logits.float(), targets, ignore_index=-100, reduction="sum") * scale
        loss.backward()
        self.total.add_(loss.detach())

    def _logits(self, tokens: Any, places: Any) -> Any:
        """Return the logits at the flat places whose next token is learned."""
        logits = self.model(input_ids=tokens, use_cache=False).logits
        return logits.reshape(-1, logits.shape[-1]).index_select(0, places)


class CausalRunner:
    """Runs batches of prompt-and-answer sequences, each process its share of every batch."""

    def __init__(
        self, step: TrainingStep, sequences: Sequence[Learned], *, batch_size: int, pad_id: int,
        rank: int, world: int,
    ) -> None:  # fmt: skip
        self.step = step
        self.sequences = sequences
        self.collation = Collation(
            sequences, -(-batch_size // world), pad_id, few_shapes=step.capture
        )
        self.rank = rank
        self.world = world
        self.total = step.total

    @property
    def path(self) -> str:
        """How the steps were computed."""
        if self.step.capture:
            return "CUDA graphs"
        return f"eager ({self.step.problem})" if self.step.problem else "eager"

    def run(self, chosen: Sequence[int]) -> None:
        """Set the gradients of the whole batch."""
        if self.world == 1:
            self.step.run(self.collation.batch(chosen))
            return
        rows = [self.sequences[place] for place in chosen]
        learned = sum(len(row.tokens) - row.learn_from for row in rows)
        share = chosen[self.rank :: self.world]
        self.step.run(self.collation.batch(share or chosen[:1]), learned)
        add_up_gradients(self.step.parameters, idle=not share)


def add_up_gradients(parameters: Sequence[Any], *, idle: bool) -> None:
    """Sum the gradients of all processes; an idle one has computed a batch that does not count."""
    import torch

    flat = torch.cat([parameter.grad.reshape(-1) for parameter in parameters])
    if idle:
        flat.zero_()
    torch.distributed.all_reduce(flat)
    at = 0
    for parameter in parameters:
        size = parameter.numel()
        parameter.grad.copy_(flat[at : at + size].view_as(parameter))
        at += size


def _place_among_processes() -> tuple[int, int]:
    import torch

    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1
