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


def test_words_verbs_and_adjectives_are_exchanged(repository: Path) -> None:
    """Another name in its place and role, another verb with the same ending, fewer adjectives."""
    script = runpy.run_path(str(repository / "examples" / "reproduce-sget" / "exchange.py"))

    def gen(pattern: str, source: str, reference: str, word: str = "") -> Example:
        tags = {"pattern": pattern, "target_word": word, "in_cp": 0}
        return Example(id=source, source=source, references=(reference,), tags=tags)

    subject, thing = (f"primitive_to_{role}_proper" for role in ("subject", "object"))
    examples = {
        subject: [gen(subject, "Coco ran.", "ココが走った。", "Coco")],
        thing: [gen(thing, "Emma saw Ben.", "エマがベンを見た。", "Ben")],
        "primitive_to_subject_common": [],
        "primitive_to_object_common": [],
    }
    found = list(script["nouns"](examples, {"Coco": "ココ", "Ben": "ベン"}))
    assert [(one.pattern, one.word, one.source, one.reference) for one in found] == [
        (subject, "Coco", "Coco ran.", "ココが走った。"),
        (subject, "Ben", "Ben ran.", "ベンが走った。"),
        (thing, "Ben", "Emma saw Ben.", "エマがベンを見た。"),
        (thing, "Coco", "Emma saw Coco.", "エマがココを見た。"),
    ]
    tense = "present_infinitive"
    prefer = gen(tense, "Ava prefers to run.", "アヴァが走りたい。", "prefer")
    plan = gen(tense, "Ava plans to run.", "アヴァが走るつもりだ。", "plan")
    verbs = {one.source: one.reference for one in script["verbs"]({tense: [prefer, plan]})}
    assert verbs["Ava yearns to run."] == "アヴァが走りたい。"
    assert verbs["Ava intends to run."] == "アヴァが走るつもりだ。"
    deep = gen(
        "adjective_depth_5_6",
        "Ava saw a rare big flat new red Korean book.",
        "アヴァが珍しい大きい平らな新しい赤い韓国生まれの本を見た。",
    )
    fewer = {one.word: one for one in script["adjectives"]({"adjective_depth_5_6": [deep]})}
    assert fewer["first and sixth"].source == "Ava saw a rare Korean book."
    assert fewer["first and sixth"].reference == "アヴァが珍しい韓国生まれの本を見た。"
    assert fewer["first to fifth"].source == "Ava saw a rare big flat new red book."
    assert {one.kind for one in fewer.values()} == {"thing"}
