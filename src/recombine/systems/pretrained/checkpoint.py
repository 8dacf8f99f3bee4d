"""Where a fine-tuning stands: adapter, optimiser state and step, written whole or not at all."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Checkpoint:
    """A folder with safetensors and one JSON file; nothing in it is ever unpickled."""

    path: Path

    def exists(self) -> bool:
        """Whether an earlier call left something to go on from."""
        self._recover()
        return (self.path / "state.json").exists()

    def write(self, parameters: dict[str, Any], optimizer: Any, state: dict[str, Any]) -> None:
        """Store the parameters that are trained and all that is needed to go on."""
        from safetensors.torch import save_file

        new = self.path.with_name(self.path.name + ".new")
        old = self.path.with_name(self.path.name + ".old")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        weights = {name: value.detach().cpu().contiguous() for name, value in parameters.items()}
        save_file(weights, str(new / "parameters.safetensors"))
        moments = {}
        for name, parameter in parameters.items():
            for key, value in optimizer.state.get(parameter, {}).items():
                moments[f"{name}|{key}"] = value.detach().cpu().reshape(value.shape).contiguous()
        save_file(moments, str(new / "optimizer.safetensors"))
        (new / "state.json").write_text(json.dumps(state), encoding="utf-8")
        # Two renames: whichever moment the process dies at, one whole folder is there.
        shutil.rmtree(old, ignore_errors=True)
        if self.path.exists():
            self.path.rename(old)
        new.rename(self.path)
        shutil.rmtree(old, ignore_errors=True)

    def read(self, parameters: dict[str, Any], optimizer: Any) -> dict[str, Any]:
        """Restore parameters and optimiser; return the stored state."""
        import torch
        from safetensors.torch import load_file

        weights = load_file(str(self.path / "parameters.safetensors"))
        moments = load_file(str(self.path / "optimizer.safetensors"))
        with torch.no_grad():
            for name, parameter in parameters.items():
                parameter.copy_(weights[name])
                moments_of_parameter = {
                    key.rpartition("|")[2]: value
                    for key, value in moments.items()
                    if key.rpartition("|")[0] == name
                }
                if moments_of_parameter:
                    optimizer.state[parameter] = {
                        # AdamW keeps its step count wherever the fused kernel wants it.
                        key: value.to(parameter.device)
                        if key != "step" or optimizer.defaults.get("fused")
                        else value
                        for key, value in moments_of_parameter.items()
                    }
        state: dict[str, Any] = json.loads((self.path / "state.json").read_text(encoding="utf-8"))
        return state

    def remove(self) -> None:
        """Forget it: the training is complete."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _recover(self) -> None:
        old = self.path.with_name(self.path.name + ".old")
        if not self.path.exists() and old.exists():
            old.rename(self.path)
