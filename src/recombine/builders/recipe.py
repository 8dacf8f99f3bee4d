"""Recipe: a TOML file that says how to build a benchmark, and the stage that follows it."""

from __future__ import annotations

import dataclasses
import difflib
import math
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from recombine import __version__, registry
from recombine.benchmark import FORMAT, Benchmark, identity_of, refuse_output
from recombine.config import (
    Document,
    apply_overrides,
    parse_config,
    read_toml,
    to_plain,
    with_preset,
)
from recombine.corpus.parsers import language_of, parser_hint
from recombine.draft import Draft
from recombine.errors import ConfigError, RecombineError, StaleOutput, collected, raise_all
from recombine.lock import lock_of, locked

# Options that say where the work is done: they change no byte of a benchmark.
PLACE = frozenset({"engine", "workers", "address", "cache"})


@dataclass(frozen=True, kw_only=True)
class Head:
    """The `[benchmark]` table of a recipe."""

    name: str = ""
    version: str = "1"
    source: str = "en"
    target: str = ""
    licence: str = ""
    citation: str = ""
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recipe:
    """A builder with its options, and what the benchmark is to be called."""

    head: Head
    builder_name: str
    builder: Any

    def manifest(self, seed: int, sample: int = 0) -> dict[str, Any]:
        """Return the part of `benchmark.toml` that is known before building."""
        return {
            "format": FORMAT,
            "name": self.head.name,
            "version": self.head.version,
            "source": self.head.source,
            "target": self.head.target,
            "builder": self.builder_name,
            "seed": seed,
            "licence": self.head.licence,
            "citation": self.head.citation,
            "metrics": list(self.head.metrics),
            "recombine": __version__,
            "sample": sample,
            "recipe": _without_place(to_plain(self.builder)),
        }


def recipe_names() -> list[str]:
    """Return the names of the shipped recipes."""
    return sorted(path.stem for path in registry.data_path("recipes").glob("*.toml"))


