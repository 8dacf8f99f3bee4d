"""Tokens of the grammar notation, and what to say about the usual mistakes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from recombine.errors import GrammarError, Where
from recombine.grammar.files.tables import read_text

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+)
      | (?P<comment>\#.*)
      | (?P<string>"(?:\\.|[^"\\])*")
      | (?P<directive>%[^\W\d]\w*)
      | (?P<number>\d+(?:\.\d+)?(?:[eE]-?\d+)?(?!\w))
      | (?P<name>\w[\w']*(?:[-/][\w']+)*)
      | (?P<symbol>->|!>>|!>|!=|>>|[-:.,\[\]{}<>!*+|=^&()])
    """,
    re.VERBOSE,
)


MAX_EXPANSION = 4096  # lines that one line with variables may stand for
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


class Token(NamedTuple):
    """One token and the place it stands at."""

    kind: str
    text: str
    where: Where


class Mistake(NamedTuple):
    """A mistake people make: how the line looks, what to say, what to do instead."""

    kind: str
    looks: re.Pattern[str]
    message: str
    hint: str


def _mistake(kind: str, looks: str, message: str, hint: str) -> Mistake:
    return Mistake(kind, re.compile(looks), message, hint)


# In the spirit of Lark's GRAMMAR_ERRORS: a failing line is compared with these in order and the
# first that fits is reported instead of "unexpected token". `kind` is the sort of file, or "any".
MISTAKES: tuple[Mistake, ...] = (
    _mistake(
        "any", "[“”„«»「」]", "typographic quotes", 'literals are written with plain quotes: "the"'
    ),
    _mistake(
        "any",
        r"(?<![\w'])'[^']*'(?!\w)",
        "single quotes",
        'literals are written with double quotes: "the"',
    ),
    _mistake("any", "→|⇒|=>|-->|::=", "an arrow this notation does not have", "write ->"),
    _mistake(
        "any",
        r"\$",
        "a variable that no %each line of this file declares",
        "%each role = agent patient; then $role or, inside a name, ${role}_noun",
    ),
    _mistake(
        "any",
        r'^[^"#]*("[^"]*"[^"#]*)*"[^"]*$',
        "a quote is not closed",
        'every " needs its partner on the same line',
    ),
    _mistake(
        "any",
        r";\s*$",
        "a semicolon at the end",
        "lines end by themselves; begin a line with a space to continue it",
    ),
    _mistake(
        "abstract",
        r"^\s*[\w'/-]+(\.[\w-]+)?\s*=",
        "a line of a concrete grammar in the abstract grammar",
        "abstract rules read `name : Category -> parts`; `name = ...` belongs in a language's file",
    ),
    _mistake(
        "abstract", r"^\s*[\w'/-]+\s*->", "the rule has no name", "write `name : Category -> parts`"
    ),
    _mistake(
        "abstract",
        r"->[^\[{#]*\|",
        "alternatives in an abstract rule",
        "give each alternative its own rule and name",
    ),
    _mistake(
        "abstract",
        r'->.*"',
        "a literal in an abstract rule",
        "words of one language belong in that language's .grammar file",
    ),
    _mistake(
        "abstract",
        r"\[\s*-",
        "a negative weight",
        "weights are 0 or more; 0 means: only when a split asks for it",
    ),
    _mistake(
        "abstract", r"\[[^\]]*%", "a percentage as weight", "weights are relative numbers: [6]"
    ),
    _mistake("abstract", r"\[[^\]]*$", "a bracket is not closed", "weights are written [6]"),
    _mistake("abstract", r"\{[^}]*$", "a brace is not closed", "tags are written {cp} or {cp rc}"),
    _mistake(
        "concrete",
        r"^\s*[\w'/-]+\s*:",
        "a line of the abstract grammar in a language's file",
        "a language's lines read `rule = pieces` or `rule.field = pieces`",
    ),
    _mistake(
        "concrete",
        r"^\s*[\w'/-]+\s*->",
        "an arrow in a language's file",
        "a language's lines read `rule = pieces`",
    ),
    _mistake(
        "concrete",
        r"\[[^\]]*$",
        "a bracket is not closed",
        "keys are written slot[key, slot.feature]",
    ),
    _mistake(
        "concrete", r"\[\s*\]", "no key in the brackets", "write slot, slot.field or slot[key]"
    ),
)


def tokens(text: str, path: str, line: int) -> list[Token]:
    """Split one physical line; raises GrammarError at the first character that fits nothing."""
    found: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        where = Where(path, line, position + 1, text)
        if match is None:
            raise GrammarError(f"unexpected character {text[position]!r}", where)
        kind = match.lastgroup or ""
        if kind not in ("space", "comment"):
            found.append(Token(kind, match.group(), where._replace(width=len(match.group()))))
        position = match.end()
    return found


