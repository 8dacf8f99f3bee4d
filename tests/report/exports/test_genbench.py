"""The GenBench card."""

from __future__ import annotations

import json

from recombine.registry import lookup, names
from recombine.report.exports import write_exports
from recombine.report.exports.genbench import AXES


def test_card_marks_one_value_per_axis(findings, tmp_path):
    """Five axes with one mark each."""
    json_path, tex_path = write_exports(findings, tmp_path, ("genbench",))
    assert len(json.loads(json_path.read_text())["axes"]) == 5
    assert tex_path.read_text().count(r"$\square$") == 5


def test_every_builder_has_values_of_the_taxonomy():
    """Places use the taxonomy's own words."""
    for place in (lookup("method", name).taxonomy for name in names("method")):
        for value, allowed in zip(place, AXES.values(), strict=True):
            assert value in allowed
