"""augment from the command line: pairs, what was learned, how a sentence was made."""

from __future__ import annotations

import json

import pytest

from augment.made_up_world import world
from recombinable import english_german, recombinable
from recombine.cli import main


@pytest.fixture
def benchmark(tmp_path):
    """A small benchmark that can be recombined."""
    return recombinable(tmp_path / "data").path


def test_a_benchmark_becomes_a_folder_of_pairs(tmp_path, benchmark, capsys):
    """Stdout is the path, the talk says how many were removed; a second call does nothing."""
    out = tmp_path / "out"
    command = ["augment", str(benchmark), "-n", "200", "--out", str(out), "-o", "support=1"]
    assert main(command) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{out / 'pairs.jsonl'}\n"
    assert "track train-only" in printed.err
    assert "sentences of 'gen' and were removed" in printed.err
    before = (out / "pairs.jsonl").stat().st_mtime_ns
    assert main(command) == 0
    assert "is up to date" in capsys.readouterr().err
    assert (out / "pairs.jsonl").stat().st_mtime_ns == before
    assert main([*command, "--seed", "2"]) == 2
    assert "'options.seed'" in capsys.readouterr().err
    assert main([*command, "--seed", "2", "--force"]) == 0
    assert json.loads((out / "certificate.json").read_text())["options"]["seed"] == 2


def test_ones_own_pairs_need_no_benchmark(tmp_path, capsys):
    """Two texts, whose names say the languages."""
    paths = [tmp_path / "mine.en", tmp_path / "mine.de"]
    for side, path in enumerate(paths):
        pairs = english_german()[::2]
        path.write_text("".join(pair[side] + "\n" for pair in pairs), encoding="utf-8")
    out = tmp_path / "out"
    given = [str(path) for path in paths]
    assert main(["augment", *given, "-n", "20", "-o", "method=words", "--out", str(out)]) == 0
    rows = [json.loads(line) for line in (out / "pairs.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 20
    assert set(rows[0]) == {"source", "target", "parents", "steps", "depth"}
    found = json.loads((out / "certificate.json").read_text())
    assert found["options"]["target_language"] == "de"
    assert found["removed"] == {}


def test_a_dry_run_says_how_much_and_writes_nothing(tmp_path, benchmark, capsys):
    """As every long verb; what would be refused is refused here, too."""
    out = tmp_path / "out"
    command = ["augment", str(benchmark), "-n", "200", "--out", str(out)]
    assert main([*command, "--dry-run", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["training_pairs"], plan["n"], out.exists()) == (60, 200, False)
    assert not plan["up_to_date"]
    assert main(command) == 0
    capsys.readouterr()
    assert main([*command, "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["up_to_date"]
    assert main([*command, "--dry-run", "--seed", "7"]) == 2


def test_what_was_learned_is_printed_or_a_page(tmp_path, benchmark, capsys):
    """--review as text, and as one file."""
    assert main(["augment", str(benchmark), "--review"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Classes (")
    assert "support" in text
    page = tmp_path / "learned.html"
    assert main(["augment", str(benchmark), "--review", "--out", str(page)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert main(["augment", str(benchmark), "--review", "--out", str(tmp_path / "dir")]) == 2
    inside = benchmark / "page.html"
    assert main(["augment", str(benchmark), "--review", "--out", str(inside)]) == 2
    assert not inside.exists()


def test_a_sentence_is_explained_by_what_it_was_made_of(tmp_path, benchmark, capsys):
    """The training pairs it came from, with their texts: of a folder, or as it is drawn."""
    out = tmp_path / "out"
    command = ["augment", str(benchmark), "-n", "200"]
    assert main([*command, "--out", str(out)]) == 0
    row = json.loads((out / "pairs.jsonl").read_text("utf-8").splitlines()[0])
    capsys.readouterr()
    command += ["--explain", row["source"]]
    assert main([*command, "--out", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{row['source']}\t{row['target']}"
    assert lines[1].startswith(f"  made of {row['parents'][0]}: ")
    assert len(lines) == 1 + len(row["parents"]) + len(row["steps"])
    assert main(command) == 0
    assert capsys.readouterr().out
    command[-1] = "Nobody ever said this."
    assert main(command) == 2
    assert "none of 200 pairs drawn from 60 training pairs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ((), "give --out DIR"),
        (("--out", "x", "-o", "suport=3"), "did you mean 'support'?"),
        (("--review", "--explain", "x"), "one at a time"),
        (("--explain", "x", "--out", "nowhere"), "no recombined pairs"),
    ],
)
def test_what_cannot_be_done_is_said(benchmark, capsys, more, told):
    """Exit code 2 and a hint, before any work."""
    assert main(["augment", str(benchmark), *more]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["a\tb"] * 5, "too few pairs to recombine: 5"),
        (["one language only"] * 30, "one language only: 1 column"),
        ([f"same {n}\tsame {n}" for n in range(30)], "the same text in 30 of 30 pairs"),
        ([f"a{n} b{n}.\tc{n} d{n}." for n in range(30)], "30 pairs"),
    ],
)
def test_nothing_is_written_for_pairs_that_say_nothing(tmp_path, capsys, lines, told):
    """What is wrong is said with counts, and no folder is there."""
    table = tmp_path / "pairs.tsv"
    table.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    folder = tmp_path / "augmented"
    command = ["augment", str(table), "--source", "en", "--target", "de", "--out", str(folder)]
    assert main(command) == 2
    assert told in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.tsv"]


def test_what_is_hidden_is_derived(tmp_path, capsys):
    """--held-out prints a row for every kind of combination, with counts."""
    table = tmp_path / "pairs.tsv"
    rows = {pair.source: pair.target for pair in world()}
    table.write_text("".join(f"{one}\t{other}\n" for one, other in rows.items()), encoding="utf-8")
    command = ["augment", str(table), "--source", "en", "--target", "xx", "--held-out"]
    assert main(command) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in lines] == ["hidden", "word", "phrase", "modifier", "depth"]
    assert int(lines[2][2]) > 0
