"""The certificate of a compound test: what is counted, and what the files alone prove.

Every sentence of `gen` is one of `context` with the compound in the place of a phrase, and every
sentence of `context` is one of `train`: so a stranger can follow each of them back.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from recombine.benchmark import CONTROL, Benchmark, Example
from recombine.builders.check import Proof
from recombine.builders.compounds.control import (
    CompoundFinder,
    control_card,
    control_facts,
    control_faults,
)
from recombine.errors import DataError, RecombineError, Where
from recombine.files import TableRow, read_json, read_table

# What only the corpus could show, which is not in the benchmark.
UNPROVED = (
    "most_uses_of_a_context",
    "removed_by_filter",
    "rejected_contexts",
    "compounds_without_contexts",
)
CARD_COLUMNS = ("pairs", "source_types", "target_types")
ATOM_COLUMNS = ("category", "role", "atom", "frequency", "accepted")
_TAGS = {
    "gen": ("pattern", "category", "length", "contexts", "context_length", "rarest_atom", "mdd",
            "compound"),
    "context": ("category", "length", "contexts", "compound"),
}  # fmt: skip
_SENTENCE = re.compile(r"\((\d{1,18})\)$", re.ASCII)  # the end of the group of an original


def census(examples: Sequence[Example], uses: Counter[int] | None = None) -> dict[str, Any]:
    """Return the counts that a stranger can verify; `uses` is how often each context is used."""
    sizes = Counter(example.group for example in examples)
    patterns = Counter(str(example.tags.get("pattern")) for example in examples)
    counted: dict[str, Any] = {
        "sentences": len(examples),
        "compounds": len(sizes),
        "contexts_per_compound": sorted(set(sizes.values())),
        "sentences_per_pattern": dict(sorted(patterns.items())),
    }
    if uses is not None:
        counted["most_uses_of_a_context"] = max(uses.values(), default=0)
    return counted


def data_card(
    certificate: Mapping[str, Any], statistics: Sequence[Mapping[str, str] | TableRow]
) -> str:
    """Return the body of the data card."""
    before, after = ({name: int(row[name]) for name in CARD_COLUMNS} for row in statistics)
    return (
        f"{certificate['compounds']:,} novel compounds in "
        f"{'/'.join(map(str, certificate['contexts_per_compound']))} contexts each "
        "(method: Li et al. 2021). Atoms and their renderings: atoms.tsv. Original sentences of "
        "the contexts: split `context`.\n\n"
        f"Corpus: {before['pairs']:,} pairs read, {after['pairs']:,} kept "
        f"({after['source_types']:,} source and {after['target_types']:,} target types); "
        "statistics.tsv has the paper's Tables 7 and 8 for this corpus.\n\n"
        "Without references the metric `compound` judges with the lexicon and with fillers learned "
        "from outputs; say so when you report it."
        + (control_card(certificate[CONTROL]) if CONTROL in certificate else "")
    )


def prove_compounds(benchmark: Benchmark, *, has_control: bool) -> Proof:
    """Recount compounds and contexts, and look for the compounds in the training data."""
    examples = benchmark.read("gen")
    counted = census(examples)
    finder = CompoundFinder(str(example.tags.get("compound")).lower() for example in examples)
    counted["compounds_seen_in_train"] = len(
        {text for row in benchmark.iterate("train") for text in finder.in_text(row.source)}
    )
    statistics = list(read_table(benchmark.path / "statistics.tsv", CARD_COLUMNS))
    faults = [
        *_rows_at_fault(benchmark),
        *_atoms_at_fault(benchmark),
        *islice(_contexts_at_fault(benchmark), 1),
        *islice(_examples_at_fault(benchmark, examples), 1),
        *_filter_faults(benchmark, statistics),
    ]
    if has_control:
        counted[CONTROL] = _counted_control(benchmark, examples)
        broken = control_faults(counted[CONTROL], benchmark.manifest.splits["train"])
        faults += [DataError(text, Where(str(benchmark.path))) for text in broken]
    return Proof(counted, faults, UNPROVED, partial(data_card, statistics=statistics))


def _counted_control(benchmark: Benchmark, examples: Sequence[Example]) -> dict[str, Any]:
    """What the rows say of the control."""
    sources = {
        split: [row.source for row in benchmark.iterate(split)]
        for split in ("train", CONTROL, "dev", "test", "gen")
    }
    tags = {str(row.tags.get("compound")).lower(): str(row.tags.get("held_in")) for row in examples}
    half = benchmark.manifest.recipe.get("control_half")
    return {"half": half, **control_facts(sources, tags)}


def _filter_faults(benchmark: Benchmark, statistics: Sequence[TableRow]) -> Iterator[DataError]:
    """Where the table of the corpus, the certificate and the splits do not add up."""
    path = benchmark.path / "statistics.tsv"
    if len(statistics) != 2 or not all(row["pairs"].isdecimal() for row in statistics):
        yield DataError("the corpus is counted before and after the filter", Where(str(path)))
        return
    before, after = (int(row["pairs"][:18]) for row in statistics)
    sizes = benchmark.manifest.splits
    kept = sum(sizes.get(split, 0) for split in ("train", "dev", "test"))
    # With a control, sentences that show a compound are in no split.
    if kept > after or (kept < after and CONTROL not in sizes):
        yield DataError(
            f"{after:,} pairs were kept, but the splits have {kept:,}", Where(str(path))
        )
    removed = read_json(benchmark.path / "certificate.json").get("removed_by_filter")
    if not isinstance(removed, dict) or not all(type(n) is int for n in removed.values()):
        yield DataError("what the filter removed is a table of numbers", Where(str(path)))
    elif sum(removed.values()) - removed.get("no translation", 0) != before - after:
        # Pairs without a translation are not counted as read.
        yield DataError(f"the filter removed {before - after:,} pairs", Where(str(path)))


def _contexts_at_fault(benchmark: Benchmark) -> Iterator[RecombineError]:
    """Rows of `context` that are no sentence of train, or have another id."""
    trained = {(row.source, row.references) for row in benchmark.iterate("train")}
    for number, row in enumerate(benchmark.iterate("context"), start=1):
        fault = _id_fault(row, ["context"])
        if (row.source, row.references) not in trained:
            fault = "it is no sentence of train"
        if fault:
            where = Where(str(benchmark.split_path("context")), number)
            yield DataError(f"{row.id}: {fault}", where)


def _examples_at_fault(
    benchmark: Benchmark, examples: Sequence[Example]
) -> Iterator[RecombineError]:
    """Rows of `gen` that no sentence of `context` becomes with their compound, or of another id."""
    sentences: dict[tuple[str, str, str], list[str]] = {}
    for row in benchmark.iterate("context"):
        if row.focus and (sentence := _SENTENCE.search(row.group or "")):
            sentences.setdefault(_around(row), []).append(sentence[1])
    for number, row in enumerate(examples, start=1):
        salts = sentences.get(_around(row), []) if row.focus else []
        fault = _id_fault(row, salts) if salts else "no sentence of `context` has its words"
        if fault:
            where = Where(str(benchmark.split_path("gen")), number)
            yield DataError(f"{row.id}: {fault}", where)


def _around(row: Example) -> tuple[str, str, str]:
    """The category of a sentence, and what stands before and behind its compound."""
    start, end = row.focus[0].start, row.focus[-1].end
    return str(row.tags.get("category")), row.source[:start], row.source[end:]


def _id_fault(row: Example, salts: Sequence[str]) -> str:
    """Why the id of a row is none that these salts give it; empty where it is one."""
    ids = [
        Example.make(
            source=row.source, references=row.references, group=row.group, role=row.role, salt=salt
        ).id
        for salt in salts
    ]
    return "" if row.id.partition("-")[0] in ids else f"its id would be {' or '.join(ids[:3])}"


def _frequency(row: TableRow) -> int:
    if not row["frequency"].isdecimal():
        raise DataError("a frequency is a whole number", row.place("frequency"))
    return int(row["frequency"][:18])


def _rows_at_fault(benchmark: Benchmark) -> Iterator[RecombineError]:
    """Rows that are not what their ids, groups, roles and tags say: the first of each kind."""
    recipe = benchmark.manifest.recipe
    contexts = recipe.get("contexts")
    own_tags = {**_TAGS, "gen": (*_TAGS["gen"], "held_in")} if recipe.get("control") else _TAGS
    atoms = {
        (row["category"], row["role"], row["atom"].lower()): (_frequency(row), row["accepted"])
        for row in read_table(benchmark.path / "atoms.tsv", ATOM_COLUMNS)
    }
    for split in benchmark.splits:
        kinds: set[str] = set()
        for number, example in enumerate(benchmark.iterate(split), start=1):
            for kind, text in _row_faults(split, example, own_tags, contexts, atoms):
                if kind not in kinds:
                    where = Where(str(benchmark.split_path(split)), number)
                    yield DataError(f"{example.id}: {text}", where)
                kinds.add(kind)


def _atoms_at_fault(benchmark: Benchmark) -> Iterator[DataError]:
    """Roles with another number of atoms than the recipe asks for, or with rarer ones."""
    recipe, path = benchmark.manifest.recipe, benchmark.path / "atoms.tsv"
    numbers: Counter[tuple[str, str]] = Counter()
    for row in read_table(path, ATOM_COLUMNS):
        role = recipe["roles"].get(row["role"], {})
        numbers[row["category"], row["role"]] += 1
        # Words that a recipe names may be as rare as they like.
        if not role.get("words") and _frequency(row) < recipe["floor"]:
            yield DataError(f"'{row['atom']}' is rarer than {recipe['floor']}", row.where)
    for (category, name), number in numbers.items():
        asked = recipe["roles"].get(name, {}).get("count")
        if number != asked:
            text = f"{number} atoms of {category} {name}, the recipe asks for {asked}"
            yield DataError(text, Where(str(path)))


def _row_faults(
    split: str,
    example: Example,
    own_tags: Mapping[str, tuple[str, ...]],
    contexts: object,
    atoms: Mapping[tuple[str, str, str], tuple[int, str]],
) -> Iterator[tuple[str, str]]:
    """What is wrong with a row; `atoms` have their frequency and renderings."""
    names = own_tags.get(split, ())
    if tuple(example.tags) != names:
        yield "tags", f"its tags are {', '.join(example.tags) or 'none'}"
        return
    if not names:
        if fault := _id_fault(example, [""]):
            yield "id", fault
        if example.group or example.role or example.focus:
            yield "group", "a sentence to train on has no group, role or focus"
        return
    tags, compound = example.tags, str(example.tags["compound"])
    role = "context" if split == "gen" else "original"
    if example.role != role:
        yield "role", f"its role is {example.role!r}, not '{role}'"
    place = "" if split == "gen" else " original"
    if not str(example.group).startswith(f"{tags['category']}{place}: {compound}"):
        yield "group", f"its group is '{example.group}', not that of '{compound}'"
    if tags["length"] != len(example.focus):
        yield "length", f"its compound has {len(example.focus)} parts, not {tags['length']}"
    if tags["contexts"] != (contexts if split == "gen" else 1):
        yield "contexts", f"it has {tags['contexts']} contexts, not {contexts}"
    if split != "gen":
        return
    if tags["pattern"] != " ".join(part.role for part in example.focus):
        yield "pattern", f"its parts are not those of the pattern '{tags['pattern']}'"
    parts = [example.source[part.start : part.end].lower() for part in example.focus]
    if parts != [part.text for part in example.focus] or " ".join(parts) != compound.lower():
        yield "focus", f"its focus is not '{compound}'"
    category = str(tags["category"])
    entries = [atoms.get((category, part.role, part.text), (0, "")) for part in example.focus]
    if tags["rarest_atom"] != min((frequency for frequency, _ in entries), default=0):
        yield "frequency", f"its rarest atom is not as frequent as {tags['rarest_atom']}"
    if ["/".join(part.accepted) or "/" for part in example.focus] != [text for _, text in entries]:
        yield "accepted", "the renderings of its atoms are not those of atoms.tsv"
