"""How sources and translations are written as records of a program's input and output."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from recombine.files import parse_json
from recombine.systems.base import Failure, one_line
from recombine.systems.command.process import Record


class Records(Protocol):
    """The answers to one exchange, collected record by record."""

    answers: dict[int, str | Failure]
    received: int
    problem: str | None

    def encode(self, place: int, source: str) -> bytes:
        """Return the record that asks for a translation."""

    def take(self, record: Record) -> None:
        """Take in one record of output."""

    def drop_incomplete(self) -> None:
        """Forget an answer whose record was cut off."""


class LineRecords:
    """Plain text: the n-th answer belongs to the n-th source."""

    def __init__(self, places: Sequence[int]) -> None:
        self.answers: dict[int, str | Failure] = {}
        self.received = 0
        self.problem: str | None = None
        self._places = places
        self._cut_off = False

    def encode(self, place: int, source: str) -> bytes:
        """Return the source itself."""
        return source.encode("utf-8")

    def take(self, record: Record) -> None:
        """Attribute the answer by position; surrounding white space is not part of it."""
        self.received += 1
        if self.received > len(self._places):
            return
        place = self._places[self.received - 1]
        self._cut_off = not record.complete
        try:
            self.answers[place] = one_line(record.data.decode("utf-8")).strip()
        except UnicodeDecodeError as error:
            self.answers[place] = Failure(_not_utf8(error))

    def drop_incomplete(self) -> None:
        """Forget the last answer if the program was cut off inside it."""
        if self._cut_off and self.received <= len(self._places):
            del self.answers[self._places[self.received - 1]]
            self.received -= 1
            self._cut_off = False


class JsonRecords:
    """One JSON object per line; the answer repeats the id of its source."""

    def __init__(
        self, places: Sequence[int], id_field: str, source_field: str, answer_field: str
    ) -> None:
        self.answers: dict[int, str | Failure] = {}
        self.received = 0
        self.problem: str | None = None
        self._places = frozenset(places)
        self._id_field = id_field
        self._source_field = source_field
        self._answer_field = answer_field

    def encode(self, place: int, source: str) -> bytes:
        """Return an object with the id and the source."""
        asked = {self._id_field: place, **self.question(source)}
        return json.dumps(asked, ensure_ascii=False).encode("utf-8")

    def question(self, source: str) -> dict[str, Any]:
        """Return what is asked besides the id."""
        return {self._source_field: source}

    def reading(self, answer: Mapping[str, Any]) -> str | Failure:
        """Return what an answer says."""
        translation = answer.get(self._answer_field)
        if isinstance(translation, str):
            return one_line(translation).strip()
        return Failure(f"the answer has no text '{self._answer_field}'")

    def take(self, record: Record) -> None:
        """Attribute the answer by its id; what cannot be attributed becomes the problem."""
        if not record.data.strip():
            return
        self.received += 1
        problem = self._taken(record.data)
        if problem is not None and self.problem is None:
            self.problem = f"line {self.received} of its output {problem}"

    def drop_incomplete(self) -> None:
        """Nothing to forget: a cut-off object does not parse."""

    def _taken(self, data: bytes) -> str | None:
        try:
            answer = parse_json(data.decode("utf-8"))
        except UnicodeDecodeError:
            return "is not UTF-8"
        except ValueError:
            return "is not JSON"
        if not isinstance(answer, dict) or self._id_field not in answer:
            return f"has no '{self._id_field}'"
        place = answer[self._id_field]
        if type(place) is not int or place not in self._places:
            return f"answers the id {place!r}, which was not asked"
        if place in self.answers:
            return f"answers the id {place!r} again"
        self.answers[place] = self.reading(answer)
        return None


def _not_utf8(error: UnicodeDecodeError) -> str:
    return f"the answer is not UTF-8 (byte {error.start}: {error.reason})"
