"""Name -> object: a lazy built-in table, entry points, and ./file.py:Name.

The tables hold strings so that listing names imports nothing; a module is loaded when one of its
objects is asked for (sacrebleu's habit, for the sake of a fast command line).
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from recombine.config import Document, parse_config
from recombine.errors import ConfigError, MissingExtra, Where, did_you_mean

BUILT_IN: dict[str, dict[str, str]] = {
    "builder": {
        "compound-release": "recombine.builders.compounds.release:CompoundRelease",
        "compounds": "recombine.builders.compounds.builder:Compounds",
        "divergent": "recombine.builders.divergent.builder:Divergent",
        "generated": "recombine.builders.generated.builder:Generated",
        "imported": "recombine.builders.imported:Imported",
        "generated-release": "recombine.builders.generated.release:GeneratedRelease",
        "consistency": "recombine.builders.consistency.builder:ConsistencyTests",
        "consistency-release": "recombine.builders.consistency.release:ConsistencyRelease",
    },
    "method": {
        "compounds": "recombine.methods.compounds.method:CompoundsMethod",
        "consistency": "recombine.methods.consistency.method:ConsistencyMethod",
        "divergent": "recombine.methods.divergent.method:DivergentMethod",
        "generated": "recombine.methods.generated.method:GeneratedMethod",
        "imported": "recombine.methods.imported:ImportedMethod",
    },
    "system": {
        "copy": "recombine.systems.toy:Copy",
        "dictionary": "recombine.systems.toy:Dictionary",
        "noisy-oracle": "recombine.systems.toy:NoisyOracle",
        "oracle": "recombine.systems.oracle:Oracle",
        "file": "recombine.systems.file:TranslationsFile",
        "command": "recombine.systems.command.system:Command",
        "http": "recombine.systems.http.system:Http",
        "llm": "recombine.systems.pretrained.causal:Llm",
        "hf-seq2seq": "recombine.systems.pretrained.seq2seq:HfSeq2Seq",
        "transformer": "recombine.systems.seq2seq.system:TransformerSystem",
        "lstm": "recombine.systems.seq2seq.system:LstmSystem",
    },
    "metric": {
        "anatomy": "recombine.metrics.anatomy.metric:Anatomy",
        "command": "recombine.metrics.external.command:CommandMetric",
        "exact": "recombine.metrics.exact:Exact",
        "llm-judge": "recombine.metrics.external.judge:LlmJudge",
        "scores-file": "recombine.metrics.external.scores_file:ScoresFile",
        "meaning": "recombine.metrics.meaning.metric:MeaningMatch",
        "partial": "recombine.metrics.partial:Partial",
        "partial-ginza": "recombine.metrics.partial_ginza:PartialGinza",
        "bleu": "recombine.metrics.surface:Bleu",
        "bleu-char": "recombine.metrics.surface:BleuChar",
        "chrf++": "recombine.metrics.surface:ChrfPlusPlus",
        "chrf": "recombine.metrics.surface:Chrf",
        "compound": "recombine.metrics.compound.metric:Compound",
        "compound_aggregate": "recombine.metrics.compound.metric:CompoundAggregate",
        "consistency": "recombine.metrics.consistency.metric:Consistency",
        "synonym-consistency": "recombine.metrics.consistency.metric:SynonymConsistency",
        "locality": "recombine.metrics.consistency.metric:Locality",
        "literal": "recombine.metrics.literal.metric:LiteralTranslation",
        "literal-control": "recombine.metrics.literal.metric:LiteralControl",
    },
}

DATA = Path(__file__).parent / "data"


def data_path(*parts: str) -> Path:
    """Return the path of a shipped data file."""
    return DATA.joinpath(*parts)


def names(kind: str) -> list[str]:
    """Return every name of one kind, built-in and from installed packages."""
    return sorted({*BUILT_IN[kind], *(entry.name for entry in _entry_points(kind))})


def lookup(kind: str, name: str) -> type[Any]:
    """Return the class behind a name, a ``./file.py:Name`` or an entry point."""
    if ".py:" in name:
        return _from_file(kind, name)
    target = BUILT_IN[kind].get(name)
    if target is not None:
        module, _, attribute = target.partition(":")
        member: type[Any] = getattr(importlib.import_module(module), attribute)
        return member
    for entry in _entry_points(kind):
        if entry.name == name:
            loaded: type[Any] = entry.load()
            return loaded
    installed = names(kind)
    raise ConfigError(
        f"unknown {kind} '{name}'",
        hint=did_you_mean(name.lower(), installed, f"known: {', '.join(installed)}"),
    )


def lookup_installed(kind: str, name: str) -> type[Any]:
    """Return the class behind a name that a benchmark's files say: data never loads a file."""
    if ".py:" in name:
        raise ConfigError(
            f"{kind} '{name}' is a Python file, and a benchmark cannot make one run",
            hint=f"if it is yours, name it yourself: --{kind} {name}" if kind == "metric" else None,
        )
    return lookup(kind, name)


