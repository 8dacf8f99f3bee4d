"""What every group of a consistency benchmark must satisfy, verified from its files."""

from __future__ import annotations

from collections.abc import Iterator

from recombine.benchmark import Benchmark, Example
from recombine.errors import DataError, RecombineError, Where
from recombine.metrics.difference import is_one_edit

_SPLITS = ("systematicity", "substitutivity")


def check_groups(benchmark: Benchmark) -> list[RecombineError]:
    """Return every group that is not what its roles say."""
    problems: list[RecombineError] = []
    for split in _SPLITS:
        if split not in benchmark.splits:
            continue
        where = Where(str(benchmark.split_path(split)))
        groups: dict[str, dict[str, Example]] = {}
        for example in benchmark.iterate(split):
            if example.group is not None and example.role is not None:
                groups.setdefault(example.group, {})[example.role] = example
        for name, members in groups.items():
            problems += [DataError(f"group {name}: {fault}", where) for fault in _faults(members)]
    return problems


def _faults(members: dict[str, Example]) -> Iterator[str]:
    base = members.get("base")
    if base is None:
        yield "it has no base"
        return
    for role in ("np", "vp"):
        variant = members.get(role)
        if variant is not None:
            first, second = base.source.split(), variant.source.split()
            if len(first) != len(second) or not is_one_edit(first, second):
                yield f"base and {role} do not differ in exactly one token"
    conjuncts = {
        focus.text
        for example in members.values()
        for focus in example.focus
        if focus.role == "clause"
    }
    if len(conjuncts) > 1:
        yield "its members do not share the second conjunct"
    synonym = members.get("synonym")
    if synonym is not None and synonym.source == base.source:
        yield "base and synonym are the same sentence"
