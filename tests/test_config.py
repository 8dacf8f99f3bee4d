"""Configuration is strict and says where a mistake stands."""

from __future__ import annotations

import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.config import (
    apply_overrides,
    dump_toml,
    options_of,
    parse_config,
    read_toml,
    to_plain,
)
from recombine.errors import ConfigError, Problems
from recombine.registry import create


@dataclass(frozen=True, kw_only=True)
class Inner:
    """A nested table."""

    size: int = 3
    names: tuple[str, ...] = ()


@dataclass(kw_only=True)
class Outer:
    """A configuration with one of everything."""

    path: Path
    mode: Literal["a", "b"] = "a"
    rate: float = 0.5
    flag: bool = False
    maybe: int | None = None
    inner: Inner = field(default_factory=Inner)
    tables: dict[str, Inner] = field(default_factory=dict)
    _private: int = field(init=False, default=0)


def document(tmp_path: Path, text: str):
    """Write and read a TOML file."""
    path = tmp_path / "c.toml"
    path.write_text(text, encoding="utf-8")
    return read_toml(path)


def test_every_type_is_read(tmp_path):
    """Strings become paths, whole numbers floats, tables dataclasses."""
    text = 'path = "x"\nrate = 1\nmaybe = 2\n[inner]\nnames = ["n"]\n[tables.t]\nsize = 9\n'
    read = document(tmp_path, text)
    found = parse_config(Outer, read.data, document=read)
    assert found.path == Path("x")
    assert found.rate == 1.0
    assert found.inner.names == ("n",)
    assert found.tables["t"].size == 9


def test_an_unknown_key_names_line_and_suggestion(tmp_path):
    """A typo is never ignored."""
    read = document(tmp_path, 'path = "x"\n\n[inner]\nsise = 2\n')
    with pytest.raises(ConfigError) as caught:
        parse_config(Outer, read.data, document=read)
    assert caught.value.where is not None
    assert caught.value.where.line == 4
    assert caught.value.hint == "did you mean 'size'?"


def test_all_problems_are_reported_at_once(tmp_path):
    """Unknown, missing and mistyped keys come together."""
    read = document(tmp_path, 'mode = "c"\nrate = "fast"\n')
    with pytest.raises(Problems) as caught:
        parse_config(Outer, read.data, document=read)
    assert len(caught.value.problems) == 3


def test_a_text_for_a_list_is_shown_as_one():
    """-o names=a is what a stranger types first."""
    with pytest.raises(ConfigError, match=r"'inner\.names' must be a list of text") as caught:
        parse_config(Outer, {"path": "x", "inner": {"names": "a"}})
    assert caught.value.hint == "-o 'inner.names=[\"a\"]'"


def test_a_syntax_error_has_a_line(tmp_path):
    """Broken TOML is shown where it breaks."""
    with pytest.raises(ConfigError) as caught:
        document(tmp_path, "a = 1\nb = = 2\n")
    assert caught.value.where is not None
    assert caught.value.where.line == 2


def test_a_file_that_is_not_utf8_is_refused(tmp_path):
    """Encodings are not guessed."""
    path = tmp_path / "c.toml"
    path.write_bytes(b'a = "\xff"\n')
    with pytest.raises(ConfigError, match="not UTF-8"):
        read_toml(path)


@pytest.mark.parametrize(
    ("override", "expected"),
    [("a.b=1", 1), ("a.b=true", True), ('a.b=["x", 2]', ["x", 2]), ("a.b=word", "word"),
     ("a.b=x=y", "x=y"), ("a.b=", ""), ("a.b=.3", 0.3), ("a.b=-.25", -0.25), ("a.b=.x", ".x")],
)  # fmt: skip
def test_overrides_are_toml_or_text(override, expected):
    """-o values keep their TOML type; what is not TOML is a string."""
    assert apply_overrides({}, [override]) == {"a": {"b": expected}}


def test_an_override_does_not_change_the_original():
    """Presets are shared between runs."""
    data = {"a": {"b": 1}}
    apply_overrides(data, ["a.b=2"])
    assert data == {"a": {"b": 1}}