def require_trusted(name: str, where: Where, trust: bool) -> None:
    """Raise where a file that may be a stranger's names Python code from outside.

    Code in the folder that one works in is one's own, and so is what one types oneself.
    """
    if ".py:" not in name or trust:
        return
    path = Path(name.rpartition(":")[0]).resolve()
    if not path.is_relative_to(Path.cwd().resolve()):
        raise ConfigError(
            f"'{name}' is Python code from outside the folder you work in; it is not run",
            where,
            hint="read it first; then give --trust, or copy it here",
        )


def own_files(names: Iterable[str]) -> list[Path]:
    """Return the files behind names that are given as ./file.py:Name."""
    paths = [Path(name.rpartition(":")[0]) for name in names if ".py:" in name]
    return [path for path in paths if path.is_file()]


def create(
    kind: str,
    name: str,
    options: Mapping[str, Any],
    *,
    document: Document | None = None,
    prefix: str = "",
) -> Any:
    """Build the object of that name from its options; its dataclass fields are the schema."""
    return parse_config(lookup(kind, name), options, document=document, prefix=prefix)


def require(module: str, *, extra: str, feature: str) -> ModuleType:
    """Import an optional dependency, or say which extra to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtra(feature, extra, error.name or module) from error


def _entry_points(kind: str) -> tuple[Any, ...]:
    return tuple(entry_points(group=f"recombine.{kind}s"))


class NotImported(ConfigError):
    """A Python file is named where none is imported: by `check` and `--dry-run`."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not imported, because that would run it")
        self.name = name
        self.hint = "read it first; then give --trust"


_barred: ContextVar[bool] = ContextVar("_barred", default=False)


@contextmanager
def user_code_barred(barred: bool = True) -> Iterator[None]:
    """Import no Python file meanwhile: `lookup` raises NotImported for those that are there."""
    token = _barred.set(barred)
    try:
        yield
    finally:
        _barred.reset(token)


# Path -> the SHA-256 of its text when it was imported, and the module.
_imported: dict[Path, tuple[str, ModuleType]] = {}


def _from_file(kind: str, name: str) -> type[Any]:
    path_text, _, attribute = name.rpartition(":")
    path = Path(path_text).resolve()
    if path.suffix != ".py" or not path.is_file():
        raise ConfigError(f"{kind} '{name}': no file {path_text}")
    if _barred.get():
        _require_name(attribute, _assigned_names(path), kind, name)
        raise NotImported(name)
    module = _import_once(path)
    _require_name(attribute, vars(module), kind, name)
    member: type[Any] = getattr(module, attribute)
    return member


def _import_once(path: Path) -> ModuleType:
    """Import a file; one that was edited since is imported again (in a notebook)."""
    code = path.read_bytes()
    digest = hashlib.sha256(code).hexdigest()
    if path in _imported and _imported[path][0] == digest:
        return _imported[path][1]
    # Two files of one name are two modules.
    place = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    spec = importlib.util.spec_from_file_location(f"recombine_user_{path.stem}_{place}", path)
    assert spec is not None  # the name ends in .py
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # dataclasses look their module up here
    # Not by the loader: its cached bytecode misses an edit of the same second and size.
    exec(compile(code, str(path), "exec"), vars(module))  # noqa: S102
    _imported[path] = digest, module
    return module


def _assigned_names(path: Path) -> set[str]:
    """The names that a file defines, read without running it."""
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError) as error:
        where = Where(str(path), getattr(error, "lineno", None))
        raise ConfigError(f"not Python: {getattr(error, 'msg', error)}", where) from None
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name for alias in node.names)
    return names


def _require_name(attribute: str, there: Iterable[str], kind: str, name: str) -> None:
    names = set(there)
    if attribute not in names and "*" not in names:
        shown = ", ".join(sorted(known for known in names if not known.startswith("_")))
        raise ConfigError(
            f"{kind} '{name}': the file has no '{attribute}'", hint=f"it has: {shown}"
        )
