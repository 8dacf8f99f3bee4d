"""Where modules of version 0.1 that its documentation named have gone.

Importing one says where its names are now; nothing is found under two names.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType

MOVED = {
    "recombine.builders.proposals": "recombine.builders.consistency.proposals",
    "recombine.builders.wordlists": "recombine.builders.consistency.wordlists",
    "recombine.cost": "recombine.systems.cost",
    "recombine.report.paired": "recombine.statistics.paired",
    "recombine.report.scores_table": "recombine.metrics.score (score_rows is scores_of)",
    "recombine.run": "recombine.experiment.run, and its progress recombine.progress",
}


class Signpost:
    """A finder that Python asks last: it finds nothing, and says where to look."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> None:
        """Raise for a module that has moved."""
        if name in MOVED:
            raise ModuleNotFoundError(f"{name} is now {MOVED[name]}", name=name)


def put_up() -> None:
    """Have Python ask, once."""
    if Signpost not in sys.meta_path:
        sys.meta_path.append(Signpost)
