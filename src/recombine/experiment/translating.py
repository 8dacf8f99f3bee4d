"""Translation: the resumable stage from sources to a file of hypotheses.

Rows are appended as the system yields them. A killed run goes on with the ids that are missing; a
sentence that failed is noted beside the file and tried again next time; a finished file is put
into source order, so that an interrupted run ends in the same bytes as an uninterrupted one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine.errors import SystemFailure
from recombine.experiment.run import Meta, set_aside
from recombine.files import Appender, write_jsonl
from recombine.progress import progress
from recombine.systems.base import Failure, System, one_line


class SourceSentence(NamedTuple):
    """A sentence to translate. The stage hands systems nothing else: never a reference."""

    id: str
    text: str


def translate_to_file(
    system: System,
    sources: Sequence[SourceSentence],
    path: Path,
    fingerprint: Mapping[str, Any],
    *,
    force: bool = False,
    description: str = "translate",
) -> int:
    """Complete the translations file at `path`; return how many sentences were translated now."""
    meta = Meta(path)
    if force:
        set_aside(path)
    if meta.is_current(fingerprint):
        return 0
    meta.write(fingerprint, complete=False)
    with Appender(path) as output:
        known = {source.id for source in sources}
        done = {row["id"]: row for row in output.rows if row.get("id") in known}
        missing = [source for source in sources if source.id not in done]
        failures = []
        with progress(description, len(sources)) as bar:
            bar.advance(len(done))
            for source, hypothesis in zip(missing, _translate(system, missing), strict=True):
                if isinstance(hypothesis, Failure):
                    failures.append({"id": source.id, "error": hypothesis.reason})
                else:
                    row = {"id": source.id, "hyp": one_line(hypothesis)}
                    output.append(row)
                    done[source.id] = row
                bar.advance()
    errors = path.with_name(path.name.removesuffix(".jsonl") + ".errors.jsonl")
    if failures:
        write_jsonl(errors, failures)
        raise SystemFailure(
            f"{len(failures)} of {len(sources)} sentences could not be translated; "
            f"the first ({failures[0]['id']}): {failures[0]['error']}",
            hint=f"the others are kept in {path}; run the same command again to retry",
        )
    errors.unlink(missing_ok=True)
    write_jsonl(path, (done[source.id] for source in sources))
    meta.write(fingerprint, complete=True, sentences=len(sources))
    return len(missing)


def _translate(system: System, missing: Sequence[SourceSentence]) -> Iterator[str | Failure]:
    """Yield exactly one answer per source, or say at which sentence the count went wrong."""
    if not missing:
        return
    count = 0
    for hypothesis in system.translate([source.text for source in missing]):
        if count == len(missing):
            raise SystemFailure(
                f"the system returned more than {len(missing)} translations",
                hint=f"the first one too many: {hypothesis!r}"[:200],
            )
        if not isinstance(hypothesis, (str, Failure)):
            raise SystemFailure(
                f"the system returned {type(hypothesis).__name__} instead of text "
                f"for sentence {missing[count].id}"
            )
        yield hypothesis
        count += 1
    if count < len(missing):
        raise SystemFailure(
            f"the system returned {count} translations for {len(missing)} sentences; "
            f"the first without one is {missing[count].id}: {missing[count].text!r}"
        )
