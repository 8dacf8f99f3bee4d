"""Print a dictionary for `word-by-word`: each English word of the benchmarks, translated alone.

python words.py bench-toy/*.jsonl bench-consistency/*.jsonl > words.tsv
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path


def words_of(paths: list[str]) -> list[str]:
    """Return every word of the sources, in order of first appearance."""
    found: dict[str, None] = {}
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            for word in re.findall(r"[^\W\d_]+", json.loads(line)["source"]):
                found.setdefault(word.lower())
    return list(found)


def translate_alone(words: list[str]) -> list[str]:
    """Return Apertium's translation of each word, a paragraph of its own."""
    made = subprocess.run(
        ["apertium", "-u", "eng-spa"],
        input="\n\n".join(words),
        capture_output=True,
        text=True,
        check=True,
    )
    return [text.strip().lower() for text in made.stdout.split("\n\n")]


if __name__ == "__main__":
    chosen = words_of(sys.argv[1:])
    for word, translation in zip(chosen, translate_alone(chosen), strict=True):
        print(f"{word}\t{translation}")
