"""A parsed corpus as integers on disk: one pass over the text, everything later reads arrays.

Workers number the words of each block (`BlockEncoder`), one writer gives them their numbers in the
whole corpus (`encode_corpus`). The arrays are memory-mapped, so that memory grows with the
vocabulary and not with the number of sentences.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.config import to_plain
from recombine.corpus.conllu import ParsedBlock, TextBlock, parse_block, read_blocks
from recombine.corpus.parsers import parsed_file
from recombine.errors import ConfigError, DataError, Where
from recombine.files import open_text, read_json, sha256_of, write_json
from recombine.parallel import Engine, map_in_order
from recombine.progress import progress
from recombine.stage import identity_of

Definition = Literal["dependencies", "pairs", "chains", "morphology", "ngrams"]
Unit = Literal["lemma", "form"]
Ints = npt.NDArray[np.int32]

_TOKEN_FILES = ("units", "relations", "heads", "features")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_SPACES = re.compile(r"[\t\r\n]+")


class EncodedCorpus:
    """An encoded corpus opened from its directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        names = json.loads((directory / "names.json").read_text(encoding="utf-8"))
        self.unit_names: list[str] = names["units"]
        self.relation_names: list[str] = names["relations"]
        self.feature_names: list[str] = names["features"]
        self.has_target: bool = names["target"]
        self.starts = _open(directory / "starts.bin", np.int64)
        self.documents = _open(directory / "documents.bin", np.int32)
        self.text_starts = _open(directory / "text_starts.bin", np.int64)
        self.units = _open(directory / "units.bin", np.int32)
        self.relations = _open(directory / "relations.bin", np.int32)
        self.heads = _open(directory / "heads.bin", np.int32)
        self.features = _open(directory / "features.bin", np.int32)

    @property
    def size(self) -> int:
        """Return the number of sentences."""
        return len(self.starts) - 1

    def texts(self, sentences: Iterable[int]) -> Iterator[tuple[str, str | None]]:
        """Yield source and target text of sentences by their 0-based number."""
        with (self.directory / "texts.tsv").open("rb") as stream:
            for sentence in sentences:
                stream.seek(int(self.text_starts[sentence]))
                line = stream.readline().decode("utf-8").removesuffix("\n")
                source, tab, target = line.partition("\t")
                yield _printable(source), _printable(target) if tab else None


def _open(path: Path, kind: type[np.generic]) -> npt.NDArray[Any]:
    if path.stat().st_size == 0:  # an empty file cannot be mapped
        return np.zeros(0, kind)
    return np.memmap(path, dtype=kind, mode="r")


