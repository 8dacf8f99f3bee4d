"""Read abstract.grammar, abstract.lexicon.tsv and abstract.pairs.tsv."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal, cast

from recombine.errors import GrammarError, Where
from recombine.files import TableRow
from recombine.grammar.files.notation import Cursor, read_lines
from recombine.grammar.files.tables import read_table
from recombine.grammar.model import (
    Abstract,
    Mending,
    PairRow,
    Place,
    Preference,
    Rule,
    RulePart,
    Selection,
    SlotPath,
    Symbol,
    Word,
)

_LEXICON_COLUMNS = frozenset({"id", "cat", "weight", "rank", "classes", "gloss", "note"})
_PAIR_COLUMNS = frozenset({"role", "governor", "dependent", "note"})
_ID = frozenset("_-'/")
MAX_PARTS = 32  # one rule; far above any real one, low enough to keep every product finite


class AbstractReader:
    """Collects the abstract files of the base and then of an edition laid over it."""

    def __init__(self, problems: list[GrammarError]) -> None:
        self.problems = problems
        self._start: tuple[str, ...] = ()
        self._edition: str | None = None
        self.spoken: tuple[str, ...] = ()  # the languages that an edition is of; none: all
        self._rules: dict[str, Rule] = {}
        self._words: dict[str, Word] = {}
        self._zipf: dict[str, float] = {}
        self._selections: dict[str, list[Selection]] = {}
        self._preferences: list[Preference] = []
        self._mendings: list[Mending] = []
        self._pairs: list[PairRow] = []
        self._layer: set[tuple[str, str]] = set()

    def new_layer(self) -> None:
        """From now on a second definition replaces the first instead of being a mistake."""
        self._layer = set()

    def result(self) -> Abstract:
        """Return what was read."""
        return Abstract(
            start=self._start,
            rules=dict(self._rules),
            words=dict(self._words),
            zipf=dict(self._zipf),
            selections=tuple(selection for many in self._selections.values() for selection in many),
            preferences=tuple(self._preferences),
            mendings=tuple(self._mendings),
            pairs=tuple(self._pairs),
            edition=self._edition,
        )

    def read_grammar(self, path: Path) -> None:
        """Read rules and directives."""
        read_lines(path, "abstract", self.problems, self._statement)

    def _statement(self, line: Cursor) -> None:
        if line.kind() == "directive":
            self._directive(line)
        elif line.more:
            self._rule(line)

    def read_lexicon(self, path: Path) -> None:
        """Read word senses."""
        for row in read_table(path, "id", self.problems, _LEXICON_COLUMNS):
            try:
                self._word(row)
            except GrammarError as error:
                self.problems.append(error)

    def read_pairs(self, path: Path) -> None:
        """Read which words go together."""
        if (
            ("pairs", "") not in self._layer
            and self._pairs
            and path.parent.parent.name == "editions"
        ):
            self._pairs = []
        self._layer.add(("pairs", ""))
        for row in read_table(path, "role", self.problems, _PAIR_COLUMNS):
            cells = row.cells
            if not (cells.get("role") and cells.get("governor") and cells.get("dependent")):
                self.problems.append(
                    GrammarError("a pair needs role, governor and dependent", row.where)
                )
                continue
            self._pairs += [
                PairRow(role, cells["governor"], cells["dependent"], row.where)
                for role in cells["role"].split()
            ]

    def _first(self, kind: str, name: str, what: str, where: Where) -> None:
        if (kind, name) in self._layer:
            raise GrammarError(f"{what} '{name}' is defined twice", where)
        self._layer.add((kind, name))

    def _rule(self, line: Cursor) -> None:
        where = line.here
        name = line.name("a rule name")
        line.expect(":", "after the rule name")
        category = line.name("a category")
        line.expect("->", "after the category")
        parts: list[RulePart] = []
        while line.more and line.peek() not in ("[", "{"):
            place = line.here
            part = self._part(line)
            if any(part.slot == other.slot for other in parts):
                raise GrammarError(
                    f"rule '{name}' has two slots named '{part.slot}'",
                    place,
                    f"name them apart: first:{part.symbol.category} second:{part.symbol.category}",
                )
            parts.append(part)
        if len(parts) > MAX_PARTS:
            raise GrammarError(f"more than {MAX_PARTS} parts in one rule", where)
        if sum(part.head for part in parts) > 1:
            raise GrammarError(f"rule '{name}' has two heads", where, "mark one part with *")
        weight = 1.0
        if line.accept("["):
            weight = self._number(line, "a weight")
            line.expect("]", "after the weight")
        tags: list[str] = []
        if line.accept("{"):
            while not line.accept("}"):
                tags.append(line.name("a tag"))
                line.accept(",")
        line.finish()
        self._first("rule", name, "rule", where)
        self._rules[name] = Rule(name, category, tuple(parts), weight, tuple(tags), where)

    def _part(self, line: Cursor) -> RulePart:
        head = line.accept("*")
        slot = line.name("a category")
        category = line.name("a category after ':'") if line.accept(":") else slot
        require: list[str] = []
        forbid: list[str] = []
        if line.accept("<"):
            while not line.accept(">"):
                negative = line.accept("!")
                (forbid if negative else require).append(line.name("a class"))
                line.accept(",")
        return RulePart(slot, Symbol(category, tuple(sorted(require)), tuple(sorted(forbid))), head)

    def _number(self, line: Cursor, what: str) -> float:
        if line.kind() != "number":
            line.fail(f"expected {what}, found '{line.peek()}'")
        number = float(line.take().text)
        if not math.isfinite(number) or number > 1e12:
            line.fail(f"{what} must be a reasonable number")
        return number

    def _directive(self, line: Cursor) -> None:
        token = line.take()
        name = token.text[1:]
        readers = {
            "start": self._read_start,
            "zipf": self._read_zipf,
            "select": self._read_select,
            "mend": self._read_mend,
            "prefer": self._read_prefer,
            "edition": self._read_edition,
            "languages": self._read_languages,
            "extends": self._read_extends,
        }
        if name not in readers:
            raise GrammarError(
                f"unknown directive '{token.text}'",
                token.where,
                "in the abstract grammar: "
                + ", ".join(f"%{known}" for known in (*readers, "each")),
            )
        readers[name](line, token.where)
        line.finish()

    def _read_start(self, line: Cursor, where: Where) -> None:
        self._first("directive", "start", "directive", where)
        start = [line.name("a start category")]
        while line.more:
            start.append(line.name("a start category"))
        self._start = tuple(dict.fromkeys(start))

    def _read_edition(self, line: Cursor, where: Where) -> None:
        self._first("directive", "edition", "directive", where)
        self._edition = line.name("the name of the edition")

    def _read_languages(self, line: Cursor, where: Where) -> None:
        self._first("directive", "languages", "directive", where)
        codes = [line.name("a language")]
        while line.more:
            codes.append(line.name("a language"))
        self.spoken = tuple(codes)

    def _read_extends(self, line: Cursor, where: Where) -> None:
        self._first("directive", "extends", "directive", where)
        if line.kind() not in ("name", "string"):
            line.fail('expected a grammar: %extends sget, or a folder: %extends "../mine"')
        line.take()  # what is extended was read before (folder.py)

    def _read_zipf(self, line: Cursor, where: Where) -> None:
        exponent = self._number(line, "the exponent")
        if not 1 < exponent <= 20:
            raise GrammarError("a Zipf exponent lies between 1 and 20", where)
        line.expect(":", "after the exponent")
        while line.more:
            category = line.name("a category")
            self._first("zipf", category, "the distribution of", where)
            self._zipf[category] = exponent

    def _read_select(self, line: Cursor, where: Where) -> None:
        if not line.more:  # an edition goes without the restrictions below it
            self._selections = {}
            return
        role, places = self._places(line)
        if ("select", role) not in self._layer:
            self._layer.add(("select", role))
            self._selections[role] = []
        self._selections[role].append(Selection(role, places, where))

    def _read_mend(self, line: Cursor, where: Where) -> None:
        role, places = self._places(line)
        direct = line.peek() == "direct" and bool(line.take())
        fallback: list[str] = []
        if line.peek() == "else":
            line.take()
            while line.more:
                fallback.append(line.name("a word"))
        if ("mend", "") not in self._layer:
            self._layer.add(("mend", ""))
            self._mendings = []
        self._mendings.append(Mending(role, places, where, tuple(fallback), direct))

    def _places(self, line: Cursor) -> tuple[str, tuple[Place, ...]]:
        role = line.name("a role")
        line.expect(":", "after the role")
        places = [self._place(line)]
        while line.accept("|"):
            places.append(self._place(line))
        return role, tuple(places)

    def _place(self, line: Cursor) -> Place:
        governor = self._way(line, "of the governor")
        dependent = self._way(line, "of the dependent")
        rule, other = governor.steps[0][0], dependent.steps[0][0]
        if rule != other:
            line.fail(f"governor and dependent belong to one rule, found '{rule}' and '{other}'")
        return Place(governor, dependent)

    def _way(self, line: Cursor, of: str) -> SlotPath:
        steps: list[tuple[str, str]] = []
        while not steps or line.accept(">"):
            rule = line.name(f"rule.slot {of}")
            steps.append((rule, line.name("a slot") if line.accept(".") else ""))
        below = line.name("a category of words") if line.accept(">>") else ""
        return SlotPath(tuple(steps), below)

    def _read_prefer(self, line: Cursor, where: Where) -> None:
        kind = line.name("deep, shallow, few or many")
        if kind not in ("deep", "shallow", "few", "many"):
            raise GrammarError(f"cannot prefer '{kind}'", where, "deep, shallow, few or many")
        is_tag = line.accept("{")
        label = line.name("a rule or a {tag}")
        if is_tag:
            line.expect("}", "after the tag")
        if ("prefer", "") not in self._layer:
            self._layer.add(("prefer", ""))
            self._preferences = []
        known = cast('Literal["deep", "shallow", "few", "many"]', kind)
        self._preferences.append(Preference(known, label, is_tag, where))

    def _word(self, row: TableRow) -> None:
        cells = row.cells
        name = cells.get("id", "")
        if not name or not all(letter.isalnum() or letter in _ID for letter in name):
            raise GrammarError(
                f"'{name}' cannot be a word id", row.where, "letters, digits and _ - ' / only"
            )
        if name.startswith("_"):
            raise GrammarError(
                f"'{name}': ids with _ are closed-class tables",
                row.where,
                "they belong in a language's lexicon",
            )
        self._first("word", name, "word", row.where)
        old = self._words.get(name)
        category = cells.get("cat") or (old.category if old else "")
        if not category:
            raise GrammarError(f"word '{name}' has no category", row.where, "fill the column 'cat'")
        self._words[name] = Word(
            name,
            category,
            self._cell_number(row, "weight", old.weight if old else 1.0),
            self._cell_number(row, "rank", None)
            if cells.get("rank")
            else old.rank
            if old
            else None,
            tuple(dict.fromkeys(cells["classes"].split()))
            if cells.get("classes")
            else old.classes
            if old
            else (),
            cells.get("gloss") or (old.gloss if old else ""),
            row.where,
        )

    def _cell_number(self, row: TableRow, column: str, default: float | None) -> float:
        text = row.cells.get(column)
        if not text:
            return cast("float", default)
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not 0 <= number <= 1e12:
            raise GrammarError(
                f"'{text}' is not a {column}", row.place(column), "a number, 0 or more"
            )
        return number
