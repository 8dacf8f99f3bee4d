"""The grammar that a benchmark was made with: named in its recipe, hashed in its certificate.

A grammar that comes with Recombine is only named; any other is copied into the benchmark (folder
`grammar/NAME`), so that a benchmark can be moved and sent.  `benchmark_reader` returns this very
grammar, or raises.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine.benchmark import Benchmark
from recombine.draft import Draft
from recombine.errors import ConfigError, DataError, GrammarError, Where
from recombine.files import sha256_of
from recombine.grammar.files.folder import base_folders, find_grammar
from recombine.grammar.grammar import Grammar
from recombine.grammar.variants.files import all_variant_files
from recombine.registry import data_path

COPY = "grammar"  # the folder of a benchmark with the files of its grammar


class DeclaredGrammar(NamedTuple):
    """What a benchmark says of its grammar; `place` is a shipped name or a folder."""

    place: str
    edition: str | None
    sha256: str  # empty where the benchmark has no certificate


def declared_grammar(benchmark: Benchmark) -> DeclaredGrammar | None:
    """Return the grammar that a benchmark says it was made with; None where it names none."""
    recipe = benchmark.manifest.recipe
    if not isinstance(recipe.get("grammar"), str):
        return None
    copies = sorted((benchmark.path / COPY).glob("*/abstract.grammar"))
    named = [path for path in copies if path.parent.name == Path(recipe["grammar"]).name]
    place = str((named or copies)[0].parent) if copies else recipe["grammar"]
    certified: dict[str, Any] = {}
    path = benchmark.path / "certificate.json"
    if path.is_file():
        try:
            certified = json.loads(path.read_text(encoding="utf-8")).get("grammar", {})
        except (ValueError, AttributeError) as error:
            raise DataError(f"the certificate cannot be read: {error}", Where(str(path))) from None
    edition = certified.get("edition") or recipe.get("edition")
    return DeclaredGrammar(place, edition, certified.get("sha256", ""))


def load_grammar(declared: DeclaredGrammar) -> Grammar:
    """Load the grammar a benchmark declares, and no other that has its name."""
    try:
        known = _known_hashes(declared.place, declared.edition)
    except GrammarError as error:
        raise ConfigError(
            f"the benchmark's grammar is not here: {error.message}",
            hint="say where it is with the option 'grammar', or build the benchmark again",
        ) from None
    if declared.sha256 and declared.sha256 not in known:
        raise ConfigError(
            f"the grammar '{declared.place}' is not the one that the benchmark was made with: "
            f"its files have another hash",
            hint="build the benchmark again, use the version of Recombine that built it, "
            "or name a grammar with the option 'grammar' to read it with that one",
        )
    return Grammar.load(declared.place, declared.edition)


def benchmark_reader(
    metric: str, grammar: str, edition: str | None, sha256: str, *languages: str
) -> Grammar:
    """Load the grammar that a metric was told to read a benchmark's languages with."""
    if not grammar:
        raise ConfigError(
            f"metric {metric} reads translations with the benchmark's own grammar, "
            "but this benchmark names none",
            hint=f"name one: {metric}.grammar=NAME or a folder",
        )
    loaded = load_grammar(DeclaredGrammar(grammar, edition, sha256))
    for language in languages:
        loaded.concrete(language)  # says which languages there are when this is none of them
    return loaded


def grammar_signature(grammar: str, edition: str | None, sha256: str) -> str:
    """The grammar as part of a metric's signature: a folder's name says little, so its hash too."""
    if not grammar:
        return "grammar:none"
    name, known = Path(grammar).name, sha256 or grammar_hash(grammar, (), edition)
    version = "" if is_shipped(grammar) else f"@{known[:8]}"
    return f"grammar:{name}{version}|edition:{edition or 'default'}"


