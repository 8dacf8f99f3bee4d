"""examples/reproduce-sget: what its scripts count."""

from __future__ import annotations

import runpy
from pathlib import Path

from recombine.benchmark import Example
from recombine.grammar.grammar import Grammar


def test_complement_clauses_that_were_left_out(repository: Path) -> None:
    """A clause too few, a sentence that is none, a right one; other patterns are not looked at."""
    script = runpy.run_path(str(repository / "examples" / "reproduce-sget" / "clauses.py"))
    deep = "Liam said that Emma thought that Olivia said that Noah ran."
    right = "リアムがエマがオリビアがノアが走ったと言ったと思ったと言った。"
    outputs = [right, "リアムがエマがノアが走ったと思ったと言った。", "リアムがと言った。", right]
    examples = [
        Example(id=str(n), source=deep, references=(right,), tags={"pattern": pattern})
        for n, pattern in enumerate(["cp_depth_3"] * 3 + ["cp_recursion"])
    ]
    assert script["count"](examples, outputs) == [(3, "", 1, 0), (3, "2", 1, 0), (3, "3", 1, 1)]


def test_shares_of_a_training_set(repository: Path, tmp_path: Path) -> None:
    """Depths without concatenations and single words, which are counted apart; overlaps."""
    script = runpy.run_path(str(repository / "examples" / "reproduce-sget" / "shares.py"))
    train = ["A book in a house on a road broke."] * 2 + ["jump"] * 3
    train += ["Liam saw the rare big book.", "Liam ran and Emma saw the book in a house."]
    for name, lines in (("train", train), ("dev", ["Liam saw the rare big book.", "Emma ran."])):
        (tmp_path / f"{name}.tsv").write_text("".join(f"{line}\t-\n" for line in lines))
    place = f"{tmp_path / 'train.tsv'},{tmp_path / 'dev.tsv'}"
    found = script["counts"](script["sources"](place), Grammar.load("sget", edition="official"))
    assert found["depth of pp", 2] == 2
    assert found["depth of pp", 1] == 0
    assert found["depth of adj", 2] == 1
    assert found["single words shown so often", 3] == 1
    assert found["also in train", "dev"] == 1
    assert found["different sentences", "train"] == 4
