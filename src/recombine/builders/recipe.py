"""Recipe: a TOML file that says how to build a benchmark, and the stage that follows it."""

from __future__ import annotations

import dataclasses
import math
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from recombine import __version__, registry
from recombine.benchmark import FORMAT, Benchmark
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
from recombine.errors import (
    ConfigError,
    RecombineError,
    collect_errors,
    did_you_mean,
    raise_all,
)
from recombine.lock import lock_of, locked
from recombine.stage import code_version, content_by_name, refuse_output, require_same_key

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
        options = to_plain(self.builder)
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
            "metrics": list(self.head.metrics or getattr(self.builder, "metrics", ())),
            "recombine": __version__,
            "sample": sample,
            **code_version(self.builder),
            "recipe": _without_place(options) if isinstance(options, dict) else {},
        }

    def inputs(self) -> dict[str, Path]:
        """Return every file that a build depends on, by name: a builder of one's own is one."""
        own = {path.name: path for path in registry.own_files([self.builder_name])}
        return {**inputs_of(self.builder), **own}


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
    with collect_errors(problems):
        head = parse_config(Head, head_data, document=document, prefix="benchmark")
    if not head.name:
        head = dataclasses.replace(head, name=Path(name_or_path).stem)
    fields = {f.name for f in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    take_text = getattr(cls, "take_text", None)
    if isinstance(data.get("text"), Mapping):
        head = own_text(data, take_text, head)
    elif "text" in data and take_text is not None and "text" not in fields:
        raise ConfigError(
            "'text' does not say its language", hint="-o text.en=FILE -o text.fr=FILE"
        )
    if _shipped(name_or_path) and any(map(data.get, getattr(cls, "own_text", ()))):
        given = any(
            override.partition("=")[0].strip() == "benchmark.licence" for override in overrides
        )
        head = head if given or not head.licence else dataclasses.replace(head, licence=NOT_STATED)
    # Builders that know the languages of a corpus take them from the head, not twice.
    for key, value in (("source_language", head.source), ("target_language", head.target)):
        if key in fields and key not in data:
            data[key] = value
        elif key in fields and value and data[key] and data[key] != value:
            side = key.removesuffix("_language")
            raise ConfigError(
                f"{key} is '{data[key]}', and the benchmark's {side} '{value}'",
                hint=f"-o benchmark.{side}={data[key]} says both",
            )
    builder = None
    with collect_errors(problems):
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
    parts = {
        override.partition("=")[0].strip().split(".")[0]
        for override in overrides
        if "." in override
    }
    tables = {}
    for field in fields:
        if field.name in parts and field.name not in begun:
            factory = field.default_factory
            default = factory() if factory is not dataclasses.MISSING else None
            if default and isinstance(default, Mapping):
                tables[field.name] = to_plain(default)
    return tables


# What is said of text that somebody else wrote (a builder's options `own_text` name it) where
# nobody said its licence.
NOT_STATED = "that of the corpus, which was not stated"


def own_text(data: dict[str, Any], take_text: Callable[..., None] | None, head: Head) -> Head:
    """Take two raw texts, `text.en` and `text.fr`, where a builder has a way to (`take_text`)."""
    if take_text is None:
        raise ConfigError(
            "this builder takes no text of your own", hint="divergent, compounds and consistency do"
        )
    texts = dict(data.pop("text"))
    if not 1 <= len(texts) <= 2:
        raise ConfigError(
            f"'text' has {len(texts)} languages", hint="-o text.en=FILE -o text.fr=FILE"
        )
    source = head.source if head.source in texts else next(iter(texts))
    target = next((language for language in texts if language != source), head.target)
    speaks = language_of(str(data.get("parser") or ""))
    if speaks not in ("", source):
        raise ConfigError(
            f"the parser '{data['parser']}' reads '{speaks}', and {texts[source]} is '{source}'",
            hint=parser_hint(source, words=False),
        )
    take_text(data, texts[source], texts.get(target), source)
    return dataclasses.replace(head, source=source, target=target)


def take_as_corpus(
    data: dict[str, Any], text: str, translation: str | None, language: str, *, words: bool
) -> None:
    """Take raw text as the parsed corpus of a builder: it needs a parser (`words`: any will do)."""
    if not data.get("parser"):
        raise ConfigError(
            f"{text} is raw text, and this builder needs it parsed",
            hint=f"give a parser: {parser_hint(language, words=words)}",
        )
    data["corpus"] = text
    if translation is not None:
        data["target_corpus"] = translation


def _find(name_or_path: str) -> Document | None:
    path = Path(name_or_path)
    if path.suffix == ".toml":
        return read_toml(path)
    shipped = _shipped(name_or_path)
    if shipped is not None:
        return read_toml(shipped)
    if name_or_path in registry.names("builder") or ".py:" in name_or_path:
        return None
    names = [*recipe_names(), *registry.names("builder")]
    guess = did_you_mean(name_or_path, names)
    raise ConfigError(
        f"'{name_or_path}' is neither a shipped recipe, a builder nor a .toml file",
        hint=f"{guess + ' ' if guess else ''}known: {', '.join(dict.fromkeys(names))}",
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
    deleted = [_leave_out(table, dotted[1:]) for table in below]
    return any(deleted)


def build(
    recipe: Recipe | str,
    out: Path | str,
    *,
    seed: int = 1,
    overrides: Sequence[str] = (),
    force: bool = False,
    sample: int = 0,
    write: Callable[[Draft], None] | None = None,
) -> Benchmark:
    """Build a benchmark into `out`; an up-to-date one is left as it is.

    `sample` keeps a stratified subset of each split, for trying things out. `write` does what the
    builder would, where several builds share some work.
    """
    out = Path(out)
    if isinstance(recipe, str):
        recipe = read_recipe(recipe, overrides)
    refuse_output(out.absolute().parent)
    with locked(lock_of(out)):
        return _build(recipe, out, seed, force, sample, write or recipe.builder.build)


def _build(
    recipe: Recipe,
    out: Path,
    seed: int,
    force: bool,
    sample: int,
    write: Callable[[Draft], None],
) -> Benchmark:
    if out.exists() and not force:
        return existing_benchmark(recipe, out, seed=seed, sample=sample)
    manifest = _manifest(recipe, seed, sample)
    if out.exists() and not (out / "benchmark.toml").is_file():
        raise ConfigError(
            f"{out} exists and is not a benchmark; it is not replaced", hint="choose another --out"
        )
    draft = Draft(out, seed=seed, sample=sample)
    try:
        write(draft)
        return draft.finish(manifest, replace=force)
    except BaseException:
        shutil.rmtree(draft.path, ignore_errors=True)
        raise


def existing_benchmark(recipe: Recipe, out: Path, *, seed: int = 1, sample: int = 0) -> Benchmark:
    """Return what `out` holds where that is what a build would make; raise where it is not."""
    if not (out / "benchmark.toml").is_file():
        raise ConfigError(
            f"{out} exists and is not a benchmark; it is not replaced", hint="choose another --out"
        )
    benchmark = Benchmark.open(out)
    stored = to_plain(benchmark.manifest)
    stored["recipe"] = _without_place(stored["recipe"])
    # TOML has no null: what is None in a recipe is absent from the manifest.
    now = {"code_version": 1, **_without_none(_manifest(recipe, seed, sample))}
    # A file that is gone cannot be compared: what was built of it stays.
    gone = [name for name, path in recipe.inputs().items() if not path.exists()]
    now["inputs"] |= {name: stored["inputs"][name] for name in gone if name in stored["inputs"]}
    require_same_key(out, {name: _without_none(stored.get(name)) for name in now}, now)
    return benchmark


def _manifest(recipe: Recipe, seed: int, sample: int) -> dict[str, Any]:
    """What `benchmark.toml` says before anything is built, with what will be read."""
    return {**recipe.manifest(seed, sample), "inputs": content_by_name(recipe.inputs())}


def inputs_of(builder: Any) -> dict[str, Path]:
    """Return every file that a build reads, by name: those of its options, and what it `reads`."""
    own = dict(builder.reads()) if hasattr(builder, "reads") else {}
    return {**dict(named_files(builder)), **own}


def named_files(value: Any, name: str = "") -> Iterator[tuple[str, Path]]:
    """Every file that an option names, under the option's name."""
    if isinstance(value, Path):
        if value.is_dir():
            files = sorted(path for path in value.rglob("*") if path.is_file())
            yield from ((f"{name}/{path.relative_to(value).as_posix()}", path) for path in files)
        else:
            yield name, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from named_files(part, f"{name}.{key}".removeprefix("."))
    elif isinstance(value, (list, tuple)):
        for number, part in enumerate(value):
            yield from named_files(part, f"{name}.{number}")
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if field.name not in PLACE:
                part = getattr(value, field.name, None)
                yield from named_files(part, f"{name}.{field.name}".removeprefix("."))


def _without_place(recipe: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in recipe.items() if key not in PLACE}


def _without_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [_without_none(item) for item in value if item is not None]
    return value
