"""Proof: what the files of a consistency benchmark show, and what its recipe's own tables ask for.

Groups are minimal pairs with the tags, foci and places of their roles. A sentence of an idiom has
it, with its keywords. Probes repeat what the tests show. Training holds no tested sentence. Tables
and grammars that are files of the user's own are not read: what only they say is not proved.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from recombine import registry
from recombine.benchmark import Benchmark, Example, Focus
from recombine.builders.consistency.examples import (
    clause_probes,
    group_tags,
    idiom_example,
    phrase_probes,
    word_probes,
)
from recombine.builders.consistency.options import ConsistencyOptions
from recombine.builders.consistency.spacing import closed_up, naturally_spaced
from recombine.builders.consistency.synthetic import TemplateTrees
from recombine.builders.consistency.training import letters
from recombine.builders.consistency.wordlists import (
    Idiom,
    SynonymPair,
    read_idioms,
    read_synonyms,
    read_words,
)
from recombine.corpus.token_diff import is_one_edit
from recombine.errors import DataError, RecombineError, Where

TESTS = (
    "sentences", "systematicity", "substitutivity", "overgeneralisation", "context", "probe",
)  # fmt: skip
_TRAINING = ("train", "dev", "test")
_ROLES = {
    "np-vp": ("base", "np", "vp"),
    "conj": ("base", "s1p", "s3"),
    "synonym": ("base", "synonym"),
}
_ARTICLE = re.compile(r"\b([Aa])n $")


class Tables(NamedTuple):
    """The shipped tables and grammar of a recipe; None where it has the user's own."""

    trees: TemplateTrees | None
    synonyms: dict[str, SynonymPair] | None
    idioms: dict[str, Idiom] | None
    words: set[str] | None


def read_tables(options: ConsistencyOptions) -> Tables:
    """Read what a recipe names and is not the user's own."""
    source, target = options.source_language, options.target_language
    shipped = registry.data_path("grammars", options.grammar).is_dir()
    trees = TemplateTrees(options.grammar, source, target) if shipped else None
    synonyms = idioms = words = None
    if options.synonyms is None and options.synonym_renderings is None:
        synonyms = {pair.name: pair for pair in read_synonyms(source, target)}
    if options.idioms is None and options.idiom_keywords is None:
        idioms = {idiom.text: idiom for idiom in read_idioms(source, target)}
    if options.words is None and options.context_samples:
        words = set(read_words(source))
    return Tables(trees, synonyms, idioms, words)


def benchmark_faults(
    benchmark: Benchmark, options: ConsistencyOptions, tables: Tables
) -> Iterator[RecombineError]:
    """Yield what is wrong with rows and groups, the first of each split."""
    rows = {split: benchmark.read(split) for split in benchmark.splits}
    for split in ("systematicity", "substitutivity"):
        groups: dict[str, dict[str, Example]] = {}
        for example in rows.get(split, ()):
            if example.group is not None and example.role is not None:
                groups.setdefault(example.group, {})[example.role] = example
        where = Where(str(benchmark.split_path(split)))
        for name, members in groups.items():
            faults = (*group_faults(members), *_label_faults(name, members, tables.synonyms))
            yield from (DataError(f"group {name}: {fault}", where) for fault in faults)
    for split, examples in rows.items():
        for number, row in enumerate(examples, start=1):
            fault = _id_fault(split, row, options)
            if not fault and split in ("overgeneralisation", "context"):
                fault = _idiom_fault(row, options, tables.idioms)
            if not fault and split == "context":
                fault = _context_fault(row, options, tables.words)
            if fault:
                yield DataError(fault, Where(str(benchmark.split_path(split)), number))
                break
    yield from _probe_faults(benchmark, rows, options, tables)
    if "train" in rows:
        yield from _training_faults(benchmark, rows, options)


