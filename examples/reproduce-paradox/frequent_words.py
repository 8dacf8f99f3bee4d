"""Write the template grammar with the words that a training text has often: a control of rarity.

    python frequent_words.py TRAINING.tsv.xz OUT --column en --least 100
    recombine build consistency --out BENCHMARK -o grammar=OUT -o sentences=0

The templates stay, so that what differs from the test with all words is how well the words are
known. Nouns and verbs with a rare form go; of every class the two most frequent ones stay.
"""

from __future__ import annotations

import argparse
import csv
import re
import shutil
from collections import Counter
from pathlib import Path

from recombine.files import read_lines
from recombine.registry import data_path

WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
CATEGORIES = ("N", "V")


def counts_of(path: Path, column: str) -> Counter[str]:
    """Return how often a table has every word of a column, in lower case."""
    lines = (line for _, line in read_lines(path))
    place = next(lines).split("\t").index(column)
    found: Counter[str] = Counter()
    for line in lines:
        found.update(WORD.findall(line.split("\t")[place].lower()))
    return found


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a lexicon."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def rare_words(grammar: Path, counts: Counter[str], least: int, language: str) -> set[str]:
    """Return the nouns and verbs with a form that occurs less often, but two of each class."""
    forms: dict[str, list[str]] = {}
    for path in grammar.glob(f"{language}.*.lexicon.tsv"):
        for row in rows_of(path):
            forms.setdefault(row["id"], []).extend(v for k, v in row.items() if k != "id" and v)
    classes: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for row in rows_of(grammar / "abstract.lexicon.tsv"):
        if row["cat"][:1] in CATEGORIES and forms.get(row["id"]):
            seen = min(
                min((counts[word] for word in WORD.findall(form.lower())), default=0)
                for form in forms[row["id"]]
            )
            classes.setdefault((row["cat"], row.get("classes") or ""), []).append((seen, row["id"]))
    return {
        name
        for words in classes.values()
        for seen, name in sorted(words, reverse=True)[2:]
        if seen < least
    }


def main() -> None:
    """Read the command line and write the grammar."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("training", type=Path, help="a table with the column; .gz and .xz, too")
    parser.add_argument("out", type=Path)
    parser.add_argument("--column", default="en")
    parser.add_argument("--least", type=int, default=100)
    given = parser.parse_args()
    grammar = data_path("grammars", "paradox")
    rare = rare_words(grammar, counts_of(given.training, given.column), given.least, given.column)
    shutil.copytree(grammar, given.out)
    for path in given.out.glob("*.lexicon.tsv"):
        head, *lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if line.split("\t")[0].strip() not in rare]
        path.write_text("".join([head, *kept]), encoding="utf-8")
    print(f"{given.out}: without {len(rare)} words: {', '.join(sorted(rare))}")


if __name__ == "__main__":
    main()
