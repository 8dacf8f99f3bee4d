"""Inflection as data: the forms of a lexicon row, its paradigm filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recombine.errors import GrammarError
from recombine.grammar.model import FORM, Paradigm, Row

Forms = dict[str, tuple[str, ...]]


def inflect(
    row: Row, paradigms: Mapping[str, Sequence[Paradigm]], problems: list[GrammarError]
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
    row: Row, paradigms: Mapping[str, Sequence[Paradigm]], problems: list[GrammarError]
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


def _base(cell: str) -> str | None:
    if cell.startswith("="):
        return None
    field, colon, _ = cell.partition(">")[0].partition(":")
    return field if colon else FORM


def _apply(
    row: Row, name: str, cell: str, forms: Forms, problems: list[GrammarError]
) -> tuple[str, ...] | None:
    base = _base(cell)
    if base is None:
        return (cell[1:],)
    strip, _, add = cell.partition(">")
    strip = strip.partition(":")[2] if ":" in strip else strip
    made: list[str] = []
    for form in forms.get(base, ()):
        if not form.endswith(strip):
            problems.append(
                GrammarError(
                    f"'{row.id}': '{form}' does not end in '{strip}', so '{row.paradigm}' cannot"
                    f" make its '{name}'",
                    row.where,
                    f"give the cell '{name}' in the lexicon or change the class",
                )
            )
            return None
        made.append(form[: len(form) - len(strip)] + add)
    return tuple(made) or None
