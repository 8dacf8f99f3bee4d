"""Read a grammar folder: what it extends, its own files over that, an edition over both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from recombine.errors import GrammarError, Where, did_you_mean, raise_all
from recombine.grammar.files.abstract_syntax import AbstractReader
from recombine.grammar.files.concrete_syntax import ConcreteReader
from recombine.grammar.files.tables import read_text
from recombine.grammar.model import GrammarSource, Language
from recombine.registry import data_path

EDITIONS = "editions"  # the folder of a grammar with one folder per edition
_FILE = re.compile(
    r"(?P<owner>[A-Za-z][\w-]*)(?:\.[\w-]+)*?\.(?P<kind>grammar|lexicon\.tsv|paradigms\.tsv|pairs\.tsv)\Z"
)
_EXTENDS = re.compile(r'\s*%extends\s+("[^"]+"|[^\s#]+)')


def read_grammar(folder: Path, edition: str | None = None) -> GrammarSource:
    """Read a grammar: its abstract syntax now, a language when it is first asked for.

    Whoever asks for what is wrongly written gets one GrammarError or all Problems of it.
    """
    source, problems = _open_grammar(folder, edition)
    raise_all(problems)
    assert source is not None  # what cannot be read is a problem
    return source


def scan_grammar(
    folder: Path, edition: str | None = None
) -> tuple[GrammarSource | None, list[GrammarError]]:
    """Read all of a grammar and return it with everything that is wrong about its notation."""
    source, problems = _open_grammar(folder, edition)
    if source is not None:
        assert isinstance(source.languages, LanguagesOnDemand)
        problems.extend(source.languages.scan())
    return source, problems


class LanguagesOnDemand(Mapping[str, Language]):
    """The languages of a grammar, by code; the files of each are read when it is first wanted."""

    def __init__(
        self,
        layers: Sequence[Mapping[str, Sequence[tuple[str, Path]]]],
        spoken: Sequence[str] = (),
    ) -> None:
        self._layers = layers  # the files of each language, as (kind, path), base to edition
        codes = dict.fromkeys(code for layer in layers for code in layer)
        self._codes = tuple(code for code in codes if not spoken or code in spoken)
        self._read: dict[str, tuple[Language, list[GrammarError]]] = {}

    def __getitem__(self, code: str) -> Language:
        language, problems = self._reading(code)
        raise_all(problems)
        return language

    def __contains__(self, code: object) -> bool:
        return code in self._codes  # a Mapping would read it

    def __iter__(self) -> Iterator[str]:
        return iter(self._codes)

    def __len__(self) -> int:
        return len(self._codes)

    def scan(self) -> list[GrammarError]:
        """Read every language and return what is wrong."""
        return [problem for code in self._codes for problem in self._reading(code)[1]]

    def _reading(self, code: str) -> tuple[Language, list[GrammarError]]:
        if code not in self._codes:
            raise KeyError(code)
        if code not in self._read:
            problems: list[GrammarError] = []
            reader = ConcreteReader(code, problems)
            for layer in self._layers:
                reader.new_layer()
                _read_files(reader, layer.get(code, ()), problems)
            self._read[code] = reader.result(), problems
        return self._read[code]


def _open_grammar(
    folder: Path, edition: str | None
) -> tuple[GrammarSource | None, list[GrammarError]]:
    problems: list[GrammarError] = []
    try:
        folders = base_folders(folder)
    except GrammarError as error:
        return None, [error]
    abstract = AbstractReader(problems)
    layers: list[dict[str, list[tuple[str, Path]]]] = []
    named: list[str] = []
    for place in folders:
        places = [place]
        if edition is not None and edition in editions(place):
            places.append(place / EDITIONS / edition)
        named.extend(editions(place))
        for layer in places:
            files = _layer_files(layer, layers, problems)
            abstract.new_layer()
            _read_files(abstract, files.pop("abstract", ()), problems)
            layers.append(files)
    result = abstract.result()
    if edition is not None and edition not in (result.edition, *named):
        hint = did_you_mean(edition, named, f"known: {', '.join(named) or 'none'}")
        return None, [GrammarError(f"no edition '{edition}'", Where(str(folder)), hint)]
    if not result.start and not problems:
        problems.append(
            GrammarError(
                "no %start category", Where(str(folder / "abstract.grammar"), 1), "add: %start S"
            )
        )
    languages = LanguagesOnDemand(layers, abstract.spoken)
    return GrammarSource(folder.name, result, languages, edition or result.edition), problems


def editions(folder: Path) -> list[str]:
    """Return the names of the editions laid beside a grammar."""
    root = folder / EDITIONS
    return sorted(path.name for path in root.iterdir() if path.is_dir()) if root.is_dir() else []


def base_folders(folder: Path) -> list[Path]:
    """The folders a grammar consists of: what it extends first, itself last."""
    found: list[Path] = []
    place: Path | None = folder
    while place is not None:
        if not (place / "abstract.grammar").is_file():
            hint = "a grammar is a folder with abstract.grammar and one CODE.grammar per language"
            raise GrammarError("no abstract.grammar here", Where(str(place)), hint)
        found.insert(0, place)
        place, where = _extended(place)
        if place is not None and any(place.resolve() == other.resolve() for other in found):
            raise GrammarError("the grammar extends itself", where)
    return found


def _extended(folder: Path) -> tuple[Path | None, Where | None]:
    """What the line `%extends` names: a shipped grammar, or a folder as seen from this one."""
    path = folder / "abstract.grammar"
    try:
        lines = read_text(path).split("\n")
    except GrammarError:
        return None, None  # said when the file is read
    for number, line in enumerate(lines, start=1):
        match = _EXTENDS.match(line)
        if match is not None:
            where = Where(str(path), number, match.start(1) + 1, line, len(match[1]))
            name = match[1].strip('"')
            beside = folder / name
            try:
                found = beside if (beside / "abstract.grammar").is_file() else find_grammar(name)
            except GrammarError as error:
                raise GrammarError(f"%extends: {error.message}", where, error.hint) from None
            return found, where
    return None, None


def _layer_files(
    folder: Path,
    below: Sequence[Mapping[str, Sequence[tuple[str, Path]]]],
    problems: list[GrammarError],
) -> dict[str, list[tuple[str, Path]]]:
    """The files of a folder as (kind, path) by owner, in the order of their names."""
    files: list[tuple[str, str, Path]] = []
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        match = _FILE.match(path.name)
        if match is not None and path.is_file():
            files.append((match["kind"], match["owner"], path))
        elif path.suffix in (".tsv", ".grammar"):
            problems.append(
                GrammarError(
                    "not a name for a grammar file",
                    Where(str(path)),
                    "OWNER.grammar, OWNER.lexicon.tsv, OWNER.paradigms.tsv or abstract.pairs.tsv",
                )
            )
    languages = {code for layer in below for code in layer} | {
        owner for kind, owner, _ in files if kind == "grammar"
    }
    found: dict[str, list[tuple[str, Path]]] = {}
    for kind, owner, path in files:
        if owner != "abstract" and owner not in languages:
            problems.append(
                GrammarError(f"there is no {owner}.grammar for this file", Where(str(path)))
            )
        else:
            found.setdefault(owner, []).append((kind, path))
    return found


def _read_files(
    reader: AbstractReader | ConcreteReader,
    files: Sequence[tuple[str, Path]],
    problems: list[GrammarError],
) -> None:
    for kind, path in files:
        method: Callable[[Path], None] | None = getattr(reader, _METHODS[kind], None)
        if method is None:
            owner = path.name.partition(".")[0]
            problems.append(GrammarError(f"'{owner}' takes no such file", Where(str(path))))
        else:
            method(path)


_METHODS = {
    "grammar": "read_grammar",
    "lexicon.tsv": "read_lexicon",
    "paradigms.tsv": "read_paradigms",
    "pairs.tsv": "read_pairs",
}


def find_grammar(name_or_path: str | Path) -> Path:
    """Return the folder of a grammar: a path, or the name of a shipped one."""
    path = Path(name_or_path)
    name = str(name_or_path)
    shipped = shipped_grammars()
    # A folder that only happens to be called like a shipped grammar does not hide it.
    if path.is_dir() and (name not in shipped or (path / "abstract.grammar").is_file()):
        return path
    if path.name == "abstract.grammar" and path.is_file():
        return path.parent
    if name in shipped:
        return data_path("grammars", name)
    names = f"a folder, or one of: {', '.join(shipped) or 'none'}"
    raise GrammarError(f"no grammar '{name}'", hint=did_you_mean(name, shipped, names))


def shipped_grammars() -> list[str]:
    """The names of the grammars that come with the package."""
    root = data_path("grammars")
    if not root.is_dir():
        return []
    return sorted(path.name for path in root.iterdir() if (path / "abstract.grammar").is_file())