def grammar_hash(name: str, languages: Sequence[str] = (), edition: str | None = None) -> str:
    """SHA-256 over the files of a grammar, or over the abstract files and those of languages.

    A benchmark is about two languages: a third one that is added later does not change it. Nor does
    an edition that says which languages it is of, but for the benchmarks made with it.
    """
    return _digest(_hashes(find_grammar(name), edition), languages)


def _known_hashes(name: str, edition: str | None) -> set[str]:
    """The hashes by which a benchmark may know a grammar: whole, or of two of its languages."""
    hashes = _hashes(find_grammar(name), edition)
    codes = sorted({owner for owner, _, _ in hashes} - {"abstract"})
    pairs = itertools.combinations(codes, 2)
    return {_digest(hashes, ()), *(_digest(hashes, pair) for pair in pairs)}


def _hashes(folder: Path, edition: str | None) -> list[tuple[str, str, str]]:
    """Owner, path and hash of every file of a grammar; those of what it extends come first."""
    *bases, own = base_folders(folder)
    places = [*((f"{base.name}/", base) for base in bases), ("", own)]
    return [
        (path.name.partition(".")[0], prefix + path.relative_to(place).as_posix(), sha256_of(path))
        for prefix, place in places
        for path in grammar_files(place)
        if _is_of(path, place, edition)
    ]


def _stands_apart(edition: Path) -> bool:
    """Whether an edition says which languages it is of."""
    abstract = edition / "abstract.grammar"
    lines = abstract.read_text(encoding="utf-8").splitlines() if abstract.is_file() else []
    return any(line.startswith("%languages") for line in lines)


def _digest(hashes: Sequence[tuple[str, str, str]], languages: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for owner, path, sha256 in hashes:
        if not languages or owner in ("abstract", *languages):
            digest.update(f"{path}\0{sha256}\n".encode())
    return digest.hexdigest()


def grammar_files(folder: Path) -> list[Path]:
    """The files of a grammar and of its editions; what else lies in the folder is not read."""
    found = [*folder.iterdir(), *folder.glob("editions/*/*")]
    return sorted(path for path in found if path.suffix in (".tsv", ".grammar"))


def grammar_inputs(
    name: str, edition: str | None, languages: Collection[str], *, variants: bool = True
) -> dict[str, Path]:
    """Return the files that say how some languages of a grammar speak, by short names."""
    files: dict[str, Path] = {}
    for folder in base_folders(find_grammar(name)):
        own = [path for path in grammar_files(folder) if _is_of(path, folder, edition)]
        for path in (*own, *(all_variant_files(folder) if variants else ())):
            if path.name.partition(".")[0] in ("abstract", *languages):
                files[f"{folder.resolve().name}/{path.relative_to(folder).as_posix()}"] = path
    return files


def _is_of(path: Path, folder: Path, edition: str | None) -> bool:
    """Whether a file of a grammar says something of an edition."""
    place = path.parent
    return place == folder or place.name == edition or not _stands_apart(place)


def is_shipped(name: str) -> bool:
    """Whether a grammar comes with Recombine."""
    return _is_shipped(find_grammar(name))


def _is_shipped(folder: Path) -> bool:
    return folder.resolve().parent == data_path("grammars").resolve()


def keep_grammar(draft: Draft, name: str) -> None:
    """Copy a grammar that does not come with Recombine into the benchmark it makes.

    What it extends is copied beside it, unless that comes with Recombine.
    """
    own = find_grammar(name).resolve()
    for folder in base_folders(own):
        if _is_shipped(folder):
            continue
        if folder.resolve().parent != own.parent:
            raise ConfigError(
                f"the grammar '{own.name}' extends {folder}, which is not in the same folder",
                hint="put both folders into one, so that the benchmark can carry them",
            )
        for path in (*grammar_files(folder), *all_variant_files(folder)):
            kept = Path(COPY, folder.resolve().name, path.relative_to(folder))
            draft.add_file(kept.as_posix(), path.read_bytes())
