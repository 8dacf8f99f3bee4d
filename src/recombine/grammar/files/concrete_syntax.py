"""Read one language: its .grammar, lexicons and paradigms."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

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
            elif ("row", name) in self._layer:
                self.problems.append(GrammarError(f"'{name}' is listed twice", row.where))
            else:
                self._layer.add(("row", name))
                self._rows[name] = self._row(name, row)

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

    def _row(self, name: str, row: TableRow) -> LexiconRow:
        old = self._rows.get(name)
        cells = dict(old.cells) if old else {}
        for column, cell in row.cells.items():
            if column in ("id", "class", "note") or not cell:
                continue
            if not _FIELD.match(column):
                self.problems.append(GrammarError(f"'{column}' cannot be a field name", row.where))
                continue
            cells[column] = tuple(
                "" if part.strip() == '""' else part.strip() for part in cell.split("|")
            )
        paradigm = row.cells.get("class") or (old.paradigm if old else "")
        paradigm = "" if paradigm == '""' else paradigm  # an edition takes the class away
        return LexiconRow(name, cells, paradigm, row.where)

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
                "a touch is about words, and this language writes none apart",
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
        rule = line.name("a rule name")
        keys: list[str] = []
        any_field = False
        while line.accept("."):
            if line.accept("*"):
                any_field = True
                break
            keys.append(line.name("a field name"))
        fixed = len(keys)  # only a key in brackets can be a parameter
        if line.accept("["):
            keys.append(line.name("a key"))
            while line.accept(","):
                keys.append(line.name("a key"))
            line.expect("]", "after the keys")
        line.expect("=", "after the rule and field")
        params = [key for key in dict.fromkeys(keys[fixed:]) if key in self._params]
        variants = [self._pieces(line, any_field, params)]
        while line.accept("|"):
            variants.append(self._pieces(line, any_field, params))
        line.finish()
        size = 1
        for param in params:
            size *= len(self._params[param])
        if size > MAX_EXPANSION:
            raise GrammarError(
                f"the line stands for {size} fields", where, f"at most {MAX_EXPANSION}"
            )
        for values in itertools.product(*(self._params[param] for param in params)):
            bound = dict(zip(params, values, strict=True))
            names = [*keys[:fixed], *(bound.get(key, key) for key in keys[fixed:])]
            name = ANY_FIELD if any_field else ".".join(names) or FORM
            if ("line", rule, name) in self._layer:
                raise GrammarError(f"'{rule}.{name}' is given twice", where)
            self._layer.add(("line", rule, name))
            bodies = tuple(tuple(_bind(piece, bound) for piece in body) for body in variants)
            self._lines[rule, name] = Line(rule, name, bodies, where)

    def _pieces(self, line: Cursor, any_field: bool, params: list[str]) -> Pieces:
        pieces: list[Piece] = []
        if line.peek() in ("|", ""):
            line.fail('an empty alternative; write "" for nothing')
        while line.more and line.peek() != "|":
            if line.accept("+"):  # also at either end: it then holds against the neighbour outside
                if pieces and isinstance(pieces[-1], Glue):
                    line.fail("two '+' in a row")
                pieces.append(Glue())
            elif line.kind() == "string":
                pieces.append(_literal(line))
            else:
                pieces.append(self._reference(line, any_field, params))
        if all(isinstance(piece, Glue) for piece in pieces):
            line.fail("'+' alone is no piece")
        return tuple(_strengthen(pieces))

    def _reference(self, line: Cursor, any_field: bool, params: list[str]) -> Piece:
        name = line.name("a slot, a table or a literal")
        keys: list[Key] = []
        while line.accept("."):
            if line.accept("*"):
                if not any_field:
                    line.fail("'.*' on the right needs 'rule.* =' on the left")
                keys.append(Same())
            else:
                keys.append(line.name("a field name"))
        if line.accept("["):
            keys.append(self._key(line, params))
            while line.accept(","):
                keys.append(self._key(line, params))
            line.expect("]", "after the keys")
        found = tuple(keys) or (FORM,)
        return TableCell(name, found) if name.startswith("_") else Ref(name, found)

    def _key(self, line: Cursor, params: list[str]) -> Key:
        where = line.here
        name = line.name("a key")
        if line.accept("."):
            return Feature(name, self._dotted(line, "a feature"))
        if name in self._params and name not in params:
            raise GrammarError(
                f"the parameter '{name}' is not on the left side",
                where,
                f"write rule[{name}] = ...",
            )
        return name


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
