"""Variants on the command line."""

from __future__ import annotations

import json

from recombine.cli import main


def test_sample_shows_variants(capsys):
    """Other wordings of each sentence, and with --review every variant once."""
    assert main(["sample", "sget", "--variants", "-n", "2", "--languages", "ja", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(len(row["ja, also"]) == 3 and row["ja"] not in row["ja, also"] for row in rows)
    assert main(["sample", "sget", "--variants", "--review", "--languages", "ja"]) == 0
    listed = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    (friend,) = [row for row in listed if row[:2] == ["synonym", "friend"]]
    assert friend[2:4] == ["ja", "友達"]
    assert friend[4].startswith("友人 | 友だち | ともだち | 友 | 仲間")
    assert {row[1] for row in listed if row[0] == "variant"} >= {"act/past_tr", "pp_in", "who_to"}
