"""Request templates and answer paths: a JSON service described without code."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from recombine.errors import ConfigError

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([a-z_]+)\}")


_MOST = 1e15


class NotFound(Exception):
    """An answer does not have what the path asks for."""


def fill_template(template: Any, values: Mapping[str, Any]) -> Any:
    """Return the template with every ``{name}`` replaced.

    A text that is one placeholder only becomes the value itself, so ``"{sources}"`` becomes a
    list; inside longer texts values are inserted as text, in one pass, so that braces in a source
    are left alone. ``{{`` and ``}}`` stand for single braces.
    """
    if isinstance(template, Mapping):
        return {key: fill_template(item, values) for key, item in template.items()}
    if isinstance(template, (list, tuple)):
        return [fill_template(item, values) for item in template]
    if not isinstance(template, str):
        return template
    whole = _PLACEHOLDER.fullmatch(template)
    if whole and whole[1] is not None:
        return values[whole[1]]
    return _PLACEHOLDER.sub(
        lambda match: str(values[match[1]]) if match[1] is not None else match[0][0], template
    )


def placeholders(template: Any) -> set[str]:
    """Return the names a template mentions."""
    if isinstance(template, Mapping):
        return set().union(*map(placeholders, template.values()))
    if isinstance(template, (list, tuple)):
        return set().union(*map(placeholders, template))
    if isinstance(template, str):
        return {match[1] for match in _PLACEHOLDER.finditer(template) if match[1] is not None}
    return set()


def require_known(template: Any, known: Mapping[str, Any], option: str) -> None:
    """Refuse a template with a placeholder that means nothing."""
    for name in sorted(placeholders(template) - set(known)):
        close = difflib.get_close_matches(name, known, n=1)
        raise ConfigError(
            f"'{option}' uses {{{name}}}, which is not defined",
            hint=f"did you mean {{{close[0]}}}?"
            if close
            else f"defined: {', '.join('{' + placeholder + '}' for placeholder in known)}; "
            "write {{ and }} for plain braces",
        )


def follow(value: Any, path: str) -> Any:
    """Return what stands at a dotted path, such as ``choices.0.message.content``."""
    for part in path.split(".") if path else []:
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.lstrip("-").isdigit():
            try:
                value = value[int(part)]
            except IndexError:
                raise NotFound(f"no '{path}': the list has {len(value)} items") from None
        else:
            raise NotFound(f"no '{path}': '{part}' is missing")
    return value


def total(value: Any, path: str) -> float | None:
    """Return the sum of the numbers at a path in which ``*`` stands for every list item.

    None: there is no number, which is not the number 0.
    """
    head, star, tail = path.partition("*")
    try:
        element = follow(value, head.strip("."))
    except NotFound:
        return None
    if star:
        items = element if isinstance(element, list) else []
        numbers = [number for item in items if (number := total(item, tail.strip("."))) is not None]
        return sum(numbers) if numbers else None
    if isinstance(element, bool) or not isinstance(element, (int, float)):
        return None
    # What is reported goes into files; a number without end is no count.
    return float(element) if abs(element) < _MOST else None
