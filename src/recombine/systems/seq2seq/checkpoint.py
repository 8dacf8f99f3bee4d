"""The files of a from-scratch model, besides those of its training (neural/checkpoint.py).

options.json               the options that decide the weights; another set is refused
step-N.safetensors         the weights at every evaluation, with keep_checkpoints
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recombine.config import to_plain
from recombine.errors import DataError, StaleOutput
from recombine.files import read_json, write_json
from recombine.systems.neural.checkpoint import read_state
from recombine.systems.seq2seq.options import Options


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
