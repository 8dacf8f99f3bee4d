"""Recombined pairs as a folder: pairs.jsonl, certificate.json, README.md and review.html.

The folder appears whole or not at all. One that was made from the same pairs with the same options
is kept, any other is refused or, with `force`, replaced.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recombine.augment.files.certificate import card, certify, identity
from recombine.augment.files.inputs import PairSource
from recombine.augment.files.review import review_page
from recombine.augment.methods import draw, learn
from recombine.augment.options import AugmentOptions, Recombined
from recombine.errors import ConfigError, DataError, StaleOutput, Where
from recombine.files import (
    read_json,
    read_jsonl,
    replace_folder,
    sha256_of,
    write_json,
    write_jsonl,
    write_text,
)
from recombine.lock import lock_of, locked
from recombine.stage import refuse_output, require_same_key

PAIRS, CERTIFICATE, CARD, REVIEW = "pairs.jsonl", "certificate.json", "README.md", "review.html"
PATIENCE = 3600.0  # seconds to wait for the same pairs, which somebody else is making


@dataclass(frozen=True)
class AugmentedFolder:
    """A folder of recombined pairs."""

    path: Path
    certificate: dict[str, Any]
    made_now: bool = False

    @classmethod
    def open(cls, path: Path) -> AugmentedFolder:
        """Open a folder; the pairs must be those that its certificate speaks of."""
        if not (path / CERTIFICATE).is_file():
            raise DataError(f"{path} has no recombined pairs", hint="recombine augment --out DIR")
        certificate = read_json(path / CERTIFICATE)
        pairs = path / PAIRS
        if not pairs.is_file() or sha256_of(pairs) != certificate.get("pairs_sha256"):
            raise StaleOutput(
                "these are not the pairs that the certificate beside them speaks of "
                "(SHA-256 differs)",
                Where(str(pairs)),
                hint="make them again with --force, or restore them",
            )
        return cls(path, certificate)

    def pairs(self) -> Iterator[Recombined]:
        """Yield the pairs."""
        for row in read_jsonl(self.path / PAIRS):
            yield Recombined(
                row["source"], row["target"], tuple(row["parents"]), tuple(row["steps"]),
                row["depth"],
            )  # fmt: skip


def write_augmented(
    source: PairSource, options: AugmentOptions, out: Path, *, force: bool = False
) -> AugmentedFolder:
    """Recombine pairs into a folder; an up-to-date one is left as it is."""
    refuse_output(out)
    # Systems of one experiment that are trained side by side may want the same pairs.
    with locked(lock_of(out), wait=PATIENCE):
        return _write_augmented(source, options, out, force=force)


def _write_augmented(
    source: PairSource, options: AugmentOptions, out: Path, *, force: bool
) -> AugmentedFolder:
    existing = existing_folder(source, options, out, force=force)
    if existing is not None:
        return existing
    method = learn(source, options)
    found = draw(method, source, options)
    certificate = certify(source, options, found)
    partial = out.with_name(out.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        write_jsonl(partial / PAIRS, rows_of(found.pairs))
        certificate["pairs_sha256"] = sha256_of(partial / PAIRS)
        write_json(partial / CERTIFICATE, certificate)
        write_text(partial / CARD, card(certificate, out.name))
        write_text(partial / REVIEW, review_page(method.review(), out.name))
        replace_folder(partial, out)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return AugmentedFolder(out, certificate, made_now=True)


def existing_folder(
    source: PairSource, options: AugmentOptions, out: Path, *, force: bool
) -> AugmentedFolder | None:
    """Return what `out` holds already; raise where it must not be written."""
    refuse_output(out)
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return None
    if not (out / CERTIFICATE).is_file() or not (out / PAIRS).is_file():
        raise ConfigError(
            f"{out} exists and holds no recombined pairs; it is not replaced",
            hint="choose another --out",
        )
    if force:
        return None
    found = AugmentedFolder.open(out)
    now = identity(source, options)
    require_same_key(out, {name: found.certificate.get(name) for name in now}, now)
    return found


def rows_of(pairs: Iterable[Recombined]) -> Iterator[dict[str, Any]]:
    """Yield the rows of pairs.jsonl."""
    for pair in pairs:
        yield {
            "source": pair.source,
            "target": pair.target,
            "parents": list(pair.parents),
            "steps": list(pair.steps),
            "depth": pair.depth,
        }
