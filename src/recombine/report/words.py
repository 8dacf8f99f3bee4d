"""What tags, patterns, metrics and sets are called in front of people (data/words/*.tsv).

A built benchmark holds names for programs (`pp_on_subject`, `io`), and its bytes never change; what
a reader sees in their place is data of its own: a label, and for a pattern one line on what was
trained and one on what is asked. A benchmark of one's own brings a file of the same columns
(`-o words=FILE`). What no file names is shown as it is, with spaces for underscores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from recombine.files import read_table
from recombine.registry import data_path


class Wording(NamedTuple):
    """A label; `trained` and `asked` are examples, and for metrics and terms the meaning."""

    label: str
    trained: str = ""
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """Wordings by what they are of (a tag, `metric`, `split`, `role` ...) and by value."""

    known: Mapping[tuple[str, str], Wording]

    def find(self, of: str, value: str) -> Wording:
        """The wording of a value; where there is none, the value as people write it."""
        wording = self.known.get((of, value))
        if wording is not None:
            return wording
        parts = value.split(" ")
        if of == "pattern" and all(("role", part) in self.known for part in parts):
            # Compounds are named by the kinds of their words: DET ADJ N.
            return Wording(" ".join(self.role(part) for part in parts))
        return Wording(value.replace("_", " "))

    def label(self, of: str, value: str) -> str:
        """What a tag's value is called."""
        return self.find(of, value).label

    def tag(self, name: str) -> str:
        """What a tag is called."""
        return self.label("tag", name)

    def plural(self, name: str) -> str:
        """What several values of a tag are called."""
        return "structures" if name == "pattern" else f"{self.tag(name)}s"

    def metric(self, name: str) -> str:
        """What a metric is called."""
        return self.label("metric", name)

    def mark(self, metric: str) -> str:
        """What a metric's verdict on one example is called: right or wrong in this."""
        return self.label("mark", metric) if ("mark", metric) in self.known else self.metric(metric)

    def role(self, name: str) -> str:
        """What the part of a sentence that fills a slot is called."""
        return self.label("role", name)

    def split(self, method: str, name: str) -> str:
        """What a split is called in benchmarks of this method: the test set of one is familiar
        text, that of another is new.
        """
        for (of, value), wording in self.known.items():
            kind, _, split = value.rpartition("/")
            if of == "split" and split == name and kind in ("", method):
                return wording.label
        return name.replace("_", " ")

    def without_training(self) -> Words:
        """The wordings of a report on systems that did not learn from the benchmark.

        To them no split is known to be new or familiar, and nothing was shown before it is asked.
        """
        wordings = {key: wording for key, wording in self.known.items() if key[0] != "split"}
        wordings |= {
            ("split", value): wording
            for (of, value), wording in self.known.items()
            if of == "untrained split"
        }
        kept = ("metric", "term", "track")  # their second column says what they are
        return Words(
            {
                key: wording if key[0] in kept else wording._replace(trained="")
                for key, wording in wordings.items()
            }
        )

    def hint(self, of: str, value: str) -> str:
        """What was trained and what is asked, in one line."""
        wording = self.find(of, value)
        parts = [f"trained: {wording.trained}"] if wording.trained else []
        return (
            " · ".join([*parts, f"asked: {wording.asked}"]) if wording.asked else " · ".join(parts)
        )

    @property
    def known_metrics(self) -> list[Wording]:
        """The metrics that have a wording."""
        return [wording for (of, _), wording in self.known.items() if of == "metric"]

    @property
    def terms(self) -> list[Wording]:
        """The glossary."""
        return [wording for (of, _), wording in self.known.items() if of in ("term", "metric")]


def read_words(*own: Path) -> Words:
    """The wordings that come with Recombine, and those of one's own above them."""
    wordings = dict(_shipped())
    for path in own:
        wordings |= _read(path)
    return Words(wordings)


@cache
def _shipped() -> Mapping[tuple[str, str], Wording]:
    return _read(data_path("words", "words.tsv"))


def _read(path: Path) -> dict[tuple[str, str], Wording]:
    return {
        (row["of"], row["value"]): Wording(
            row["label"], row.get("trained", ""), row.get("asked", "")
        )
        for row in read_table(path, ("of", "value", "label"))
    }
