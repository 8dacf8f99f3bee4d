"""Fuzz every reader: whatever a file says, the answer is a RecombineError or a value, soon.

    python benchmarks/fuzz.py --seconds 3600
    python benchmarks/fuzz.py --only conllu --seconds 60 --seed 7

Good files are cut, doubled, mixed and sprinkled with what readers stumble over. Every other
exception, and everything over ten seconds, is printed with the bytes that did it, once per place.
"""

# ruff: noqa: E501  Inputs are easier to read in unbroken lines.
from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from recombine.benchmark import Benchmark, Example
from recombine.builders.recipe import read_recipe
from recombine.config import apply_overrides, parse_config, read_toml
from recombine.corpus.conllu import read_parsed
from recombine.errors import RecombineError
from recombine.experiment.experiment import Experiment
from recombine.files import Appender, read_json, read_jsonl, read_lines, read_table
from recombine.grammar import Grammar
from recombine.grammar.pattern import Pattern
from recombine.registry import data_path

LIMIT = 10  # seconds
SPRINKLED = (
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n\n", b"\t\t", b"[" * 3000, b"{" * 3000, b'"', b"'",
    b"NaN", b"-1", b"1e999", b"9" * 5000, b"\\ud800", b"=", b"#", b"(", b")" * 50, b"null", b"../",
    b"\xe2\x80\xa8", b"%", b"|", b"*", b"->", b":", b"_", b"0", b"1.1", b"\xf0\x9f\x99\x82", b"<",
)  # fmt: skip
CONLLU = b"# sent_id = 1\n# text = a b\n1\ta\ta\tDET\t_\tX=Y\t2\tdet\t_\t_\n2\tb\tb\tN\t_\t_\t0\troot\t_\t_\n\n"
EXAMPLE = {"id": "a", "source": "b c", "references": ["d"], "tags": {"t": 1}, "group": "g"}


def _tree(folder: Path, data: bytes, name: str) -> None:
    grammar = folder / "toy"
    if not grammar.exists():
        shutil.copytree(data_path("grammars", "toy"), grammar)
    path = grammar / name
    good = path.read_bytes()
    try:
        path.write_bytes(data)
        loaded = Grammar.load(str(grammar))
        for language in loaded.languages:
            loaded.concrete(language)
    finally:
        path.write_bytes(good)


def _examples(path: Path) -> None:
    for row in read_jsonl(path):
        Example.from_row(row)


def _manifest(folder: Path, data: bytes) -> None:
    (folder / "benchmark").mkdir(exist_ok=True)
    (folder / "benchmark" / "benchmark.toml").write_bytes(data)
    Benchmark.open(folder / "benchmark").verify()


def _experiment(path: Path) -> None:
    document = read_toml(path)
    parse_config(Experiment, document.data, document=document)


def _overrides(data: bytes) -> None:
    apply_overrides({}, [data.decode("utf-8", "replace")])


def _recipe(path: Path) -> None:
    read_recipe(str(path))


def readers(folder: Path) -> dict[str, tuple[bytes, Callable[[bytes], Any]]]:
    """Name -> a good input, and what reads it."""

    def file(name: str, read: Callable[[Path], Any]) -> Callable[[bytes], Any]:
        def written(data: bytes) -> None:
            path = folder / name
            path.write_bytes(data)
            found = read(path)
            if isinstance(found, Iterator):
                for _ in found:
                    pass

        return written

    toy = data_path("grammars", "toy")
    rows = b"".join(json.dumps({**EXAMPLE, "id": str(n)}).encode() + b"\n" for n in range(5))
    manifest = (
        b'format = 1\nname = "n"\nversion = "1"\nsource = "en"\ntarget = "de"\nbuilder = "imported"\n'
        b'seed = 1\nmetrics = ["exact"]\n[splits]\ntest = 3\n[files]\n"test.jsonl" = "00"\n[recipe]\n'
    )
    recipe = data_path("recipes", "sget-mini.toml").read_bytes()
    experiment = b'benchmark = "b"\nseeds = [1]\nmetrics = ["exact"]\n[system.a]\nuse = "copy"\n'
    return {
        "lines": (b"a b\nc d\n", file("a.txt", read_lines)),
        "gzip": (b"\x1f\x8b\x08\x00" + b"\x00" * 30, file("a.gz", read_lines)),
        "json": (b'{"a": [1, {"b": null}], "c": "\\u00e9"}', file("a.json", read_json)),
        "jsonl": (rows, file("a.jsonl", _examples)),
        "appended": (rows, file("b.jsonl", lambda path: Appender(path).close())),
        "table": (b"word\ttranslation\na\tb\n# c\n", file("a.tsv", lambda p: read_table(p, ("word",)))),
        "manifest": (manifest, lambda data: _manifest(folder, data)),
        "recipe": (recipe, file("r.toml", _recipe)),
        "experiment": (experiment, file("e.toml", _experiment)),
        "override": (b"a.b=[1, 2]", _overrides),
        "conllu": (CONLLU * 4, file("a.conllu", read_parsed)),
        "pattern": (b"decl.subj >> beside = $x", lambda data: Pattern.parse(data.decode("utf-8", "replace"))),
        **{
            f"grammar {name}": ((toy / name).read_bytes(), lambda data, n=name: _tree(folder, data, n))
            for name in ("abstract.grammar", "en.grammar", "abstract.lexicon.tsv", "en.lexicon.tsv",
                         "en.paradigms.tsv")
        },
    }  # fmt: skip


def spoilt(good: bytes, draw: random.Random) -> bytes:
    """A good file after some accidents."""
    data = bytearray(good)
    for _ in range(draw.randrange(1, 6)):
        start = draw.randrange(len(data) + 1)
        end = min(len(data), start + draw.randrange(1, 40))
        kind = draw.randrange(6)
        if kind == 0:
            del data[start:end]
        elif kind == 1:
            data[start:start] = draw.choice(SPRINKLED)
        elif kind == 2:
            data[start:end] = draw.choice(SPRINKLED)
        elif kind == 3:
            data[start:start] = data[end : end + draw.randrange(1, 60)]
        elif kind == 4 and data:
            data[start % len(data)] = draw.randrange(256)
        else:
            del data[start:]
    return bytes(data)


class TooSlow(Exception):
    """A reader took more than LIMIT seconds."""


def _alarm(number: int, frame: Any) -> None:
    raise TooSlow


def main() -> None:
    """Fuzz in turn until the time is up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=27)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    signal.signal(signal.SIGALRM, _alarm)
    tried: dict[str, int] = {}
    faults: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        wanted = {one: two for one, two in readers(Path(name)).items() if options.only in one}
        ends = time.monotonic() + options.seconds
        while time.monotonic() < ends:
            for reader, (good, read) in wanted.items():
                data = spoilt(good, draw)
                tried[reader] = tried.get(reader, 0) + 1
                signal.alarm(LIMIT)
                try:
                    read(data)
                except RecombineError as error:
                    error.render()
                except Exception as error:
                    place = traceback.extract_tb(error.__traceback__)[-1]
                    key = f"{reader}: {type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
                    if key not in faults:
                        faults[key] = repr(data[:300])
                        print(f"{key}: {str(error)[:150]}\n  {faults[key]}", flush=True)
                finally:
                    signal.alarm(0)
    print("| reader | inputs |\n| --- | ---: |")
    for reader, count in tried.items():
        print(f"| {reader} | {count:,} |")
    print(f"| all | {sum(tried.values()):,} |\n\n{len(faults)} faults")


if __name__ == "__main__":
    main()
