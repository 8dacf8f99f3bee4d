"""Read a grammar folder, with or without an edition laid over it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from pathlib import Path

from recombine.errors import GrammarError, Where, raise_all
from recombine.grammar.files.abstract_syntax import AbstractReader
from recombine.grammar.files.concrete_syntax import ConcreteReader
from recombine.grammar.model import GrammarSource

_FILE = re.compile(
    r"(?P<owner>[A-Za-z][\w-]*)(?:\.[\w-]+)*?\.(?P<kind>grammar|lexicon\.tsv|paradigms\.tsv|pairs\.tsv)\Z"
)


def read_grammar(folder: Path, edition: str | None = None) -> GrammarSource:
    """Read a grammar; raises one GrammarError or all Problems."""
    source, problems = scan_grammar(folder, edition)
    raise_all(problems)
    assert source is not None  # what cannot be read is a problem
    return source


def scan_grammar(
    folder: Path, edition: str | None = None
) -> tuple[GrammarSource | None, list[GrammarError]]:
    """Read a grammar and return it with everything that is wrong about its notation."""
    problems: list[GrammarError] = []
    if not (folder / "abstract.grammar").is_file():
        hint = "a grammar is a folder with abstract.grammar and one CODE.grammar per language"
        return None, [GrammarError("no abstract.grammar here", Where(str(folder)), hint)]
    abstract = AbstractReader(problems)
    languages: dict[str, ConcreteReader] = {}
    _read_layer(folder, abstract, languages, problems, base=True)
    own = abstract.result().edition
    if edition is not None and edition != own:
        overlay = folder / "editions" / edition
        if not overlay.is_dir():
            known = editions(folder)
            close = difflib.get_close_matches(edition, known, n=1)
            return None, [
                GrammarError(
                    f"no edition '{edition}'",
                    Where(str(folder)),
                    f"did you mean '{close[0]}'?"
                    if close
                    else f"known: {', '.join(known) or 'none'}",
                )
            ]
        abstract.new_layer()
        for reader in languages.values():
            reader.new_layer()
        _read_layer(overlay, abstract, languages, problems, base=False)
    result = abstract.result()
    if not result.start and not problems:
        problems.append(
            GrammarError(
                "no %start category", Where(str(folder / "abstract.grammar"), 1), "add: %start S"
            )
        )
    read = {code: reader.result() for code, reader in languages.items()}
    return GrammarSource(folder.name, result, read, edition or own), problems


def editions(folder: Path) -> list[str]:
    """Return the names of the editions laid beside a grammar."""
    root = folder / "editions"
    return sorted(path.name for path in root.iterdir() if path.is_dir()) if root.is_dir() else []


def _read_layer(
    folder: Path,
    abstract: AbstractReader,
    languages: dict[str, ConcreteReader],
    problems: list[GrammarError],
    *,
    base: bool,
) -> None:
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
    for kind, owner, _ in files:
        if kind == "grammar" and owner != "abstract" and (base or owner not in languages):
            languages[owner] = ConcreteReader(owner, problems)
    for kind, owner, path in files:
        reader = abstract if owner == "abstract" else languages.get(owner)
        if reader is None:
            problems.append(
                GrammarError(f"there is no {owner}.grammar for this file", Where(str(path)))
            )
            continue
        method: Callable[[Path], None] | None = getattr(reader, _METHODS[kind], None)
        if method is None:
            problems.append(GrammarError(f"'{owner}' takes no such file", Where(str(path))))
        else:
            method(path)


_METHODS = {
    "grammar": "read_grammar",
    "lexicon.tsv": "read_lexicon",
    "paradigms.tsv": "read_paradigms",
    "pairs.tsv": "read_pairs",
}