def _printable(text: str) -> str:
    """Return text with control characters (stray bytes of old encodings) as spaces."""
    if text.isprintable():
        return text
    return _CONTROLS.sub(" ", text).strip()


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How a corpus is read, and where; `definition` says what is counted in it."""

    definition: Definition = "dependencies"
    parser: str | None = None
    unit: Unit | None = None
    engine: Engine = "local"
    workers: int = 0
    address: str | None = None
    cache: Path | None = None

    def encoder(self, target: str | None = None) -> BlockEncoder:
        """Return what workers run on each block of text."""
        return BlockEncoder(
            unit=self.unit or ("form" if self.definition == "ngrams" else "lemma"),
            features=self.definition == "morphology",
            target=target,
        )


def prepare(
    reading: ReadingOptions,
    corpora: Sequence[Path],
    workdir: Path,
    *,
    target_corpora: Sequence[Path] = (),
    target: str | None = None,
) -> tuple[EncodedCorpus, list[int]]:
    """Return the encoded corpora as one, and the number of sentences after each of them.

    `target` names the translation inside the corpora, `target_corpora` have theirs line by line.
    What an earlier build has encoded of the same is taken from `workdir`.
    """
    for path in (*corpora, *target_corpora):
        if not path.is_file():
            raise ConfigError(f"no such corpus: {path}")
    if target_corpora and len(target_corpora) != len(corpora):
        raise ConfigError("each corpus needs a target side, or none has one")
    encoder = reading.encoder(target)
    key = identity_of(
        {
            "corpora": [sha256_of(path) for path in corpora],
            "target_corpora": [sha256_of(path) for path in target_corpora],
            "parser": reading.parser,
            "encoder": to_plain(encoder),
        }
    )
    directory = workdir / f"corpus-{key[:16]}"
    mark = directory / "prepared.json"
    if not mark.is_file():
        shutil.rmtree(directory, ignore_errors=True)
        ends: list[int] = []
        blocks = _encoded_blocks(reading, encoder, corpora, ends)
        targets = _lines_of(target_corpora) if target_corpora else None
        try:
            with progress("reading the corpus") as bar:
                encode_corpus(blocks, directory, targets=targets, advance=bar.advance)
        except MisalignedTarget as error:
            raise DataError(
                f"{error}, {', '.join(map(str, corpora))}",
                Where(", ".join(map(str, target_corpora))),
                hint="the target file needs one line per sentence of the corpus",
            ) from error
        write_json(mark, {"ends": ends})
    return EncodedCorpus(directory), [int(end) for end in read_json(mark)["ends"]]


def _encoded_blocks(
    reading: ReadingOptions, encoder: BlockEncoder, corpora: Sequence[Path], ends: list[int]
) -> Iterator[EncodedBlock]:
    """Yield the encoded blocks of all corpora, and note in `ends` where each of them ends."""
    total = 0
    for path in corpora:
        before = total
        parsed = parsed_file(
            path, reading.parser, cache=reading.cache, engine=reading.engine,
            workers=reading.workers, address=reading.address,
        )  # fmt: skip
        for block in map_in_order(
            encoder, read_blocks(parsed), engine=reading.engine, workers=reading.workers,
            address=reading.address,
        ):  # fmt: skip
            total += len(block.lengths)
            yield block
        if total == before:
            raise DataError("the corpus has no sentences", Where(str(path)))
        ends.append(total)


def _lines_of(paths: Sequence[Path]) -> Iterator[str]:
    for path in paths:
        with open_text(path) as stream:
            yield from stream


class MisalignedTarget(Exception):
    """A target line is missing, empty or too many; the caller adds the file's name."""


class EncodedBlock(NamedTuple):
    """One block with numbering of its own, as a worker returns it."""

    units: Ints
    unit_names: list[str]
    relations: Ints
    relation_names: list[str]
    heads: Ints
    features: Ints | None
    feature_names: list[str]
    lengths: Ints
    documents: Sequence[str | None]
    texts: list[str]