def test_an_override_through_a_scalar_is_refused():
    """a=1 cannot hold a.b."""
    with pytest.raises(ConfigError, match="not a table"):
        apply_overrides({"a": 1}, ["a.b=2"])


PLAIN = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), PLAIN, max_size=4))
def test_what_is_dumped_reads_back(data: dict[str, Any]):
    """read(dump(x)) == x for all plain data TOML can hold."""
    if any("\r" in text or text >= "\ud800" for text in map(str, data)):
        return
    try:
        text = dump_toml(data)
        text.encode("utf-8")
    except UnicodeEncodeError:
        return
    assert tomllib.loads(text) == data


def test_plain_data_round_trips():
    """The resolved configuration that is stored makes the same object again."""
    value = Outer(path=Path("x"), tables={"t": Inner(size=1)})
    plain = {key: item for key, item in to_plain(value).items() if item is not None}
    assert parse_config(Outer, plain) == value


def test_options_are_listed_from_the_dataclass():
    """The class is the documentation."""
    assert [option.name for option in options_of(Outer)][:2] == ["path", "mode"]
    assert options_of(Outer)[0].default == "required"


@pytest.mark.parametrize("text", ["a = " + "[" * 5_000, "a = " + "1" * 5_000])
def test_toml_that_python_chokes_on_is_a_fault(text, tmp_path):
    """It was a traceback."""
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"a\.toml"):
        read_toml(tmp_path / "a.toml")
    assert apply_overrides({}, [text.replace(" ", "")])["a"] == text[4:]


def test_what_would_fill_the_memory_is_refused(tmp_path):
    """A key of 50,000 parts in 100 KB took Python's parser 8 GB."""
    path = tmp_path / "c.toml"
    many = ".".join("a" * 50_000)
    for text in (f"{many} = 1\n", f"x = 1\n[{many}]\n", f"x = {{ {many} = 1 }}\n", "a . " * 9_999):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError, match="a key of more than 100 parts") as refused:
            read_toml(path)
        assert refused.value.where.line == text[: text.index(".")].count("\n") + 1
    path.write_text('a.b.c = "' + "1.5 " * 5000 + '"\n', encoding="utf-8")
    assert read_toml(path).data


def test_many_mistakes_are_placed_in_one_reading(tmp_path):
    """Each looked through the whole file for its line: 400 kB of unknown tables took minutes."""
    path = tmp_path / "x.toml"
    tables = (".".join([f"a{number}", *["b"] * 98]) for number in range(1_000))
    path.write_text("".join(f"[{table}]\n" for table in tables))
    began = time.process_time()
    read = read_toml(path)
    with pytest.raises(Problems) as caught:
        parse_config(Outer, read.data, document=read)
    assert len(caught.value.problems) >= 1_000
    assert time.process_time() - began < 10


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_numbers_are_finite(value, tmp_path):
    """TOML has others; they ended in a traceback far from their line, or in no result."""
    read = document(tmp_path, f'path = "x"\nrate = {value}\n')
    with pytest.raises(ConfigError, match=f"'rate' must be a finite number, not {value}") as caught:
        parse_config(Outer, read.data, document=read)
    assert caught.value.where is not None
    assert caught.value.where.line == 2


def test_options_of_recombine_are_not_negative():
    """Minus three passes are none; a class from elsewhere says itself what it takes."""
    for kind, name, options in (
        ("builder", "divergent", {"corpus": "x", "passes": -3}),
        ("system", "transformer", {"clip_norm": -0.5}),
        ("metric", "chrf", {"beta": -1}),
    ):
        with pytest.raises(ConfigError, match="must not be negative, not -"):
            create(kind, name, options)
    assert parse_config(Inner, {"size": -3}).size == -3


def test_a_path_with_nul_is_no_path(tmp_path):
    """The operating system raises where it is opened, far from where it was written."""

    @dataclass
    class Reading:
        path: Path

    with pytest.raises(ConfigError, match="'path' is no path"):
        parse_config(Reading, {"path": "a\0b"})
