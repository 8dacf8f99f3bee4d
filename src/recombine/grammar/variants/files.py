"""Read the variants of a language: other ways to say a rule or a word.

They lie in the folder `variants` of a grammar, in files named like the language's own and read by
the same reader. Nothing is ever built from them, so they belong to no benchmark's hash: they say
what else is right.

- `CODE.grammar`: lines as in a grammar, added to the lines that are there. ``act/past_tr.* = ...``
  is about the rule `act` whose phrase is made by `past_tr`: the line has the slots of both, so that
  arguments of different levels can change places.
- `CODE.lexicon.tsv`: a row with a `form` is a synonym, with its own class and cells; a row without
  one adds cells to the word itself. One word may have many rows.
- `CODE.paradigms.tsv`: further forms of a class, and further classes. ``%also avoir -> imparfait``
  says every word of the class `avoir` with the forms of the class `imparfait`, too.
- `CODE.heard.grammar`, `CODE.heard.lexicon.tsv`: the same, for what is understood when somebody
  says it and never drawn as a further reference (clefts, loose synonyms).

`%ignore` lists marks that say nothing and `%final` marks that say nothing at the end. `%contrast`
names what does *not* say the same: with ``%contrast polarity``, a column `polarity.past` is how the
negated verb is said where its past would be, and with ``%contrast polarity : negated {neg}`` the
rule `negated` and every rule with the tag `neg` are a difference in polarity.
``%role obj : passive.subj``, in `abstract.grammar`, says that a passive's subject is what an object
is elsewhere, and ``%question "who acts" : who_subject`` what a rule asks for.
``%alike NP : Agent Object Thing_*`` names categories between which a reader makes no difference.
An edition may have variants of its own (`editions/NAME/variants`): the words that have rows there,
because the edition means something else by them, have no other synonyms.
``%alone``, in `abstract.grammar`, leaves out the lines and rows of what the grammar extends.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from recombine.errors import GrammarError, Where, raise_all
from recombine.files import TableRow, sha256_of
from recombine.grammar.files.concrete_syntax import ConcreteReader
from recombine.grammar.files.folder import EDITIONS, base_folders, editions
from recombine.grammar.files.notation import Cursor, unquote
from recombine.grammar.model import LexiconRow, Line, Paradigm

FOLDER = "variants"
ALONE = "%alone"
DIRECTIVES = ("%ignore", "%final", "%contrast", "%role", "%question", "%alike", "%also", ALONE)


@dataclass(frozen=True)
class Variants:
    """What the files of one language say; what is only heard comes last."""

    lines: tuple[Line, ...] = ()
    rows: tuple[LexiconRow, ...] = ()
    paradigms: tuple[Paradigm, ...] = ()
    also: tuple[tuple[str, str, bool], ...] = ()  # a class, another one, and if that is drawn
    ignored: frozenset[str] = frozenset()
    final: frozenset[str] = frozenset()
    contrasts: tuple[str, ...] = ()
    contrasted: Mapping[str, str] = field(default_factory=dict)  # rule or {tag} -> contrast
    roles: Mapping[tuple[str, str], str] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)
    alike: Mapping[str, str] = field(default_factory=dict)
    sha256: str = field(default="", compare=False)


def variant_files(folder: Path) -> list[Path]:
    """The files with variants in one folder of a grammar."""
    found = (folder / FOLDER).glob("*")
    return sorted(path for path in found if path.suffix in (".tsv", ".grammar"))


def all_variant_files(folder: Path) -> list[Path]:
    """The files with variants in one folder of a grammar, and in its editions."""
    places = [folder, *(folder / EDITIONS / name for name in editions(folder))]
    return [path for place in places for path in variant_files(place)]


def read_variants(
    folder: Path,
    language: str,
    params: Mapping[str, tuple[str, ...]] | None = None,
    edition: str | None = None,
) -> Variants:
    """Read the variants of a language, if it has any; of what the grammar extends first.

    `params` are the parameters that the language's own lines have.
    """
    variants, problems = scan_variants(folder, language, params, edition)
    raise_all(problems)
    return variants


def scan_variants(
    folder: Path,
    language: str,
    params: Mapping[str, tuple[str, ...]] | None = None,
    edition: str | None = None,
) -> tuple[Variants, list[GrammarError]]:
    """Read variants and return them with everything that is wrong about their notation."""
    problems: list[GrammarError] = []
    reader = _VariantReader(language, problems, params or {})
    digest = hashlib.sha256()
    for path in sorted(_files(folder, edition), key=_only_heard):
        if path.name.split(".")[0] not in ("abstract", language):
            continue
        reader.drawn = not _only_heard(path)
        reader.in_edition = path.parent.parent.parent.name == EDITIONS
        digest.update(f"{path.name}\0{sha256_of(path)}\n".encode())
        if path.suffix == ".grammar":
            reader.read_grammar(path)
        elif path.name.endswith("lexicon.tsv"):
            reader.read_lexicon(path)
        elif path.name.endswith("paradigms.tsv"):
            reader.new_layer()  # each file may say further forms of a class
            reader.read_paradigms(path)
        else:
            hint = f"{language}.grammar, {language}.lexicon.tsv or {language}.paradigms.tsv"
            problems.append(GrammarError("not a name for variants", Where(str(path)), hint))
    return reader.variants(digest.hexdigest()), problems


def _files(folder: Path, edition: str | None) -> list[Path]:
    """The files of a grammar and of what it extends; where a folder is `%alone`, its own words.

    What holds in every language, such as which slots are one role, is extended all the same.
    """
    found: list[Path] = []
    for place in base_folders(folder):
        own = variant_files(place)
        if any(_is_alone(path) for path in own):
            found = [path for path in found if path.name.startswith("abstract.")]
        found += own
        if edition is not None:
            found += variant_files(place / EDITIONS / edition)
    return found


def _is_alone(path: Path) -> bool:
    if path.name != "abstract.grammar":
        return False
    return any(line.strip() == ALONE for line in path.read_text(encoding="utf-8").splitlines())


def _only_heard(path: Path) -> bool:
    return "heard" in path.name.split(".")


class _VariantReader(ConcreteReader):
    """Reads lines, rows and paradigms as a language's own, with directives of its own."""

    def __init__(
        self, code: str, problems: list[GrammarError], params: Mapping[str, tuple[str, ...]]
    ) -> None:
        super().__init__(code, problems)
        self._params = dict(params)
        self.drawn = True
        self.in_edition = False
        self._of_edition: set[str] = set()  # words and tables that the edition has rows of
        self._variant_lines: list[Line] = []
        self._variant_rows: list[tuple[LexiconRow, bool]] = []  # and if it is of the edition
        self._also: list[tuple[str, str, bool]] = []
        self._marks: dict[str, list[str]] = {}
        self._contrasts: dict[str, None] = {}
        self._contrasted: dict[str, str] = {}
        self._roles: dict[tuple[str, str], str] = {}
        self._questions: dict[str, str] = {}
        self._alike: dict[str, str] = {}

    def variants(self, sha256: str) -> Variants:
        """Return what was read."""
        return Variants(
            tuple(self._variant_lines),
            tuple(
                row
                for row, in_edition in self._variant_rows
                if in_edition or row.id not in self._of_edition
            ),
            self.result().paradigms,
            tuple(self._also),
            frozenset("".join(self._marks.get("%ignore", ()))),
            frozenset("".join(self._marks.get("%final", ()))),
            tuple(self._contrasts),
            self._contrasted,
            self._roles,
            self._questions,
            self._alike,
            sha256,
        )

    def _chain(self, name: str) -> tuple[str, ...]:
        return tuple(name.split("/"))

    def _keep(self, line: Line) -> None:
        self._variant_lines.append(dataclasses.replace(line, drawn=self.drawn))

    def _keep_row(self, name: str, row: TableRow) -> None:
        read = self._row(LexiconRow(name, {}), row)
        if not (read.cells or read.paradigm):
            self.problems.append(GrammarError("a row needs an id and a form", row.where))
            return
        if self.in_edition:
            self._of_edition.add(name)
        row_ = dataclasses.replace(read, drawn=self.drawn)
        self._variant_rows.append((row_, self.in_edition))

    def _directive(self, line: Cursor) -> None:
        if line.peek() == "%param":
            super()._directive(line)
            return
        token = line.take()
        if token.text not in DIRECTIVES:
            hint = "in variants: %param, %each, " + ", ".join(DIRECTIVES)
            raise GrammarError(f"unknown directive '{token.text}'", token.where, hint)
        if token.text in ("%ignore", "%final"):
            while line.kind() == "string":
                self._marks.setdefault(token.text, []).append(unquote(line.take().text))
        elif token.text == "%question":
            asked = unquote(line.take().text)
            line.expect(":", "after what is asked for")
            while line.more:
                self._questions[line.name("a rule")] = asked
        elif token.text == "%also":
            name = line.name("a class")
            line.expect("->", "after the class")
            self._also.append((name, line.name("another class"), self.drawn))
            while line.accept(","):
                self._also.append((name, line.name("another class"), self.drawn))
        elif token.text == "%contrast":
            self._contrast(line)
        elif token.text == ALONE:
            pass  # said of a folder, and looked for before its files are read (_files)
        else:
            name = line.name("a name")
            line.expect(":", "after the name")
            while line.more:
                member = line.name("a name")
                if token.text == "%alike":
                    self._alike[member + ("*" if line.accept("*") else "")] = name
                else:
                    line.expect(".", "after the rule")
                    self._roles[member, line.name("a slot")] = name
        line.finish()

    def _contrast(self, line: Cursor) -> None:
        name = line.name("the name of the contrast")
        self._contrasts[name] = None
        if not line.accept(":"):
            while line.more:
                self._contrasts[line.name("the name of a contrast")] = None
            return
        while line.more:
            if line.accept("{"):
                self._contrasted["{" + line.name("a tag") + "}"] = name
                line.expect("}", "after the tag")
            else:
                self._contrasted[line.name("a rule or a {tag}")] = name


def widen_paradigms(own: tuple[Paradigm, ...], more: tuple[Paradigm, ...]) -> list[Paradigm]:
    """The paradigms of a language with the further forms and classes of its variants."""
    cells: dict[tuple[str, str], Mapping[str, str]] = {}
    places: dict[tuple[str, str], Where | None] = {}
    for paradigm in (*own, *more):
        key = (paradigm.name, paradigm.ending)
        cells[key] = {**cells.get(key, {}), **paradigm.cells}
        places.setdefault(key, paradigm.where)
    return [
        Paradigm(name, ending, cells[name, ending], places[name, ending]) for name, ending in cells
    ]
