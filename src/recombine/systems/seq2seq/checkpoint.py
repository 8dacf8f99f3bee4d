"""Checkpoint: all that a run needs to go on after a kill, as safetensors and JSON, never pickle.

    options.json               the options that decide the weights; another set is refused
    state.json                 step, best step, and which files belong to them
    state-N.safetensors        weights, Adam's moments (the random streams and the data position
                               are functions of seed and step, so the step number stores them)
    best-N.safetensors         the weights with the best dev score
    step-N.safetensors         the weights at every evaluation, with keep_checkpoints
    train_log.jsonl            the learning curve

`state.json` is renamed into place last and old files are removed after that, so a kill at any
instant leaves one complete set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from recombine.config import to_plain
from recombine.errors import DataError, StaleOutput
from recombine.files import read_json, write_json
from recombine.registry import require
from recombine.systems.seq2seq.options import Options

FORMAT = 1


@dataclass
class TrainingCheckpoint:
    """Where a run stands."""

    step: int = 0
    seed: int = 0
    best_step: int | None = None
    best_score: float = -1.0
    finished: bool = False
    seconds: float = 0.0
    random: str = "PCG64 and torch streams seeded by (seed, step)"
    format: int = FORMAT

    @property
    def file(self) -> str:
        """The name of the full state's file."""
        return f"state-{self.step}.safetensors"


def read_state(model_dir: Path) -> TrainingCheckpoint | None:
    """Return the stored state, or None when there is none."""
    path = model_dir / "state.json"
    return TrainingCheckpoint(**read_json(path)) if path.exists() else None


def write_state(model_dir: Path, state: TrainingCheckpoint, tensors: dict[str, Tensor]) -> None:
    """Store a full state, then remove what it replaces."""
    write_tensors(model_dir / state.file, tensors)
    write_json(model_dir / "state.json", asdict(state))
    keep = {state.file, f"best-{state.best_step}.safetensors"}
    # The library writes `.tmpXXXXXX` first, which a kill leaves.
    for pattern in ("state-*.safetensors", "best-*.safetensors", "*.partial", ".tmp*"):
        for path in model_dir.glob(pattern):
            if path.name not in keep:
                path.unlink(missing_ok=True)


def write_tensors(path: Path, tensors: dict[str, Tensor]) -> None:
    """Write tensors whole or not at all."""
    files = require("safetensors.torch", extra="train", feature="training")
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    files.save_file(plain, partial)
    partial.replace(path)


def read_tensors(path: Path, device: torch.device | str = "cpu") -> dict[str, Tensor]:
    """Read tensors; a file that is not whole is an error that names it."""
    files = require("safetensors.torch", extra="train", feature="decoding")
    try:
        tensors: dict[str, Tensor] = files.load_file(path, device=str(device))
    except FileNotFoundError:
        raise DataError(f"no such checkpoint: {path}") from None
    except Exception as error:
        raise DataError(
            f"{path} is not a readable checkpoint: {error}",
            hint="put back the file that this training wrote, or remove the folder and train again",
        ) from error
    return tensors


def fitting(path: Path, found: dict[str, Tensor], wanted: Mapping[str, Tensor]) -> None:
    """Refuse weights of another model, and some that no training ends with, by name."""
    hint = "put back the file that this training wrote, or remove the folder and train again"
    unlike = [
        name
        for name in sorted({*found, *wanted})
        if name not in found or name not in wanted or found[name].shape != wanted[name].shape
    ]
    if unlike:
        first = unlike[0]
        here, there = (
            list(tensors[first].shape) if first in tensors else "none"
            for tensors in (found, wanted)
        )
        raise DataError(
            f"{path} does not fit the options beside it: {len(unlike)} tensors, the first"
            f" '{first[:80]}' ({here} there, {there} wanted)",
            hint=hint,
        )
    for name, tensor in found.items():
        if not tensor.is_floating_point() or not bool(torch.isfinite(tensor).all()):
            raise DataError(f"{path}: '{name}' has weights that are not finite", hint=hint)


def checkpoints(model_dir: Path) -> list[str]:
    """Return the names that `load(model_dir, checkpoint=...)` takes, in order of step."""
    steps = sorted(
        int(path.stem.removeprefix("step-")) for path in model_dir.glob("step-*.safetensors")
    )
    return [f"step-{step}" for step in steps]


def weights_file(model_dir: Path, checkpoint: str | None) -> Path:
    """Return the file of the weights to decode: the named step's, the best, or the last."""
    if checkpoint is not None:
        path = model_dir / f"{checkpoint}.safetensors"
        if not path.exists():
            names = ", ".join(checkpoints(model_dir)) or "none (train with keep_checkpoints = true)"
            raise DataError(f"{model_dir} has no checkpoint '{checkpoint}'", hint=f"known: {names}")
        return path
    state = read_state(model_dir)
    if state is None:
        raise DataError(f"{model_dir} holds no trained model", hint="train it first")
    if state.best_step is not None:
        return model_dir / f"best-{state.best_step}.safetensors"
    return model_dir / state.file


def claim(model_dir: Path, kind: str, options: Options, data: str) -> None:
    """Mark the directory as belonging to these options, or refuse it if it belongs to others."""
    path = model_dir / "options.json"
    mine: dict[str, Any] = {
        "system": kind,
        "data": data,
        "identity": options.identity(),
        "options": to_plain(options),
    }
    if path.exists():
        stored = read_json(path)
        for name in ("system", "data"):
            if stored[name] != mine[name]:
                raise StaleOutput(
                    f"{model_dir} holds a model trained with another '{name}': "
                    f"{stored[name]} then, {mine[name]} now",
                    hint="use another model directory or remove this one",
                )
        for name in sorted({*stored["identity"], *mine["identity"]}):
            then, now = stored["identity"].get(name), mine["identity"].get(name)
            if then != now:
                raise StaleOutput(
                    f"{model_dir} holds a model trained with another '{name}': "
                    f"{then} then, {now} now",
                    hint="use another model directory or remove this one",
                )
    write_json(path, mine)
