"""A parsed corpus as integers on disk: one pass over the text, everything later reads arrays.

Workers number the words of each block (`BlockEncoder`), one writer gives them their numbers in the
whole corpus (`encode_corpus`). The arrays are memory-mapped, so that memory grows with the
vocabulary and not with the number of sentences.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.corpus.conllu import (
    ParsedSentence,
    TextBlock,
    parse_block,
    read_blocks,
    text_column,
)
from recombine.corpus.parsers import parsed_file
from recombine.errors import ConfigError, DataError, Where
from recombine.files import open_text, read_json, sha256_of, write_json
from recombine.parallel import Engine, map_in_order
from recombine.progress import progress

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
class Preparation:
    """What is prepared, and where."""

    corpora: tuple[Path, ...]
    target_corpora: tuple[Path, ...] = ()
    target: str | None = None
    parser: str | None = None
    unit: Unit = "lemma"
    features: bool = False
    engine: Engine = "local"
    workers: int = 0
    address: str | None = None
    cache: Path | None = None

    def fingerprint(self) -> dict[str, object]:
        """Return everything that the encoded corpus depends on."""
        return {
            "corpora": [sha256_of(path) for path in self.corpora],
            "target_corpora": [sha256_of(path) for path in self.target_corpora],
            "target": self.target,
            "parser": self.parser,
            "unit": self.unit,
            "features": self.features,
        }

    def run(self, workdir: Path) -> tuple[EncodedCorpus, list[int]]:
        """Return the encoded corpus and the number of sentences after each of its files."""
        for path in (*self.corpora, *self.target_corpora):
            if not path.is_file():
                raise ConfigError(f"no such corpus: {path}")
        if self.target_corpora and len(self.target_corpora) != len(self.corpora):
            raise ConfigError("each corpus needs a target side, or none has one")
        fingerprint = self.fingerprint()
        key = hashlib.sha256(repr(sorted(fingerprint.items())).encode()).hexdigest()[:16]
        directory = workdir / f"corpus-{key}"
        mark = directory / "prepared.json"
        if not mark.is_file():
            shutil.rmtree(directory, ignore_errors=True)
            ends = self._encode(directory)
            write_json(mark, {"fingerprint": fingerprint, "ends": ends})
        return EncodedCorpus(directory), [int(end) for end in read_json(mark)["ends"]]

    def _encode(self, directory: Path) -> list[int]:
        ends: list[int] = []
        targets = self._targets() if self.target_corpora else None
        with progress("reading the corpus") as bar:

            def blocks() -> Iterator[object]:
                total = 0
                for path in self.corpora:
                    for block in map_in_order(
                        BlockEncoder(unit=self.unit, target=self.target, features=self.features),
                        self._read(path),
                        engine=self.engine,
                        workers=self.workers,
                        address=self.address,
                    ):
                        total += len(block.lengths)
                        yield block
                    if total == (ends[-1] if ends else 0):
                        raise DataError("the corpus has no sentences", Where(str(path)))
                    ends.append(total)

            try:
                encode_corpus(blocks(), directory, targets=targets, advance=bar.advance)  # type: ignore[arg-type]
            except MisalignedTarget as error:
                raise DataError(
                    f"{error}, {', '.join(map(str, self.corpora))}",
                    Where(", ".join(map(str, self.target_corpora))),
                    hint="the target file needs one line per sentence of the corpus",
                ) from error
        return ends

    def _read(self, path: Path) -> Iterator[TextBlock]:
        parsed = parsed_file(
            path,
            self.parser,
            cache=self.cache,
            engine=self.engine,
            workers=self.workers,
            address=self.address,
        )
        return read_blocks(parsed)

    def _targets(self) -> Iterator[str]:
        for path in self.target_corpora:
            with open_text(path) as stream:
                yield from stream


class MisalignedTarget(Exception):
    """A line of the target side that is missing, empty or too many; who knows its file names it."""


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
    documents: list[str | None]
    texts: list[str]


class _Numbering(dict[str, int]):
    """A dictionary that gives the next number to a new name."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


