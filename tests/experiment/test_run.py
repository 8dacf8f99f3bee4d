"""Run directories."""

import pytest

from recombine.errors import ConfigError
from recombine.experiment.run import Run


def test_cells_are_found_in_a_stable_order(tmp_path):
    """Seeds sort as numbers; what is no folder of a seed is none."""
    run = Run(tmp_path)
    for system, seed in (("b", 10), ("b", 2), ("a", 1)):
        run.cell(system, seed).update_record(x=1)
    (tmp_path / "a" / "seed-x").mkdir()
    (tmp_path / "a" / "seed-3").write_text("a file")
    assert [(cell.system, cell.seed) for cell in run.cells()] == [("a", 1), ("b", 2), ("b", 10)]


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden"])
def test_a_system_name_cannot_lead_out(tmp_path, name):
    """System names are folder names."""
    with pytest.raises(ConfigError):
        Run(tmp_path).cell(name, 1)


def test_records_add_up(tmp_path):
    """run.json keeps what other stages wrote."""
    cell = Run(tmp_path).cell("a", 1)
    cell.update_record(a=1)
    cell.update_record(b=2)
    assert cell.record() == {"a": 1, "b": 2}


def test_a_seed_below_zero_is_a_seed(tmp_path):
    """What a stage makes for a seed, the report finds."""
    Run(tmp_path).cell("a", -2).update_record(seed=-2)
    assert [cell.seed for cell in Run(tmp_path).cells()] == [-2]
