"""Check: what can be proved of a benchmark from its files alone, and what cannot.

First the files (hashes, sizes, rows), then the manifest, then what the builder proves of rows and
certificate. A recipe that names no file of yours is followed once more, and must give the same
bytes: that proves the seed, the ids, the order of tags, and options that no row shows.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from recombine import __version__, registry
from recombine.benchmark import CONTROL, Benchmark
from recombine.builders.recipe import inputs_of, named_files
from recombine.config import parse_config, to_plain
from recombine.draft import Draft, card_head
from recombine.errors import ConfigError, DataError, RecombineError, Where, collect_errors
from recombine.files import read_json
from recombine.parallel import cores, run_in_fork
from recombine.stage import code_version, content_by_name

# Two sums of the same numbers in another order differ by less.
TOLERANCE = 1e-9
# What no file can prove.
OPEN = "name, licence and metrics"
# Fields of a manifest that a builder has as options, too.
LANGUAGES = {"source_language": "source", "target_language": "target"}


class Proof(NamedTuple):
    """What a builder finds in the files of a benchmark, for comparison with what these say.

    certificate: counted from the rows. unproved: keys that nobody can count from the files.
    card: how the data card continues below its head, where the certificate is right.
    """

    certificate: Mapping[str, Any]
    faults: Sequence[RecombineError] = ()
    unproved: Collection[str] = ()
    card: Callable[[Mapping[str, Any]], str] = lambda certificate: ""


def check_benchmark(benchmark: Benchmark) -> list[RecombineError]:
    """Return every problem of a benchmark: its files, then what its builder can prove of them."""
    problems = benchmark.verify()
    builder = _builder_of(benchmark)
    options = None
    if builder is not None:
        with collect_errors(problems, Where(str(benchmark.path / "benchmark.toml"))):
            options = _options_of(benchmark, builder)
        problems += _manifest_faults(benchmark, options)
    # A certificate speaks of the whole benchmark; of a subset only the files can be verified.
    if options is None or benchmark.manifest.sample or not hasattr(options, "prove"):
        return [*problems, *compare_card(benchmark)]
    if bool(getattr(options, "control", None)) != (CONTROL in benchmark.splits):
        where = Where(str(benchmark.path / "benchmark.toml"))
        return [*problems, DataError("the recipe and the splits differ in the control", where)]
    again: Callable[[], list[RecombineError]] | None = None
    # Drawing uses one core: it goes on beside the proof where starting a process pays.
    is_beside = hasattr(options, "build_rows") and _is_large(benchmark) and cores() > 1
    if not problems and _can_be_repeated(benchmark, options):
        again = partial(_differences_when_built_again, benchmark, options)
        again = run_in_fork(again) if is_beside else again
    with collect_errors(problems):
        problems += proof_faults(benchmark, options.prove(benchmark))
    differences: list[RecombineError] = []
    if again is not None and (is_beside or not problems):
        with collect_errors(differences):
            differences += again()
    return problems or differences  # what was proved wrong says more


def proof_faults(benchmark: Benchmark, proof: Proof) -> list[RecombineError]:
    """Return the faults of a proof, and where certificate or data card say otherwise."""
    different = compare(benchmark, proof.certificate, unproved=proof.unproved)
    if proof.faults or different:
        return [*proof.faults, *different]  # the card only repeats the certificate
    path = benchmark.path / "certificate.json"
    try:
        body = proof.card(read_json(path))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return [
            DataError(
                f"the certificate lacks what the data card repeats: {error}", Where(str(path))
            )
        ]
    return compare_card(benchmark, body)


def describe_proof(benchmark: Benchmark) -> str:
    """Say in one line what `check_benchmark` proves of a benchmark, and what it cannot."""
    manifest, builder = benchmark.manifest, _builder_of(benchmark)
    files = "only that the files are those that were built"
    if builder is None:
        return f"proved: {files}; the builder '{manifest.builder}' is not installed here"
    if manifest.sample:
        return f"proved: {files}; it is a sample of {manifest.sample} examples per split"
    if not hasattr(builder, "prove"):
        return f"proved: {files}; '{manifest.builder}' imports what others have published"
    text = f"proved: {getattr(builder, 'proves', 'what its builder checks')}"
    try:
        options = _options_of(benchmark, builder)
    except RecombineError:
        return text
    if _can_be_repeated(benchmark, options):
        return f"{text}; recipe and seed give these bytes. Not proved: {OPEN}"
    if list(named_files(options)):
        unproved = "the order of rows, what only your own files could show"
        return f"{text}. Not proved: {unproved}; {OPEN}"
    other = "another version built it, or from other data"
    if _asks_for_far_more(benchmark, options):
        other = "the recipe asks for far more than there is"
    return f"{text}. Not proved: that recipe and seed give these bytes ({other}); {OPEN}"


def compare(
    benchmark: Benchmark, counted: Mapping[str, Any], *, unproved: Collection[str] = ()
) -> list[RecombineError]:
    """Return where the stored certificate says otherwise than what was counted.

    `unproved` are keys that nobody can count from the files; any other key must be counted.
    """
    path = benchmark.path / "certificate.json"
    try:
        stored = read_json(path)
    except RecombineError as error:
        return [DataError(f"the certificate cannot be read: {error.message}", Where(str(path)))]
    return [
        DataError(f"the certificate says otherwise: {difference}", Where(str(path)))
        for difference in _differences(stored, counted, "", frozenset(unproved))
    ]


def compare_card(benchmark: Benchmark, body: str = "") -> list[RecombineError]:
    """Return where the data card says otherwise than the manifest and what was proved.

    Notes may stand below.
    """
    path = benchmark.path / "README.md"
    proved = card_head(to_plain(benchmark.manifest), benchmark.manifest.splits) + body.strip()
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError) as error:
        return [DataError(f"the data card cannot be read: {error}", Where(str(path)))]
    for number, line in enumerate(proved.rstrip("\n").split("\n"), start=1):
        if lines[number - 1 : number] != [line]:
            said = lines[number - 1] if number <= len(lines) else ""
            message = f"the data card says otherwise: it should say {line!r}"
            return [DataError(message, Where(str(path), number, 1, said, max(1, len(said))))]
    return []


def _differences(stored: Any, counted: Any, name: str, unproved: frozenset[str]) -> Iterator[str]:
    if isinstance(counted, Mapping) and isinstance(stored, Mapping):
        for key in dict.fromkeys([*counted, *stored]):
            if key in counted or key not in unproved:
                inner = f"{name}.{key}" if name else str(key)
                yield from _differences(stored.get(key), counted.get(key), inner, unproved)
    elif not _is_equal(stored, counted):
        yield f"{name} is {counted!r}, not {stored!r}"


def _is_equal(stored: Any, counted: Any) -> bool:
    if isinstance(counted, float) and isinstance(stored, (int, float)):
        return math.isclose(stored, counted, rel_tol=0, abs_tol=TOLERANCE)
    # JSON knows no tuples, and 1 is not true.
    plain = list(counted) if isinstance(counted, tuple) else counted
    return type(stored) is type(plain) and stored == plain


def _builder_of(benchmark: Benchmark) -> Any:
    """The builder that made it, or None where that is not installed here."""
    try:
        return registry.lookup_installed("builder", benchmark.manifest.builder)
    except RecombineError:
        return None


def _options_of(benchmark: Benchmark, builder: Any) -> Any:
    """The options it was built with; a grammar of its own lies in the benchmark."""
    options = dict(benchmark.manifest.recipe)
    placed = getattr(builder, "placed", None)
    return parse_config(builder, options if placed is None else placed(benchmark, options))


def _manifest_faults(benchmark: Benchmark, options: Any) -> Iterator[RecombineError]:
    """Where the manifest differs from its recipe."""
    manifest, where = benchmark.manifest, Where(str(benchmark.path / "benchmark.toml"))
    for option, field in LANGUAGES.items():
        wanted, written = getattr(options, option, None), getattr(manifest, field)
        if wanted is not None and wanted != written:
            yield DataError(f"{field} is '{written}', but the recipe says '{wanted}'", where)
    known = registry.names("metric")
    for metric in manifest.metrics:
        if metric not in known and ".py:" not in metric:
            yield ConfigError(f"there is no metric '{metric}'", where)


def _can_be_repeated(benchmark: Benchmark, options: Any) -> bool:
    """Whether the recipe can be followed here again: none of your files, the same code and data."""
    manifest = benchmark.manifest
    same_code = manifest.recombine == __version__ and manifest.code_version == code_version(
        options
    ).get("code_version", 1)
    return (
        same_code
        and not _asks_for_far_more(benchmark, options)
        and not list(named_files(options))
        and manifest.inputs == content_by_name(inputs_of(options))
    )


# A recipe may ask for more sentences than a grammar has, but hardly for so many times more: who
# writes so into a manifest would keep `check` at work for ever.
FAR_MORE = 20
FEW = 10_000


def _asks_for_far_more(benchmark: Benchmark, options: Any) -> bool:
    asked = sum(options.sizes().values()) if hasattr(options, "sizes") else 0
    return asked > FAR_MORE * max(FEW, sum(benchmark.manifest.splits.values()))


def _is_large(benchmark: Benchmark) -> bool:
    return sum(benchmark.manifest.splits.values()) > FEW


def _differences_when_built_again(benchmark: Benchmark, options: Any) -> list[RecombineError]:
    """Follow the recipe once more, and return the first line of each split that differs."""
    differences: list[RecombineError] = []
    with tempfile.TemporaryDirectory() as folder:
        draft = Draft(Path(folder) / "again", seed=benchmark.manifest.seed)
        # A builder whose `prove` counts the whole certificate from the rows need not do so twice.
        only_rows = getattr(options, "build_rows", None)
        (only_rows or options.build)(draft)
        built = {path.stem for path in draft.path.glob("*.jsonl")}
        where = Where(str(benchmark.path))
        for split in sorted(built ^ set(benchmark.splits)):
            text = f"recipe and seed give other splits: '{split}'"
            differences.append(DataError(text, where))
        for split in benchmark.splits:
            if split in built:
                differences += _first_difference(
                    benchmark.split_path(split), draft.path / f"{split}.jsonl"
                )
        if only_rows is not None:
            return differences
        counted = read_json(draft.path / "certificate.json")
        # A grammar lies elsewhere now, and ambiguous pairs leave open how violations are counted.
        open_keys = ("grammar", "violations")
        counted = {key: value for key, value in counted.items() if key not in open_keys}
        return [*differences, *compare(benchmark, counted, unproved=open_keys)]


def _first_difference(stored: Path, again: Path) -> Iterator[RecombineError]:
    with stored.open("rb") as old, again.open("rb") as new:
        for number, (line, wanted) in enumerate(zip_longest(old, new), start=1):
            if line != wanted:
                text = "recipe and seed give another row"
                yield DataError(text, Where(str(stored), number))
                return
