"""The forms of a word: its lexicon row, completed by its paradigm.

A cell such as ``y>ied`` strips an ending from another form of the word and adds one;
``ge+ e~o en>en`` puts a prefix before it and changes the last e of its stem too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recombine.errors import GrammarError
from recombine.grammar.model import FORM, LexiconRow, Paradigm

Forms = dict[str, tuple[str, ...]]


def inflect(
    row: LexiconRow, paradigms: Mapping[str, Sequence[Paradigm]], problems: list[GrammarError]
) -> Forms:
    """Return every form of a row: its own cells first, then what its paradigm gives."""
    forms: Forms = dict(row.cells)
    if not row.paradigm:
        return forms
    paradigm = _choose(row, paradigms, problems)
    if paradigm is None:
        return forms
    waiting = {name: cell for name, cell in paradigm.cells.items() if name not in forms}
    while waiting:
        ready = [name for name, cell in waiting.items() if _base(cell) not in waiting]
        if not ready:
            names = ", ".join(waiting)
            problems.append(
                GrammarError(
                    f"class '{row.paradigm}': {names} are made from each other", paradigm.where
                )
            )
            break
        for name in ready:
            made = _apply(row, name, waiting.pop(name), forms, problems)
            if made is not None:
                forms[name] = made
    return forms


def by_class(paradigms: Sequence[Paradigm]) -> dict[str, list[Paradigm]]:
    """Group paradigm rows by class."""
    groups: dict[str, list[Paradigm]] = {}
    for paradigm in paradigms:
        groups.setdefault(paradigm.name, []).append(paradigm)
    return groups


def _choose(
    row: LexiconRow, paradigms: Mapping[str, Sequence[Paradigm]], problems: list[GrammarError]
) -> Paradigm | None:
    rows = paradigms.get(row.paradigm)
    if not rows:
        known = ", ".join(sorted(paradigms)) or "none"
        problems.append(
            GrammarError(f"'{row.id}': no paradigm '{row.paradigm}'", row.where, f"known: {known}")
        )
        return None
    form = row.cells.get(FORM, ("",))[0]
    fitting = [paradigm for paradigm in rows if form.endswith(paradigm.ending)]
    if not fitting:
        endings = ", ".join(paradigm.ending for paradigm in rows)
        problems.append(
            GrammarError(
                f"'{row.id}': '{form}' has no ending of class '{row.paradigm}'",
                row.where,
                f"endings: {endings}",
            )
        )
        return None
    return max(fitting, key=lambda paradigm: len(paradigm.ending))


class _Inflection(NamedTuple):
    """A cell of a paradigm: from which field, and what happens to its form."""

    base: str
    prefix: str
    changes: tuple[tuple[str, str], ...]  # in the stem: the last of one becomes the other
    strip: str
    add: str


_PREFIX = re.compile(r"([^\s+~]+)\+\s*")
_CHANGE = re.compile(r"([^\s+~]+)~([^\s+~]*)(?:\s+|\Z)")


def _read_inflection(cell: str) -> _Inflection:
    left, _, add = cell.partition(">")
    base, colon, rest = left.partition(":")
    left = rest if colon else left
    prefix = ""
    changes: list[tuple[str, str]] = []
    while True:
        if match := _PREFIX.match(left):
            prefix += match[1]
        elif match := _CHANGE.match(left):
            changes.append((match[1], match[2]))
        else:
            break
        left = left[match.end() :]
    return _Inflection(base if colon else FORM, prefix, tuple(changes), left, add)


def _base(cell: str) -> str | None:
    return None if cell.startswith("=") else _read_inflection(cell).base


def _apply(
    row: LexiconRow, name: str, cell: str, forms: Forms, problems: list[GrammarError]
) -> tuple[str, ...] | None:
    if cell.startswith("="):
        return (cell[1:],)
    base, prefix, changes, strip, add = _read_inflection(cell)
    made: list[str] = []
    for form in forms.get(base, ()):
        wrong = "" if form.endswith(strip) else f"does not end in '{strip}'"
        stem = form[: len(form) - len(strip)]
        for old, new in () if wrong else changes:
            head, found, tail = stem.rpartition(old)
            wrong = wrong if found else f"has no '{old}' in its stem"
            stem = head + new + tail
        if wrong:
            problems.append(
                GrammarError(
                    f"'{row.id}': '{form}' {wrong}, so '{row.paradigm}' cannot make its '{name}'",
                    row.where,
                    f"give the cell '{name}' in the lexicon or change the class",
                )
            )
            return None
        made.append(prefix + stem + add)
    return tuple(made) or None
