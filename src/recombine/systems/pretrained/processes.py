"""Fine-tuning in several processes: torchrun starts this module on every device."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recombine.config import parse_config, to_plain
from recombine.errors import SystemFailure

if TYPE_CHECKING:
    from recombine.systems.pretrained.causal import Llm


def train_in_processes(
    system: Llm, pairs: Sequence[tuple[str, str]], model_dir: Path, seed: int
) -> None:
    """Run the training under torchrun, one process per device."""
    job = model_dir / "job.json"
    job.write_text(
        json.dumps(
            {"options": to_plain(system), "pairs": list(pairs), "seed": seed}, ensure_ascii=False
        ),
        encoding="utf-8",
    )
    line = [
        sys.executable, "-m", "torch.distributed.run", "--standalone",
        f"--nproc-per-node={system.processes}", "-m", "recombine.systems.pretrained.processes",
        str(model_dir),
    ]  # fmt: skip
    try:
        ended = subprocess.run(line, capture_output=True, text=True, check=False)
    finally:
        job.unlink(missing_ok=True)
    if ended.returncode != 0:
        lines = [one for one in ended.stderr.splitlines() if "Error" in one]
        raise SystemFailure(
            f"training in {system.processes} processes failed: "
            f"{lines[-1].strip() if lines else f'exit status {ended.returncode}'}",
            hint="run again to go on from the last checkpoint",
        )


def train_one_share(model_dir: Path) -> None:
    """Do one process's part of the training; torchrun has set the environment."""
    import torch

    from recombine.systems.pretrained.causal import Llm

    job = json.loads((model_dir / "job.json").read_text(encoding="utf-8"))
    system = parse_config(Llm, {**job["options"], "processes": 1})
    gpu = torch.cuda.is_available() and system.device in ("auto", "cuda")
    if gpu:
        local = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(local)
        system.device = f"cuda:{local}"
    torch.distributed.init_process_group("nccl" if gpu else "gloo")
    try:
        system.fine_tune([(one, two) for one, two in job["pairs"]], model_dir, job["seed"])
        torch.distributed.barrier()
    finally:
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    train_one_share(Path(sys.argv[1]))
