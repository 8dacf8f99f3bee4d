"""Checkpoint: all that a run needs to go on after a kill, as safetensors and JSON, never pickle.

    state.json                 step, best step, and which files belong to them
    state-N.safetensors        weights, Adam's moments (the random streams and the data position
                               are functions of seed and step, so the step number stores them)
    best-N.safetensors         the weights with the best dev score
    train_log.jsonl            the learning curve

`state.json` is renamed into place last and old files are removed after that, so a kill at any
instant leaves one complete set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor

from recombine.errors import DataError
from recombine.files import read_json, write_json
from recombine.registry import require

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
    # What fine-tuning has seen in all its calls, and its loss at the last look.
    sequences: int = 0
    tokens: int = 0
    loss: float = 0.0

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


def remove_state(model_dir: Path) -> None:
    """Remove a full state: the training is complete, and other files have what it made."""
    (model_dir / "state.json").unlink(missing_ok=True)
    for path in model_dir.glob("state-*.safetensors"):
        path.unlink(missing_ok=True)


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
