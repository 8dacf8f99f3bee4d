"""Slices: which keys have which value of which tag, and which are one unit of the sample.

One slicer serves scoring and report, so that a score of a slice is of the same keys in both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from recombine.benchmark import Example
from recombine.statistics.aggregate import Clusters, cluster_codes, some_clusters

Labels = npt.NDArray[np.object_]
Rows = npt.NDArray[np.int64]

# Scripts written without spaces: Thai to Myanmar, Khmer, kana and Chinese characters.
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
# Every example has a length, whatever its builder tagged.
LENGTH_TAG = "length"
# A value an example may not have for a tag.
NO_TAG = ""
# A tag with more values than this names examples and does not class them.
MOST_VALUES = 300
# The units of the sample unless somebody says otherwise: what metric and benchmark declare.
DECLARED = ""


class SplitExamples(dict[str, Example]):
    """The examples of a split by id, and the slices of keys over them."""

    def slices(self, groups: Sequence[tuple[str, ...]], observed: int) -> Slices:
        """The slices of keys, each the ids of its examples; metrics of a split share them."""
        cached = self._last.get(observed)
        if cached is None or cached[0] != groups:
            members = [[self[name] for name in group if name in self] for group in groups]
            cached = (groups, Slices(members, observed))
            self._last.clear()
            self._last[observed] = cached
        return cached[1]

    @cached_property
    def _last(self) -> dict[int, tuple[Sequence[tuple[str, ...]], Slices]]:
        return {}


class Slices:
    """Keys by tag: `members` are the examples of each key, those without an observation last."""

    def __init__(self, members: Sequence[Sequence[Example]], observed: int | None = None) -> None:
        self._members = members
        self.observed = len(members) if observed is None else observed

    @cached_property
    def labels(self) -> Mapping[str, Labels]:
        """Tag -> the value of every key; a key whose examples disagree has none."""
        names = dict.fromkeys(
            name for group in self._members for example in group for name in example.tags
        )
        columns = {name: self._column(name) for name in names}
        if LENGTH_TAG not in columns:
            lengths = (source_length(group[0].source) if group else None for group in self._members)
            columns[LENGTH_TAG] = np.array(
                [NO_TAG if length is None else str(length) for length in lengths], dtype=object
            )
        return columns

    def _column(self, name: str) -> Labels:
        column = np.full(len(self._members), NO_TAG, dtype=object)
        for position, group in enumerate(self._members):
            if len(group) == 1:
                value = group[0].tags.get(name)
            else:
                values = {example.tags[name] for example in group if name in example.tags}
                value = values.pop() if len(values) == 1 else None
            if value is not None:
                column[position] = value if type(value) is str else show_tag(value)
        return column

    @cached_property
    def tags(self) -> Mapping[str, Labels]:
        """Tag -> the value of every key that is observed."""
        return {tag: column[: self.observed] for tag, column in self.labels.items()}

    def all_keys(self, tag: str) -> dict[str, Rows]:
        """Value of a tag -> its keys, observed or not: numbers ascending, else as they appear."""
        if tag not in self._keys:
            order: dict[str, list[int]] = {}
            for position, label in enumerate(self.labels.get(tag, ())):
                if label != NO_TAG:
                    order.setdefault(label, []).append(position)
            self._keys[tag] = {
                label: np.asarray(order[label], dtype=np.int64) for label in _in_order(list(order))
            }
        return self._keys[tag]

    def rows(self, tag: str) -> dict[str, Rows]:
        """Value of a tag -> its observations."""
        if tag not in self._rows:
            keys = self.all_keys(tag).items()
            observed = {value: rows[rows < self.observed] for value, rows in keys}
            self._rows[tag] = {value: rows for value, rows in observed.items() if len(rows)}
        return self._rows[tag]

    def group_by(self, *tags: str) -> dict[tuple[str, ...], Rows]:
        """Values of several tags -> the observations that have them all, the first tag outermost.

        Without a tag it is all observations under `()`.
        """
        groups: dict[tuple[str, ...], Rows] = {(): np.arange(self.observed)}
        for tag in tags:
            groups = {
                (*values, value): both
                for values, rows in groups.items()
                for value, there in self.rows(tag).items()
                if len(both := np.intersect1d(rows, there, assume_unique=True))
            }
        return groups

    @cached_property
    def _keys(self) -> dict[str, dict[str, Rows]]:
        return {}

    @cached_property
    def _rows(self) -> dict[str, dict[str, Rows]]:
        return {}

    def worth(self) -> list[str]:
        """Tags worth slicing by: two or more values, and not an identifier."""
        return [
            tag for tag in self.labels if 2 <= len(self.rows(tag)) <= MOST_VALUES
            and len(self.rows(tag)) < self.observed
        ]  # fmt: skip

    def clusters(
        self, name: str, declared: Sequence[str], where: Rows | None = None
    ) -> Clusters | None:
        """Cluster numbers of the observations; None where every one stands alone.

        By default the first of the metric's declared tags that a key has, else the benchmark's
        group. Otherwise `key`, `group`, or a tag. What has none of them is a cluster of its own.
        """
        if name not in self._clusters:
            labels = self._cluster_labels(name, declared)
            self._clusters[name] = None if labels is None else cluster_codes(labels)
        return some_clusters(self._clusters[name], where)

    @cached_property
    def _clusters(self) -> dict[str, Clusters | None]:
        return {}

    def _cluster_labels(self, name: str, declared: Sequence[str]) -> list[str] | None:
        if name == "key":
            return None
        # One metric of a report may observe keys that do not have another's tag.
        tags = [name] if name in self.tags else list(declared) if name == DECLARED else []
        columns = [self.tags[tag] for tag in tags if tag in self.tags]
        groups = [] if name in self.tags else [self._groups]
        return [
            next(
                (f"{place} {label}" for place, label in enumerate(labels) if label != NO_TAG),
                NO_TAG,
            )
            for labels in zip(*columns, *groups, strict=True)
        ]

    @cached_property
    def _groups(self) -> list[str]:
        members = self._members[: self.observed]
        return [(group[0].group if group else None) or NO_TAG for group in members]


def _in_order(labels: list[str]) -> list[str]:
    try:
        return sorted(labels, key=float)
    except ValueError:
        return labels


def source_length(text: str) -> int:
    """Words of a source; characters where the script does not separate words."""
    words = len(text.split())
    return words if words > 1 or not UNSPACED.search(text) else len(text)


def show_tag(value: Any) -> str:
    """A tag value as text; whole floats lose their .0 so that 3 and 3.0 are one slice."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def is_number(text: str) -> bool:
    """Whether a tag value is a number (and so belongs on a line, not in a list)."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
