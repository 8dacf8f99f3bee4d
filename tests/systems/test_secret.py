"""Secrets are read by name and never leave in a message."""

from __future__ import annotations

import pytest

from recombine.errors import ConfigError
from recombine.systems.secret import read_secret, redact


def test_a_secret_is_read_by_name(monkeypatch):
    """The value comes from the environment; unset, blank and broken ones are refused."""
    monkeypatch.setenv("KEY", " sk-123456 ")
    assert read_secret("KEY") == "sk-123456"
    monkeypatch.setenv("KEY", "")
    with pytest.raises(ConfigError, match="KEY is not set"):
        read_secret("KEY")
    monkeypatch.setenv("KEY", "two\nlines")
    with pytest.raises(ConfigError, match="line break"):
        read_secret("KEY")


def test_messages_are_redacted(monkeypatch):
    """Values are replaced by names, longest first; short values are left alone."""
    monkeypatch.setenv("LONG", "secret-and-more")
    monkeypatch.setenv("PART", "secret")
    monkeypatch.setenv("THREADS", "2")
    text = redact("secret-and-more, secret, 2", ["PART", "LONG", "THREADS", "UNSET"])
    assert text == "[LONG], [PART], 2"


def test_a_key_is_redacted_as_json_and_addresses_write_it(monkeypatch):
    """A service that repeats it may have escaped it."""
    monkeypatch.setenv("A_KEY", "sk/a+b c")
    for written in ("sk/a+b c", "sk\\/a+b c", "sk/a%2Bb%20c"):
        assert redact(f"x {written} y", ["A_KEY"]) == "x [A_KEY] y"


@pytest.mark.parametrize("value", ["schlüssel", "a\x01b"])
def test_a_key_that_no_header_can_carry_is_refused(value, monkeypatch):
    """It was a traceback, in a file, of the request that could not be sent."""
    monkeypatch.setenv("A_KEY", value)
    with pytest.raises(ConfigError, match="A_KEY has characters"):
        read_secret("A_KEY")
