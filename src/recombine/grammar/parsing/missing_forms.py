"""What the files of a language lack: found while its productions are made, each gap told once.

A language that is half written lacks hundreds of words for one reason. So what is missing is kept
by what it is missing of, and more than a few of one kind become one problem with a list. A feature
that a word or rule lacks is an empty key to every line that uses it; such fields (``past.``) are
told only where nothing else is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from recombine.errors import GrammarError, Where
from recombine.grammar.compiled import CompiledLanguage
from recombine.grammar.model import FORM

FEW = 3  # gaps of one kind that are told one by one
LISTED = 24  # names in a list

# The line that asks for a field, as its rule and field; None for the %root line.
Asker = tuple[int, str] | None


class MissingForms:
    """The gaps found so far; `problems` tells them, with their places and what to add."""

    def __init__(self, compiled: CompiledLanguage) -> None:
        self.compiled = compiled
        self.inventory = compiled.inventory
        self.words: dict[int, None] = {}  # that some line cannot say
        self.rules: dict[int, None] = {}
        # (word, field, or None for a word without a row) -> the line that asks for it
        self._forms: dict[tuple[int, str | None], Asker] = {}
        self._lines: dict[tuple[int, str], Asker] = {}  # (rule, field) -> the line that asks
        self._cells: dict[tuple[str, str], Asker] = {}  # (table, column) -> the line that asks

    def line_name(self, asked_by: Asker) -> str:
        """A line by name and place, for messages."""
        if asked_by is None:
            return "%root"
        rule, field = asked_by
        name = self.inventory.labels[rule]
        line = self.compiled.line(rule, field)
        place = ""
        if line is not None and line.where is not None:
            place = f" ({Path(line.where.path).name}:{line.where.line})"
        return f"'{name}'{place}"

    def form(self, code: int, field: str, asked_by: Asker) -> None:
        """A word has no such form."""
        has_row = self.inventory.labels[code] in self.compiled.language.rows
        if _is_whole(field):
            self.words[code] = None
        self._forms.setdefault((code, field if has_row else None), asked_by)

    def line(self, code: int, field: str, asked_by: Asker) -> None:
        """A rule has no line for a field."""
        if _is_whole(field):
            self.rules[code] = None
        self._lines.setdefault((code, field), asked_by)

    def cell(self, table: str, name: str, rule: int, field: str) -> None:
        """A closed-class table has no such cell, which a line of a rule asks for."""
        if _is_whole(name):
            self.rules[rule] = None
        self._cells.setdefault((table, name), (rule, field))

    def problems(self, partial: bool = False) -> list[GrammarError]:
        """Every gap, with its place and what to add.

        In a `partial` language words without a row, or with an empty one, and rules without a line
        are no gaps.
        """
        told = [
            *self._word_problems(partial),
            *self._rule_problems(partial),
            *self._cell_problems(),
        ]
        whole = [problem for problem, is_whole in told if is_whole]
        return whole if whole or partial else [problem for problem, _ in told]

    def _word_problems(self, partial: bool) -> Iterator[tuple[GrammarError, bool]]:
        code = self.compiled.language.code
        groups: dict[tuple[str, str | None], list[int]] = {}
        for word, field in self._forms:
            if not partial or (field is not None and self._is_begun(word)):
                groups.setdefault((self.inventory.category(word), field), []).append(word)
        for (category, field), words in groups.items():
            if len(words) <= FEW:
                for word in words:
                    yield self._form_problem(word, field), field is None or _is_whole(field)
                continue
            every = len(self.inventory.words_of[category])
            asked_by = self.line_name(self._forms[words[0], field])
            row = self.compiled.language.rows.get(self.inventory.labels[words[0]])
            lacking = "row" if field is None else f"'{field}', needed by {asked_by}"
            problem = GrammarError(
                f"{code}: {len(words)} of {every} words of {category} have no {lacking}:"
                f" {self._list(words)}",
                row.where if row else self.compiled.language.where,
                f"fill the column '{field}', by hand or by a paradigm"
                if field is not None
                else f"add them to {code}.lexicon.tsv; `recombine new-language` writes their rows",
            )
            yield problem, field is None or _is_whole(field)

    def _is_begun(self, word: int) -> bool:
        """Whether somebody has filled in anything of a word's row; a stub has them all, empty."""
        row = self.compiled.language.rows.get(self.inventory.labels[word])
        return row is not None and bool(row.paradigm or any(row.cells.values()))

    def _list(self, codes: Sequence[int]) -> str:
        names = [self.inventory.labels[code] for code in codes[:LISTED]]
        left = len(codes) - len(names)
        return ", ".join(names) + (f" and {left} more" if left else "")

    def _form_problem(self, word: int, field: str | None) -> GrammarError:
        name, language = self.inventory.labels[word], self.compiled.language
        row = language.rows.get(name)
        if row is None:
            return GrammarError(
                f"the word '{name}' has no row in a lexicon of '{language.code}'",
                self.inventory.word(word).where,
                f"add it to {language.code}.lexicon.tsv",
            )
        paradigm = f" or to the paradigm '{row.paradigm}'" if row.paradigm else ""
        return GrammarError(
            f"'{name}' has no '{field}', needed by {self.line_name(self._forms[word, field])}",
            row.where,
            f"add a cell '{field}' to the row{paradigm}",
        )

    def _rule_problems(self, partial: bool) -> Iterator[tuple[GrammarError, bool]]:
        language = self.compiled.language
        known: dict[str, list[str]] = {}
        for rule, field in language.lines:
            known.setdefault(rule, []).append(field)
        silent = [code for code in self.rules if self.inventory.labels[code] not in known]
        if len(silent) > FEW and not partial:
            # Below a rule without a line nothing is asked for: count those, too.
            every = range(self.inventory.first_word)
            silent = [code for code in every if self.inventory.labels[code] not in known]
            problem = GrammarError(
                f"{language.code}: {len(silent)} of {self.inventory.first_word} rules have no line:"
                f" {self._list(silent)}",
                language.where,
                "`recombine new-language` writes a line for each, to be filled",
            )
            yield problem, True
        for (code, field), asked_by in self._lines.items():
            name = self.inventory.labels[code]
            if name not in known and (partial or len(silent) > FEW):
                continue
            near = language.lines[name, known[name][0]] if name in known else None
            left = name if field == FORM else f"{name}.{field}"
            where, to = place_of_lines(self.compiled, code)
            problem = GrammarError(
                f"{language.code}: no line '{left}', needed by {self.line_name(asked_by)}",
                near.where if near else where,
                f"add{to}: {left} = ...",
            )
            yield problem, _is_whole(field)

    def _cell_problems(self) -> Iterator[tuple[GrammarError, bool]]:
        language = self.compiled.language
        told: set[str] = set()
        for (table, name), asked_by in self._cells.items():
            row = language.rows.get(table)
            if row is None and table in told:
                continue
            told.add(table)
            missing = f"'{table}' has no '{name}'" if row else f"there is no table '{table}'"
            problem = GrammarError(
                f"{language.code}: {missing}, needed by {self.line_name(asked_by)}",
                row.where if row else language.where,
                f"add a row '{table}' with the column '{name}' to {language.code}.lexicon.tsv",
            )
            yield problem, row is None or _is_whole(name)


def place_of_lines(compiled: CompiledLanguage, rule: int) -> tuple[Where | None, str]:
    """Where the lines of a rule are missed, and the file to add them to if that does not tell it.

    A rule of an edition, or of a folder that extends another, is said beside it and not in the
    files below, which may be nobody's to change.
    """
    home, declared = compiled.language.where, compiled.inventory.rule(rule).where
    if home and declared and Path(home.path).parent != Path(declared.path).parent:
        return declared, f" to {Path(declared.path).parent.name}/{compiled.language.code}.grammar"
    return home, ""


def _is_whole(field: str) -> bool:
    return all(field.split("."))
