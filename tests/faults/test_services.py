"""Services that do everything wrong: complete, in order, counted; and the key is nowhere."""

from __future__ import annotations

import json

import pytest

from faults.inputs import experiment, write_inputs
from faults.services import SECRET, Hostile, serving

PASSING = (
    "too_many", "endless_wait", "broken", "silent", "dripping_head", "dripping_body", "half",
    "reset", "wrong_order", "left_out", "twice", "unasked", "not_json", "web_page", "deep",
    "other_shape", "huge", "packed", "bomb",
)  # fmt: skip
LASTING = ("broken", "half", "not_json", "web_page", "deep", "huge", "bomb", "redirect", "twice")


def asked(folder, url, mode, **more):
    """An experiment that asks a service that does this."""
    options = {
        "use": "http", "url": f"{url}/{mode}", "key_env": "FAULT_KEY", "timeout": 0.6,
        "body": {"items": "{items}"}, "item": {"id": "{id}", "q": "{source}"}, "items": "rows",
        "item_id": "id", "answer": "text", "batch_size": 3, "backoff": 0.01,
        "backoff_limit": 0.05, "usage": {"tokens": "used"}, **more,
    }  # fmt: skip
    return experiment(folder, "hostile", {"service": options})


def leaks(folder, ended):
    """Where the key is."""
    found = [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(part in path.read_bytes() for part in KEY_PARTS)
    ]
    shown = (ended.out + ended.err).encode()
    return found + ["the terminal"] * any(part in shown for part in KEY_PARTS)


KEY_PARTS = (SECRET.encode(), SECRET[:9].encode(), SECRET[-9:].encode())


def expected(folder, split):
    """What a service that is right says, in order."""
    rows = (folder / "benchmark" / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return [(one["id"], one["source"].upper()) for one in map(json.loads, rows)]


def found(folder, split):
    """What was stored, in order."""
    path = folder / "runs/hostile/service/seed-1/translations" / f"{split}.jsonl"
    if not path.exists():
        return []
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(one["id"], one["hyp"]) for one in rows]


@pytest.mark.parametrize("mode", PASSING)
def test_what_passes_is_waited_for(mode, tmp_path, warm, survive):
    """One fault for every question; then every answer is there, in order."""
    write_inputs(tmp_path)
    with serving(Hostile) as url:
        asked(tmp_path, url.removesuffix("/translate"), mode)
        ended = warm.run(["run", "hostile.toml"], tmp_path, env={"FAULT_KEY": SECRET})
    wrong = ended.fault(0)
    for split in ("dev", "gen"):
        if not wrong and found(tmp_path, split) != expected(tmp_path, split):
            wrong = f"{split}: {found(tmp_path, split)}"
    survive("service, once", mode, wrong or ", ".join(leaks(tmp_path, ended)))


@pytest.mark.parametrize("mode", LASTING)
def test_what_lasts_is_counted(mode, tmp_path, warm, survive):
    """Every sentence without an answer is counted, with exit code 1, and nothing hangs."""
    write_inputs(tmp_path)
    Hostile.elsewhere.clear()
    with serving(Hostile) as url:
        asked(tmp_path, url.removesuffix("/translate"), f"{mode}/always", retries=1)
        ended = warm.run(["translate", "hostile.toml"], tmp_path, env={"FAULT_KEY": SECRET})
    wrong = ended.fault(1)
    given = found(tmp_path, "dev")
    if not wrong and any(row not in expected(tmp_path, "dev") for row in given):
        wrong = f"a wrong answer was kept: {given}"
    if not wrong and "could not" not in ended.err and "refuses" not in ended.err:
        wrong = f"it does not say what failed: {ended.err}"
    if Hostile.elsewhere:
        wrong = "the redirect was followed"
    survive("service, always", mode, wrong or ", ".join(leaks(tmp_path, ended)))


def test_a_key_that_comes_back_as_a_translation_is_not_stored(tmp_path, warm, survive):
    """In no translation, score, page or log."""
    write_inputs(tmp_path)
    with serving(Hostile) as url:
        asked(tmp_path, url.removesuffix("/translate"), "repeats_key/always")
        ended = warm.run(["run", "hostile.toml"], tmp_path, env={"FAULT_KEY": SECRET})
    survive("service, always", "repeats_key", ended.fault(0) or ", ".join(leaks(tmp_path, ended)))
