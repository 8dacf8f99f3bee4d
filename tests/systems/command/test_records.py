"""Answers are attributed by position or by id, and never to a wrong source."""

from __future__ import annotations

import json

from recombine.systems.base import Failure
from recombine.systems.command.process import Record
from recombine.systems.command.records import JsonRecords, LineRecords


def test_lines_go_by_position():
    """The n-th line answers the n-th place; what is too much is counted, not attributed."""
    records = LineRecords([4, 9])
    for line in (b" a \r", b"b", b"c"):
        records.take(Record(line, complete=True))
    assert records.answers == {4: "a", 9: "b"}
    assert records.received == 3


def test_a_cut_off_line_is_dropped():
    """An answer the program died in the middle of does not count."""
    records = LineRecords([0, 1])
    records.take(Record(b"whole", complete=True))
    records.take(Record(b"hal", complete=False))
    records.drop_incomplete()
    assert records.answers == {0: "whole"}
    assert records.received == 1


def test_json_goes_by_id():
    """Order does not matter; strangers and doubles are reported."""
    records = JsonRecords([0, 1], "id", "source", "translation")
    assert json.loads(records.encode(1, "x\ny")) == {"id": 1, "source": "x\ny"}
    for answer in ({"id": 1, "translation": "b"}, {"id": 0, "translation": 5}, {"id": 7}):
        records.take(Record(json.dumps(answer).encode(), complete=True))
    assert records.answers[1] == "b"
    assert isinstance(records.answers[0], Failure)
    assert "line 3" in str(records.problem)