@dataclass(frozen=True, kw_only=True)
class BlockEncoder:
    """What workers run on each block; a small object, so that it can be sent to them."""

    unit: Unit = "lemma"
    target: str | None = None
    features: bool = False

    def __call__(self, block: TextBlock) -> EncodedBlock:
        """Parse and number one block of a corpus file."""
        if block.columns is not None and self.unit == "lemma" and not self.features:
            encoded = _encode_columns(block, block.columns, self.target)
            if encoded is not None:
                return encoded
        return self.encode(parse_block(block), block.path)

    def encode(self, sentences: list[ParsedSentence], path: str) -> EncodedBlock:
        """Number sentences that are parsed already."""
        units, relations, features = _Numbering(), _Numbering(), _Numbering()
        unit_ids: list[int] = []
        relation_ids: list[int] = []
        feature_ids: list[int] = []
        heads: list[int] = []
        texts: list[str] = []
        for sentence in sentences:
            words = sentence.lemmas
            if self.unit == "form":
                words = sentence.forms or sentence.text.split()
                if len(words) != len(sentence.lemmas):
                    words = sentence.lemmas
            unit_ids.extend(map(units.__getitem__, map(str.lower, words)))
            relation_ids.extend(map(relations.__getitem__, sentence.relations))
            heads.extend(sentence.heads)
            if self.features:
                if sentence.features is None:
                    raise DataError(
                        "no morphological features", Where(path, sentence.line, text=sentence.text)
                    )
                feature_ids.extend(map(features.__getitem__, sentence.features))
            texts.append(_text_line(sentence, path, self.target))
        return EncodedBlock(
            np.array(unit_ids, np.int32),
            list(units),
            np.array(relation_ids, np.int32),
            list(relations),
            np.array(heads, np.int32),
            np.array(feature_ids, np.int32) if self.features else None,
            list(features),
            np.fromiter((len(s.heads) for s in sentences), np.int32, len(sentences)),
            [sentence.document for sentence in sentences],
            texts,
        )


def _text_line(sentence: ParsedSentence, path: str, target: str | None) -> str:
    text = _SPACES.sub(" ", sentence.text).strip()
    if not text:
        raise DataError("an empty sentence", Where(path, sentence.line))
    if target is None:
        return text
    if target not in sentence.translations:
        known = ", ".join(sentence.translations) or "none"
        raise DataError(
            f"no translation '{target}'",
            Where(path, sentence.line, text=sentence.text),
            hint=f"translations here: {known}",
        )
    translation = _SPACES.sub(" ", sentence.translations[target]).strip()
    if not translation:
        raise DataError(f"the translation '{target}' is empty", Where(path, sentence.line))
    return f"{text}\t{translation}"


def _encode_columns(
    block: TextBlock, columns: tuple[str, ...], target: str | None
) -> EncodedBlock | None:
    """Encode a block of the column format by whole columns; None: let the careful way say why.

    Joining a column and splitting it once is three times as fast as going sentence by sentence.
    """
    place = {name: index for index, name in enumerate(columns)}
    text_at = text_column(columns)
    if text_at is None:
        return None
    rows = [line.split("\t") for line in block.text.removesuffix("\n").split("\n")]
    if any(len(row) != len(columns) for row in rows) or "\r" in block.text:
        return None
    if target is not None and target not in place:
        return None
    lemma_rows = [row[place["lemmas"]] for row in rows]
    relation_rows = [row[place["relations"]] for row in rows]
    head_rows = [row[place["heads"]] for row in rows]
    spaces = [row.count(" ") for row in lemma_rows]
    if spaces != [row.count(" ") for row in relation_rows]:
        return None
    if spaces != [row.count(" ") for row in head_rows]:
        return None
    words = " ".join(lemma_rows).lower().split(" ")
    relations = " ".join(relation_rows).split(" ")
    head_text = " ".join(head_rows)
    if not head_text.isascii() or head_text.strip("0123456789 "):
        return None
    heads = np.fromstring(head_text, dtype=np.int32, sep=" ")
    lengths = np.array(spaces, np.int32) + np.int32(1)
    texts = [row[text_at] for row in rows]
    if not (len(words) == len(relations) == len(heads) == lengths.sum()):
        return None
    if not all(texts) or "" in words or not _are_trees(heads, lengths):
        return None
    if target is not None:
        at = place[target]
        if not all(row[at] for row in rows):
            return None
        texts = [f"{row[text_at]}\t{row[at]}" for row in rows]
    units, relation_names = _Numbering(), _Numbering()
    unit_ids = np.fromiter(map(units.__getitem__, words), np.int32, len(words))
    relation_ids = np.fromiter(map(relation_names.__getitem__, relations), np.int32, len(words))
    document_at = place.get("document")
    documents = [None if document_at is None else row[document_at] for row in rows]
    return EncodedBlock(
        unit_ids,
        list(units),
        relation_ids,
        list(relation_names),
        heads,
        None,
        [],
        lengths,
        documents,
        texts,
    )


def _are_trees(heads: Ints, lengths: Ints) -> bool:
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    if ((heads < 0) | (heads > np.repeat(lengths, lengths))).any():
        return False
    count = len(heads)
    jump = np.append(np.where(heads == 0, count, starts + heads - 1), count)
    for _ in range(int(lengths.max()).bit_length()):
        jump = jump[jump]
    return bool((jump == count).all())


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
            target = _SPACES.sub(" ", target.rstrip("\n")).strip()
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
    mapping = np.fromiter(map(numbering.__getitem__, names), np.int32, len(names))
    return mapping[ids] if len(ids) else ids
