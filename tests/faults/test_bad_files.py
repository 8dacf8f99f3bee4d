"""Bad files: exit 2 with where, what and a hint; soon, and in little memory."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from faults.inputs import write_inputs
from faults.launch import Ended

SECONDS = 60.0
MEGABYTES = 2000.0

# What can be wrong with any text file: name -> its bytes, made of good ones.
Spoil = Callable[[bytes], bytes]
SPOILT: dict[str, Spoil] = {
    "empty": lambda good: b"",
    "cut": lambda good: good[: 2 * len(good) // 3 - 7],
    "invalid UTF-8": lambda good: good[:60] + b"\xff\xfe\xfa" + good[60:],
    "UTF-16": lambda good: good.decode("utf-8").encode("utf-16"),
    "NUL": lambda good: good[:60] + b"\x00" + good[60:],
    "a line of 50 MB": lambda good: good + b"x" * 50_000_000 + b"\n",
    "binary": lambda good: bytes(range(256)) * 40,
    "gzip under another name": gzip.compress,
    "deep nesting": lambda good: good[:1] + b"[" * 200_000 + b"\n" + good[1:],
    "carriage returns alone": lambda good: good.replace(b"\n", b"\r"),
}
# File -> commands that read it.
READERS: dict[str, tuple[str, ...]] = {
    "recipe.toml": ("build recipe.toml --out made", "check recipe.toml"),
    "command.toml": ("run command.toml", "check command.toml"),
    "benchmark/benchmark.toml": ("check benchmark", "score benchmark --hyps lines.gen"),
    "benchmark/gen.jsonl": ("check benchmark", "run command.toml"),
    "benchmark/train.jsonl": ("augment benchmark -n 20 --out made",),
    "corpus.conllu": ("build divergent.toml --out made", "divergence corpus.conllu good.conllu"),
    "corpus.brackets": ("divergence corpus.brackets good.brackets",),
    "lines.gen": ("score benchmark --hyps lines.gen --split gen",),
    "rows.jsonl": ("score benchmark --hyps rows.jsonl",),
    "words.tsv": ("translate --system dictionary -o path=words.tsv --input text/gen.en",),
    "text/gen.en": ("translate --system copy --input text/gen.en",),
    "pairs.tsv": ("augment pairs.tsv --source en --target de -n 20 --out made",),
    "runs/command/upper/seed-1/run.json": ("report runs/command --out made",),
    "runs/command/upper/seed-1/translations/gen.jsonl": ("score command.toml",),
    "runs/command/upper/seed-1/translations/gen.meta.json": ("score command.toml",),
    "runs/command/upper/seed-1/scores/exact.gen.jsonl": ("report runs/command --out made",),
    "runs/command/upper/seed-1/scores/exact.gen.meta.json": ("report runs/command --out made",),
    "runs/command/experiment.json": ("report runs/command --out made",),
    "toy/abstract.grammar": ("check toy", "sample toy -n 2"),
    "toy/en.grammar": ("check toy", "sample toy -n 2"),
    "toy/en.lexicon.tsv": ("check toy", "sample toy -n 2"),
}


@pytest.fixture(scope="session")
def good(tmp_path_factory, warm):
    """Every kind of file, good, and what the commands made of them."""
    from recombine.registry import data_path

    folder = tmp_path_factory.mktemp("good") / "files"
    write_inputs(folder)
    shutil.copy(folder / "corpus.conllu", folder / "good.conllu")
    trees = "".join(
        f"(S (NP (D the) (N n{n % 7})) (VP (V v{n % 5}) (N m{n % 3})))\n" for n in range(60)
    )
    for name in ("corpus", "good"):
        (folder / f"{name}.brackets").write_text(trees, encoding="utf-8")
    for command in ("run command.toml",):
        assert warm.run(command.split(), folder).code == 0
    rows = (folder / "benchmark" / "gen.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(row) for row in rows]
    (folder / "lines.gen").write_text("".join(f"{one['references'][0]}\n" for one in texts))
    (folder / "rows.jsonl").write_text(
        "".join(json.dumps({"id": one["id"], "hyp": one["source"]}) + "\n" for one in texts)
    )
    pairs = (json.loads(row) for row in (folder / "benchmark/train.jsonl").read_text().splitlines())
    (folder / "pairs.tsv").write_text(
        "".join(f"{one['source']}\t{one['references'][0]}\n" for one in pairs), encoding="utf-8"
    )
    shutil.copytree(data_path("grammars", "toy"), folder / "toy")
    return folder


def wrong_answer(ended: Ended, name: str, *codes: int) -> str:
    """What is wrong with the answer to a bad file."""
    wrong = ended.fault(*codes)
    if not wrong and ended.code == 2:
        unfinished = "no tree can be built" in ended.err  # a language may say little yet
        told = unfinished or Path(name).name.partition(".")[0] in ended.err
        if "error:" not in ended.err or not told:
            wrong = f"it does not say where: {ended.err[-500:]}"
        elif len(ended.err) > 20_000:
            wrong = f"{len(ended.err):,} characters of error"
    return wrong


def dear(ended: Ended) -> str:
    """What is wrong with the time and the memory that it took."""
    assert ended.megabytes > 0, "its memory was not measured"
    if ended.seconds > SECONDS or ended.megabytes > MEGABYTES:
        return f"{ended.seconds:.0f} seconds, {ended.megabytes:,.0f} MB"
    return ""


@pytest.mark.parametrize("name", READERS)
def test_spoilt_files(name, good, tmp_path, survive, warm):
    """What is wrong is said; a file that can still be read as it is meant may also be read."""
    failed: list[str] = []
    for kind, spoil in SPOILT.items():
        for number, command in enumerate(READERS[name]):
            if kind == "a line of 50 MB" and number:
                continue  # the reader is the same
            folder = tmp_path / "spoilt"
            shutil.copytree(good, folder)
            (folder / name).write_bytes(spoil((good / name).read_bytes()))
            ended = warm.run(command.split(), folder)
            wrong = wrong_answer(ended, name, 0, 1, 2)
            wrong = wrong or dear(ended)
            failed += [f"{name}, {kind}: {wrong}"] * bool(wrong)
            survive(f"bad file: {kind}", command.split()[0], wrong, later=True)
            shutil.rmtree(folder)
    assert failed == []


# What is wrong -> file, a good value in it, the bad one, who reads it.
VALUES: dict[str, tuple[tuple[str, str, str, str], ...]] = {
    "a negative size": (
        ("recipe.toml", "size = 400", "size = -400", "build recipe.toml --out made"),
        ("divergent.toml", "passes = 30", "passes = -30", "build divergent.toml --out made"),
        ("train.toml", "steps = 24", "steps = -24", "train train.toml"),
        ("command.toml", "batch_size = 8", "batch_size = -8", "run command.toml"),
    ),
    "not a number": (
        ("recipe.toml", "exposures = 10", "scale = nan", "build recipe.toml --out made"),
        ("train.toml", "steps = 24", "learning_rate = nan", "train train.toml"),
        ("benchmark/gen.jsonl", '"]}', '"],"tags":{"d":NaN}}', "check benchmark"),
    ),
    "infinity": (
        ("recipe.toml", "exposures = 10", "scale = inf", "build recipe.toml --out made"),
        ("train.toml", "steps = 24", "learning_rate = -inf", "train train.toml"),
        ("benchmark/gen.jsonl", '"]}', '"],"tags":{"d":1e999}}', "check benchmark"),
    ),
    "a newer version": (
        ("benchmark/benchmark.toml", "format = 1", "format = 2", "check benchmark"),
        ("benchmark/benchmark.toml", "format = 1", "format = 2", "run command.toml"),
        ("benchmark/benchmark.toml", "format = 1", "format = 2", "augment benchmark -n 9 --out o"),
    ),
    "the same id twice": (
        ("benchmark/gen.jsonl", '"id":"d2e2a4f63977"', '"id":"23e2928134e1"', "check benchmark"),
        ("rows.jsonl", "d2e2a4f63977", "23e2928134e1", "score benchmark --hyps rows.jsonl"),
    ),
}


@pytest.mark.parametrize("kind", VALUES)
def test_bad_values(kind, good, tmp_path, survive, warm):
    """A file that can be read, with a value that cannot be meant: refused, with its line."""
    for number, (name, value, other, command) in enumerate(VALUES[kind]):
        folder = tmp_path / str(number)
        shutil.copytree(good, folder)
        text = (folder / name).read_text(encoding="utf-8")
        assert value in text
        (folder / name).write_text(text.replace(value, other, 1), encoding="utf-8")
        ended = warm.run(command.split(), folder)
        wrong = wrong_answer(ended, name, 2) or dear(ended)
        if not wrong and not re.search(rf"{re.escape(Path(name).name)}:\d+", ended.err):
            wrong = f"it does not say on which line: {ended.err[-500:]}"
        survive(f"bad file: {kind}", command.split()[0], wrong)


# Lines that are added to the toy grammar, and its start.
ENDLESS = {
    "cyclic grammar": ("loop : Text -> Text\n", "loop = Text\n", "Text"),
    "cyclic grammar of two rules": (
        "loop : Text -> Again\nagain : Again -> Text\n",
        "loop = Again\nagain = Text\n",
        "Text",
    ),
    "exponential trees": (
        "".join(f"x{n} : X{n} -> a:X{n + 1} b:X{n + 1}\n" for n in range(40)) + "y : X40 -> Text\n",
        "".join(f"x{n} = a b\n" for n in range(40)) + "y = Text\n",
        "X0",
    ),
    "exponential sentences": (
        "".join(f"x{n} : X{n} -> X{n + 1}\n" for n in range(40)) + "y : X40 -> Text\n",
        "".join(f"x{n} = X{n + 1} X{n + 1}\n" for n in range(40)) + "y = Text\n",
        "X0",
    ),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_endless_grammars(kind, good, tmp_path, survive, warm):
    """A grammar without end in practice is refused by `check`, and `sample` ends."""
    rules, lines, start = ENDLESS[kind]
    shutil.copytree(good / "toy", tmp_path / "toy")
    abstract = tmp_path / "toy" / "abstract.grammar"
    text = abstract.read_text(encoding="utf-8").replace("%start Text", f"%start {start}")
    abstract.write_text(text + rules, encoding="utf-8")
    for file in (tmp_path / "toy").glob("??.grammar"):
        file.write_text(file.read_text(encoding="utf-8") + lines, encoding="utf-8")
    for verb in ("check toy", "sample toy -n 2"):
        ended = warm.run(verb.split(), tmp_path)
        wrong = ended.fault(*((2,) if verb.startswith("check") else (0, 2)))
        if not wrong and ended.code == 2 and not ("error:" in ended.err and "hint:" in ended.err):
            wrong = f"it does not say what is wrong: {ended.err[-500:]}"
        wrong = wrong or dear(ended)
        survive(f"bad file: {kind}", verb.split()[0], wrong)
