"""The translate stage: resumable, ordered, honest about failures."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from recombine.errors import StaleOutput, SystemFailure
from recombine.experiment.translating import SourceSentence, translate_to_file
from recombine.systems.base import Failure

SOURCES = [SourceSentence(str(number), f"s{number}") for number in range(6)]
EXPECTED = "".join(f'{{"id":"{n}","hyp":"S{n}"}}\n' for n in range(6))


class Upper:
    """Upper-cases; can be told to fail."""

    def __init__(self, fail: set[str] | None = None, stop: int | None = None, extra: int = 0):
        self.fail = fail or set()
        self.stop = stop
        self.extra = extra
        self.calls: list[str] = []

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        """Yield upper case, a Failure, or end early."""
        for number, source in enumerate(sources):
            if number == self.stop:
                return
            self.calls.append(source)
            yield Failure("no luck") if source in self.fail else source.upper()
        yield from ["more"] * self.extra


def test_a_complete_file_is_not_made_again(tmp_path):
    """The same fingerprint: nothing is called."""
    path = tmp_path / "t.jsonl"
    assert translate_to_file(Upper(), SOURCES, path, {"a": 1}) == 6
    again = Upper()
    assert translate_to_file(again, SOURCES, path, {"a": 1}) == 0
    assert again.calls == []
    with pytest.raises(StaleOutput):
        translate_to_file(again, SOURCES, path, {"a": 2})


def test_failed_sentences_are_tried_again_and_order_is_restored(tmp_path):
    """One bad sentence loses no other, and the final file does not show the detour."""
    path = tmp_path / "t.jsonl"
    with pytest.raises(SystemFailure, match=r"2 of 6 .* no luck"):
        translate_to_file(Upper(fail={"s1", "s3"}), SOURCES, path, {})
    assert (tmp_path / "t.errors.jsonl").is_file()
    second = Upper()
    assert translate_to_file(second, SOURCES, path, {}) == 2
    assert second.calls == ["s1", "s3"]
    assert path.read_text() == EXPECTED
    assert not (tmp_path / "t.errors.jsonl").exists()


def test_too_few_and_too_many_answers_are_named(tmp_path):
    """The first sentence without an answer is shown; finished ones are kept."""
    with pytest.raises(SystemFailure, match="the first without one is 4: 's4'"):
        translate_to_file(Upper(stop=4), SOURCES, tmp_path / "few.jsonl", {})
    assert (tmp_path / "few.jsonl").read_text().count("\n") == 4
    with pytest.raises(SystemFailure, match="more than 6"):
        translate_to_file(Upper(extra=1), SOURCES, tmp_path / "many.jsonl", {})


def test_line_breaks_inside_a_hypothesis_become_spaces(tmp_path):
    """A hypothesis is one line."""

    class Breaks:
        def translate(self, sources: Sequence[str]) -> Iterator[str]:
            return (source + "\r\nx\ny" for source in sources)

    translate_to_file(Breaks(), SOURCES[:1], tmp_path / "t.jsonl", {})
    assert '"s0 x y"' in (tmp_path / "t.jsonl").read_text()


SLOW_SYSTEM = """
import sys, time
from pathlib import Path
from recombine.experiment.translating import SourceSentence, translate_to_file
class Slow:
    def translate(self, sources):
        for s in sources:
            time.sleep(0.002)
            yield s.upper()
sources = [SourceSentence(str(n), f"s{n}") for n in range(120)]
print("ready", flush=True)
translate_to_file(Slow(), sources, Path(sys.argv[1]), {"a": 1})
"""


def test_killed_at_ten_moments_it_ends_in_the_same_bytes(tmp_path):
    """Kill -9 anywhere, run again: byte-identical to an undisturbed run."""
    script = tmp_path / "slow.py"
    script.write_text(SLOW_SYSTEM)
    path = tmp_path / "t.jsonl"
    generator = np.random.default_rng(1)
    kills = 0
    for delay in generator.uniform(0.0, 0.04, size=10):
        process = subprocess.Popen(
            [sys.executable, str(script), str(path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.wait()
        process.stdout.close()
    subprocess.run([sys.executable, str(script), str(path)], check=True, capture_output=True)
    undisturbed = tmp_path / "u.jsonl"
    subprocess.run([sys.executable, str(script), str(undisturbed)], check=True, capture_output=True)
    assert kills >= 5
    assert path.read_bytes() == undisturbed.read_bytes()
    assert Path(str(path).replace(".jsonl", ".meta.json")).is_file()
