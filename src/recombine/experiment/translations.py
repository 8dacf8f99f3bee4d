"""Translations: the file of a split's hypotheses, completed as far as a system can.

Rows are appended as the system yields them, failures to a file beside it. A killed run goes on with
the ids that are missing. A sentence that was lost is tried again by the next run, one that was
refused for good is not. Answers outside the present sample are kept aside and come back when they
are wanted. A finished file is in source order, so that an interrupted run ends in the same bytes as
an uninterrupted one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine.errors import DataError, RecombineError, StaleOutput, SystemFailure, Where
from recombine.experiment.failures import SentencesRefused
from recombine.files import Appender, read_jsonl, sha256_of, write_jsonl
from recombine.progress import progress
from recombine.stage import Meta, set_aside
from recombine.systems.base import Failure, System, answers, one_line

# A translation does not depend on which other sentences were asked for.
GROWING = ("sample",)
# A program that was mended is asked for what failed alone (`retry`).
MENDED = ("code", "code_version")
REFUSED = "--accept-failures goes on without them, --retry asks for them again"


class SourceSentence(NamedTuple):
    """A sentence to translate. The stage hands systems nothing else: never a reference."""

    id: str
    text: str


class FailedSentence(NamedTuple):
    """A sentence without a translation, after so many runs that tried."""

    id: str
    error: str
    final: bool = False
    tries: int = 1


class Translated(NamedTuple):
    """What there is of a translations file: how many came now, who failed, how many are empty."""

    path: Path
    now: int
    sentences: int
    failed: tuple[FailedSentence, ...]
    empty: int = 0

    @property
    def final(self) -> bool:
        """Whether every sentence that failed was refused for good."""
        return all(sentence.final for sentence in self.failed)

    def problem(self) -> SystemFailure:
        """Return what to say of the sentences that failed."""
        again = sum(not sentence.final for sentence in self.failed)
        kind = SystemFailure if again else SentencesRefused
        return kind(
            f"{len(self.failed):,} of {self.sentences:,} sentences of {self.path.stem} could not "
            f"be translated; the first ({self.failed[0].id}): {self.failed[0].error}",
            hint=f"listed in {errors_of(self.path)}; "
            + (f"run again to retry {again:,} of them" if again else REFUSED),
        )


def errors_of(path: Path) -> Path:
    """Return the file of the sentences of a translations file that failed."""
    return path.with_name(path.name.removesuffix(".jsonl") + ".errors.jsonl")


def others_of(path: Path) -> Path:
    """Return the file of answers to sentences that the present sample leaves out."""
    return path.with_name(path.name + ".others")


def is_translated(path: Path, fingerprint: Mapping[str, Any], *, retry: bool = False) -> bool:
    """Return True when nothing is left to do; raise when the file was made from other inputs.

    A file that somebody took rows from is not finished, whatever was noted of it. With `retry` one
    with failures is not, and the system's own code may have changed.
    """
    meta = Meta(path)
    mended = (*GROWING, *MENDED)
    noted = meta.read() or {}
    try:
        current = meta.is_current(fingerprint, growing=mended if retry else GROWING)
    except StaleOutput as error:
        if not noted.get("failed"):
            raise
        meta.is_current(fingerprint, growing=mended)  # raises, if more than the program differs
        error.hint = "--retry asks the mended program for what failed alone; --force for everything"
        raise
    if not current or not _is_whole(path, noted):
        return False
    return not (retry and noted.get("failed"))


def _is_whole(path: Path, noted: Mapping[str, Any]) -> bool:
    """Whether translations and failures are all there, as they were when they were noted."""
    if "sha256" not in noted:
        return True  # noted before hashes were
    lost = sum(1 for _ in _failed(_rows(errors_of(path)))) if noted.get("failed") else 0
    return path.is_file() and sha256_of(path) == noted["sha256"] and lost == noted.get("failed")


def read_translated(path: Path) -> Translated:
    """Return what is known of a file that nothing was added to now."""
    refused = _failed(_rows(errors_of(path)))
    noted = Meta(path).read() or {}
    return Translated(
        path, 0, noted.get("sentences", 0), tuple(refused.values()), noted.get("empty", 0)
    )


def stored_hypotheses(path: Path) -> dict[str, str]:
    """Return id -> hypothesis of a translations file."""
    hypotheses: dict[str, str] = {}
    for number, row in enumerate(read_jsonl(path), start=1):
        if not _is_translation(row):
            raise DataError('a row needs the texts "id" and "hyp"', Where(str(path), number))
        if row["id"] in hypotheses:
            raise DataError(f"duplicate id '{row['id']}'", Where(str(path), number))
        hypotheses[row["id"]] = row["hyp"]
    return hypotheses


def _is_translation(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("id"), str) and isinstance(row.get("hyp"), str)


def answered(path: Path) -> set[str]:
    """Return the ids that would not be asked for again."""
    rows = [*_rows(path), *_rows(others_of(path))]
    ids = {row["id"] for row in rows if _is_translation(row)}
    return ids | {
        sentence.id for sentence in _failed(_rows(errors_of(path))).values() if sentence.final
    }


def translate_to_file(
    system: System,
    sources: Sequence[SourceSentence],
    path: Path,
    fingerprint: Mapping[str, Any],
    *,
    force: bool = False,
    retry: bool = False,
    description: str = "translate",
    known_answers: Mapping[str, str] | None = None,
    note: Callable[[], None] = lambda: None,
) -> Translated:
    """Complete the translations file at `path`, as far as the system can.

    With `retry` sentences that were refused for good are asked for again, and what was translated
    before the system's code was mended is kept. Sentences of `known_answers`, by id, are not asked
    for. `note` is called in any case, before the file counts as complete, because a complete file
    is not visited again.
    """
    meta, errors = Meta(path), errors_of(path)
    if force:
        set_aside(path)
        set_aside(others_of(path))
        errors.unlink(missing_ok=True)
    if is_translated(path, fingerprint, retry=retry):
        return read_translated(path)
    kept = _kept(meta, fingerprint) if retry else {}
    meta.write(fingerprint, complete=False, sentences=len(sources), failed=0, **kept)
    ids = [source.id for source in sources]
    translated = {row["id"]: row for row in _rows(others_of(path)) if _is_translation(row)}
    failed: dict[str, FailedSentence] = {}
    count = 0
    # Before anything is settled: a file that cannot be read stays as it is.
    output, noted = Appender(path), Appender(errors)
    try:
        with output, noted:
            translated |= {row["id"]: row for row in output.rows if _is_translation(row)}
            fresh = [
                source.id
                for source in sources
                if source.id in (known_answers or {}) and source.id not in translated
            ]
            translated |= {
                identity: {"id": identity, "hyp": one_line((known_answers or {})[identity])}
                for identity in fresh
            }
            count += len(fresh)
            before = _failed(noted.rows)
            failed = {
                identity: before[identity]
                for identity in ids
                if identity in before and identity not in translated
            }
            # Sentences that keep failing come last: they must not keep the others waiting.
            asked = sorted(
                (
                    source
                    for source in sources
                    if source.id not in translated
                    and (retry or not (source.id in failed and before[source.id].final))
                ),
                key=lambda source: before[source.id].tries if source.id in before else 0,
            )
            with progress(description, len(sources)) as bar:
                bar.advance(len(sources) - len(asked))
                given = answers(system, [source.text for source in asked], worked=bool(translated))
                for source, answer in zip(asked, given, strict=True):
                    if isinstance(answer, Failure):
                        tries = 1 + (failed[source.id].tries if source.id in failed else 0)
                        lost = FailedSentence(source.id, answer.reason, answer.final, tries)
                        failed[source.id] = lost
                        noted.append(lost._asdict())
                    else:
                        row = {"id": source.id, "hyp": one_line(answer)}
                        output.append(row)
                        translated[source.id] = row
                        failed.pop(source.id, None)
                        count += 1
                    bar.advance()
    except RecombineError:
        if not translated:
            # It never worked: what it refused may be right once its options are.
            failed = {identity: lost._replace(final=False) for identity, lost in failed.items()}
        raise
    finally:
        _settle(path, ids, translated, failed)
        note()
        done = sum(identity in translated or _is_final(failed, identity) for identity in ids)
        meta.write(
            fingerprint,
            complete=done == len(ids),
            sentences=len(ids),
            failed=len(failed),
            empty=_empty(sources, translated),
            sha256=sha256_of(path),
            **kept,
        )
    without = tuple(failed[identity] for identity in ids if identity in failed)
    return Translated(path, count, len(ids), without, _empty(sources, translated))


def _kept(meta: Meta, fingerprint: Mapping[str, Any]) -> dict[str, Any]:
    """What a file says of the code of its system before that was mended: the rows are of both."""
    noted = meta.read() or {}
    then = noted.get("fingerprint", {})
    before = {
        name: then[name] for name in MENDED if name in then and then[name] != fingerprint.get(name)
    }
    codes = [*noted.get("before", ()), *([before] if before else ())]
    return {"before": codes} if codes else {}


def _empty(sources: Sequence[SourceSentence], translated: Mapping[str, Mapping[str, Any]]) -> int:
    """How many sentences with words have a translation without any."""
    return sum(
        source.id in translated and not translated[source.id]["hyp"].strip()
        for source in sources
        if source.text.strip()
    )


def _settle(
    path: Path,
    ids: Sequence[str],
    translated: Mapping[str, Mapping[str, Any]],
    failed: Mapping[str, FailedSentence],
) -> None:
    """Write three files: these sentences in order, those of other samples, and failures."""
    inside = set(ids)
    others = [row for identity, row in translated.items() if identity not in inside]
    if others:  # before they leave the file that is written next
        write_jsonl(others_of(path), others)
    write_jsonl(path, (translated[identity] for identity in ids if identity in translated))
    if not others:
        others_of(path).unlink(missing_ok=True)
    if failed:
        write_jsonl(
            errors_of(path),
            (failed[identity]._asdict() for identity in ids if identity in failed),
        )
    else:
        errors_of(path).unlink(missing_ok=True)


def _is_final(failed: Mapping[str, FailedSentence], identity: str) -> bool:
    return identity in failed and failed[identity].final


def _rows(path: Path) -> list[dict[str, Any]]:
    return list(read_jsonl(path)) if path.exists() else []


def _failed(rows: Sequence[Mapping[str, Any]]) -> dict[str, FailedSentence]:
    """Return noted failures by id, the last of each."""
    return {
        row["id"]: FailedSentence(
            row["id"], row["error"], row.get("final", False), row.get("tries", 1)
        )
        for row in rows
        if isinstance(row.get("id"), str) and isinstance(row.get("error"), str)
    }
