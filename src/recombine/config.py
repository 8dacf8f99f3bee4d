"""Strict TOML into dataclasses: a typo is an error with a suggestion and a line number.

Every system, metric and builder is a dataclass whose init fields are its options, so the class
itself is the schema that is checked, listed and stored.

TOML is read by the standard library and written here: a manifest's bytes are part of a benchmark's
identity, and may not change with the version of a library.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import math
import re
import tomllib
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from recombine.errors import ConfigError, RecombineError, Where, did_you_mean, raise_all

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Document:
    """A parsed TOML file that still knows on which line a key stands.

    Where it was merged over a preset, `data` is all of it and `preset` the other file.
    """

    path: Path
    data: dict[str, Any]
    text: str
    preset: Document | None = None

    def where(self, dotted: str) -> Where:
        """Return the place of a dotted key: its own line, or that of the nearest table above it."""
        parts = dotted.split(".")
        while parts:
            file: Document | None = self
            while file is not None:
                line = file._key_lines.get(".".join(parts))
                if line is not None:
                    text = file._lines[line - 1]
                    column = text.find(parts[-1]) + 1
                    return Where(str(file.path), line, max(1, column), text, len(parts[-1]))
                file = file.preset
            parts.pop()
        return Where(str(self.path))

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def _key_lines(self) -> dict[str, int]:
        return _key_lines(self._lines)


def read_toml(path: Path | str) -> Document:
    """Read a TOML file; syntax and encoding errors carry the line."""
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise ConfigError(f"no such file: {path}") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a directory, not a TOML file") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"not UTF-8 (byte {error.start})", Where(str(path))) from None
    _require_small(path, text)
    try:
        return Document(path, tomllib.loads(text), text)
    except RecursionError:
        raise ConfigError("nested too deeply", Where(str(path))) from None
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        match = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        if match is None:
            raise ConfigError(str(error), Where(str(path))) from None
        line, column = int(match[1]), int(match[2])
        message = str(error)[: match.start()].strip()
        raise ConfigError(
            message, Where(str(path), line, column, text.split("\n")[line - 1])
        ) from None


LARGEST_FILE = 20_000_000  # characters
MOST_PARTS = 100  # of a dotted key
# Many names with dots between them. Nothing that is matched is given back, so that a long line is
# read once.
_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![\w.-]){_PART}(?:\.[ \t]*+{_PART}){{{MOST_PARTS}}}")


def _require_small(path: Path, text: str) -> None:
    """Raise before Python's parser takes gigabytes for a key of many thousand parts."""
    if len(text) > LARGEST_FILE:
        message = f"more than {LARGEST_FILE // 1_000_000} million characters; is it TOML?"
        raise ConfigError(message, Where(str(path)))
    # Whatever follows, also in a string, where nobody has so many: the parser looks at it later.
    chain = _LONG_KEY.search(text) if text.count(".") >= MOST_PARTS else None
    if chain is not None:
        line = text.count("\n", 0, chain.start()) + 1
        raise ConfigError(f"a key of more than {MOST_PARTS} parts", Where(str(path), line))


def with_preset(
    document: Document,
    shipped: Callable[[str], Path | None],
    adapt: Callable[[Document, Document], Mapping[str, Any]],
    *,
    above: tuple[Path, ...] = (),
) -> Document:
    """Return a document merged over the preset it names, if it names one.

    `preset = "NAME"` is a shipped file, `preset = "FILE.toml"` one beside this one; a preset may
    have a preset. Tables are merged key by key, what the document says wins. `adapt` gives the
    preset's data as this document (the second argument) wants it.
    """
    if "preset" not in document.data:
        return document
    wanted = document.data["preset"]
    name = wanted.get("name") if isinstance(wanted, Mapping) else wanted
    where = document.where("preset")
    if not isinstance(name, str):
        raise ConfigError("'preset' must be the name of a preset or a .toml file", where)
    path = document.path.parent / name if name.endswith(".toml") else shipped(name)
    if path is None or not path.is_file():
        raise ConfigError(f"no preset '{name}'", where, "a shipped name, or a .toml file")
    trail = (*above, document.path.resolve())
    if path.resolve() in trail:
        circle = " -> ".join(file.name for file in (*trail, path))
        raise ConfigError(f"presets in a circle: {circle}", where)
    preset = with_preset(read_toml(path), shipped, adapt, above=trail)
    own = {key: value for key, value in document.data.items() if key != "preset"}
    return Document(document.path, _merged(adapt(preset, document), own), document.text, preset)


