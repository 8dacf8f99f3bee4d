"""Run directories and fingerprints."""

import pytest

from recombine.errors import ConfigError, StaleOutput
from recombine.experiment.run import Meta, Run, difference, set_aside


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


def test_a_stale_output_names_the_field(tmp_path):
    """Made from other inputs: refused, with the field and both values."""
    meta = Meta(tmp_path / "gen.jsonl")
    assert not meta.is_current({"seed": 1})
    meta.write({"seed": 1, "noise": 0.5}, complete=True)
    assert meta.is_current({"seed": 1, "noise": 0.5})
    with pytest.raises(StaleOutput, match=r"another 'noise': 0\.5 then, 0\.7 now"):
        meta.is_current({"seed": 1, "noise": 0.7})


def test_what_force_replaces_is_kept(tmp_path):
    """Files and folders get a number; their side file goes."""
    for _ in range(2):
        (tmp_path / "model").mkdir()
        Meta(tmp_path / "model").write({"a": 1}, complete=True)
        set_aside(tmp_path / "model")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.old-1", "model.old-2"]


def test_difference_sees_added_and_removed_fields():
    """Tuples and lists are the same thing once stored."""
    assert difference({"a": [1]}, {"a": (1,)}) is None
    assert difference({"a": 1}, {"a": 1, "b": 2}) == ("b", None, 2)


def test_difference_looks_into_options():
    """All options in one line, cut off, would look the same before and after."""
    old = {"options": {"preset": "tiny", "steps": 10}, "seed": 1}
    new = {"options": {"preset": "tiny", "steps": 30}, "seed": 1}
    assert difference(old, new) == ("options.steps", 10, 30)
    assert difference({"options": None}, new) == ("options", None, new["options"])


def test_a_seed_below_zero_is_a_seed(tmp_path):
    """What a stage makes for a seed, the report finds."""
    Run(tmp_path).cell("a", -2).update_record(seed=-2)
    assert [cell.seed for cell in Run(tmp_path).cells()] == [-2]


def test_a_difference_is_told_in_its_own_letters(tmp_path):
    """What was written in Japanese is read in Japanese."""
    meta = Meta(tmp_path / "gen.jsonl")
    meta.write({"name": "犬"}, complete=True)
    with pytest.raises(StaleOutput, match=r"犬.* then, .猫"):
        meta.is_current({"name": "猫"})
