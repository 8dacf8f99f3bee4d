"""Pages are written by Jinja2 templates (data/templates/), which escape every text.

A template gets plain values. What is HTML already (a drawing, the result of another template) is
`Markup`, and no other text is.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recombine.registry import data_path

if TYPE_CHECKING:  # 50 ms that --help need not wait for
    from jinja2 import Environment
    from markupsafe import Markup

# Nothing may be fetched, and nothing but an inlined script may run.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)


def number(value: float | None, decimals: int = 1) -> str:
    """A number with fixed decimals and a true minus sign; a dash when there is none."""
    if value is None or value != value:
        return "–"
    return f"{value:,.{decimals}f}".replace("-", "−")


def signed(value: float, decimals: int = 1) -> str:
    """A difference with its sign always shown."""
    return ("+" if value >= 0 else "−") + number(abs(value), decimals)


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def capital(text: str) -> str:
    """With a capital at its beginning; names that have one inside (chrF++) stay as they are."""
    first = text.partition(" ")[0]
    return text if first != first.lower() else text[:1].upper() + text[1:]


@functools.cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(data_path("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "signed": signed, "capital": capital}
    return environment


def render(name: str, /, **values: Any) -> Markup:
    """Return what a template makes of these values: HTML, which no other template escapes again."""
    from markupsafe import Markup

    return Markup(_environment().get_template(f"{name}.html").render(**values))


def asset(*names: str) -> Markup:
    """Shipped scripts or styles (data/page/), one behind the other, as they are."""
    from markupsafe import Markup

    return Markup("\n".join(data_path("page", name).read_text(encoding="utf-8") for name in names))


def policy(script: str = "") -> Markup:
    """The policy of a page: it loads nothing, and this script runs and no other."""
    from markupsafe import Markup

    if not script:
        return Markup(_POLICY)
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode()
    return Markup(f"{_POLICY}; script-src 'sha256-{digest}'")
