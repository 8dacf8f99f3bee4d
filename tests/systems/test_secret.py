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
