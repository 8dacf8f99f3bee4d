"""Small inputs for the fault suite, and folders compared byte by byte."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

from builders.generated.small_recipe import deep, primitive, small_recipe
from parsed_corpora import made_up, write_conllu
from recombinable import recombinable

# A program that answers in capitals, slowly enough to be killed.
PROGRAM = """\
import sys, time
for line in sys.stdin:
    time.sleep(0.004)
    print(line.strip().upper(), flush=True)
"""
# Times are no results.
_TIMED = re.compile(r"(^|_)(seconds|pairs_per_second)$")
# What the last call of a stage did itself, of run.json: the rest was there already.
_LAST_CALL = {"translate", "used", "starts"}


def write_inputs(folder: Path, url: str = "") -> None:
    """Write a recipe, a benchmark and experiments on it."""
    folder.mkdir(parents=True, exist_ok=True)
    recipe = small_recipe("small", primitive(20), exposures=10, train=400, dev=20)
    (folder / "recipe.toml").write_text(recipe, encoding="utf-8")
    recombinable(folder / "text").path.rename(folder / "benchmark")
    write_conllu(folder / "corpus.conllu", made_up(300, words=80))
    divergent = 'builder = "divergent"\ncorpus = "corpus.conllu"\nedition = "all"\npasses = 30\n'
    (folder / "divergent.toml").write_text(divergent, encoding="utf-8")
    (folder / "words.tsv").write_text("the\tder\nsaw\tsah\n", encoding="utf-8")
    lines = (folder / "text" / "train.en").read_text(encoding="utf-8")
    (folder / "lines.en").write_text(lines * 4, encoding="utf-8")
    (folder / "upper.py").write_text(PROGRAM, encoding="utf-8")
    command = {"use": "command", "run": [sys.executable, "upper.py"], "batch_size": 8}
    tiny = {"use": "transformer", "preset": "tiny", "steps": 24, "threads": 1}
    tiny |= {"log_every": 4, "evaluate_every": 12, "checkpoint_every": 8}
    experiment(folder, "command", {"upper": command})
    experiment(folder, "train", {"tiny": tiny})
    experiment(folder, "all", {"copy": {"use": "copy"}, "upper": command, "tiny": tiny})
    if url:
        service = {"use": "http", "url": url, "body": {"q": "{source}"}, "answer": "text"}
        experiment(folder, "http", {"service": {**service, "backoff": 0.01}})


def experiment(folder: Path, name: str, systems: dict[str, dict[str, Any]], **more: Any) -> Path:
    """Write an experiment on the benchmark of the folder."""
    head: dict[str, Any] = {
        "benchmark": "benchmark",
        "run": f"runs/{name}",
        "metrics": ["exact", "chrf"],
        "splits": ["dev", "gen"],
        **more,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in head.items()]
    for system, options in systems.items():
        lines.append(f"[system.{system}]")
        lines += [f"{key} = {_inline(value)}" for key, value in options.items()]
    path = folder / f"{name}.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_inline(one)}" for key, one in value.items()) + " }"
    return json.dumps(value)


def contents(folder: Path) -> dict[str, str]:
    """Every file below a folder with the hash of what it says, times apart."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(_plain(path)).hexdigest()[:16]
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def difference(one: dict[str, str], other: dict[str, str]) -> str:
    """Say in which files a folder differs from what it should be."""
    names = sorted({*one, *other})
    found = [name for name in names if one.get(name) != other.get(name)]
    return ", ".join(f"{name} ({_how(one, other, name)})" for name in found)


def _how(one: dict[str, str], other: dict[str, str], name: str) -> str:
    if name not in other:
        return "left over"
    return "other bytes" if name in one else "lost"


def _plain(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix == ".json":
        return json.dumps(_timeless(json.loads(data))).encode()
    if path.name == "train_log.jsonl":
        rows = [json.loads(line) for line in data.splitlines()]
        # Where a training began again is said in its log, and is no part of the result.
        rows = [row for row in rows if row.get("event") != "start"]
        return json.dumps([_timeless(row) for row in rows]).encode()
    return data


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _timeless(one)
            for key, one in value.items()
            if not _TIMED.search(key) and key not in _LAST_CALL
        }
    return [_timeless(one) for one in value] if isinstance(value, list) else value


__all__ = ["contents", "deep", "difference", "experiment", "write_inputs"]