def read_recipe(name_or_path: str, overrides: Sequence[str] = (), *, trust: bool = False) -> Recipe:
    """Read a shipped recipe, a recipe file, or a bare builder name with its defaults.

    `trust` lets a recipe name a builder in a Python file outside the working folder.
    """
    document = _find(name_or_path)
    if document is not None:
        document = with_preset(document, _shipped, _adapted)
        registry.require_trusted(
            str(document.data.get("builder", "")), document.where("builder"), trust
        )
    begun = document.data if document else {"builder": name_or_path}
    data = apply_overrides({**_defaults_named(begun, overrides), **begun}, overrides)
    head_data = data.pop("benchmark", {})
    builder_name = data.pop("builder", None)
    if not isinstance(builder_name, str):
        where = document.where("builder") if document else None
        hint = "this is an experiment: recombine run" if "system" in data else None
        raise ConfigError("a recipe needs a key 'builder'", where, hint=hint)
    cls = registry.lookup("builder", builder_name)
    if not isinstance(head_data, Mapping):
        where = document.where("benchmark") if document else None
        raise ConfigError("'benchmark' must be a table", where)
    problems: list[RecombineError] = []
    head = Head()
    with collected(problems):
        head = parse_config(Head, head_data, document=document, prefix="benchmark")
    if not head.name:
        head = dataclasses.replace(head, name=Path(name_or_path).stem)
    fields = {f.name for f in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    if isinstance(data.get("text"), Mapping):
        head = own_text(data, fields, head)
    elif "text" in data and "corpus" in fields:
        raise ConfigError(
            "'text' does not say its language", hint="-o text.en=FILE -o text.fr=FILE"
        )
    if _shipped(name_or_path) and any(data.get(name) for name in OWN_TEXT):
        given = any(one.partition("=")[0].strip() == "benchmark.licence" for one in overrides)
        head = head if given or not head.licence else dataclasses.replace(head, licence=NOT_STATED)
    # Builders that know the languages of a corpus take them from the head, not twice.
    for key, value in (("source_language", head.source), ("target_language", head.target)):
        if key in fields and key not in data:
            data[key] = value
    builder = None
    with collected(problems):
        builder = registry.create("builder", builder_name, data, document=document)
    raise_all(problems)
    return Recipe(head, builder_name, builder)


def _defaults_named(begun: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """Tables that a builder has by itself and of which an override names a part.

    `-o roles.MOD.coverage=.3` changes one number of the builder's own table; a table that a recipe
    writes takes the place of the whole.
    """
    builder = begun.get("builder")
    cls = registry.lookup("builder", builder) if isinstance(builder, str) else None
    fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    parts = {one.partition("=")[0].strip().split(".")[0] for one in overrides if "." in one}
    found = {}
    for field in fields:
        if field.name in parts and field.name not in begun:
            made = field.default_factory
            default = made() if made is not dataclasses.MISSING else None
            if default and isinstance(default, Mapping):
                found[field.name] = to_plain(default)
    return found


# Options that name text somebody else wrote, and what is said where nobody said its licence.
OWN_TEXT = ("text", "parsed", "training", "corpus")
NOT_STATED = "that of the corpus, which was not stated"


def own_text(data: dict[str, Any], fields: Collection[str], head: Head) -> Head:
    """Take two raw texts, `text.en` and `text.fr`, as the corpus of any builder that reads one."""
    texts = dict(data.pop("text"))
    if not 1 <= len(texts) <= 2:
        raise ConfigError(
            f"'text' has {len(texts)} languages", hint="-o text.en=FILE -o text.fr=FILE"
        )
    source = head.source if head.source in texts else next(iter(texts))
    target = next((one for one in texts if one != source), head.target)
    speaks = language_of(str(data.get("parser") or ""))
    if speaks not in ("", source):
        raise ConfigError(
            f"the parser '{data['parser']}' reads '{speaks}', and {texts[source]} is '{source}'",
            hint=parser_hint(source, words=False),
        )
    if "corpus" in fields:
        data["corpus"] = texts[source]
        names = ("target_corpus",)
        if not data.get("parser") and not data.get("brackets"):
            raise ConfigError(
                f"{texts[source]} is raw text, and this builder needs it parsed",
                hint=f"give a parser: {parser_hint(source, words='definition' in fields)}",
            )
    elif "text" in fields:
        data["text"] = texts[source]
        names = ("translations",)
        kinds = ["semi-natural", "natural"] if data.get("parser") else ["natural"]
        data["data"] = list(dict.fromkeys([*data.get("data", ()), *kinds]))
    else:
        raise ConfigError(
            "this builder takes no text of your own", hint="divergent, compounds and consistency do"
        )
    if target in texts:
        data[names[0]] = texts[target]
    return dataclasses.replace(head, source=source, target=target)


def _find(name_or_path: str) -> Document | None:
    path = Path(name_or_path)
    if path.suffix == ".toml":
        return read_toml(path)
    shipped = _shipped(name_or_path)
    if shipped is not None:
        return read_toml(shipped)
    if name_or_path in registry.names("builder") or ".py:" in name_or_path:
        return None
    known = [*recipe_names(), *registry.names("builder")]
    close = difflib.get_close_matches(name_or_path, known, n=1)
    raise ConfigError(
        f"'{name_or_path}' is neither a shipped recipe, a builder nor a .toml file",
        hint=(f"did you mean '{close[0]}'? " if close else "")
        + f"known: {', '.join(dict.fromkeys(known))}",
    )


def is_recipe(path: Path | str) -> bool:
    """Whether a TOML file, with its presets, is a recipe (and not an experiment)."""
    path, seen = Path(path), set()
    while path not in seen:
        seen.add(path)
        data = read_toml(path).data
        name = data.get("preset")
        name = name.get("name") if isinstance(name, Mapping) else name
        if "builder" in data or "system" in data or not isinstance(name, str):
            return "builder" in data
        if not name.endswith(".toml"):
            return True  # no experiments are shipped
        path = path.parent / name
    return False


@dataclass(frozen=True, kw_only=True)
class RecipePreset:
    """`preset = { ... }` of a recipe: another recipe, and what becomes of it first.

    scale: factor for every `size` in it. without: dotted keys to leave out, `*` for any.
    """

    name: str
    scale: float = 1.0
    without: tuple[str, ...] = ()


def _shipped(name: str) -> Path | None:
    return registry.data_path("recipes", f"{name}.toml") if name in recipe_names() else None


def _adapted(preset: Document, document: Document) -> Mapping[str, Any]:
    wanted = document.data["preset"]
    use = RecipePreset(name=wanted) if isinstance(wanted, str) else None
    if use is None:
        use = parse_config(RecipePreset, wanted, document=document, prefix="preset")
    data: dict[str, Any] = _scaled(preset.data, use.scale)
    if isinstance(data.get("benchmark"), dict):
        data["benchmark"].pop("name", None)  # another benchmark is not called the same
    for dotted in use.without:
        if not _leave_out(data, dotted.split(".")):
            raise ConfigError(f"'{use.name}' has no '{dotted}'", document.where("preset"))
    return data


def _scaled(value: Any, scale: float, key: str = "") -> Any:
    if isinstance(value, Mapping):
        return {name: _scaled(item, scale, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_scaled(item, scale) for item in value]
    if key == "size" and isinstance(value, int) and value:
        return max(1, math.floor(value * scale + 0.5))
    return value


def _leave_out(data: dict[str, Any], dotted: Sequence[str]) -> bool:
    """Delete what a dotted key names; whether there was any."""
    names = [name for name in data if fnmatchcase(name, dotted[0])]
    if len(dotted) == 1:
        for name in names:
            del data[name]
        return bool(names)
    below = [data[name] for name in names if isinstance(data[name], dict)]
    found = [_leave_out(table, dotted[1:]) for table in below]
    return any(found)


def build(
    recipe: Recipe | str,
    out: Path | str,
    *,
    seed: int = 1,
    overrides: Sequence[str] = (),
    force: bool = False,
    sample: int = 0,
) -> Benchmark:
    """Build a benchmark into `out`; an up-to-date one is left as it is.

    `sample` keeps a stratified subset of each split, for trying things out.
    """
    out = Path(out)
    if isinstance(recipe, str):
        recipe = read_recipe(recipe, overrides)
    refuse_output(out.absolute().parent)
    with locked(lock_of(out)):
        return _build(recipe, out, seed, force, sample)


def _build(recipe: Recipe, out: Path, seed: int, force: bool, sample: int) -> Benchmark:
    manifest = recipe.manifest(seed, sample)
    if out.exists() and not force:
        return _existing(out, manifest)
    if out.exists() and not (out / "benchmark.toml").is_file():
        raise ConfigError(
            f"{out} exists and is not a benchmark; it is not replaced", hint="choose another --out"
        )
    draft = Draft(out, seed=seed, sample=sample)
    try:
        recipe.builder.build(draft)
        return draft.finish(manifest, replace=force)
    except BaseException:
        shutil.rmtree(draft.path, ignore_errors=True)
        raise


def _existing(out: Path, manifest: Mapping[str, Any]) -> Benchmark:
    if not (out / "benchmark.toml").is_file():
        raise ConfigError(
            f"{out} exists and is not a benchmark; it is not replaced", hint="choose another --out"
        )
    benchmark = Benchmark.open(out)
    stored = to_plain(benchmark.manifest)
    stored["recipe"] = _without_place(stored["recipe"])
    for field, value in manifest.items():
        # TOML has no null: what is None in a recipe is absent from the manifest.
        if identity_of(_without_none(stored.get(field))) != identity_of(_without_none(value)):
            name = field
            if field == "recipe":
                name = f"recipe.{_first_difference(stored['recipe'], _without_none(value))}"
            raise StaleOutput(
                f"{out} was built with another '{name}'",
                hint="use --force to build it again, or another --out",
            )
    return benchmark


def _first_difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    for key in sorted({*old, *new}):
        if identity_of(old.get(key)) != identity_of(new.get(key)):
            return key
    return ""


def _without_place(recipe: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in recipe.items() if key not in PLACE}


def _without_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [_without_none(item) for item in value if item is not None]
    return value


def check_benchmark(benchmark: Benchmark) -> list[RecombineError]:
    """Return every problem of a benchmark: its files, then what its builder can prove of them."""
    problems = benchmark.verify()
    try:
        builder = registry.lookup_installed("builder", benchmark.manifest.builder)
    except RecombineError:
        return problems  # made by a builder that is not installed here; the files were checked
    check = getattr(builder, "check", None)
    # A certificate speaks of the whole benchmark; of a subset only the files can be verified.
    if check is not None and not benchmark.manifest.sample:
        problems.extend(check(benchmark))
    return problems
