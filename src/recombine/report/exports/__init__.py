"""The findings in other people's formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from recombine.errors import ConfigError
from recombine.report.exports.every_eval_ever import write_every_eval_ever
from recombine.report.exports.genbench import write_genbench_card
from recombine.report.exports.harness import write_harness
from recombine.report.exports.inspect_log import write_inspect_logs
from recombine.report.findings import Findings

EXPORTS: dict[str, Callable[[Findings, Path], list[Path]]] = {
    "every-eval-ever": write_every_eval_ever,
    "genbench": write_genbench_card,
    "harness": write_harness,
    "inspect": write_inspect_logs,
}


def require_exports(names: Sequence[str]) -> None:
    """Raise where an export is not known, before any work is done."""
    for name in names:
        if name not in EXPORTS:
            raise ConfigError(f"unknown export '{name}'", hint=f"known: {', '.join(EXPORTS)}")


def write_exports(report: Findings, folder: Path, names: Sequence[str]) -> list[Path]:
    """Write the exports asked for, each in a folder of its own."""
    return [path for name in names for path in EXPORTS[name](report, folder / name)]
