"""Builder `compound-release`: a published test of compounds in contexts, read from its folder.

Each category has a folder `cg-test/NAME/` with the sentences, their references and, line by line,
the compound each sentence embeds. The lexicon gives the accepted renderings of every word:
`word TAB rendering/rendering`, a lone slash for words that are never checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from recombine.benchmark import Benchmark, Example, Focus
from recombine.builders.check import Proof
from recombine.corpus.conllu import mean_distance, read_parsed
from recombine.corpus.parsers import parsed_text
from recombine.draft import Draft
from recombine.errors import ConfigError, DataError, RecombineError, Where, raise_all
from recombine.files import read_aligned, read_lines, read_table, write_text

PLAIN_SPLITS = {"train": "train", "dev": "valid", "test": "test"}
LEXICON_NAMES = ("lexicon", "lexicon.tsv", "lexicon.txt")
UNSPACED_LANGUAGES = ("zh", "ja", "th", "lo", "km", "my")


class LexiconWord(NamedTuple):
    """One word or fixed phrase of a compound, with its place in the compound's text."""

    text: str
    role: str
    start: int


@dataclass(kw_only=True)
class CompoundRelease:
    """The released test of novel compounds (Li et al. 2021) as a benchmark.

    The recipe says where the release lies, what its words are, how large it must be.

    `roles`: role -> words. `phrases`: fixed phrase -> its key in the lexicon. `compounds` and
    `contexts`: what the release must contain (0: not checked). `parses`: the test's sentences in
    CoNLL-U or columns, in any order; `parser`: parse them instead (`spacy:MODEL`). Either gives
    the mean dependency distance of section 6.6. `frequencies`: words of the training data with
    their counts (`word count`, as in the released dictionary), where the data itself is missing.
    """

    proves: ClassVar[str] = "only the numbers of compounds, contexts and patterns"
    metrics: ClassVar[tuple[str, ...]] = ("compound", "compound_aggregate", "bleu", "chrf")
    path: Path | None = None
    lexicon: Path | None = None
    parses: Path | None = None
    parser: str | None = None
    frequencies: Path | None = None
    roles: dict[str, tuple[str, ...]] = field(default_factory=dict)
    phrases: dict[str, str] = field(default_factory=dict)
    compounds: int = 0
    contexts: int = 0
    source_language: str = "en"
    target_language: str = "zh"

    def build(self, draft: Draft) -> None:
        """Read everything, verify the counts, write train/dev/test as found, and gen."""
        folder = self._folder()
        for split, name in PLAIN_SPLITS.items():
            examples = self._plain(folder, name)
            if examples:
                draft.write(split, examples)
        examples = self._measured(self._compounds(folder), draft.workdir)
        draft.write("gen", examples)
        certificate = release_counts(examples)
        draft.certificate(certificate)
        draft.set_card(_card(certificate))

    def plan(self) -> dict[str, dict[str, int]]:
        """Return the number of sentences per category, for --dry-run."""
        sizes = {name: sum(1 for _ in read_lines(file)) for name, file in self._categories()}
        return {"categories": sizes}

    def prove(self, benchmark: Benchmark) -> Proof:
        """Count compounds and contexts again."""
        return Proof(release_counts(benchmark.read("gen")), card=_card)

    def _folder(self) -> Path:
        if not self.source_language or not self.target_language:
            raise ConfigError("[benchmark] must name the languages 'source' and 'target'")
        if self.path is None:
            raise ConfigError("the folder of the release is not given", hint="-o path=DIR")
        if not self.path.is_dir():
            raise ConfigError(f"{self.path} is not a folder", hint="-o path=DIR")
        for folder in (self.path, self.path / "data"):
            if (folder / "cg-test").is_dir():
                return folder
        raise DataError(
            f"{self.path} has no folder 'cg-test'",
            hint="give the folder that holds valid.*, test.* and cg-test/",
        )

    def _categories(self) -> Iterator[tuple[str, Path]]:
        folder = self._folder() / "cg-test"
        paths = sorted(file for file in folder.glob("*/*.compound"))
        if not paths:
            raise DataError(f"{folder} has no file */*.compound")
        # The order of the paper: noun, verb, preposition phrases.
        order = {"NP": 0, "VP": 1, "PP": 2}
        for file in sorted(paths, key=lambda file: (order.get(file.stem, 9), file.stem)):
            yield file.stem, file

    def _plain(self, folder: Path, name: str) -> list[Example]:
        source = folder / f"{name}.{self.source_language}"
        target = folder / f"{name}.{self.target_language}"
        if not source.is_file() or not target.is_file():
            return []
        return [
            Example.make(source=text, references=[self._joined(other)])
            for _, (text, other) in read_aligned(source, target)
            if text.strip() and other.strip()
        ]

    def _compounds(self, folder: Path) -> list[Example]:
        lexicon = self._lexicon(folder)
        roles = {word: role for role, words in self.roles.items() for word in words}
        counts = read_frequencies(self.frequencies) if self.frequencies else None
        examples: list[Example] = []
        # By message: a word that the lexicon lacks is one fault, not one per sentence.
        faults: dict[str, RecombineError] = {}
        for name, file in self._categories():
            sources = file.with_suffix(f".{self.source_language}")
            targets = file.with_suffix(f".{self.target_language}")
            rows = list(read_aligned(sources, targets, file))
            totals = Counter(compound for _, (_, _, compound) in rows)
            for number, (source, target, compound) in rows:
                where = Where(str(sources), number, 1, source)
                try:
                    words = self._words(compound, roles, where)
                    examples.append(
                        Example.make(
                            source=source,
                            references=[self._joined(target)],
                            tags={
                                "pattern": " ".join(word.role for word in words),
                                "category": name,
                                "length": len(words),
                                "contexts": totals[compound],
                                "context_length": len(source.split()) - len(compound.split()),
                                **_rarest(compound, counts, where),
                                "compound": compound,
                            },
                            group=f"{name}: {compound}",
                            role="context",
                            focus=self._focus(source, compound, words, lexicon, where),
                            salt=str(number),
                        )
                    )
                except RecombineError as error:
                    faults.setdefault(error.message, error)
        # A sentence with a fault is missing in its compound: counts would only say it again.
        problems = list(faults.values()) or list(self._check_sizes(examples))
        raise_all(problems)
        return examples

    def _measured(self, examples: list[Example], workdir: Path) -> list[Example]:
        """Return the examples with the dependency distance of their sentences, where parsed."""
        path = self.parses
        if path is None and self.parser is not None:
            workdir.mkdir(parents=True, exist_ok=True)
            text = workdir / "sentences.txt"
            write_text(text, "\n".join(dict.fromkeys(e.source for e in examples)) + "\n")
            path = parsed_text(text, self.parser, cache=workdir)
        if path is None:
            return examples
        distances = {
            " ".join(sentence.text.split()): mean_distance(
                [head - 1 for head in sentence.heads], sentence.relations
            )
            for sentence in read_parsed(path)
        }
        missing = [e.source for e in examples if " ".join(e.source.split()) not in distances]
        if missing:
            raise DataError(
                f"{len(missing)} of {len(examples)} sentences of the test have no parse",
                Where(str(path), text=missing[0]),
                hint="the text of a parse must be the sentence as the release has it",
            )
        return [
            replace(e, tags={**e.tags, "mdd": distances[" ".join(e.source.split())]})
            for e in examples
        ]

    def _words(self, compound: str, roles: dict[str, str], where: Where) -> list[LexiconWord]:
        words: list[LexiconWord] = []
        at = 0
        while at < len(compound):
            if compound[at] == " ":
                at += 1
                continue
            # Fixed phrases first, the longest before the shorter.
            candidates = (p for p in sorted(roles, key=len, reverse=True) if " " in p)
            rest = compound[at:] + " "
            text = next((p for p in candidates if rest.startswith(p + " ")), rest.split(" ")[0])
            if text not in roles:
                raise DataError(
                    f"the word '{text}' of compound '{compound}' has no role",
                    where,
                    hint="add it to [roles] of the recipe",
                )
            words.append(LexiconWord(text, roles[text], at))
            at += len(text)
        return words

    def _focus(
        self,
        source: str,
        compound: str,
        words: Sequence[LexiconWord],
        lexicon: dict[str, tuple[str, ...]],
        where: Where,
    ) -> list[Focus]:
        start = f" {source} ".find(f" {compound} ")
        if start < 0:
            raise DataError(f"the compound '{compound}' is not in its sentence", where)
        parts = []
        for word in words:
            key = self.phrases.get(word.text, word.text)
            if key not in lexicon:
                raise DataError(f"the lexicon has no translation of '{key}'", where)
            first = start + word.start
            parts.append(
                Focus(
                    text=word.text,
                    role=word.role,
                    accepted=lexicon[key],
                    start=first,
                    end=first + len(word.text),
                )
            )
        return parts

    def _lexicon(self, folder: Path) -> dict[str, tuple[str, ...]]:
        path = self.lexicon or next(
            (
                place / name
                for place in (folder, folder / "eval", folder.parent / "eval", folder.parent)
                for name in LEXICON_NAMES
                if (place / name).is_file()
            ),
            None,
        )
        if path is None:
            raise ConfigError("the release's lexicon was not found", hint="-o lexicon=FILE")
        return read_lexicon(path)

    def _check_sizes(self, examples: Sequence[Example]) -> Iterator[RecombineError]:
        sizes = Counter(example.group for example in examples)
        for group, size in sizes.items():
            if self.contexts and size != self.contexts:
                yield DataError(f"compound '{group}' has {size} contexts, not {self.contexts}")
        if self.compounds and len(sizes) != self.compounds:
            yield DataError(
                f"the release has {len(sizes)} compounds, {self.compounds} are expected",
                hint="a partial copy? set -o compounds=0 to import it all the same",
            )

    def _joined(self, target: str) -> str:
        unspaced = self.target_language in UNSPACED_LANGUAGES
        return target.replace(" ", "") if unspaced else target


