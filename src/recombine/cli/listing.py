"""The verb that lists what there is, a line for each, and describes one of them."""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib.util
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recombine.cli.options import Verb, share
from recombine.cli.talk import aligned, print_json
from recombine.errors import ConfigError

# Kinds whose members are classes with options, and kinds whose members are files.
CLASSES = ("builders", "systems", "metrics")
LISTED = (*CLASSES, "recipes", "presets", "grammars")
# What shares options with another is explained there.
ALIKE = {
    "lstm": ("transformer",), "scores-file": ("command",), "llm-judge": ("command",),
    "bleu-char": ("bleu",), "chrf++": ("chrf",), "compound_aggregate": ("compound",),
    "literal-control": ("literal",), "locality": ("consistency",),
    "synonym-consistency": ("consistency",),
}  # fmt: skip
# Letters of a line about one of them.
LONGEST = 110
# Letters of a default in a table.
LONGEST_DEFAULT = 40
# Where the files of a kind lie, and how their names end.
FILES = {"recipes": "*.toml", "presets": "*.toml", "grammars": "*/abstract.grammar"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument(
        "what",
        nargs="*",
        help=f"one of {', '.join(LISTED)}; or a name, to see its options (default: all kinds)",
    )
    parser.add_argument("--options", action="store_true", help="also show the options of each")
    share(parser, "--json")


def list_verb(options: argparse.Namespace) -> int:
    """Print the lists, or everything about one member."""
    names = [name for name in options.what if name not in LISTED]
    if len(options.what) == 1 and names:
        return _describe(names[0], options.json)
    if names:
        raise ConfigError(
            f"there is no list of '{names[0]}'",
            hint=f"kinds: {', '.join(LISTED)}; or one name alone",
        )
    kinds = options.what or [*LISTED]
    listing: dict[str, Any] = {kind: members(kind) for kind in kinds}
    if options.json:
        if options.options:
            listing |= {
                kind: {name: _options(kind, name) for name in listing[kind]}
                for kind in kinds
                if kind in CLASSES
            }
        print_json(listing)
        return 0
    for number, (kind, listed) in enumerate(listing.items()):
        print(("\n" if number else "") + f"{kind}:")
        for name, line in zip(
            listed, aligned([f"  {name}", text] for name, text in listed.items()), strict=True
        ):
            print(line)
            if options.options and kind in CLASSES:
                print("\n".join(f"    {row}" for row in _option_lines(kind, name)))
    return 0


def members(kind: str) -> dict[str, str]:
    """The names of a kind, each with one line of description."""
    from recombine import registry

    if kind in CLASSES:
        return {name: _said_of_class(kind[:-1], name) for name in registry.names(kind[:-1])}
    return {
        (path.parent.name if kind == "grammars" else path.stem): _first_sentence(_head(path))
        + _languages(path)
        for path in sorted(registry.data_path(kind).glob(FILES[kind]))
    }


def _said_of_class(kind: str, name: str) -> str:
    """The first line of a class's docstring, without importing its module."""
    from recombine import registry

    target = registry.BUILT_IN[kind].get(name)
    if target is None:
        return (registry.lookup(kind, name).__doc__ or "").strip().partition("\n")[0]
    module, _, attribute = target.partition(":")
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    for node in ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == attribute:
            return (ast.get_docstring(node) or "").partition("\n")[0]
    return ""


def _head(path: Path) -> list[str]:
    """The comment that a shipped file begins with; its first line says what the file is."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").rstrip())
    return lines or [""]


def _first_sentence(lines: list[str]) -> str:
    text = lines[0]
    for line in lines[1:]:
        if text[-1:] in (".", ":", ""):
            break
        text += f" {line}"
    sentence = re.split(r"(?<=[a-z0-9)]\.)(?<!al\.) ", text)[0].rstrip(":")
    return textwrap.shorten(sentence, LONGEST, placeholder=" ...")


def _languages(path: Path) -> str:
    if path.name != "abstract.grammar":
        return ""
    files = path.parent.glob("*.grammar")
    codes = sorted(file.stem for file in files if file.stem != "abstract")
    return f" [{', '.join(codes)}]"


def _options(kind: str, name: str) -> list[dict[str, Any]]:
    from recombine import registry
    from recombine.config import options_of

    meanings = _meanings(name)
    options = options_of(registry.lookup(kind[:-1], name))
    return [{**vars(option), "meaning": meanings.get(option.name, "")} for option in options]


def _option_lines(kind: str, name: str) -> list[str]:
    rows = [
        [row["name"], row["type"], _short(row["default"]), row["meaning"]]
        for row in _options(kind, name)
    ]
    if not rows:
        return ["no options"]
    columns = ["option", "type", "default", "meaning"]
    if not any(row[-1] for row in rows):  # those of a class of your own
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return aligned([columns, *rows])


def _short(default: str) -> str:
    """A default that fits into a column; --json has all of it."""
    return default if len(default) <= LONGEST_DEFAULT else "(long: --json shows it)"


def _meanings(name: str) -> dict[str, str]:
    """Option -> what it means (data/words/options.tsv); "*" is any class, its own rows win."""
    from recombine import registry
    from recombine.files import read_table

    names = ["*", *ALIKE.get(name, ()), name]
    meanings: dict[str, dict[str, str]] = {of: {} for of in names}
    for row in read_table(registry.data_path("words", "options.tsv"), ("of", "option", "meaning")):
        if row["of"] in meanings:
            meanings[row["of"]][row["option"]] = row["meaning"]
    own: dict[str, str] = {}
    for of in names:
        own |= meanings[of]
    return own


def _describe(name: str, as_json: bool) -> int:
    """Print everything about the members of that name, of any kind."""
    descriptions = {kind: members(kind) for kind in LISTED}
    kinds = [kind for kind in LISTED if name in descriptions[kind]]
    if not kinds:
        names = dict.fromkeys([*LISTED, *(name for kind in LISTED for name in descriptions[kind])])
        close = difflib.get_close_matches(name, names, n=1)
        raise ConfigError(
            f"there is nothing of the name '{name}'",
            hint=f"did you mean '{close[0]}'?" if close else "recombine list shows all names",
        )
    if as_json:
        print_json(
            {
                kind: {
                    "description": descriptions[kind][name],
                    **({"options": _options(kind, name)} if kind in CLASSES else {}),
                }
                for kind in kinds
            }
        )
        return 0
    for number, kind in enumerate(kinds):
        print(("\n" if number else "") + "\n".join(_about(kind, name, descriptions[kind][name])))
    return 0


def _about(kind: str, name: str, description: str) -> Iterator[str]:
    from recombine import registry

    yield f"{kind[:-1]} {name}: {description}"
    if kind in CLASSES:
        text = inspect.getdoc(registry.lookup(kind[:-1], name)) or ""
        yield from text.splitlines()[1:]
        yield ""
        yield from _option_lines(kind, name)
        presets = [preset for preset in members("presets") if _is_preset_of(preset, name)]
        if kind == "systems" and presets:
            yield ""
            yield f"presets: {', '.join(presets)}"
        return
    path = registry.data_path(kind, name if kind == "grammars" else f"{name}.toml")
    file = path / "abstract.grammar" if kind == "grammars" else path
    yield from _head(file)
    yield ""
    yield f"{path}"


def _is_preset_of(preset: str, system: str) -> bool:
    from recombine import registry
    from recombine.config import read_toml

    data = read_toml(registry.data_path("presets", f"{preset}.toml")).data
    return bool(data.get("system", preset.partition("-")[0]) == system)


VERB = Verb(
    "list",
    "list builders, systems, metrics, recipes, presets and grammars, or describe one",
    "recombine list transformer",
    add_arguments,
    list_verb,
)