def _merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Tables key by key; of anything else, one's own."""
    result = dict(base)
    for key, value in own.items():
        below = result.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            value = _merged(below, value)
        result[key] = value
    return result


def apply_overrides(data: Mapping[str, Any], overrides: Iterable[str]) -> dict[str, Any]:
    """Return a copy of `data` with ``dotted.key=value`` settings applied.

    The value is read as TOML (numbers, booleans, lists), where .3 is 0.3; what is not TOML is a
    plain string.
    """
    result = copy.deepcopy(dict(data))
    for override in overrides:
        key, equals, text = override.partition("=")
        key = key.strip()
        if not equals or not key:
            raise ConfigError(
                f"option '{override}' is not of the form key=value",
                hint=f"-o {key or 'scale'}=VALUE",
            )
        try:
            written = re.sub(r"^([+-]?)\.(?=\d+$)", r"\g<1>0.", text)
            value = tomllib.loads(f"value = {written}")["value"]
        except (ValueError, RecursionError):
            value = text
        parts = key.split(".")
        table = result
        for depth, part in enumerate(parts[:-1]):
            below = table.setdefault(part, {})
            if not isinstance(below, dict):
                raise ConfigError(
                    f"option '{key}': '{'.'.join(parts[: depth + 1])}' is not a table"
                )
            table = below
        table[parts[-1]] = value
    return result


def parse_config(
    cls: type[T],
    data: Mapping[str, Any],
    *,
    document: Document | None = None,
    prefix: str = "",
) -> T:
    """Make an instance of `cls` from plain data; all problems are reported at once."""
    problems: list[RecombineError] = []
    value = _Parser(document, problems).instance(cls, data, prefix)
    raise_all(problems)
    return typing.cast(T, value)


