"""Score files as columns: what `score` wrote is read back."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recombine.benchmark import normalise
from recombine.errors import DataError
from recombine.files import write_jsonl
from recombine.metrics.exact import Exact
from recombine.metrics.observations import ObservationTable, measure_of
from recombine.metrics.slices import SplitExamples
from recombine.report.reading.observations import details_of, read_table
from recombine.report.reading.runs import Scores

# Files hold NFC.
names = st.text(st.characters(exclude_categories=("Cs",)), max_size=8).map(normalise)
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


def read(path: Path, told: set[str] | None = None) -> ObservationTable:
    """The file as a table of one system."""
    scores = Scores("s", 1, "m", "gen", None, path)
    return read_table(scores, measure_of(Exact(), "gen"), SplitExamples(), told)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(rows, min_size=1, max_size=6))
def test_what_was_written_is_read_back(tmp_path_factory, written):
    """Whatever a metric observed, in columns and, for the examples wanted, with its explanation."""
    path = tmp_path_factory.mktemp("scores") / "m.gen.jsonl"
    write_jsonl(path, written)
    found = read(path, set())
    assert list(found.keys) == [row["key"] for row in written]
    assert [list(ids) for ids in found.ids] == [row.get("ids") or [row["id"]] for row in written]
    assert found.values["s", 1].tolist() == [row["value"] for row in written]
    assert found.stats["s", 1].tolist() == [row["stats"] for row in written]
    classes = [row["detail"].get("class", "") for row in written]
    assert list(found.classes["s", 1]) == (classes if any(classes) else [])
    assert not any(found.details["s", 1])
    wanted = {name for ids in found.ids[::2] for name in ids}
    told = {name: (value, detail) for name, value, detail in details_of(read(path, wanted))}
    for name in wanted:
        last = [one for one in written if name in (one.get("ids") or [one["id"]])][-1]
        assert told[name] == (last["value"], last["detail"])


def test_numbers_that_are_none(tmp_path):
    """What JSON cannot say and Python writes is read too."""
    path = tmp_path / "m.gen.jsonl"
    line = '{"metric":"m","key":"k%d","ids":["a%d","b"],"value":%s,"stats":[%s,2e-05],"detail":{}}'
    values = ("1.0", "NaN", "-Infinity")
    path.write_text("\n".join(line % (at, at, one, one) for at, one in enumerate(values)))
    found = read(path)
    assert found.ids[2] == ("a2", "b")
    assert math.isnan(found.values["s", 1][1])
    assert found.stats["s", 1][2].tolist() == [-math.inf, 2e-05]


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ({"key": "b"}, "not an observation: 'ids'"),
        ({"key": "b", "id": "b", "value": "x", "stats": [1], "detail": {}}, "not an observation"),
        ({"key": "b", "id": "b", "value": 1, "stats": [1, 2], "detail": {}}, "differ in their"),
    ],
)
def test_a_row_that_is_no_observation_names_its_line(tmp_path, second, told):
    """With file and line."""
    path = tmp_path / "exact.gen.jsonl"
    first = {"key": "a", "id": "a", "value": 1, "stats": [1], "detail": {}}
    write_jsonl(path, [first, second])
    with pytest.raises(DataError, match=told) as caught:
        read(path)
    assert caught.value.where is not None
    assert caught.value.where.line == 2


def test_an_empty_file_has_no_rows(tmp_path):
    """Nothing observed is not a fault."""
    path = tmp_path / "exact.gen.jsonl"
    path.write_text("")
    assert list(read(path).rows()) == []


@pytest.mark.parametrize("value", ["1.2.3", "", "01x"])
def test_a_line_that_is_no_json_is_named(tmp_path, value):
    """All rows are read at once, and line by line only to say where the fault is."""
    path = tmp_path / "m.gen.jsonl"
    text = '{"metric":"m","key":"k","id":"k","value":1.0,"stats":[1.0],"detail":{}}'
    path.write_text(text + "\n" + text.replace("1.0,", value + ",") + "\n")
    with pytest.raises(DataError, match="not JSON") as caught:
        read(path)
    assert caught.value.where is not None
    assert caught.value.where.line == 2
