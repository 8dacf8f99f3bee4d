"""Name -> object: a lazy built-in table, entry points, and ./file.py:Name.

The tables hold strings so that listing names imports nothing; a module is loaded when one of its
objects is asked for (sacrebleu's habit, for the sake of a fast command line).
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import sys
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from recombine.config import Document, parse_config
from recombine.errors import ConfigError, MissingExtra, Where

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
        "exact": "recombine.metrics.exact:Exact",
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
        found: type[Any] = getattr(importlib.import_module(module), attribute)
        return found
    for entry in _entry_points(kind):
        if entry.name == name:
            loaded: type[Any] = entry.load()
            return loaded
    close = difflib.get_close_matches(name, names(kind), n=1)
    raise ConfigError(
        f"unknown {kind} '{name}'",
        hint=f"did you mean '{close[0]}'?" if close else f"known: {', '.join(names(kind))}",
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


def _from_file(kind: str, name: str) -> type[Any]:
    path_text, _, attribute = name.rpartition(":")
    path = Path(path_text).resolve()
    if not path.is_file():
        raise ConfigError(f"{kind} '{name}': no file {path_text}")
    module_name = f"recombine_user_{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{kind} '{name}': {path_text} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses look their module up here
    spec.loader.exec_module(module)
    if not hasattr(module, attribute):
        raise ConfigError(
            f"{kind} '{name}': {path_text} has no '{attribute}'",
            hint=f"it has: {', '.join(key for key in vars(module) if not key.startswith('_'))}",
        )
    found: type[Any] = getattr(module, attribute)
    return found