def to_plain(value: Any) -> Any:
    """Return configuration as plain dicts, lists and scalars, ready for JSON or TOML."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: to_plain(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if field.init
        }
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    return value


def dump_toml(data: Mapping[str, Any]) -> str:
    """Return plain data as TOML that reads back to the same; None values are left out."""
    lines: list[str] = []
    _dump_table(data, (), lines)
    return "\n".join(lines).lstrip("\n") + "\n"


def _dump_table(table: Mapping[str, Any], path: tuple[str, ...], lines: list[str]) -> None:
    scalars = {k: v for k, v in table.items() if not isinstance(v, Mapping) and v is not None}
    if path and (scalars or not table):
        lines += ["", f"[{'.'.join(_dump_key(part) for part in path)}]"]
    lines += [f"{_dump_key(key)} = {_dump_value(value)}" for key, value in scalars.items()]
    for key, value in table.items():
        if isinstance(value, Mapping):
            _dump_table(value, (*path, str(key)), lines)


def _dump_key(key: Any) -> str:
    text = str(key)
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else _quote(text)


def _quote(text: str) -> str:
    # JSON leaves U+007F bare, which TOML forbids.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _dump_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_dump_value(item) for item in value if item is not None) + "]"
    if isinstance(value, Mapping):
        inner = (f"{_dump_key(k)} = {_dump_value(v)}" for k, v in value.items() if v is not None)
        return "{ " + ", ".join(inner) + " }" if value else "{}"
    if isinstance(value, float):
        return repr(value)
    return str(value)


@dataclasses.dataclass(frozen=True)
class Option:
    """One option of a class, as `recombine list --options` prints it."""

    name: str
    type: str
    default: str


def options_of(cls: type[Any]) -> list[Option]:
    """Return the options of a dataclass in order."""
    if not dataclasses.is_dataclass(cls):
        return []
    rows = []
    hints = typing.get_type_hints(cls)
    for field in dataclasses.fields(cls):
        if field.init:
            if field.default is not dataclasses.MISSING:
                default = repr(field.default)
            elif field.default_factory is not dataclasses.MISSING:
                default = repr(field.default_factory())
            else:
                default = "required"
            rows.append(Option(field.name, _type_name(hints[field.name]), default))
    return rows


_AS_DEFAULT = "leave it out for its default"


class _Parser:
    def __init__(self, document: Document | None, problems: list[RecombineError]) -> None:
        self.document = document
        self.problems = problems

    def problem(self, dotted: str, message: str, hint: str | None = None) -> None:
        where = self.document.where(dotted) if self.document is not None else None
        self.problems.append(ConfigError(message, where, hint))

    def instance(self, cls: type[Any], data: Mapping[str, Any], prefix: str) -> Any:
        if not dataclasses.is_dataclass(cls):
            return self.plain(cls, data, prefix)
        fields = {field.name: field for field in dataclasses.fields(cls) if field.init}
        hints = typing.get_type_hints(cls)
        values: dict[str, Any] = {}
        for key, raw in data.items():
            if key in fields:
                value = values[key] = self.value(hints[key], raw, _dotted(prefix, key))
                # Ours are sizes, shares and rates; what an outside author's mean is not known.
                ours = cls.__module__.partition(".")[0] == "recombine"
                if ours and isinstance(value, (int, float)) and value < 0 and key != "seed":
                    dotted = _dotted(prefix, key)
                    message = f"'{dotted}' must not be negative, not {raw}"
                    self.problem(dotted, message, _AS_DEFAULT)
            else:
                self.unknown(key, fields, prefix)
        for name, field in fields.items():
            required = (
                field.default is dataclasses.MISSING
                and field.default_factory is dataclasses.MISSING
            )
            if required and name not in data:
                self.missing(name, prefix)
        if self.problems:
            return None
        try:
            return cls(**values)
        except RecombineError as error:
            # Raised by __post_init__: the values contradict each other.
            if error.where is None and self.document is not None:
                error.where = self.document.where(prefix)
            self.problems.append(error)
            return None

    def plain(self, cls: type[Any], data: Mapping[str, Any], prefix: str) -> Any:
        """An instance of an outside author's plain class: its keyword arguments are its options."""
        parameters = inspect.signature(cls).parameters.values()
        names = [
            parameter.name
            for parameter in parameters
            if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        ]
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            for key in data:
                if key not in names:
                    self.unknown(key, names, prefix)
        for parameter in parameters:
            if (
                parameter.name in names
                and parameter.default is parameter.empty
                and parameter.name not in data
            ):
                self.missing(parameter.name, prefix)
        return None if self.problems else cls(**data)

    def unknown(self, key: str, known: Collection[str], prefix: str) -> None:
        dotted = _dotted(prefix, key)
        hint = did_you_mean(key, known, f"known keys: {', '.join(known) or 'none'}")
        self.problem(dotted, f"unknown key '{dotted}'", hint)

    def missing(self, key: str, prefix: str) -> None:
        dotted = _dotted(prefix, key)
        self.problem(dotted, f"missing key '{dotted}'", f"give it as -o {dotted}=...")

    def value(self, hint: Any, raw: Any, dotted: str) -> Any:
        origin = typing.get_origin(hint)
        arguments = typing.get_args(hint)
        if hint is Any:
            return raw
        if origin in (typing.Union, types.UnionType):
            return self.union(arguments, hint, raw, dotted)
        if origin is typing.Literal:
            if raw in arguments:
                return raw
            self.problem(
                dotted,
                f"'{dotted}' must be one of {', '.join(map(repr, arguments))}, not {raw!r}",
                did_you_mean(str(raw), map(str, arguments)),
            )
            return None
        if origin in (tuple, list):
            if not isinstance(raw, (list, tuple)):
                return self.mismatch(hint, raw, dotted)
            item = arguments[0] if arguments else Any
            items = [self.value(item, element, f"{dotted}.{i}") for i, element in enumerate(raw)]
            return tuple(items) if origin is tuple else items
        if isinstance(origin, type) and issubclass(origin, Mapping):
            if not isinstance(raw, Mapping):
                return self.mismatch(hint, raw, dotted)
            item = arguments[1] if len(arguments) == 2 else Any
            return {
                key: self.value(item, element, f"{dotted}.{key}") for key, element in raw.items()
            }
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            if isinstance(raw, hint):
                return raw
            if not isinstance(raw, Mapping):
                return self.mismatch(hint, raw, dotted)
            return self.instance(hint, raw, dotted)
        return self.scalar(hint, raw, dotted)

    def union(self, arguments: tuple[Any, ...], hint: Any, raw: Any, dotted: str) -> Any:
        if raw is None and type(None) in arguments:
            return None
        choices = [choice for choice in arguments if choice is not type(None)]
        for choice in choices:
            trial = _Parser(self.document, [])
            value = trial.value(choice, raw, dotted)
            if not trial.problems:
                return value
        if len(choices) == 1:
            return self.value(choices[0], raw, dotted)
        return self.mismatch(hint, raw, dotted)

    def scalar(self, hint: Any, raw: Any, dotted: str) -> Any:
        if hint is Path and isinstance(raw, (str, Path)):
            if "\0" in str(raw):
                self.problem(dotted, f"'{dotted}' is no path: it holds a NUL character")
                return None
            return Path(raw)
        if hint is float and isinstance(raw, (int, float)) and not isinstance(raw, bool):
            try:
                number = float(raw)
            except OverflowError:
                self.problem(dotted, f"'{dotted}' is too large a number")
                return None
            if not math.isfinite(number):  # TOML has nan and inf; no option means anything by them
                message = f"'{dotted}' must be a finite number, not {raw}"
                self.problem(dotted, message, _AS_DEFAULT)
            return number
        if hint is int and isinstance(raw, bool):
            return self.mismatch(hint, raw, dotted)
        if hint is str and isinstance(raw, (int, float)) and not isinstance(raw, bool):
            return str(raw)  # -o version=2 on a command line means the string
        if isinstance(hint, type) and isinstance(raw, hint):
            return raw
        return self.mismatch(hint, raw, dotted)

    def mismatch(self, hint: Any, raw: Any, dotted: str) -> None:
        name = _type_name(hint)
        article = "a " if name.endswith(("number", "table")) or name.startswith("list") else ""
        wrapped = f"-o '{dotted}=[\"{raw}\"]'" if name == "list of text" else None
        self.problem(dotted, f"'{dotted}' must be {article}{name}, not {raw!r}", wrapped)