def unquote(text: str) -> str:
    """Return the content of a string token."""
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def quote(text: str) -> str:
    """Return text as a string token."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def explain(error: GrammarError, kind: str) -> GrammarError:
    """Return the error in words, if its line looks like a mistake we know."""
    line = error.where.text if error.where is not None else None
    if line is None or error.hint is not None:
        return error
    for mistake in MISTAKES:
        if mistake.kind in ("any", kind) and mistake.looks.search(line):
            return GrammarError(f"{mistake.message} ({error.message})", error.where, mistake.hint)
    return error


def logical_lines(text: str) -> Iterator[list[tuple[int, str]]]:
    """Group physical lines: one that begins with white space continues the one before."""
    group: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        if group and line[0] not in " \t":
            yield group
            group = []
        group.append((number, line.rstrip("\r")))
    if group:
        yield group


class Cursor:
    """Walks over the tokens of one line."""

    def __init__(self, found: Sequence[Token], end: Where) -> None:
        self._tokens = found
        self._end = end
        self.position = 0

    @property
    def here(self) -> Where:
        """The place of the next token, or the end of the line."""
        return self._tokens[self.position].where if self.more else self._end

    @property
    def more(self) -> bool:
        """Whether a token is left."""
        return self.position < len(self._tokens)

    def peek(self, ahead: int = 0) -> str:
        """The text of a coming token, or nothing at the end; strings keep their quotes."""
        index = self.position + ahead
        return self._tokens[index].text if index < len(self._tokens) else ""

    def kind(self, ahead: int = 0) -> str:
        """The kind of a coming token."""
        index = self.position + ahead
        return self._tokens[index].kind if index < len(self._tokens) else "end"

    def take(self) -> Token:
        """Consume and return the next token."""
        if not self.more:
            self.fail("the line ends too early")
        self.position += 1
        return self._tokens[self.position - 1]

    def accept(self, text: str) -> bool:
        """Consume the next token if it is this symbol."""
        if self.kind() == "symbol" and self.peek() == text:
            self.position += 1
            return True
        return False

    def expect(self, text: str, after: str) -> None:
        """Consume this symbol or complain."""
        if not self.accept(text):
            found = f"'{self.peek()}'" if self.more else "the end of the line"
            self.fail(f"expected '{text}' {after}, found {found}")

    def name(self, what: str) -> str:
        """Consume a name."""
        if self.kind() not in ("name", "number"):
            found = f"'{self.peek()}'" if self.more else "the end of the line"
            self.fail(f"expected {what}, found {found}")
        return self.take().text

    def finish(self) -> None:
        """Complain if anything is left."""
        if self.more:
            self.fail(f"unexpected '{self.peek()}'")

    def fail(self, message: str) -> NoReturn:
        """Raise an error at the next token."""
        raise GrammarError(message, self.here)


def cursor(group: Sequence[tuple[int, str]], path: str) -> Cursor:
    """Tokenise a logical line."""
    found = [token for number, line in group for token in tokens(line, path, number)]
    number, line = group[-1]
    return Cursor(found, Where(path, number, len(line) + 1, line))


class LineFamily(NamedTuple):
    """``%each names = values | values``: what the variables of a line stand for, one row a copy."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def read_lines(
    path: Path, kind: str, problems: list[GrammarError], read: Callable[[Cursor], None]
) -> None:
    """Hand every line of a grammar file to `read`; a wrong one does not hide those after it."""
    try:
        text = read_text(path)
    except GrammarError as error:
        problems.append(error)
        return
    families: dict[str, LineFamily] = {}  # by the name of each variable
    groups: list[list[tuple[int, str]]] = []
    for group in logical_lines(text):  # a family may be declared below its use
        if not group[0][1].startswith("%each"):
            groups.append(group)
            continue
        try:
            _read_family(cursor(group, str(path)), families)
        except GrammarError as error:
            problems.append(explain(error, kind))
    for group in groups:
        try:
            for copy in _copies(group, families, str(path)):
                read(cursor(copy, str(path)))
        except GrammarError as error:
            problems.append(explain(error, kind))


def _read_family(line: Cursor, families: dict[str, LineFamily]) -> None:
    line.take()
    names = [line.name("the name of a variable")]
    while line.kind() == "name":
        names.append(line.take().text)
    line.expect("=", "after the variables")
    rows: list[list[str]] = [[]]
    while line.more:
        if line.accept("|"):
            rows.append([])
        elif line.kind() == "string":
            rows[-1].append(unquote(line.take().text))
        else:
            rows[-1].append(line.name("a value"))
    if len(names) == 1:
        rows = [[value] for row in rows for value in row]
    wrong = next((row for row in rows if len(row) != len(names)), None)
    if wrong is not None or not rows:
        shown = " ".join(wrong) if wrong else "nothing"
        line.fail(f"{' '.join(names)}: each row needs {len(names)} values, found {shown}")
    known = next((name for name in names if name in families), None)
    if known is not None or len(set(names)) < len(names):
        line.fail(f"the variable '{known or names[0]}' is declared twice")
    family = LineFamily(tuple(names), tuple(tuple(row) for row in rows))
    families.update(dict.fromkeys(names, family))


def _copies(
    group: list[tuple[int, str]], families: Mapping[str, LineFamily], path: str
) -> Iterator[list[tuple[int, str]]]:
    """The lines that a line with variables stands for: itself where it has none."""
    used: dict[LineFamily, None] = {}
    for _, line in group:
        for match in _VARIABLE.finditer(line):
            family = families.get(match[1] or match[2])
            if family is not None:
                used[family] = None
    size = 1
    for family in used:
        size *= len(family.rows)
    if size > MAX_EXPANSION:
        number, line = group[0]
        raise GrammarError(
            f"the line stands for {size} lines",
            Where(path, number, 1, line),
            f"at most {MAX_EXPANSION}",
        )
    for rows in itertools.product(*(family.rows for family in used)):
        values = {
            name: value
            for family, row in zip(used, rows, strict=True)
            for name, value in zip(family.names, row, strict=True)
        }
        if not values:
            yield group
            return
        yield [
            (
                number,
                _VARIABLE.sub(lambda m, known=values: known.get(m[1] or m[2], m[0]), line),  # type: ignore[misc]
            )
            for number, line in group
        ]
