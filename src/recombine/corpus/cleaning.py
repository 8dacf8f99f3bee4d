"""Drop the pairs of a corpus that are not translated, or in another language.

A fifth of the German side of Europarl after 2011 is the speaker's own words, in English, French or
any other of the languages of that house. A model learns to copy from them, and every score of a
benchmark cut from them measures that too.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from recombine.corpus.conllu import TextBlock, parse_block, read_blocks
from recombine.errors import ConfigError, DataError
from recombine.files import read_aligned
from recombine.parallel import map_in_order
from recombine.progress import progress
from recombine.registry import require

# Below this probability the identifier is guessing: names, numbers, "Teil II". Of 4,000 German
# lines it named another language with less for 4, and 3 of those were German.
SURE = 0.2

_OPENS_DOCUMENT = re.compile(r"^#\s*newdoc id\s*=", re.MULTILINE)
Write = Callable[[bytes], object]


class CleanBlock(NamedTuple):
    """What is left of a block with its documents, how many sentences it had, why others left."""

    kept: list[tuple[str | None, str]]
    read: int
    removed: Counter[str]


class Cleaned(NamedTuple):
    """The result of cleaning a corpus."""

    read: int
    kept: int
    removed: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Cleaner:
    """What workers run on each block: keep the sentences whose two sides are what they should be.

    `source` is the language of the sentence itself, `target` names its translation.
    """

    source: str
    target: str

    def __call__(self, block: TextBlock) -> CleanBlock:
        """Return the block without the sentences that are not a translation."""
        sentences = list(parse_block(block).sentences())
        parts = _raw_sentences(block)
        removed: Counter[str] = Counter()
        kept: list[tuple[str | None, str]] = []
        for sentence, raw in zip(sentences, parts, strict=True):
            if self.target not in sentence.translations:
                languages = ", ".join(sentence.translations) or "none"
                raise DataError(
                    f"{block.path}: no translation '{self.target}'",
                    hint=f"translations here: {languages}",
                )
            reason = self.fault(sentence.text, sentence.translations[self.target])
            if reason is None:
                # A table names the document in every line.
                kept.append((sentence.document if block.columns is None else None, raw))
            else:
                removed[reason] += 1
        return CleanBlock(kept, len(sentences), removed)

    def fault(self, source: str, target: str) -> str | None:
        """Why a pair is no translation, or None."""
        if not target.strip():
            return "no translation"
        if not source.strip():
            return "no source"
        if source.strip() == target.strip():
            return "not translated"
        for side, text, wanted in (
            ("target", target, self.target),
            ("source", source, self.source),
        ):
            language, probability = _identifier().classify(text)
            if language != wanted and probability >= SURE:
                return f"{side} in {language}"
        return None


def clean_corpus(corpus: Path, out: Path, *, source: str, target: str, workers: int = 0) -> Cleaned:
    """Write the sentences of `corpus` that are translated, as they stand, to `out`."""
    _require_language(source)
    _require_language(target)
    if out.exists() and out.samefile(corpus):
        raise ConfigError(f"{out} is the corpus itself")
    out.parent.mkdir(parents=True, exist_ok=True)
    removed: Counter[str] = Counter()
    read = 0
    partial = out.with_name(f".{out.name}.partial")
    with progress("reading the corpus") as bar, _writer(partial, out.suffix) as write:
        blocks = _with_header(read_blocks(corpus), write)
        cleaner = Cleaner(source=source, target=target)
        opened = None
        for block in map_in_order(cleaner, blocks, workers=workers):
            for document, raw in block.kept:
                # The sentence that opened the document may be gone.
                if document != opened and not _OPENS_DOCUMENT.search(raw):
                    write(f"# newdoc id = {document}\n".encode())
                opened = document
                write(raw.encode())
            removed.update(block.removed)
            read += block.read
            bar.advance(block.read)
    partial.replace(out)
    return Cleaned(read, read - removed.total(), dict(removed.most_common()))


def clean_texts(texts: tuple[Path, Path], out: Path, *, source: str, target: str) -> Cleaned:
    """Write the lines of two aligned texts that are translations to `out.en` and `out.fr`.

    They are packed if `out` ends in .gz.
    """
    _require_language(source)
    _require_language(target)
    cleaner = Cleaner(source=source, target=target)
    packed = out.suffix == ".gz"
    stem = out.with_suffix("") if packed else out
    ends = [Path(f"{stem}.{code}{'.gz' if packed else ''}") for code in (source, target)]
    for end in ends:
        if any(end.exists() and end.samefile(text) for text in texts):
            raise ConfigError(f"{end} is the corpus itself")
    out.parent.mkdir(parents=True, exist_ok=True)
    partials = [end.with_name(f".{end.name}.partial") for end in ends]
    removed: Counter[str] = Counter()
    read = 0
    with (
        progress("reading the texts") as bar,
        _writer(partials[0], ends[0].suffix) as write_source,
        _writer(partials[1], ends[1].suffix) as write_target,
    ):
        for _, (text, other) in read_aligned(*texts):
            read += 1
            bar.advance()
            reason = cleaner.fault(text, other)
            if reason is not None:
                removed[reason] += 1
                continue
            write_source(text.encode() + b"\n")
            write_target(other.encode() + b"\n")
    for part, end in zip(partials, ends, strict=True):
        part.replace(end)
    return Cleaned(read, read - removed.total(), dict(removed.most_common()))


def _with_header(blocks: Iterator[TextBlock], write: Write) -> Iterator[TextBlock]:
    for number, block in enumerate(blocks):
        if number == 0 and block.columns is not None:
            write("\t".join(block.columns).encode() + b"\n")
        yield block


def _raw_sentences(block: TextBlock) -> list[str]:
    separator = "\n\n" if block.columns is None else "\n"
    return [
        part.strip("\n") + separator for part in block.text.split(separator) if part.strip("\r\n ")
    ]


@contextmanager
def _writer(path: Path, suffix: str) -> Iterator[Write]:
    if suffix in (".xz", ".bz2"):
        raise ConfigError(f"cannot write {suffix}", hint="write FILE.gz or plain text")
    with path.open("wb") as plain:
        if suffix != ".gz":
            yield plain.write
            return
        # Neither name nor time in the header: the same corpus gives the same bytes.
        with gzip.GzipFile("", "wb", fileobj=plain, mtime=0) as packed:
            yield packed.write


def _require_language(code: str) -> None:
    if code not in _identifier().labels:
        raise ConfigError(
            f"the language identifier does not know '{code}'",
            hint=f"it knows {', '.join(sorted(_identifier().labels))}",
        )


@lru_cache(maxsize=1)
def _identifier() -> Any:
    module = require(
        "py3langid.langid", extra="parse", feature="telling the language of a sentence"
    )
    return module.LanguageIdentifier.from_model_file(module.MODEL_FILE, norm_probs=True)
