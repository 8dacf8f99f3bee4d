"""A learnt grammar can be written, read, corrected by hand, and drawn from."""

from __future__ import annotations

import pytest

from augment.made_up_world import world
from recombine.augment import AugmentOptions, Recombiner
from recombine.augment.files.grammar_files import read_grammar, write_grammar
from recombine.cli import main
from recombine.errors import DataError

PAIRS = world()
OPTIONS = AugmentOptions(source_language="en", target_language="xx")


@pytest.fixture(scope="module")
def learned():
    """What is learnt of the made-up world."""
    return Recombiner.learn(PAIRS, OPTIONS)


@pytest.fixture
def folder(learned, tmp_path):
    """The files of the learnt grammar."""
    write_grammar(tmp_path, learned.grammar, PAIRS, ("en", "xx"), turned=learned.turned)
    return tmp_path


def drawn(folder, n=400):
    """Draw from files."""
    stored = Recombiner.stored(PAIRS, OPTIONS, read_grammar(folder, PAIRS))
    return [(row.source, row.target) for row in stored.draw(n, seed=3)]


def edit(path, old, new):
    """Replace a text that is there once or more."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def row_with(path, text):
    """The first row that has a text."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return next(line for line in lines if text in line)


def test_files_that_nobody_edits_draw_what_was_learnt(learned, folder):
    """Writing and reading loses nothing."""
    assert drawn(folder) == [(row.source, row.target) for row in learned.draw(400, seed=3)]


def test_a_corrected_translation_is_drawn(folder):
    """A word is corrected in one row, and everywhere."""
    before = drawn(folder)
    assert any("nek" in target for _, target in before)
    edit(folder / "words.tsv", "\t▁nek\t", "\t▁katze\t")
    after = drawn(folder)
    assert not any("nek" in target for _, target in after)
    assert any("katze" in target for source, target in after if "cat" in source)


def test_a_corrected_rule_changes_the_order(folder):
    """The target of a rule is its slots and words in any order."""
    row = row_with(folder / "rules.tsv", "▁ga")
    cells = row.rstrip("\n").split("\t")
    cells[4] = cells[4].replace("▁ga", "▁wa")
    edit(folder / "rules.tsv", row, "\t".join(cells) + "\n")
    assert any(" wa " in target for _, target in drawn(folder))


def test_a_rule_without_a_row_is_not_drawn(folder):
    """Deleting is correcting, too."""
    lines = (folder / "rules.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    assert any("▁beside" in line.split("\t")[3] for line in lines)
    kept = [line for line in lines if "▁beside" not in line.split("\t")[3]]
    (folder / "rules.tsv").write_text("".join(kept), encoding="utf-8")
    assert not any(" beside " in source for source, _ in drawn(folder))


def test_a_word_is_added_like_another(folder):
    """A new row goes where the word goes that it is like."""
    cat = row_with(folder / "words.tsv", "▁cat\t").split("\t")[0]
    with (folder / "words.tsv").open("a", encoding="utf-8") as stream:
        stream.write(f"w9999\t\t▁yak\t▁yaku\t{cat}\n")
    pairs = drawn(folder, 1500)
    assert any(" yak" in source for source, _ in pairs)
    assert all((" yak" in source) == ("yaku" in target) for source, target in pairs)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("rules.tsv", "\tX1 ▁ga", "\t▁ga", r"rules.tsv:\d+: the target .* must have each slot"),
        ("words.tsv", "\t▁nek\t", "\t\t", r"words.tsv:\d+: a word is one token"),
        ("trees.tsv", "\np", "\nq", r"trees.tsv:2: no training pair has the id"),
        ("rules.tsv", "rule\tseen", "rules\tseen", r"rules.tsv:1: the columns must be"),
    ],
)
def test_a_mistake_is_named_with_its_line(folder, file, old, new, message):
    """Who edits a file by hand is told where it is wrong."""
    edit(folder / file, old, new)
    with pytest.raises(DataError, match=message):
        read_grammar(folder, PAIRS)


def test_the_command_writes_and_draws(tmp_path, capsys):
    """Drawn from corrected files, pairs are on the track of grammars, and stale when edited."""
    table = tmp_path / "pairs.tsv"
    table.write_text("".join(f"{p.source}\t{p.target}\n" for p in PAIRS), encoding="utf-8")
    pairs = [str(table), "--source", "en", "--target", "xx"]
    grammar, out = str(tmp_path / "grammar"), str(tmp_path / "out")
    assert main(["augment", *pairs, "--grammar", grammar]) == 0
    edit(tmp_path / "grammar" / "words.tsv", "\t▁nek\t", "\t▁katze\t")
    command = ["augment", *pairs, "--from-grammar", grammar, "-n", "200", "--out", out]
    assert main(command) == 0
    certificate = (tmp_path / "out" / "certificate.json").read_text(encoding="utf-8")
    assert '"track": "grammar"' in certificate
    assert "katze" in (tmp_path / "out" / "pairs.jsonl").read_text(encoding="utf-8")
    edit(tmp_path / "grammar" / "words.tsv", "\t▁katze\t", "\t▁neko\t")
    capsys.readouterr()
    assert main(command) == 2
    assert "words.tsv" in capsys.readouterr().err
