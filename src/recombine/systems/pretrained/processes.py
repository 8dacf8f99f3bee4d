"""Fine-tuning in several processes: torchrun starts this module on every device."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recombine.errors import SystemFailure
from recombine.registry import create


def train_in_processes(
    options: dict[str, Any], pairs: Sequence[tuple[str, str]], model_dir: Path, seed: int
) -> None:
    """Train the system `llm` of these options under torchrun, one process per device."""
    job = model_dir / "job.json"
    job.write_text(
        json.dumps({"options": options, "pairs": list(pairs), "seed": seed}, ensure_ascii=False),
        encoding="utf-8",
    )
    count = options["processes"]
    line = [
        sys.executable, "-m", "torch.distributed.run", "--standalone",
        f"--nproc-per-node={count}", "-m", "recombine.systems.pretrained.processes",
        str(model_dir),
    ]  # fmt: skip
    try:
        ended = subprocess.run(line, capture_output=True, text=True, check=False)
    finally:
        job.unlink(missing_ok=True)
    if ended.returncode != 0:
        lines = [line for line in ended.stderr.splitlines() if "Error" in line]
        raise SystemFailure(
            f"training in {count} processes failed: "
            f"{lines[-1].strip() if lines else f'exit status {ended.returncode}'}",
            hint="run again to go on from the last checkpoint",
        )


def train_one_share(model_dir: Path) -> None:
    """Do one process's part of the training; torchrun has set the environment."""
    import torch

    from recombine.systems.neural.distributed import join_world

    job = json.loads((model_dir / "job.json").read_text(encoding="utf-8"))
    system = create("system", "llm", {**job["options"], "processes": 1})
    gpu = torch.cuda.is_available() and system.device in ("auto", "cuda")
    if gpu:
        local = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(local)
        system.device = f"cuda:{local}"
    world = join_world(torch.device(system.device if gpu else "cpu"))
    try:
        system.fine_tune(
            [(source, target) for source, target in job["pairs"]], model_dir, job["seed"]
        )
        world.wait()
    finally:
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    train_one_share(Path(sys.argv[1]))
