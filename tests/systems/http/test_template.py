"""Templates and paths describe a service without code, and say clearly when they cannot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.errors import ConfigError
from recombine.systems.http.template import (
    NotFound,
    fill_template,
    follow,
    placeholders,
    require_known,
    total,
)


@given(st.text())
def test_a_source_is_inserted_as_it_is(source):
    """Whatever a source contains, braces above all, arrives unchanged."""
    filled = fill_template({"a": ["x {source} y"], "b": "{source}"}, {"source": source})
    assert filled == {"a": [f"x {source} y"], "b": source}


def test_a_lone_placeholder_keeps_its_type():
    """A list stays a list, a number a number; doubled braces are braces."""
    assert fill_template("{sources}", {"sources": ["a", "b"]}) == ["a", "b"]
    assert fill_template({"n": 3, "t": "{{x}} {id}"}, {"id": 7}) == {"n": 3, "t": "{x} 7"}


def test_unknown_placeholders_are_found():
    """A misspelt name gets a suggestion."""
    assert placeholders({"a": ["{one}", {"b": "{two}"}], "c": 3}) == {"one", "two"}
    with pytest.raises(ConfigError) as error:
        require_known({"q": "{sorce}"}, {"source": ""}, "body")
    assert "{source}" in str(error.value.hint)


def test_paths_reach_into_objects_and_lists():
    """Dotted paths walk dictionaries and lists; a missing part is named."""
    reply = {"choices": [{"message": {"content": "uno"}}]}
    assert follow(reply, "choices.0.message.content") == "uno"
    assert follow("text", "") == "text"
    with pytest.raises(NotFound, match="1 items"):
        follow(reply, "choices.3.message")
    with pytest.raises(NotFound, match="'nope' is missing"):
        follow(reply, "choices.0.nope")


def test_totals_sum_over_a_star():
    """Counts of list items are added; what is not a number counts nothing."""
    reply = {"t": [{"n": 2}, {"n": 3}, {"n": "x"}], "u": {"n": 4.5}}
    assert total(reply, "t.*.n") == 5
    assert total(reply, "u.n") == 4.5
    assert total(reply, "no.such") is None  # not 0: nobody said so
