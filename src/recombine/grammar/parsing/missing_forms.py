"""What the files of a language lack: found while its productions are made, each gap told once."""

from __future__ import annotations

from pathlib import Path

from recombine.errors import GrammarError
from recombine.grammar.model import ANY_FIELD, FORM
from recombine.grammar.realise.language import Concrete


class MissingForms:
    """The gaps found so far, each an error with its place and what to add."""

    def __init__(self, concrete: Concrete) -> None:
        self.concrete = concrete
        self.inventory = concrete.inventory
        self.problems: list[GrammarError] = []
        self._reported: set[tuple[str, str]] = set()

    def _report(self, subject: str, field: str, error: GrammarError) -> None:
        if (subject, field) not in self._reported:
            self._reported.add((subject, field))
            self.problems.append(error)

    def line_name(self, rule: int, field: str) -> str:
        """A line by name and place, for messages."""
        name = self.inventory.labels[rule]
        lines = self.concrete.language.lines
        line = lines.get((name, field)) or lines.get((name, ANY_FIELD))
        place = ""
        if line is not None and line.where is not None:
            place = f" ({Path(line.where.path).name}:{line.where.line})"
        return f"'{name}'{place}"

    def form(self, code: int, field: str, asked_by: str) -> None:
        """A word has no such form."""
        name = self.inventory.labels[code]
        language = self.concrete.language
        row = language.rows.get(name)
        if row is None:
            self._report(
                name,
                "",
                GrammarError(
                    f"the word '{name}' has no row in a lexicon of '{language.code}'",
                    self.inventory.word(code).where,
                    f"add it to {language.code}.lexicon.tsv",
                ),
            )
            return
        paradigm = f" or to the paradigm '{row.paradigm}'" if row.paradigm else ""
        self._report(
            name,
            field,
            GrammarError(
                f"'{name}' has no '{field}', needed by {asked_by}",
                row.where,
                f"add a cell '{field}' to the row{paradigm}",
            ),
        )

    def line(self, code: int, field: str, asked_by: str) -> None:
        """A rule has no line for a field."""
        name = self.inventory.labels[code]
        language = self.concrete.language
        near = [line for (rule, _), line in language.lines.items() if rule == name]
        left = name if field == FORM else f"{name}.{field}"
        self._report(
            name,
            field,
            GrammarError(
                f"{language.code}: no line '{left}', needed by {asked_by}",
                near[0].where if near else language.where,
                f"add: {left} = ...",
            ),
        )

    def cell(self, table: str, name: str, asked_by: str) -> None:
        """A closed-class table has no such cell."""
        language = self.concrete.language
        row = language.rows.get(table)
        missing = f"'{table}' has no '{name}'" if row else f"there is no table '{table}'"
        self._report(
            table,
            name if row else "",
            GrammarError(
                f"{language.code}: {missing}, needed by {asked_by}",
                row.where if row else language.where,
                f"add a row '{table}' with the column '{name}' to {language.code}.lexicon.tsv",
            ),
        )
