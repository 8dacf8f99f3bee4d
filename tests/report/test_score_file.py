"""Score files as columns, with and without the short way."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.errors import DataError
from recombine.files import dump_row
from recombine.report import score_file
from recombine.report.score_file import PLAIN_ROW, _details, _read_any, read_details, read_scores

names = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
numbers = st.floats(allow_nan=False)
details = st.dictionaries(st.sampled_from(["class", "how", "x}"]), names, max_size=3)
rows = st.builds(
    lambda key, ids, value, stats, detail: {
        "metric": "m", "key": key, **({"id": ids[0]} if len(ids) == 1 else {"ids": ids}),
        "value": value, "stats": stats, "detail": detail,
    },
    names, st.lists(names, min_size=1, max_size=3), numbers,
    st.lists(numbers, min_size=2, max_size=2), details,
)  # fmt: skip


@given(st.lists(rows, min_size=1, max_size=6))
def test_both_ways_read_the_same(tmp_path_factory, found):
    """Whatever a metric observed, columns and explanations are those of the JSON reader."""
    path = tmp_path_factory.mktemp("scores") / "m.gen.jsonl"
    path.write_bytes("".join(dump_row(row) + "\n" for row in found).encode())
    short, full = read_scores(path), _read_any(path)
    assert (short.keys, short.ids, short.labels) == (full.keys, full.ids, full.labels)
    assert np.array_equal(short.values, full.values)
    assert np.array_equal(short.stats, full.stats)
    wanted = {name for ids in short.ids[::2] for name in ids}
    told = {name: row for ids, row in _details(path) for name in ids if name in wanted}
    assert read_details(path, wanted) == told


def test_what_score_writes_is_read_the_short_way(tmp_path, monkeypatch):
    """Plain rows of sentences and of pairs need no JSON object per row."""
    path = tmp_path / "m.gen.jsonl"
    line = '{"metric":"m","key":"k%d","ids":["a%d","b"],"value":%s,"stats":[%s,2e-05],"detail":{}}'
    values = ("1.0", "NaN", "-Infinity")
    path.write_text("\n".join(line % (at, at, one, one) for at, one in enumerate(values)))
    assert len(PLAIN_ROW.findall(path.read_text())) == 3
    monkeypatch.setattr(score_file, "read_rows", lambda path: pytest.fail("read as JSON"))
    found = read_scores(path)
    assert found.keys == ["k0", "k1", "k2"]
    assert found.ids[2] == ("a2", "b")
    assert found.values[0] == 1
    assert math.isnan(found.values[1])
    assert found.stats[2].tolist() == [-math.inf, 2e-05]
    assert read_details(path, {"a1"}).keys() == {"a1"}


@pytest.mark.parametrize("value", ['"a"', "1.2.3", "", "01x"])
def test_a_value_that_is_no_number_names_its_line(tmp_path, value):
    """The short way gives up and the JSON reader says where the fault is."""
    path = tmp_path / "m.gen.jsonl"
    good = {"metric": "m", "key": "k", "id": "k", "value": 1.0, "stats": [1.0], "detail": {}}
    text = json.dumps(good, separators=(",", ":"))
    path.write_text(text + "\n" + text.replace("1.0,", value + ",") + "\n")
    with pytest.raises(DataError) as caught:
        read_scores(path)
    assert caught.value.where is not None
    assert caught.value.where.line == 2


def test_a_file_without_rows_has_no_observations(tmp_path):
    """A split on which a metric does not apply."""
    path = tmp_path / "m.gen.jsonl"
    path.write_text("")
    assert read_scores(path).keys == []
    assert read_details(path, {"a"}) == {}