class _Numbering(dict[str, int]):
    """A dictionary that gives the next number to a new name."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number

    def numbers(self, names: Iterable[str]) -> Ints:
        """Return the number of each name."""
        return np.array(list(map(self.__getitem__, names)), np.int32)


@dataclass(frozen=True, kw_only=True)
class BlockEncoder:
    """What workers run on each block; a small object, so that it can be sent to them."""

    unit: Unit = "lemma"
    target: str | None = None
    features: bool = False

    def __call__(self, block: TextBlock) -> EncodedBlock:
        """Parse and number one block of a corpus file."""
        return self.encode(parse_block(block))

    def encode(self, block: ParsedBlock) -> EncodedBlock:
        """Number sentences that are parsed already."""
        if self.features and block.features is None:
            where = Where(block.path, block.lines[0], text=block.texts[0])
            raise DataError("no morphological features", where)
        units, relations, features = _Numbering(), _Numbering(), _Numbering()
        words = block.lemmas if self.unit == "lemma" else _forms(block)
        return EncodedBlock(
            units.numbers(map(str.lower, words)),
            list(units),
            relations.numbers(block.relations),
            list(relations),
            block.heads.astype(np.int32),
            features.numbers(block.features or ()) if self.features else None,
            list(features),
            block.lengths.astype(np.int32),
            block.documents,
            self._texts(block),
        )

    def _texts(self, block: ParsedBlock) -> list[str]:
        """The lines of the corpus: a sentence, and behind a tab its translation."""
        texts = list(map(_one_line, block.texts))
        if "" in texts:
            raise DataError("an empty sentence", Where(block.path, block.lines[texts.index("")]))
        if self.target is None:
            return texts
        found = block.translations.get(self.target, (None,) * len(texts))
        if None in found:
            number = found.index(None)
            languages = [name for name, column in block.translations.items() if column[number]]
            raise DataError(
                f"no translation '{self.target}'",
                Where(block.path, block.lines[number], text=block.texts[number]),
                hint=f"translations here: {', '.join(languages) or 'none'}",
            )
        translations = [_one_line(text or "") for text in found]
        if "" in translations:
            where = Where(block.path, block.lines[translations.index("")])
            raise DataError(f"the translation '{self.target}' is empty", where)
        return [f"{text}\t{other}" for text, other in zip(texts, translations, strict=True)]


def _forms(block: ParsedBlock) -> Iterable[str]:
    """The words as they are written; lemmas where the text has more or fewer words."""
    if block.forms is not None:
        yield from block.forms
        return
    for sentence in block.sentences():
        words = sentence.text.split()
        yield from words if len(words) == len(sentence.lemmas) else sentence.lemmas


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", text).strip()


def encode_corpus(
    blocks: Iterable[EncodedBlock],
    directory: Path,
    *,
    targets: Iterator[str] | None = None,
    advance: Callable[[int], object] = lambda count: None,
) -> EncodedCorpus:
    """Join encoded blocks, in order, into one corpus on disk; `targets` are aligned lines."""
    directory.mkdir(parents=True, exist_ok=True)
    writer = _Writer(directory, targets)
    with writer.streams_closed():
        for block in blocks:
            writer.add(block)
            advance(len(block.lengths))
    writer.finish()
    return EncodedCorpus(directory)


class _Writer:
    def __init__(self, directory: Path, targets: Iterator[str] | None) -> None:
        self.directory = directory
        self.targets = targets
        self.has_target = targets is not None
        self.units, self.relations = _Numbering(), _Numbering()
        self.features, self.documents = _Numbering(), _Numbering()
        self.sentences = self.tokens = self.bytes = 0
        names = (*_TOKEN_FILES, "starts", "documents", "text_starts")
        self.streams: dict[str, IO[bytes]] = {
            name: (directory / f"{name}.bin").open("wb") for name in names
        }
        self.text_stream = (directory / "texts.tsv").open("wb")
        self.write("starts", np.zeros(1, np.int64))

    def streams_closed(self) -> ExitStack:
        """Close every stream at the end of a with statement."""
        stack = ExitStack()
        for stream in (*self.streams.values(), self.text_stream):
            stack.enter_context(stream)
        return stack

    def write(self, name: str, array: npt.NDArray[Any]) -> None:
        self.streams[name].write(np.ascontiguousarray(array).data)

    def add(self, block: EncodedBlock) -> None:
        self.write("units", _renumber(block.units, block.unit_names, self.units))
        self.write("relations", _renumber(block.relations, block.relation_names, self.relations))
        self.write("heads", block.heads)
        if block.features is not None:
            self.write("features", _renumber(block.features, block.feature_names, self.features))
        self.write("starts", self.tokens + np.cumsum(block.lengths, dtype=np.int64))
        self.write(
            "documents",
            np.array([-1 if d is None else self.documents[d] for d in block.documents], np.int32),
        )
        texts = block.texts
        if self.targets is not None:
            texts = self._with_targets(texts)
        elif texts and "\t" in texts[0]:
            self.has_target = True
        lines = [f"{text}\n".encode() for text in texts]
        lengths = np.fromiter(map(len, lines), np.int64, len(lines))
        self.write("text_starts", self.bytes + np.cumsum(lengths) - lengths)
        self.text_stream.write(b"".join(lines))
        self.bytes += int(lengths.sum())
        self.tokens += int(block.lengths.sum())
        self.sentences += len(block.lengths)

    def _with_targets(self, texts: list[str]) -> list[str]:
        assert self.targets is not None
        joined = []
        for number, text in enumerate(texts, self.sentences + 1):
            target = next(self.targets, None)
            if target is None:
                raise MisalignedTarget(f"it ends before sentence {number} of the corpus")
            target = _one_line(target)
            if not target:
                raise MisalignedTarget(f"line {number} is empty; the corpus has a sentence there")
            joined.append(f"{text.partition(chr(9))[0]}\t{target}")
        return joined

    def finish(self) -> None:
        if self.targets is not None and next(self.targets, None) is not None:
            raise MisalignedTarget(
                f"it has more lines than the {self.sentences} sentences of the corpus"
            )
        names = {
            "units": list(self.units),
            "relations": list(self.relations),
            "features": list(self.features),
            "target": self.has_target,
        }
        (self.directory / "names.json").write_text(
            json.dumps(names, ensure_ascii=False), encoding="utf-8"
        )


def _renumber(ids: Ints, names: list[str], numbering: _Numbering) -> Ints:
    return numbering.numbers(names)[ids] if len(ids) else ids