def group_faults(members: dict[str, Example]) -> Iterator[str]:
    """What keeps the members of a group from being a minimal pair or a triple."""
    base = members.get("base")
    if base is None:
        yield "it has no base"
        return
    for role in ("np", "vp"):
        variant = members.get(role)
        if variant is not None:
            first, second = base.source.split(), variant.source.split()
            if len(first) != len(second) or not is_one_edit(first, second):
                yield f"base and {role} do not differ in exactly one token"
    conjuncts = {
        focus.text
        for example in members.values()
        for focus in example.focus
        if focus.role == "clause"
    }
    if len(conjuncts) > 1:
        yield "its members do not share the second conjunct"
    synonym = members.get("synonym")
    if synonym is not None and synonym.source == base.source:
        yield "base and synonym are the same sentence"
    elif synonym is not None and _around(base) != _around(synonym):
        yield "base and synonym differ in more than the term"


def _around(example: Example) -> tuple[str, str]:
    """What stands before and behind the focus; the indefinite article is fitted to the term."""
    focus = example.focus[0] if example.focus else None
    if focus is None or focus.start is None:
        return "", ""
    before = _ARTICLE.sub(r"\1 ", example.source[: focus.start])
    return before, example.source[focus.end :]


def _label_faults(
    group: str, members: dict[str, Example], synonyms: dict[str, SynonymPair] | None
) -> Iterator[str]:
    """Tags, their order, and foci that are not those of a group and its roles."""
    test, data, place = [*group.split("/"), "", ""][:3]
    roles = _ROLES.get(test, ())
    for role, example in members.items():
        if role not in roles:
            yield f"it has no role '{role}'"
            continue
        # Natural sentences have no template but that of the sentence they were matched with.
        template = str(example.tags.get("template", "")) if data == "natural" else place
        if test == "synonym":
            named = str(example.tags.get("synonym"))
            tags = {"synonym": named, "data": data, **({"template": template} if template else {})}
            terms = named.split("/")
            if [part.text for part in example.focus] != [terms[-1 if role == "synonym" else 0]]:
                yield f"the focus of '{role}' is not its term of '{named}'"
            elif synonyms is not None and named not in synonyms:
                yield f"there is no synonym pair '{named}'"
            elif synonyms is not None and example.focus[0].accepted != synonyms[named].renderings:
                yield f"the renderings of '{role}' are not those of '{named}'"
        else:
            tags = group_tags(group, role, data, template)
        if list(example.tags.items()) != list(tags.items()):
            yield f"'{role}' has the tags {dict(example.tags)}, not {tags}"
        if focus := _misplaced(example):
            yield f"'{focus.text}' is not at that place in '{role}'"


def _misplaced(example: Example) -> Focus | None:
    """The first focus whose words stand elsewhere: a term may be inflected there."""
    for focus in example.focus:
        words = example.source[focus.start : focus.end]
        if focus.start is not None and not words.lower().startswith(focus.text.lower()):
            return focus
    return None


def _spaced(example: Example, options: ConsistencyOptions) -> Example:
    return naturally_spaced(example) if options.spacing == "natural" else example


def _id_fault(split: str, row: Example, options: ConsistencyOptions) -> str:
    """Why a row cannot have its id; what was spaced anew has the id of what it was before."""
    if options.spacing == "natural" and split not in _TRAINING:
        return ""
    salts = {"sentences": split, "probe": row.role or "", **{name: name for name in _TRAINING}}
    salt = salts.get(split, "")
    if split in ("overgeneralisation", "context"):
        salt = f"idiom/{row.tags.get('data', '')}"
    expected = Example.make(
        source=row.source, references=row.references, group=row.group, role=row.role, salt=salt
    )
    return (
        ""
        if row.id.partition("-")[0] == expected.id
        else f"the id of this row would be {expected.id}"
    )


def _idiom_fault(row: Example, options: ConsistencyOptions, idioms: dict[str, Idiom] | None) -> str:
    """Why a row is not about its idiom."""
    named = str(row.tags.get("idiom"))
    if not row.focus or row.focus[0].role != "idiom" or row.focus[0].text != closed_up(named)[0]:
        return f"its first focus is not the idiom '{named}'"
    if row.focus[0].start is None or _misplaced(row):
        return f"'{row.source}' has no '{named}' at that place"
    data = row.tags.get("data")
    wanted = (
        ("idiom", "data") if data in ("natural", "random-words") else ("idiom", "data", "template")
    )
    if tuple(row.tags) != wanted or row.group or row.role:
        return "it has other tags than a sentence of an idiom"
    if idioms is None:
        return ""
    if named not in idioms:
        return f"there is no idiom '{named}'"
    expected = _spaced(idiom_example(row.source, idioms[named], row.tags), options)
    return "" if expected.focus == row.focus else f"its foci are not those of '{named}'"


