"""Fine-tuning on the one training loop: seeded batches, AdamW, a falling rate."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import torch
from torch.nn.functional import cross_entropy

from recombine.systems.neural.distributed import World, join_world
from recombine.systems.neural.loop import ModelTraining, run
from recombine.systems.neural.optimiser import AdamSettings, Optimiser, master_of
from recombine.systems.pretrained.base import TuningRecipe
from recombine.systems.pretrained.batches import Collation, Learned, TuningBatch, plan_epoch


class Runner(Protocol):
    """Computes loss and gradients of chosen examples; adds each batch's mean loss to `total`."""

    total: Any

    @property
    def path(self) -> str:
        """How the steps are computed, for the record."""

    def run(self, chosen: Sequence[int]) -> None:
        """Set the gradients of one batch."""


MakeRunner = Callable[[list[Any], World], Runner]
"""From the parameters that are trained and the processes that train together."""


def fine_tune(
    model: Any,
    lengths: Sequence[int],
    make_runner: MakeRunner,
    recipe: TuningRecipe,
    *,
    seed: int,
    device: str,
    model_dir: Path,
    after_epoch: Callable[[int], None] = lambda epoch: None,
) -> dict[str, Any]:
    """Train the model's trainable parameters, going on from where an earlier call stopped.

    The caller stores what was trained and then removes the state. Returns what is to be recorded:
    steps, seconds, sequences and tokens of all calls together, the last loss, how it was computed.
    """
    training = FineTuning(
        model, lengths, make_runner, recipe, seed=seed, world=join_world(torch.device(device)),
        model_dir=model_dir, after_epoch=after_epoch,
    )  # fmt: skip
    training.load_weights()
    model.train()
    for failure in run([training], time.monotonic()).values():
        raise failure
    model.eval()
    state = training.state
    counts = {name: getattr(state, name) for name in ("seconds", "loss", "sequences", "tokens")}
    return {"steps": training.steps, **counts, "path": training.runner.path}


class FineTuning(ModelTraining):
    """A pretrained model in training; weights in narrow numbers have float32 masters."""

    keeps_last_state = False  # what was trained is stored as a model
    hint_for_divergence = 'set dtype = "float32"'

    def __init__(
        self, model: Any, lengths: Sequence[int], make_runner: MakeRunner, recipe: TuningRecipe,
        *, seed: int, world: World, model_dir: Path, after_epoch: Callable[[int], None],
    ) -> None:  # fmt: skip
        trained = [pair for pair in model.named_parameters() if pair[1].requires_grad]
        copies = [parameter for _, parameter in trained]
        self.lengths = lengths
        self.recipe = recipe
        self.after_epoch = after_epoch
        self.per_epoch = -(-len(lengths) // recipe.batch_size)
        steps = recipe.max_steps or self.per_epoch * recipe.epochs
        self.optimiser = Optimiser(
            [name for name, _ in trained],
            master_of(copies),
            copies,
            AdamSettings(
                rate=lambda step: recipe.learning_rate * _rate(step, steps, recipe.warmup_steps),
                weight_decay=recipe.weight_decay,
                clip_norm=recipe.max_grad_norm,
            ),
        )
        super().__init__(
            label="fine-tune",
            model_dir=model_dir,
            seed=seed,
            world=world,
            steps=steps,
            periods=(recipe.save_every, self.per_epoch),
            save_every=recipe.save_every,
        )
        self.stepper = self
        self.runner = make_runner(copies, world)
        self.taken = 0  # steps since the last look

    def batches(self, first_step: int) -> Iterator[list[int]]:
        """Yield the numbers of the examples of each step."""
        epoch, place = divmod(first_step, self.per_epoch)
        while True:
            size = self.recipe.batch_size
            yield from plan_epoch(self.lengths, size, seed=self.seed, epoch=epoch)[place:]
            epoch, place = epoch + 1, 0

    def look(self) -> None:
        """Let the caller keep the weights after an epoch."""
        self.state.loss = self.loss
        epoch, rest = divmod(self.state.step, self.per_epoch)
        if self.world.leads and not rest:
            self.after_epoch(epoch)

    def take(self, step: int, chosen: list[int]) -> None:
        """Take one optimiser step on the chosen examples."""
        # Dropout depends on seed, step and process alone: a resumed training repeats it.
        torch.manual_seed((self.seed << 32) + step * self.world.size + self.world.rank)
        self.runner.run(chosen)
        self.optimiser.set_rate(step)
        self.optimiser.step()
        self.taken += 1
        self.state.sequences += len(chosen)
        self.state.tokens += sum(self.lengths[number] for number in chosen)

    def read_loss(self) -> float:
        """Return the mean loss of a batch since the last call."""
        mean = float(self.world.sum(self.runner.total)) / max(1, self.taken)
        self.runner.total.zero_()
        self.taken = 0
        return mean


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


def _rate(number: int, total: int, warmup: int) -> float:
    """Linear warm-up, then linear fall to zero: the trainer's default schedule."""
    if number < warmup:
        return number / max(1, warmup)
    return max(0.0, (total - number) / max(1, total - warmup))


class TrainingStep:
    """Computes the mean loss over the tokens to learn, and sets its gradients.

    Sequences are padded on the right, where a causal model never looks, so no mask is needed.
    """

    capture = False

    def __init__(
        self, model: Any, parameters: list[Any], device: str, *, problem: str | None = None
    ) -> None:
        self.model = model
        self.parameters = parameters
        self.device = device
        self.problem = problem
        self.total = torch.zeros((), dtype=torch.float32, device=device)

    def run(self, batch: TuningBatch, learned: int | None = None) -> None:
        """Set the gradients of one batch and add its mean loss to `total`.

        `learned` is the number of tokens the mean is over, when other processes hold more.
        """
        for parameter in self.parameters:
            parameter.grad = None
        arrays = (torch.from_numpy(array) for array in (batch.tokens, batch.places, batch.targets))
        scale = torch.tensor(1.0 / (learned or batch.learned), dtype=torch.float32)
        self._learn(*(array.to(self.device) for array in (*arrays, scale)))

    def _learn(self, tokens: Any, places: Any, targets: Any, scale: Any) -> None:
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
        world: World,
    ) -> None:  # fmt: skip
        self.step = step
        self.sequences = sequences
        self.collation = Collation(
            sequences, -(-batch_size // world.size), pad_id, few_shapes=step.capture
        )
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
        if self.world.size == 1:
            self.step.run(self.collation.batch(chosen))
            return
        rows = [self.sequences[place] for place in chosen]
        learned = sum(len(row.tokens) - row.learn_from for row in rows)
        share = chosen[self.world.rank :: self.world.size]
        if share:
            self.step.run(self.collation.batch(share), learned)
        else:  # this process has no example of the last, small batch
            for parameter in self.step.parameters:
                parameter.grad = None
        self.world.sum_gradients(self.step.parameters)
