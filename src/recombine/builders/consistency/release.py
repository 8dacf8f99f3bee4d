"""The released consistency tests as a benchmark: the files as published, line by line.

Two layouts are understood: the release itself (`data/`, `systematicity/`, `substitutivity/`,
`overgeneralisation/`) and a reduced one with `synthetic/` at the top and `substitutivity_natural/`,
`overgeneralisation_natural/` beside it. What a folder does not hold is left out; a test that is
there in part (a missing member, unequal lengths) is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from recombine.benchmark import Example, Focus, control_character
from recombine.builders.consistency.examples import (
    clause_probes,
    group_tags,
    idiom_example,
    phrase_probes,
    repeat_probes,
    synonym_focus,
    word_probes,
)
from recombine.builders.consistency.training import (
    count_idioms,
    read_heldout,
    read_training,
    write_training,
)
from recombine.builders.consistency.wordlists import (
    Idiom,
    SynonymPair,
    candidate_terms,
    read_idioms,
    read_synonyms,
)
from recombine.corpus.token_diff import trim
from recombine.draft import Draft
from recombine.errors import DataError, Where
from recombine.files import read_aligned, read_table

_TEMPLATES = range(1, 11)
# How the data types are called in file names and here, and the letter of their templates.
_KINDS = (
    ("synthetic", "synthetic", "t"),
    ("semi_natural", "semi-natural", "f"),
    ("natural", "natural", "n"),
)
_DEV = 1000  # pairs for dev where none are held out
_QUOTED = re.compile(r"'([^']*)'")


@dataclass(kw_only=True)
class ConsistencyRelease:
    """The released consistency tests (Dankers et al. 2022) as a benchmark.

    The inputs are taken as they are; training text can be laid beside them.
    """

    own_text: ClassVar[tuple[str, ...]] = ("training",)
    metrics: ClassVar[tuple[str, ...]] = (
        "consistency", "synonym-consistency", "locality", "literal",
    )  # fmt: skip
    path: Path | None = None
    source_language: str = "en"
    target_language: str = "nl"
    join: str = " , and "
    repeats: int = 200
    training: Path | None = None
    heldout: Path | None = None

    def build(self, draft: Draft) -> None:
        """Import what the folder holds."""
        if self.path is None:
            raise DataError("no folder is given", hint="-o path=DIR, the folder of the release")
        if not self.path.is_dir():
            raise DataError(f"no such folder: {self.path}")
        _ReleaseFolder(self, self.path).write_all(draft)


class _ReleaseFolder:
    """The folder while it is read: what the probes at the end need of the tests before them."""

    def __init__(self, recipe: ConsistencyRelease, root: Path) -> None:
        self.recipe = recipe
        self.root = root
        self.source, self.target = recipe.source_language, recipe.target_language
        self.synonyms = self._read_synonyms()
        self.idioms = self._read_idioms()
        self.nouns: dict[str, None] = {}
        self.clauses: list[str] = []
        self.bases: list[str] = []
        self.skipped = 0

    def write_all(self, draft: Draft) -> None:
        """Write the tests that are there, then the probes."""
        splits = {
            "sentences": list(self._sentences()),
            "systematicity": [*self._pairs(), *self._triples()],
            "substitutivity": list(self._substitutivity()),
            "overgeneralisation": list(self._overgeneralisation()),
        }
        if not any(splits.values()):
            raise DataError(
                "this folder holds none of the released tests",
                Where(str(self.root)),
                hint="expected systematicity/, substitutivity/ or overgeneralisation/ below it",
            )
        sizes = {name: draft.write(name, examples) for name, examples in splits.items() if examples}
        sizes["probe"] = draft.write("probe", self._probes(draft.seed))
        certificate: dict[str, Any] = {"sizes": sizes, "lines_without_text": self.skipped}
        if self.recipe.training is not None:
            tested = {example.source for examples in splits.values() for example in examples}
            certificate["idioms_in_training"] = self._write_training(
                draft, self.recipe.training, tested.union(self.clauses)
            )
        draft.certificate(certificate)
        draft.set_card(
            "Imported as published; the roles and foci are those of the builder `consistency`. "
            "Pairs whose two sources are the same line are kept here and excluded when scoring."
        )

    def _write_training(self, draft: Draft, path: Path, tested: set[str]) -> dict[str, int]:
        """Write the splits to train on; return how often training shows each idiom."""
        heldout = self.recipe.heldout
        train = write_training(
            draft,
            read_training(path, None, self.source, self.target),
            read_heldout(heldout, self.source, self.target) if heldout else [],
            size=0,
            dev_size=_DEV,
            forbidden=tested,
            rng=np.random.Generator(np.random.PCG64(np.random.SeedSequence([draft.seed, 1]))),
        )
        return count_idioms(
            (example.source for example in train), [idiom.text for idiom in self.idioms]
        )

    def _sentences(self) -> Iterator[Example]:
        for folder, data, letter in _KINDS[:2]:
            base = _first(self.root / "data" / folder, self.root / folder)
            for number in _TEMPLATES:
                source = base / f"{folder}_{number}.{self.source}"
                if not source.is_file():
                    continue
                target = source.with_suffix(f".{self.target}")
                files = [source, target] if target.is_file() else [source]
                for lines in self._aligned(files, sources=1):
                    yield Example.make(
                        source=lines[0],
                        references=filter(None, lines[1:]),
                        tags={"template": f"{letter}{number}", "data": data},
                        salt="sentences",
                    )

    def _pairs(self) -> Iterator[Example]:
        for folder, data, letter in _KINDS[:2]:
            for number in _TEMPLATES:
                stem = f"systematicity/s_np_vp/{folder}/systematicity_{folder}_{number}"
                members = {"base": "np", "np": "np_prime"}
                if data == "synthetic":
                    members["vp"] = "vp_prime"
                yield from self._groups(stem, members, data, f"{letter}{number}", "np-vp")

    def _triples(self) -> Iterator[Example]:
        for folder, data, letter in _KINDS:
            for number in _TEMPLATES:
                stem = f"systematicity/s_conj/{folder}/systematicity_{folder}_{number}"
                members = {"base": "s1_s2", "s1p": "s1p_s2", "s3": "s3_s2"}
                yield from self._groups(stem, members, data, f"{letter}{number}", "conj")

    def _groups(
        self, stem: str, members: dict[str, str], data: str, template: str, test: str
    ) -> Iterator[Example]:
        files = [self.root / f"{stem}_{name}.{self.source}" for name in members.values()]
        if not any(path.is_file() for path in files):
            return
        for number, lines in enumerate(self._aligned(files, sources=len(files))):
            group = f"{test}/{data}/{template}/{number}"
            self.bases.append(lines[0])
            for role, line in zip(members, lines, strict=True):
                yield Example.make(
                    source=line,
                    tags=group_tags(group, role, data, template),
                    group=group,
                    role=role,
                    focus=self._focus(role, line, lines[0]),
                )

    def _focus(self, role: str, line: str, base: str) -> tuple[Focus, ...]:
        focus = []
        if role in ("np", "vp", "s1p"):
            changed = _changed_words(base, line)
            for noun in changed:
                self.nouns.setdefault(noun)
            start = _word_start(line, changed[1])
            focus.append(
                Focus(text=changed[1], role=role, start=start, end=start + len(changed[1]))
            )
        if role in ("base", "s1p", "s3") and self.recipe.join in line:
            start = line.index(self.recipe.join) + len(self.recipe.join)
            clause = line[start:]
            # Capitalised alone, as a sentence of its own.
            self.clauses.append(clause[:1].upper() + clause[1:])
            focus.append(Focus(text=clause, role="clause", start=start, end=len(line)))
        return tuple(focus)

    def _substitutivity(self) -> Iterator[Example]:
        for number, pair in enumerate(self.synonyms):
            for folder, data, template in self._numbered("substitutivity", number, "-1"):
                files = [folder / f"{number}-{side}.{self.source}" for side in (1, 2)]
                reference = folder / f"{number}.{self.target}"
                if reference.is_file():
                    files.append(reference)
                for index, lines in enumerate(self._aligned(files, sources=2)):
                    group = f"synonym/{data}/{template}/{number}/{index}"
                    tags = {"synonym": pair.name, "data": data}
                    if template:
                        tags["template"] = template
                    for role, line, term in (
                        ("base", lines[0], pair.first),
                        ("synonym", lines[1], pair.second),
                    ):
                        yield Example.make(
                            source=line,
                            references=filter(None, lines[2:]),
                            tags=tags,
                            group=group,
                            role=role,
                            focus=(synonym_focus(line, term, pair),),
                        )

    def _overgeneralisation(self) -> Iterator[Example]:
        for number, idiom in enumerate(self.idioms):
            for folder, data, template in self._numbered("overgeneralisation", number, ""):
                files = [folder / f"{number}.{self.source}"]
                reference = folder / f"{number}.{self.target}"
                if reference.is_file():
                    files.append(reference)
                tags = {"idiom": idiom.text, "data": data}
                if template:
                    tags["template"] = template
                for lines in self._aligned(files, sources=1):
                    yield idiom_example(lines[0], idiom, tags, lines[1] if lines[1:] else None)

    def _numbered(self, test: str, number: int, side: str) -> Iterator[tuple[Path, str, str]]:
        """Yield the folders that hold files of one synonym pair or idiom."""
        name = f"{number}{side}.{self.source}"
        for folder, data, letter in _KINDS:
            if data == "natural":
                natural = _first(self.root / test / "natural", self.root / f"{test}_natural")
                if (natural / name).is_file():
                    yield natural, data, ""
                continue
            for template in _TEMPLATES:
                path = self.root / test / folder / f"{test}_{folder}_{template}"
                if (path / name).is_file():
                    yield path, data, f"{letter}{template}"

    def _probes(self, seed: int) -> Iterator[Example]:
        yield from phrase_probes((noun, f"The {noun} .", None) for noun in sorted(self.nouns))
        yield from word_probes(self.synonyms, self.idioms)
        yield from clause_probes(self.clauses)
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
        yield from repeat_probes(self.bases, self.recipe.repeats, rng)

    def _aligned(self, files: Sequence[Path], *, sources: int) -> Iterator[tuple[str, ...]]:
        """Yield line-aligned files together; a missing or shorter one is an error.

        Lines where one of the first `sources` files is blank are skipped and counted.
        """
        for path in files:
            if not path.is_file():
                raise DataError(
                    "a member of this test is missing", Where(str(path)), hint="is the copy whole?"
                )
        for _, written in read_aligned(*files):
            lines = tuple(map(_printable, written))
            if all(lines[:sources]):
                yield lines
            else:
                self.skipped += 1

    def _read_synonyms(self) -> list[SynonymPair]:
        path = self.root / "substitutivity" / "synonyms.tsv"
        if not path.is_file():
            return read_synonyms(self.source, self.target)
        return [
            SynonymPair(
                row["en1"],
                row["en2"],
                row.get("singular"),
                row.get("plural"),
                candidate_terms(
                    row["nl"],
                    (*row.parts("model_translations1"), *row.parts("model_translations2")),
                ),
            )
            for row in read_table(path, ("en1", "en2", "nl"))
        ]

    def _read_idioms(self) -> list[Idiom]:
        path = self.root / "overgeneralisation" / "idioms.tsv"
        if not path.is_file():
            return read_idioms(self.source, self.target)
        # The keywords are written as a Python set; they are read as quoted words, in this order.
        return [
            Idiom(
                row["idiom"],
                tuple(row["english_keywords"].split()),
                row.get("sub_clause"),
                tuple(sorted(_QUOTED.findall(row["dutch_keywords"]))),
            )
            for row in read_table(path, ("idiom", "english_keywords", "dutch_keywords"))
        ]


def _first(*paths: Path) -> Path:
    return next((path for path in paths if path.is_dir()), paths[0])


def _printable(line: str) -> str:
    """Return a line without control characters and surrounding space; nothing else is touched."""
    if line.isprintable():
        return line.strip()
    kept: list[Any] = [" " if control_character(letter) else letter for letter in line]
    return "".join(kept).strip()


def _changed_words(base: str, line: str) -> tuple[str, str]:
    first, second = base.split(), line.split()
    window = trim(first, second)
    return (
        " ".join(first[window.first_start : window.first_end]),
        " ".join(second[window.second_start : window.second_end]),
    )


def _word_start(line: str, word: str) -> int:
    match = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", line)
    return match.start() if match else 0
