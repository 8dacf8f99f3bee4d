"""Names lead to objects: built in, from a file, never silently to another."""

import re
import subprocess
import sys
import tomllib

import pytest

from recombine import registry
from recombine.cli import main
from recombine.config import options_of
from recombine.errors import ConfigError, MissingExtra


@pytest.mark.parametrize("kind", ["builder", "system", "metric"])
def test_every_built_in_name_can_be_loaded(kind):
    """A line in the table that leads nowhere would only be found by a user."""
    for name in registry.BUILT_IN[kind]:
        assert isinstance(registry.lookup(kind, name), type), name


@pytest.mark.parametrize("name", ["exat", "EXACT", "Exakt"])
def test_an_unknown_name_gets_a_suggestion(name):
    """A typo in a name is helped with, in any case of letters."""
    with pytest.raises(ConfigError) as caught:
        registry.lookup("metric", name)
    assert caught.value.hint == "did you mean 'exact'?"


def test_a_file_and_a_name_work_wherever_a_name_does(tmp_path):
    """Nobody has to package a class to try it."""
    path = tmp_path / "mine.py"
    path.write_text(
        "from dataclasses import dataclass\n"
        "@dataclass(kw_only=True)\n"
        "class Shout:\n"
        "    times: int = 1\n"
        "    def translate(self, sources):\n"
        "        return (s.upper() * self.times for s in sources)\n",
        encoding="utf-8",
    )
    system = registry.create("system", f"{path}:Shout", {"times": 2})
    assert list(system.translate(["a"])) == ["AA"]
    with pytest.raises(ConfigError, match="no 'Whisper'"):
        registry.lookup("system", f"{path}:Whisper")
    with pytest.raises(ConfigError, match="no file"):
        registry.lookup("system", f"{tmp_path}/none.py:X")


def test_two_files_of_one_name_are_two_modules(tmp_path):
    """`a/mine.py` and `b/mine.py` took each other's place."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text(f"class Mine:\n    where = {name!r}\n")
    first, second = (registry.lookup("system", f"{tmp_path}/{one}/mine.py:Mine") for one in "ab")
    assert (first.where, second.where) == ("a", "b")
    assert sys.modules[first.__module__] is not sys.modules[second.__module__]
    assert registry.lookup("system", f"{tmp_path}/a/mine.py:Mine") is first


def test_an_edited_file_is_imported_again(tmp_path):
    """In a notebook, one goes on writing."""
    path = tmp_path / "mine.py"
    path.write_text("class Mine:\n    version = 1\n")
    assert registry.lookup("system", f"{path}:Mine").version == 1
    path.write_text("class Mine:\n    version = 2\n")
    assert registry.lookup("system", f"{path}:Mine").version == 2


def test_a_barred_file_is_looked_at_and_not_run(tmp_path):
    """What can be known without running it is checked."""
    path = tmp_path / "mine.py"
    path.write_text("from other import Imported\nOther = 1\nclass Mine: ...\nraise ValueError\n")
    with registry.user_code_barred():
        for name in ("Mine", "Other", "Imported"):
            with pytest.raises(registry.NotImported):
                registry.lookup("system", f"{path}:{name}")
        with pytest.raises(ConfigError, match="has no 'Nine'"):
            registry.lookup("system", f"{path}:Nine")
        path.write_text("class Mine\n")
        with pytest.raises(ConfigError, match="not Python") as refused:
            registry.lookup("system", f"{path}:Mine")
    assert refused.value.where.line == 1


def test_a_plain_class_takes_its_options_as_keywords(tmp_path):
    """An outside author need not know dataclasses."""
    path = tmp_path / "plain.py"
    path.write_text(
        "class Plain:\n    def translate(self, sources):\n        return iter(sources)\n",
        encoding="utf-8",
    )
    assert registry.create("system", f"{path}:Plain", {}) is not None
    with pytest.raises(ConfigError, match="unknown key 'speed'"):
        registry.create("system", f"{path}:Plain", {"speed": 1})


def test_a_missing_package_names_its_extra():
    """The install line is exact."""
    with pytest.raises(MissingExtra) as caught:
        registry.require("no_such_package", extra="llm", feature="fine-tuning")
    assert "recombine[llm]" in (caught.value.hint or "")


def test_importing_the_package_imports_no_extra():
    """`import recombine` and the command line work without any of the heavy packages."""
    code = (
        "import sys, recombine, recombine.cli, recombine.benchmark, recombine.registry\n"
        "heavy = {'torch', 'transformers', 'spacy', 'numba', 'vl_convert', 'pyarrow', 'ray', "
        "'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert output.stdout.strip() == "[]"


def test_an_installed_package_adds_names(tmp_path, monkeypatch):
    """Entry points in the group recombine.systems are found like built-in names."""
    (tmp_path / "loud.py").write_text(
        "class Loud:\n"
        "    def translate(self, sources):\n"
        "        return (s + '!' for s in sources)\n"
    )
    info = tmp_path / "loud-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[recombine.systems]\nloud = loud:Loud\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "loud" in registry.names("system")
    assert list(registry.create("system", "loud", {}).translate(["a"])) == ["a!"]


# Packages whose module has another name, or that come along with another package.
PROVIDES = {"MeCab": "mecab-python3", "vl_convert": "vl-convert-python"}
COMES_WITH = {("spacy", "ja"): "ginza"}


def requirements(extras: dict[str, list[str]], extra: str) -> set[str]:
    """The packages of an extra, with those of the extras it names."""
    found = set()
    for line in extras[extra]:
        own = re.fullmatch(r"recombine\[(.*)\]", line)
        if own:
            found.update(*(requirements(extras, one) for one in own.group(1).split(",")))
        else:
            found.add(re.split(r"[<>=]", line)[0])
    return found


def test_every_install_line_installs_what_is_missing(repository):
    """An extra that an error names is there, and brings the module that was missed."""
    with (repository / "pyproject.toml").open("rb") as stream:
        extras = tomllib.load(stream)["project"]["optional-dependencies"]
    asked = re.compile(r'require\(\s*"([\w.]+)",\s*extra="(\w+)"')
    wrong = []
    calls = 0
    for path in (repository / "src").rglob("*.py"):
        for module, extra in asked.findall(path.read_text(encoding="utf-8")):
            calls += 1
            top = module.partition(".")[0]
            package = COMES_WITH.get((top, extra), PROVIDES.get(top, top.replace("_", "-")))
            if package not in requirements(extras, extra):
                wrong.append(f"{path.name}: {module} is not in [{extra}]")
    assert wrong == []
    assert calls > 20


def test_a_name_in_capitals_is_understood():
    """People write BLEU and chrF."""
    with pytest.raises(ConfigError) as error:
        registry.lookup("metric", "BLEU")
    assert error.value.hint == "did you mean 'bleu'?"


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("system", name) for name in sorted(registry.BUILT_IN["system"])),
        *(("metric", name) for name in ("command", "scores-file", "llm-judge")),
    ],
)
def test_every_option_is_explained(kind, name, capsys):
    """`recombine list NAME` says of each option what it means."""
    assert main(["list", name]) == 0
    block = capsys.readouterr().out.partition(f"{kind} {name}:")[2]
    block = block.partition("\npresets:")[0].partition("\nmetric ")[0].partition("\nsystem ")[0]
    known = {option.name for option in options_of(registry.lookup(kind, name))}
    lines = {line.split("  ", 1)[0]: line for line in block.splitlines()}
    rows = {option: line for option, line in lines.items() if option in known}
    assert set(rows) == known
    for option, line in rows.items():
        assert len([one for one in line.split("  ") if one.strip()]) == 4, option
