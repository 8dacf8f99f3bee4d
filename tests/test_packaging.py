"""What users install: ranges that hold what the tests run with, one version, one name each."""

from __future__ import annotations

import re
import subprocess
import tomllib

import pytest

import recombine
from recombine.cli import main

packaging_requirements = pytest.importorskip("packaging.requirements")


@pytest.fixture(scope="module")
def project(repository):
    """The project table of pyproject.toml."""
    with (repository / "pyproject.toml").open("rb") as stream:
        return tomllib.load(stream)["project"]


def requirements(project):
    """Every requirement on somebody else's package."""
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    return [
        packaging_requirements.Requirement(line)
        for line in lines
        if not line.startswith("recombine[")
    ]


def pins(repository):
    """Package -> the version that `make setup` installs."""
    lines = (repository / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def test_the_tests_run_with_versions_that_users_may_have(project, repository):
    """Every pin is within the range, every package has one, and nothing else is pinned."""
    pinned = pins(repository)
    wanted = requirements(project)
    assert {one.name for one in wanted} == set(pinned)
    assert [one.name for one in wanted if pinned[one.name] not in one.specifier] == []


def test_users_get_ranges(project):
    """An exact version of a library would forbid every other package of the user's."""
    exact = [str(one) for one in requirements(project) if "==" in str(one.specifier)]
    assert exact == []
    named = project["optional-dependencies"]["all"][0]
    others = set(project["optional-dependencies"]) - {"all", "dev", "docs", "align"}
    assert set(re.findall(r"\w+", named.partition("[")[2])) == others


def test_there_is_one_version(project, repository):
    """Package, program, citation and release say the same."""
    citation = (repository / "CITATION.cff").read_text(encoding="utf-8")
    assert project["version"] == recombine.__version__
    assert f"\nversion: {recombine.__version__}\n" in citation


def test_a_shell_completes_verbs_options_and_recipes(capsys, tmp_path):
    """As typed into bash."""
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "completion.bash"
    script.write_text(capsys.readouterr().out, encoding="utf-8")
    asked = (
        f"source {script}; "
        'for line in "sc" "score --me" "build sget-m"; do '
        "COMP_WORDS=(recombine $line); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=(); "
        '_shtab_recombine; echo "${COMPREPLY[*]}"; done'
    )
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.splitlines() == ["score", "--metric", "sget-mini"]
