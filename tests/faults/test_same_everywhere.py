"""Same everywhere: hash seeds, locales, time zones, cores and threads change no byte."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from faults.inputs import contents, difference, write_inputs
from faults.launch import LIMIT

PLACES: dict[str, dict[str, str]] = {
    "PYTHONHASHSEED=0": {"PYTHONHASHSEED": "0"},
    "PYTHONHASHSEED=4711": {"PYTHONHASHSEED": "4711"},
    "LANG=C": {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "TZ=Pacific/Chatham": {"TZ": "Pacific/Chatham"},
    "OMP_NUM_THREADS=2": {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
}
COMMANDS = (
    "build recipe.toml --out made/generated",
    "build divergent.toml --out made/divergent",
    "augment benchmark -n 150 --out made/augmented",
    "run command.toml -o run=made/run",
)


def made(inputs, folder, python, environment, prefix=()):
    """What the commands make in a copy of the inputs, which hold the paths of their first place."""
    shutil.copytree(inputs, folder, dirs_exist_ok=True)
    for command in COMMANDS:
        done = subprocess.run(
            [*prefix, python, "-m", "recombine.cli", *command.split()],
            cwd=folder,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
    # The versions that made a run are told in it, and the command line of its program.
    return {
        name: text
        for name, text in contents(folder / "made").items()
        if not name.endswith(("run.json", "experiment.json", ".meta.json"))
    }


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """One benchmark for all."""
    folder = tmp_path_factory.mktemp("inputs") / "files"
    write_inputs(folder)
    return folder


@pytest.fixture(scope="module")
def expected(inputs, tmp_path_factory):
    """What is made here."""
    return made(inputs, tmp_path_factory.mktemp("here"), sys.executable, {})


@pytest.mark.parametrize("place", PLACES)
def test_no_place_changes_a_byte(place, inputs, expected, tmp_path, survive):
    """Benchmarks, recombined pairs, translations, scores and reports."""
    found = made(inputs, tmp_path, sys.executable, PLACES[place])
    survive("another place", place, difference(found, expected))


def test_one_core(inputs, expected, tmp_path, survive):
    """Work that is shared between processes gives the same with one."""
    if shutil.which("taskset") is None:
        pytest.skip("taskset is not installed")
    core = str(min(os.sched_getaffinity(0)))
    found = made(inputs, tmp_path, sys.executable, {}, ("taskset", "-c", core))
    survive("another place", "one core", difference(found, expected))


@pytest.mark.parametrize("python", os.environ.get("RECOMBINE_PYTHONS", "").split(":"))
def test_other_pythons(python, inputs, expected, tmp_path, survive):
    """RECOMBINE_PYTHONS=/path/to/python:... names others with Recombine, and other numpys."""
    if not python:
        pytest.skip("RECOMBINE_PYTHONS names no other Python")
    found = made(inputs, tmp_path, python, {})
    survive("another place", "another Python or numpy", difference(found, expected))
