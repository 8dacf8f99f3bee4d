"""Read one language: its .grammar, lexicons and paradigms."""

from __future__ import annotations

import itertools
import math
import re
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from recombine.errors import GrammarError, Where
from recombine.files import TableRow
from recombine.grammar.files.notation import MAX_EXPANSION, Cursor, explain, read_lines, unquote
from recombine.grammar.files.tables import read_table
from recombine.grammar.model import (
    ANY_FIELD,
    FORM,
    Feature,
    Glue,
    Key,
    Language,
    LexiconRow,
    Line,
    LiteralText,
    Paradigm,
    Piece,
    Pieces,
    Ref,
    Same,
    SoundSet,
    TableCell,
    Touch,
)

MAX_WAYS = 512  # that one line with choices and orders may stand for
FINISHES = ("capitalise", "sentence_case", "a_an", "commas")
_FIELD = re.compile(r"[\w'-]+(?:\.[\w'-]+)*\Z")


class ConcreteReader:
    """Collects the files of one language, of the base and then of an edition laid over it."""

    def __init__(self, code: str, problems: list[GrammarError]) -> None:
        self.code = code
        self.problems = problems
        self.where: Where | None = None
        self._join = " "
        self._root = FORM
        self._post: tuple[str, ...] = ()
        self._touches: list[Touch] = []
        self._unmarked: tuple[str, ...] = ()
        self._params: dict[str, tuple[str, ...]] = {}
        self._sounds: dict[str, SoundSet] = {}
        self._lines: dict[tuple[str, str], Line] = {}
        self._rows: dict[str, LexiconRow] = {}
        self._paradigms: dict[tuple[str, str], Paradigm] = {}
        self._layer: set[tuple[str, ...]] = set()

    def new_layer(self) -> None:
        """From now on a second definition replaces the first instead of being a mistake."""
        self._layer = set()

    def result(self) -> Language:
        """Return what was read."""
        return Language(
            self.code,
            dict(self._lines),
            dict(self._rows),
            tuple(self._paradigms.values()),
            self._join,
            self._root,
            self._post,
            tuple(self._touches),
            self._unmarked,
            dict(self._params),
            self.where,
        )

    def read_grammar(self, path: Path) -> None:
        """Read lines and directives."""
        self.where = self.where or Where(str(path))
        lines: list[Cursor] = []
        touches: list[Cursor] = []

        def statement(line: Cursor) -> None:
            if line.peek() == "%touch":
                touches.append(line)
            elif line.kind() == "directive":
                self._directive(line)
            elif line.more:
                lines.append(line)

        read_lines(path, "concrete", self.problems, statement)
        for read, waiting in ((self._touch, touches), (self._line, lines)):
            for line in waiting:  # after all directives: a %param may stand below its use
                try:
                    read(line)
                except GrammarError as error:
                    self.problems.append(explain(error, "concrete"))

    def read_lexicon(self, path: Path) -> None:
        """Read the forms of words."""
        for row in read_table(path, "id", self.problems):
            name = row.cells.get("id", "")
            if not name:
                self.problems.append(GrammarError("a row without an id", row.where))
            else:
                self._keep_row(name, row)

    def read_paradigms(self, path: Path) -> None:
        """Read inflection classes."""
        for row in read_table(path, "class", self.problems):
            key = (row.cells.get("class", ""), row.cells.get("ending", ""))
            if not key[0]:
                self.problems.append(GrammarError("a paradigm without a class", row.where))
                continue
            if ("paradigm", *key) in self._layer:
                self.problems.append(
                    GrammarError(
                        f"class '{key[0]}' with ending '{key[1]}' is listed twice", row.where
                    )
                )
                continue
            self._layer.add(("paradigm", *key))
            cells = {
                name: cell
                for name, cell in row.cells.items()
                if name not in ("class", "ending", "note") and cell
            }
            for name, cell in cells.items():
                if ">" not in cell and not cell.startswith("="):
                    self.problems.append(
                        GrammarError(
                            f"'{cell}' is not an ending",
                            row.place(name),
                            "write strip>add, >add, field:strip>add, =text, and before strip"
                            " a prefix ge+ or a change of the stem e~ie",
                        )
                    )
            self._paradigms[key] = Paradigm(key[0], key[1], cells, row.where)

    def _keep_row(self, name: str, row: TableRow) -> None:
        if ("row", name) in self._layer:
            self.problems.append(GrammarError(f"'{name}' is listed twice", row.where))
            return
        self._layer.add(("row", name))
        self._rows[name] = self._row(self._rows.get(name) or LexiconRow(name, {}), row)

    def _row(self, old: LexiconRow, row: TableRow) -> LexiconRow:
        """A row laid over one that was there before."""
        cells = dict(old.cells)
        for column, cell in row.cells.items():
            if column in ("id", "class", "note") or not cell:
                continue
            if not _FIELD.match(column):
                self.problems.append(GrammarError(f"'{column}' cannot be a field name", row.where))
                continue
            cells[column] = tuple(
                "" if part.strip() == '""' else part.strip() for part in cell.split("|")
            )
        paradigm = row.cells.get("class") or old.paradigm
        paradigm = "" if paradigm == '""' else paradigm  # an edition takes the class away
        return LexiconRow(old.id, cells, paradigm, row.where)

    def _directive(self, line: Cursor) -> None:
        token = line.take()
        name = token.text
        if name not in ("%param", "%sound") and ("directive", name) in self._layer:
            raise GrammarError(f"{name} is given twice", token.where)
        self._layer.add(("directive", name))
        if name == "%join":
            if line.kind() != "string":
                line.fail('expected a quoted string, "" or " "')
            self._join = unquote(line.take().text)
        elif name == "%root":
            self._root = self._dotted(line, "the field of the start category")
        elif name == "%post":
            post: list[str] = []
            while line.more:
                where = line.here
                finish = line.name("the name of a finishing touch")
                if finish not in FINISHES:
                    raise GrammarError(
                        f"unknown finishing touch '{finish}'",
                        where,
                        "known: " + ", ".join(FINISHES),
                    )
                post.append(finish)
            self._post = tuple(post)
        elif name == "%param":
            param = line.name("the name of the parameter")
            line.expect("=", "after the parameter")
            values: list[str] = []
            while line.more:
                values.append(line.name("a value"))
            if not values:
                line.fail("a parameter needs values")
            self._params[param] = tuple(dict.fromkeys(values))
        elif name == "%unmarked":
            rules: list[str] = []
            while line.more:
                rules.append(line.name("the name of a rule"))
            self._unmarked = tuple(dict.fromkeys(rules))
        elif name == "%sound":
            sound = line.name("the name of the sounds")
            line.expect("=", "after the name")
            self._sounds[sound] = self._sound_set(line)
        else:
            raise GrammarError(
                f"unknown directive '{name}'",
                token.where,
                "in a language's grammar: %join, %root, %post, %param, %sound, %touch, %unmarked,"
                " %each",
            )
        line.finish()

    def _sound_set(self, line: Cursor) -> SoundSet:
        found: dict[bool, list[str]] = {True: [], False: []}
        like = True
        while line.more and line.peek() not in ("before", "after"):
            if line.kind() == "string":
                found[like].append(unquote(line.take().text))
            elif line.peek() == "but":
                line.take()
                like = False
            elif line.peek() in self._sounds:
                known = self._sounds[line.take().text]
                found[like].extend(known.like)
                found[not like].extend(known.but)
            else:
                known_names = ", ".join(self._sounds) or "none"
                line.fail(
                    f"expected a quoted beginning or the name of a %sound line ({known_names}),"
                    f" found '{line.peek()}'"
                )
        if not found[True] or "" in (*found[True], *found[False]):
            line.fail('sounds are quoted beginnings of words: "a" "e" "i" but "uni"')
        return SoundSet(tuple(dict.fromkeys(found[True])), tuple(dict.fromkeys(found[False])))

    def _touch(self, line: Cursor) -> None:
        where = line.take().where
        if ("directive", "%touch") not in self._layer:
            self._layer.add(("directive", "%touch"))
            self._touches = []
        if not self._join:
            raise GrammarError(
                "a touch changes words, but this language has no spaces between words",
                where,
                'take away %join "", or give the words the forms they need',
            )
        attached = line.accept("+")
        old = self._touched(line, "what is written")
        line.expect("->", "after what is written")
        new = self._touched(line, "what is written instead")
        glued = line.accept("+")
        context: dict[str, SoundSet | None] = {"before": None, "after": None}
        while line.peek() in context and context[line.peek()] is None:
            side = line.take().text
            context[side] = self._sound_set(line)
        line.finish()
        if len(old.split(self._join)) > 2:
            raise GrammarError(f"'{old}' has more than two words", where, "touch two at a time")
        self._touches.append(
            Touch(old, new, glued, attached, context["before"], context["after"], where)
        )

    def _touched(self, line: Cursor, what: str) -> str:
        if line.kind() != "string":
            line.fail(f'expected {what}, in quotes: %touch "a" -> "an" before vowel')
        text = _literal(line).text
        if not text:
            line.fail(f"{what} cannot be nothing")
        return text

    def _dotted(self, line: Cursor, what: str) -> str:
        names = [line.name(what)]
        while line.accept("."):
            names.append(line.name(what))
        return ".".join(names)

    def _line(self, line: Cursor) -> None:
        where = line.here
        lefts = [self._left(line)]
        while line.accept(","):
            lefts.append(self._left(line))
        line.expect("=", "after the rule and field")
        params = tuple(dict.fromkeys(param for left in lefts for param in left.params))
        bodies = self._bodies(line, _Scope(all(left.any_field for left in lefts), params), ())
        line.finish()
        for left in lefts:
            size = math.prod(len(self._params[param]) for param in left.params)
            if size > MAX_EXPANSION:
                raise GrammarError(
                    f"the line stands for {size} fields", where, f"at most {MAX_EXPANSION}"
                )
            if set(params) - set(left.params):
                raise GrammarError("the left sides have different parameters", where)
            for values in itertools.product(*(self._params[param] for param in left.params)):
                bound = dict(zip(left.params, values, strict=True))
                keys = [*left.fields, *(bound.get(key, key) for key in left.keys)]
                name = ANY_FIELD if left.any_field else ".".join(keys) or FORM
                ways = tuple(tuple(_bind(piece, bound) for piece in body) for body in bodies)
                self._keep(Line(left.chain[0], name, ways, where, left.chain[1:]))

    def _keep(self, line: Line) -> None:
        if ("line", line.rule, line.field) in self._layer:
            raise GrammarError(f"'{line.rule}.{line.field}' is given twice", line.where)
        self._layer.add(("line", line.rule, line.field))
        self._lines[line.rule, line.field] = line

    def _chain(self, name: str) -> tuple[str, ...]:
        return (name,)

    def _left(self, line: Cursor) -> _Left:
        chain = self._chain(line.name("a rule name"))
        fields: list[str] = []
        keys: list[str] = []
        any_field = False
        while line.accept("."):
            if line.accept("*"):
                if fields:
                    line.fail("'*' stands for the whole field: write rule.* = or name each field")
                any_field = True
                break
            fields.append(line.name("a field name"))
        if line.accept("["):  # only a key in brackets can be a parameter
            keys.append(line.name("a key"))
            while line.accept(","):
                keys.append(line.name("a key"))
            line.expect("]", "after the keys")
        params = tuple(key for key in dict.fromkeys(keys) if key in self._params)
        return _Left(chain, tuple(fields), tuple(keys), any_field, params)

    def _bodies(self, line: Cursor, scope: _Scope, stop: tuple[str, ...]) -> list[Pieces]:
        """Alternatives; ``( a | b )`` and ``{ a , b }`` stand for a body each."""
        bodies = self._body(line, scope, (*stop, "|"))
        while line.accept("|"):
            bodies += self._body(line, scope, (*stop, "|"))
        if len(bodies) > MAX_WAYS:
            line.fail(f"the line stands for {len(bodies)} ways to say it; at most {MAX_WAYS}")
        return bodies

    def _body(self, line: Cursor, scope: _Scope, stop: tuple[str, ...]) -> list[Pieces]:
        options: list[list[Pieces]] = []
        size = 1
        while line.more and line.peek() not in stop:
            if line.accept("+"):  # also at either end: it then holds against the neighbour outside
                options.append([(Glue(),)])
            elif line.kind() == "string":
                options.append([(_literal(line),)])
            elif line.accept("("):
                options.append(self._bodies(line, scope, (")",)))
                line.expect(")", "after the choices")
            elif line.accept("{"):
                options.append(self._orders(line, scope))
            else:
                options.append([(self._reference(line, scope),)])
            size *= len(options[-1])
            if size > MAX_WAYS:
                line.fail(f"the line stands for {size} ways to say it; at most {MAX_WAYS}")
        if not options:
            line.fail('an empty alternative; write "" for nothing')
        bodies = [tuple(itertools.chain(*chosen)) for chosen in itertools.product(*options)]
        for body in bodies:
            if any(isinstance(a, Glue) and isinstance(b, Glue) for a, b in pairwise(body)):
                line.fail("two '+' in a row")
            if all(isinstance(piece, Glue) for piece in body):
                line.fail("'+' alone is no piece")
        return [tuple(_strengthen(list(body))) for body in bodies]

    def _orders(self, line: Cursor, scope: _Scope) -> list[Pieces]:
        """``{ a , b }``: all of them, in any order."""
        parts = [self._bodies(line, scope, (",", "}"))]
        while line.accept(","):
            parts.append(self._bodies(line, scope, (",", "}")))
        line.expect("}", "after what comes in any order")
        size = math.factorial(len(parts)) * math.prod(len(part) for part in parts)
        if size > MAX_WAYS:
            line.fail(f"{len(parts)} parts have {size} orders; at most {MAX_WAYS}")
        return [
            tuple(itertools.chain(*chosen))
            for order in itertools.permutations(parts)
            for chosen in itertools.product(*order)
        ]

    def _reference(self, line: Cursor, scope: _Scope) -> Piece:
        name = line.name("a slot, a table or a literal")
        keys: list[Key] = []
        while line.accept("."):
            same = self._any(line, scope)
            keys.append(line.name("a field name") if same is None else same)
        if line.accept("["):
            keys.append(self._key(line, scope))
            while line.accept(","):
                keys.append(self._key(line, scope))
            line.expect("]", "after the keys")
        found = tuple(keys) or (FORM,)
        return TableCell(name, found) if name.startswith("_") else Ref(name, found)

    def _any(self, line: Cursor, scope: _Scope) -> Same | None:
        if not line.accept("*"):
            return None
        if not scope.any_field:
            line.fail("'*' on the right needs 'rule.* =' on the left")
        return Same()

    def _key(self, line: Cursor, scope: _Scope) -> Key:
        where = line.here
        if (same := self._any(line, scope)) is not None:
            return same
        name = line.name("a key")
        if line.accept("."):
            return Feature(name, self._dotted(line, "a feature"))
        if name in self._params and name not in scope.params:
            raise GrammarError(
                f"the parameter '{name}' is not on the left side",
                where,
                f"write rule[{name}] = ...",
            )
        return name