def _dotted(prefix: str, key: str) -> str:
    return f"{prefix}.{key}" if prefix else key


def _type_name(hint: Any) -> str:
    if hint is Any:
        return "anything"
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        return " | ".join(repr(argument) for argument in typing.get_args(hint))
    if origin in (typing.Union, types.UnionType):
        return " | ".join(_type_name(argument) for argument in typing.get_args(hint))
    if origin in (tuple, list):
        return f"list of {_type_name((typing.get_args(hint) or (Any,))[0])}"
    if origin is not None:
        return "table"
    if hint is type(None):
        return "none"
    if dataclasses.is_dataclass(hint):
        return "table"
    return {"str": "text", "int": "whole number", "float": "number", "bool": "true/false"}.get(
        getattr(hint, "__name__", str(hint)), getattr(hint, "__name__", str(hint)).lower()
    )


_TABLE = re.compile(r"^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(
    r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)


def _key_lines(lines: list[str]) -> dict[str, int]:
    """Map dotted keys to the line they stand on; the parser itself does not keep lines."""
    places: dict[str, int] = {}
    table = ""
    for number, line in enumerate(lines, start=1):
        header = _TABLE.match(line)
        if header:
            table = _clean(header[1])
            places.setdefault(table, number)
            continue
        key = _KEY.match(line)
        if key:
            dotted = _clean(key[1])
            places.setdefault(f"{table}.{dotted}" if table else dotted, number)
    return places


def _clean(dotted: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in dotted.split("."))
