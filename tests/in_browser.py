"""Pages in a real browser: opened, and waited for."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# A browser on a busy machine takes more than half a minute.
PATIENCE = 180


def visit(
    browser: Any, path: Path, fragment: str = "", **context: Any
) -> tuple[Any, list[str], list[str]]:
    """Open a page; return it with what it said on the console and what it asked for."""
    tab = browser.new_context(**context).new_page()
    tab.set_default_timeout(1000 * PATIENCE)
    messages: list[str] = []
    requests: list[str] = []
    tab.on("console", lambda message: messages.append(message.text))
    tab.on("pageerror", lambda error: messages.append(str(error)))
    tab.on("request", lambda request: requests.append(request.url))
    tab.goto(path.as_uri() + fragment)
    until(lambda: tab.evaluate("document.documentElement.dataset.ready") == "yes")
    return tab, messages, requests


def until(holds: Callable[[], bool]) -> None:
    """Wait in Python: the page's policy forbids the evaluation that waiting inside it needs."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "the page did not get there within three minutes"
        time.sleep(0.05)