def _context_fault(row: Example, options: ConsistencyOptions, words: set[str] | None) -> str:
    """Why a row is not an idiom among so many random words."""
    start, end = row.focus[0].start, row.focus[0].end
    others = (row.source[:start] + row.source[end:]).split()
    if len(others) != options.context_words:
        return (
            f"{len(others)} words are about the idiom, the recipe asks for {options.context_words}"
        )
    other = [word for word in others if words is not None and word not in words]
    return f"'{other[0]}' is none of the words" if other else ""


def _probe_faults(
    benchmark: Benchmark,
    rows: dict[str, list[Example]],
    options: ConsistencyOptions,
    tables: Tables,
) -> Iterator[RecombineError]:
    """Where probes are not those of the tests: phrases, words, clauses, repeated sentences."""
    by_role: dict[str, list[str]] = {}
    for row in rows.get("probe", ()):
        by_role.setdefault(str(row.tags.get("probe")), []).append(row.source)
    tested = rows.get("systematicity", ())
    clauses = [part.text for row in tested for part in row.focus if part.role == "clause"]
    pairs = [row for row in tested if (row.group or "").startswith("np-vp/")]
    bases = {row.source for row in pairs if row.role == "base"}
    wanted: dict[str, Iterable[Example]] = {
        "clause": clause_probes(clauses if options.clause_probes else ())
    }
    if tables.trees is not None:
        classes = dict.fromkeys(name for use in options.template.values() for name in use.swap)
        wanted["phrase"] = phrase_probes(tables.trees.phrases(tuple(classes)))
    if tables.synonyms is not None and tables.idioms is not None:
        synonyms, idioms = list(tables.synonyms.values()), list(tables.idioms.values())
        wanted["word"] = word_probes(synonyms, idioms)
    where = Where(str(benchmark.split_path("probe")))
    for role, probes in wanted.items():
        sources = Counter(_spaced(probe, options).source for probe in probes)
        if Counter(by_role.get(role, [])) != sources:
            yield DataError(f"the probes '{role}' are not those of the tests", where)
    repeats = by_role.pop("repeat", [])
    if len(repeats) != min(options.repeats, len(bases)) or not bases.issuperset(repeats):
        yield DataError("the repeated sentences are not those of the tests", where)
    for row in rows.get("probe", ()):
        if row.role != row.tags.get("probe") or row.group or list(row.tags) != ["probe"]:
            yield DataError(f"'{row.source}' has another role than tag", where)
            return
    if unknown := set(by_role) - {"clause", "phrase", "word"}:
        yield DataError(f"there are no probes '{min(unknown)}'", where)


def _training_faults(
    benchmark: Benchmark, rows: dict[str, list[Example]], options: ConsistencyOptions
) -> Iterator[RecombineError]:
    """Where training holds a test, a pair twice, or another number of pairs than asked for."""
    tested = {letters(row.source) for split in TESTS for row in rows.get(split, ())}
    pairs: set[tuple[str, Any]] = set()
    for split in (name for name in _TRAINING if name in rows):
        path = str(benchmark.split_path(split))
        for number, row in enumerate(rows[split], start=1):
            pair = row.source, row.references
            fault = "is a test, too" if letters(row.source) in tested else ""
            fault = fault or ("is in the training text twice" if pair in pairs else "")
            fault = fault or (
                "has tags, a group or foci" if row.tags or row.group or row.focus else ""
            )
            pairs.add(pair)
            if fault:
                yield DataError(f"'{row.source}' {fault}", Where(path, number))
                break
    for split, size in (("train", options.training_size), ("dev", options.dev_size)):
        if size and len(rows.get(split, ())) != size:
            text = f"{len(rows.get(split, ())):,} pairs in {split}, the recipe asks for {size:,}"
            yield DataError(text, Where(str(benchmark.path)))
