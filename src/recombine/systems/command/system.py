"""Any program as a translation system: lines or JSONL over its stdin and stdout."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from recombine.errors import ConfigError
from recombine.parallel import signals_later
from recombine.systems.base import Failure
from recombine.systems.command.process import Child, RecordTooLong
from recombine.systems.command.records import JsonRecords, LineRecords, Records
from recombine.systems.secret import redact
from recombine.systems.settle import Item, settle

# What nearly every program needs to start at all; everything else must be named in `env`.
_ALWAYS_PASSED = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "SYSTEMROOT")
_SETTLE = 0.05  # seconds in which a line too many is expected to follow the last answer
_EXCERPT = 60
_SCRIPTS = (".py", ".sh", ".pl", ".rb", ".js", ".jl", ".lua", ".R", ".jar")


class Breakdown(NamedTuple):
    """Why an exchange stopped short; `slow`: no answer came in time, which may be the machine."""

    reason: str
    slow: bool = False


Exchange = tuple[dict[int, "str | Failure"], Breakdown | None]
"""The answers that can be trusted, by place, and why the exchange stopped short, if it did."""


_NO_ANSWER = Breakdown("no answer")


@dataclass(kw_only=True)
class Command:
    """Run a program, send it sources, read its translations.

    `long-lived` starts the program once and feeds it; `per-batch` starts it anew for every
    `batch_size` sources and closes its input. Lines carry no identity, so their answers are
    released block by block, after the count has been verified; JSONL answers carry the id they
    were asked with and may come in any order.
    """

    run: str | tuple[str, ...]
    format: Literal["lines", "jsonl"] = "lines"
    mode: Literal["long-lived", "per-batch"] = "per-batch"
    separator: str = "\n"
    batch_size: int = 64
    in_flight: int = 1
    cwd: Path | None = None
    env: tuple[str, ...] = ()
    shell: bool = False
    timeout: float = 300.0
    retries: int = 1
    give_up_after: int = 20
    record_limit: int = 1_000_000
    source_field: str = "source"
    answer_field: str = "translation"
    id_field: str = "id"
    _child: Child | None = field(init=False, default=None, repr=False)
    _starts: int = field(init=False, default=0, repr=False)
    _worked: Item | None = field(init=False, default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.run or not "".join(self.run).strip():
            raise ConfigError("'run' names no program", hint='run = ["./translate.sh", "en-ja"]')
        if self.shell and not isinstance(self.run, str):
            raise ConfigError("with 'shell' the command must be one text, not a list")
        if not self.separator:
            raise ConfigError("'separator' must not be empty")
        for name in ("batch_size", "in_flight", "give_up_after", "record_limit"):
            if getattr(self, name) < 1:
                raise ConfigError(f"'{name}' must be at least 1")
        if self.format == "jsonl" and self.separator != "\n":
            raise ConfigError("JSONL is separated by line breaks; leave 'separator' out")

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        """Yield one translation or one Failure per source, in order."""
        settled: dict[int, str | Failure] = {}
        due = 0
        items = [Item(place, source) for place, source in enumerate(sources)]
        try:
            for start in range(0, len(items), self.batch_size):
                for place, answer in self._settle_block(items[start : start + self.batch_size]):
                    settled[place] = answer
                    while due in settled:
                        yield settled.pop(due)
                        due += 1
        finally:
            if self.mode == "per-batch":
                self.close()

    def depends_on(self) -> tuple[Path, ...]:
        """The program where it lies beside the experiment, and the scripts that it is given.

        Other files are not known: some may be logs that change with every run.
        """
        first, *others = self.run.split() if isinstance(self.run, str) else self.run
        own = [first] if "/" in first and not Path(first).is_absolute() else []
        scripts = [word for word in (first, *others) if Path(word).suffix in _SCRIPTS]
        paths = [(self.cwd or Path()) / word for word in dict.fromkeys([*own, *scripts])]
        return tuple(path for path in paths if path.is_file())

    def outside(self) -> dict[str, str]:
        """The program, as a shell would be given it, and the variables that it gets."""
        started = {"runs": self.run if isinstance(self.run, str) else shlex.join(self.run)}
        if self.env:
            started["sends"] = f"the variables {', '.join(self.env)} to {self._argv()[0]}"
        return started

    def describe(self) -> dict[str, object]:
        """Say what ran, for the run's record."""
        return {"program": self._argv()[0], "starts": self._starts}

    def close(self) -> None:
        """End the program."""
        if self._child is not None:
            self._child.stop()
            self._child = None

    def _settle_block(self, block: list[Item]) -> Iterator[tuple[int, str | Failure]]:
        """Yield an answer or a Failure for every item, isolating the ones that break others."""
        sendable = []
        for item in block:
            if not item.source.strip():
                yield item.place, ""
            elif self.format == "lines" and self.separator in item.source:
                reason = 'the source contains the separator; use format = "jsonl"'
                yield item.place, Failure(reason, final=True)
            else:
                sendable.append(item)
        yield from settle(sendable, self._ask, self._retry)

    def _ask(self, part: list[Item]) -> Exchange:
        """Ask for some sources, and remember one that was answered."""
        answers, fault = self._exchange(part)
        answered = (item for item in part if isinstance(answers.get(item.place), str))
        self._worked = next(answered, self._worked)
        return answers, fault

    def _retry(self, item: Item, fault: Breakdown | None) -> str | Failure:
        """Try one sentence again.

        It is to blame if it fails while a sentence that worked before still works.
        """
        fault = fault or _NO_ANSWER
        for _ in range(self.retries):
            answers, again = self._exchange([item])
            if item.place in answers:
                return answers[item.place]
            fault = again or fault
        final = False
        if self._worked is not None and not fault.slow:
            known, _ = self._exchange([self._worked])
            final = isinstance(known.get(self._worked.place), str)
        return Failure(f"{_excerpt(item.source)}: {fault.reason}", final=final)

    def _exchange(self, part: list[Item]) -> Exchange:
        """Give the program some sources; return the answers that can be trusted and the fault."""
        child = self._started()
        records = self.records([item.place for item in part])
        whole_input = self.mode == "per-batch"
        ahead = len(part) if whole_input else self.in_flight
        sent = 0
        try:
            while True:
                while sent < len(part) and sent - records.received < ahead:
                    child.send(records.encode(part[sent].place, part[sent].source))
                    sent += 1
                    if whole_input and sent == len(part):
                        child.finish_input()
                if not whole_input and records.received >= len(part):
                    break
                record = child.receive(self.timeout)
                if record is None:
                    return self._ended(records, child, len(part))
                records.take(record)
                if records.received > len(part):
                    break
            extra = records.received > len(part)
            if self.format == "lines" and (extra or child.has_output(_SETTLE)):
                return self._broken(
                    records, f"the command printed more than {_lines(len(part))}", aligned=False
                )
        except TimeoutError:
            return self._broken(
                records,
                f"no answer within {self.timeout:g} s after {_lines(records.received)} "
                f"of {len(part)}",
                hint=" (does the program flush its output after every line?)" if sent else "",
                slow=True,
            )
        except RecordTooLong:
            return self._broken(
                records, f"more than {self.record_limit} bytes of output without a separator"
            )
        if records.problem is not None:
            return self._broken(records, records.problem)
        return records.answers, None

    def _ended(self, records: Records, child: Child, expected: int) -> Exchange:
        status = child.exit_status(self.timeout)
        if status != 0:
            records.drop_incomplete()
            what = f"exited with status {status}" if status is not None else "did not exit"
            return self._broken(
                records,
                f"the command {what} after {_lines(records.received)} of {expected}",
                # More lines than sources before the crash: the lines cannot be attributed.
                aligned=records.received <= expected,
            )
        if self.mode == "long-lived":
            return self._broken(
                records,
                f"the command ended after {_lines(records.received)} of {expected} "
                "while more sources were to come",
            )
        if records.problem is not None:
            return self._broken(records, records.problem)
        if self.format == "lines" and records.received != expected:
            return self._broken(
                records,
                f"the command printed {_lines(records.received)} for {expected} "
                f"source{'' if expected == 1 else 's'}",
                aligned=False,
            )
        self.close()
        if len(records.answers) < expected:
            return records.answers, Breakdown("the command gave no answer with this id")
        return records.answers, None

    def _broken(
        self,
        records: Records,
        reason: str,
        *,
        aligned: bool = True,
        hint: str = "",
        slow: bool = False,
    ) -> Exchange:
        child = self._child
        self.close()
        talk = child.stderr_tail() if child is not None else ""
        if talk:
            reason += f"; its stderr ends: {talk.splitlines()[-1][:300]}"
        reason = redact(reason + hint, self.env)
        return (records.answers if aligned else {}), Breakdown(reason, slow)

    def records(self, places: Sequence[int]) -> Records:
        """Return how these are asked and answered."""
        if self.format == "lines":
            return LineRecords(places)
        return JsonRecords(places, self.id_field, self.source_field, self.answer_field)

    def _argv(self) -> tuple[str, ...]:
        if isinstance(self.run, str):
            return (self.run,) if self.shell else tuple(shlex.split(self.run))
        return self.run

    def _started(self) -> Child:
        if self._child is not None and self.mode == "long-lived" and self._child.alive:
            return self._child
        self.close()
        names = (*_ALWAYS_PASSED, *self.env)
        missing = [name for name in self.env if name not in os.environ]
        if missing:
            raise ConfigError(f"environment variable {missing[0]}, named in 'env', is not set")
        argv = self._argv()
        try:
            with signals_later():
                self._child = Child(
                    argv[0] if self.shell else argv,
                    cwd=self.cwd,
                    environment={name: os.environ[name] for name in names if name in os.environ},
                    separator=self.separator.encode(),
                    record_limit=self.record_limit,
                )
        except OSError as error:
            raise ConfigError(
                f"cannot start '{argv[0]}': {error.strerror}",
                hint="is it installed, executable, and on the PATH seen from 'cwd'?",
            ) from error
        self._starts += 1
        return self._child


def _excerpt(source: str) -> str:
    return repr(source if len(source) <= _EXCERPT else source[: _EXCERPT - 1] + "…")


def _lines(count: int) -> str:
    return f"{count} line{'' if count == 1 else 's'}"
