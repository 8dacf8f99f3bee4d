"""Write the tables of the results into their pages, from the raw files beside them.

    python docs/results/make.py           writes (`make results`)
    python docs/results/make.py --check   writes nothing, and fails where a page is not as it would be

A page has `<!-- table: FOLDER.NAME -->`, the table, `<!-- end -->`; the table is what the function NAME of
FOLDER/tables.py returns.
"""

from __future__ import annotations

import argparse
import re
import runpy
import sys
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from raw import Table  # noqa: E402

MARKED = re.compile(r"(<!-- table: ([\w-]+)\.(\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


@cache
def module(folder: str) -> dict[str, Any]:
    """Return the tables of a folder of raw files."""
    return runpy.run_path(str(HERE / folder / "tables.py"))


def table(folder: str, name: str) -> Table:
    """Return one table."""
    made: Table = module(folder)[name]()
    return made


def pages() -> list[Path]:
    """Return every page that may have tables."""
    return sorted(HERE.parent.rglob("*.md"))


def written(text: str) -> str:
    """Return a page with its tables made anew."""

    def marked(place: re.Match[str]) -> str:
        return f"{place[1]}{table(place[2], place[3]).markdown()}\n{place[4]}"

    return MARKED.sub(marked, text)


def main() -> int:
    """Write every page, or say which are not as they would be written."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    changed = []
    for path in pages():
        text = path.read_text(encoding="utf-8")
        new = written(text)
        if new != text:
            changed.append(path)
            if not check:
                path.write_text(new, encoding="utf-8")
    for path in changed:
        print(f"{path}: {'its tables are not those of the raw files' if check else 'written'}")
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
