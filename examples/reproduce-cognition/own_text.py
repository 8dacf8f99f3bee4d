"""Lay out CoGnition so that a system learns from the release's own `valid` and `test`.

The 196,246 training pairs of the paper are not part of every copy. These 20,000 sentences of the
same stories are: all but 500 become training, every fortieth one is for looking at (dev).

    python own_text.py FOLDER_OF_THE_RELEASE OUT
    recombine build cognition --out BENCHMARK -o path=OUT
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

LANGUAGES = ("en", "zh")
EVERY = 40


def main() -> None:
    """Write train.*, valid.* and the test beside them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("release", type=Path, help="holds valid.*, test.*, cg-test/, the lexicon")
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    given.out.mkdir(parents=True)
    for language in LANGUAGES:
        lines = [
            line
            for name in ("valid", "test")
            for line in (given.release / f"{name}.{language}").read_text("utf-8").splitlines()
        ]
        kept = {"valid": lines[::EVERY], "train": [x for i, x in enumerate(lines) if i % EVERY]}
        for name, chosen in kept.items():
            (given.out / f"{name}.{language}").write_text("\n".join(chosen) + "\n", "utf-8")
    shutil.copytree(given.release / "cg-test", given.out / "cg-test")
    shutil.copy(next(given.release.glob("lexicon*")), given.out)


if __name__ == "__main__":
    main()