class _Left(NamedTuple):
    """The left side of a line, its parameters not yet bound."""

    chain: tuple[str, ...]
    fields: tuple[str, ...]
    keys: tuple[str, ...]
    any_field: bool
    params: tuple[str, ...]


class _Scope(NamedTuple):
    """What the left side lets the right side use."""

    any_field: bool
    params: tuple[str, ...]


def _strengthen(pieces: list[Piece]) -> list[Piece]:
    for index, piece in enumerate(pieces):
        if isinstance(piece, Glue):
            neighbours = pieces[max(0, index - 1) : index + 2]
            slots = sum(isinstance(other, Ref) for other in neighbours)
            pieces[index] = Glue(strong=slots < 2)
    return pieces


def _literal(line: Cursor) -> LiteralText:
    text = unquote(line.peek())
    # A sentence is read without the white space around it, so such a literal would be lost there.
    if text != text.strip():
        line.fail("white space at the edge of a literal; %join and '+' say what is between words")
    line.take()
    return LiteralText(text)


def _bind(piece: Piece, bound: dict[str, str]) -> Piece:
    if not bound or not isinstance(piece, Ref | TableCell):
        return piece
    keys = tuple(bound.get(key, key) if isinstance(key, str) else key for key in piece.keys)
    return piece._replace(keys=keys)
