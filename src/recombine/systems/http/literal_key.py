"""Keys that somebody wrote into an experiment: refused, with the way to name them.

Options of a system are stored in every run (`experiment.json`, `run.json`, the meta files) and are
passed on with it. A key belongs into an environment variable, and its name into `key_env`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from recombine.errors import ConfigError

# What a header, a field or a parameter is called that holds a key: `X-Api-Key`, `apiKey`, `token`.
_SECRET = re.compile(
    r"(^|_)(key|apikey|token|secret|password|passwd|pwd|passphrase|auth|authorization|"
    r"authentication|credentials?|cookie|bearer|jwt)_?\d*$"
)
# Tokens of a model's vocabulary are no keys.
_VOCABULARY = re.compile(r"(^|_)(stop|eos|bos|pad|unk|sep|mask|cls|start|end)_token$")
# How keys of well-known services begin, wherever they stand.
_KNOWN = re.compile(
    r"\b(sk-|sk_|rk_|ghp_|gho_|github_pat_|glpat-|hf_|xox[abp]-|AIza|AKIA|ya29\.|eyJ)[\w.-]{12,}"
)
_SCHEME = re.compile(
    r"^\s*(Bearer|Basic|Token|ApiKey|Api-Key|DeepL-Auth-Key)\s+(?=\S)", re.IGNORECASE
)
_PLACEHOLDER = re.compile(r"\{[a-z_]+\}")
_SHORTEST = 6  # servers of one's own are given "none" or "EMPTY"


def require_no_literal_key(url: str, templates: Mapping[str, Any]) -> None:
    """Raise where an address or a template holds a key instead of its name."""
    parts = urlsplit(url)
    if parts.password or _is_key("", parts.username or ""):
        raise _refused("url", "a password")
    for name, value in parse_qsl(parts.query):
        if _is_key(name, value):
            raise _refused("url", f"a value for '{name}'")
    if _KNOWN.search(url):
        raise _refused("url", "a key")
    for option, template in templates.items():
        for name, value in _texts(template):
            if _is_key(name, value):
                raise _refused(option, f"a value for '{name}'" if name else "a key")


def _texts(template: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a template with the name that it stands under."""
    if isinstance(template, str):
        yield name, template
    elif isinstance(template, Mapping):
        for key, value in template.items():
            yield from _texts(value, str(key))
    elif isinstance(template, (list, tuple)):
        for value in template:
            yield from _texts(value, name)


def _is_key(name: str, value: str) -> bool:
    if _KNOWN.search(value):
        return True
    scheme = _SCHEME.match(value)
    literal = _PLACEHOLDER.sub("", _SCHEME.sub("", value)).strip()
    if len(literal) < _SHORTEST:
        return False
    if (
        scheme is not None
        and " " not in literal
        and any(character.isdigit() for character in literal)
    ):
        return True
    plain = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
    return bool(_SECRET.search(plain) and not _VOCABULARY.search(plain))


def _refused(option: str, what: str) -> ConfigError:
    return ConfigError(
        f"'{option}' holds {what}: a key in an experiment is stored in every run",
        hint='put it into an environment variable, name that with key_env = "NAME", and write '
        "{key} where it is sent, in a header or in the body",
    )