def _card(certificate: Mapping[str, Any]) -> str:
    return (
        f"{certificate['compounds']:,} compounds in {certificate['contexts']} contexts each, "
        "as published; tokenised targets of unspaced languages are joined."
    )


def read_lexicon(path: Path) -> dict[str, tuple[str, ...]]:
    """Read `word TAB rendering/rendering`; the last of two entries for one word wins."""
    lexicon: dict[str, tuple[str, ...]] = {}
    for row in read_table(path, ("word",), columns=("word", "renderings"), comments=False):
        # An empty rendering (a slash at the end) is kept: the published tool never misses it.
        accepted = row["renderings"]
        lexicon[row["word"]] = () if accepted == "/" else tuple(accepted.split("/"))
    return lexicon


def read_frequencies(path: Path) -> dict[str, int]:
    """Read a word and its count from every line, with a tab or a space between."""
    counts: dict[str, int] = {}
    for number, line in read_lines(path):
        if not line.strip():
            continue
        word, _, count = line.strip().replace("\t", " ").rpartition(" ")
        if not word or not count.isdecimal():
            raise DataError("a line is 'word count'", Where(str(path), number, 1, line))
        counts[word] = int(count)
    return counts


def _rarest(compound: str, counts: dict[str, int] | None, where: Where) -> dict[str, int]:
    """Return the tag of the rarest word; a fixed phrase is as rare as its rarest word."""
    if counts is None:
        return {}
    words = compound.split()
    unknown = [word for word in words if word not in counts]
    if unknown:
        raise DataError(f"the word '{unknown[0]}' has no frequency", where)
    return {"rarest_atom": min(counts[word] for word in words)}


def release_counts(examples: Sequence[Example]) -> dict[str, int | dict[str, int]]:
    """Return the counts that a stranger can verify."""
    sizes = Counter(example.group for example in examples)
    contexts = set(sizes.values())
    patterns = Counter(str(example.tags.get("pattern")) for example in examples)
    return {
        "sentences": len(examples),
        "compounds": len(sizes),
        "contexts": contexts.pop() if len(contexts) == 1 else 0,
        "sentences_per_pattern": dict(sorted(patterns.items())),
    }
