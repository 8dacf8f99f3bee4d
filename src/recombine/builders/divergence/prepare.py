"""From a corpus file to an encoded corpus, once: the result is kept under its fingerprint."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from recombine.builders.divergence.encode import BlockEncoder, Corpus, Unit, encode_corpus
from recombine.builders.divergence.parsing import parsed_text
from recombine.builders.engine import Engine, map_in_order
from recombine.builders.parsed import Block, is_parsed, open_text, read_blocks
from recombine.errors import ConfigError, DataError, Where
from recombine.files import read_json, sha256_of, write_json
from recombine.run import progress


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

    def run(self, workdir: Path) -> tuple[Corpus, list[int]]:
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
        return Corpus(directory), [int(end) for end in read_json(mark)["ends"]]

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

            encode_corpus(blocks(), directory, targets=targets, advance=bar.advance)  # type: ignore[arg-type]
        return ends

    def _read(self, path: Path) -> Iterator[Block]:
        if self.parser is None:
            if path.suffix in (".txt", ".jsonl") and not is_parsed(path):
                raise ConfigError(
                    f"{path} is not parsed", hint="give a parser, for instance parser=spacy:MODEL"
                )
            return read_blocks(path)
        return read_blocks(
            parsed_text(
                path,
                self.parser,
                cache=self.cache,
                engine=self.engine,
                workers=self.workers,
                address=self.address,
            )
        )

    def _targets(self) -> Iterator[str]:
        for path in self.target_corpora:
            with open_text(path) as stream:
                yield from stream
