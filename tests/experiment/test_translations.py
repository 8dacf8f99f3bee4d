"""The translate stage: resumable, ordered, honest about failures."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from recombine.errors import DataError, StaleOutput, SystemFailure
from recombine.experiment.translations import (
    SourceSentence,
    answered,
    errors_of,
    is_translated,
    others_of,
    translate_to_file,
)
from recombine.files import sha256_of
from recombine.stage import Meta
from recombine.systems.base import Failure

SOURCES = [SourceSentence(str(number), f"s{number}") for number in range(6)]
EXPECTED = "".join(f'{{"id":"{n}","hyp":"S{n}"}}\n' for n in range(6))


class Upper:
    """Upper-cases; can be told to fail."""

    def __init__(
        self,
        fail: set[str] | None = None,
        stop: int | None = None,
        extra: int = 0,
        final: bool = False,
        give_up_after: int | None = None,
    ):
        self.fail = fail or set()
        self.stop = stop
        self.extra = extra
        self.final = final
        self.give_up_after = give_up_after
        self.calls: list[str] = []

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        """Yield upper case, a Failure, or end early."""
        for number, source in enumerate(sources):
            if number == self.stop:
                return
            self.calls.append(source)
            yield Failure("no luck", self.final) if source in self.fail else source.upper()
        yield from ["more"] * self.extra


def stored(path: Path) -> dict:
    """Return what the side file says of a translations file."""
    return Meta(path).read()


def test_a_complete_file_is_not_made_again(tmp_path):
    """The same fingerprint: nothing is called."""
    path = tmp_path / "t.jsonl"
    assert translate_to_file(Upper(), SOURCES, path, {"a": 1}).now == 6
    again = Upper()
    again = Upper(set())
    assert translate_to_file(again, SOURCES, path, {"a": 1}).now == 0
    assert again.calls == []
    with pytest.raises(StaleOutput):
        translate_to_file(again, SOURCES, path, {"a": 2})


def test_lost_sentences_are_tried_again_and_order_is_restored(tmp_path):
    """One bad sentence loses no other, and the final file does not show the detour."""
    path = tmp_path / "t.jsonl"
    first = translate_to_file(Upper(fail={"s1", "s3"}), SOURCES, path, {})
    assert "2 of 6" in str(first.problem())
    assert "no luck" in str(first.problem())
    assert [(one.id, one.tries) for one in first.failed] == [("1", 1), ("3", 1)]
    second = Upper()
    assert translate_to_file(second, SOURCES, path, {}).now == 2
    assert second.calls == ["s1", "s3"]
    assert path.read_text() == EXPECTED
    assert not (tmp_path / "t.errors.jsonl").exists()


def test_a_refused_sentence_is_final_and_counted(tmp_path):
    """It is not asked for again, the file is complete without it, and every run says so."""
    path = tmp_path / "t.jsonl"
    for system in (Upper(fail={"s1", "s3"}, final=True), Upper()):
        translated = translate_to_file(system, SOURCES, path, {})
        assert [one.id for one in translated.failed] == ["1", "3"]
        assert translated.sentences == 6
    assert system.calls == []
    meta = stored(path)
    assert (meta["complete"], meta["sentences"], meta["failed"]) == (True, 6, 2)
    assert meta["sha256"] == sha256_of(path)
    forced = Upper()
    assert translate_to_file(forced, SOURCES, path, {}, force=True).now == 6


def test_a_run_of_the_bad_ones_alone_ends(tmp_path):
    """What keeps failing is tried again, all of it, and the run does not die of it."""
    path = tmp_path / "t.jsonl"
    for tries in (1, 2, 3):
        system = Upper(fail={"s2", "s3", "s4", "s5"}, give_up_after=20)
        translated = translate_to_file(system, SOURCES, path, {})
        assert [one.tries for one in translated.failed] == [tries] * 4
        assert not stored(path)["complete"]
    assert system.calls == ["s2", "s3", "s4", "s5"]


def test_what_keeps_failing_does_not_keep_the_others_waiting(tmp_path):
    """New sentences come first, then those tried least; giving up loses nothing."""
    path = tmp_path / "t.jsonl"
    translate_to_file(Upper(fail={"s0", "s1", "s2"}), SOURCES[:4], path, {"sample": 4})
    system = Upper(fail={"s0", "s1", "s2"}, give_up_after=2)
    with pytest.raises(SystemFailure, match=r"2 sentences in a row .* no luck"):
        translate_to_file(system, SOURCES, path, {"sample": 0})
    assert system.calls == ["s4", "s5", "s0", "s1"]
    last = Upper(fail={"s2"}, give_up_after=2)
    translate_to_file(last, SOURCES, path, {"sample": 0})
    assert last.calls == ["s2", "s0", "s1"]


def test_a_system_that_never_worked_finds_no_sentence_guilty(tmp_path):
    """A wrong request is refused for every sentence; once it is right all are asked again."""
    path = tmp_path / "t.jsonl"
    wrong = Upper({source.text for source in SOURCES}, final=True, give_up_after=4)
    with pytest.raises(SystemFailure, match="4 sentences in a row"):
        translate_to_file(wrong, SOURCES, path, {})
    assert translate_to_file(Upper(), SOURCES, path, {}).now == 6
    assert path.read_text() == EXPECTED


def test_answers_of_a_sample_serve_the_whole_and_the_reverse(tmp_path):
    """No sentence is asked for twice, and the file holds what was asked for now."""
    path = tmp_path / "t.jsonl"
    translate_to_file(Upper(), SOURCES[1:3], path, {"sample": 2})
    whole = Upper()
    assert translate_to_file(whole, SOURCES, path, {"sample": 0}).now == 4
    assert whole.calls == ["s0", "s3", "s4", "s5"]
    assert path.read_text() == EXPECTED
    part = Upper()
    assert translate_to_file(part, SOURCES[:2], path, {"sample": 2}).now == 0
    assert path.read_text() == "".join(EXPECTED.splitlines(keepends=True)[:2])
    assert stored(path)["sentences"] == 2
    assert translate_to_file(part, SOURCES, path, {"sample": 0}).now == 0
    assert part.calls == []
    assert path.read_text() == EXPECTED
    assert not others_of(path).exists()


def test_too_few_and_too_many_answers_are_named(tmp_path):
    """The first sentence without an answer is shown; finished ones are kept and counted."""
    path = tmp_path / "few.jsonl"
    with pytest.raises(SystemFailure, match="the first without one: 's4'"):
        translate_to_file(Upper(stop=4), SOURCES, path, {})
    assert path.read_text().count("\n") == 4
    meta = stored(path)
    assert (meta["complete"], meta["sentences"], meta["failed"]) == (False, 6, 0)
    assert meta["sha256"] == sha256_of(path)
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
import signal, sys, time
from pathlib import Path
from recombine.experiment.translations import SourceSentence, translate_to_file
class Slow:
    def translate(self, sources):
        for s in sources:
            time.sleep(0.002)
            yield s.upper()
sources = [SourceSentence(str(n), f"s{n}") for n in range(120)]
# Nobody catches this alarm: it ends the process as SIGKILL does, however late others wake up.
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[2]))
translate_to_file(Slow(), sources, Path(sys.argv[1]), {"a": 1})
"""


def test_killed_at_ten_moments_it_ends_in_the_same_bytes(tmp_path):
    """Kill -9 anywhere, run again: byte-identical to an undisturbed run."""
    script = tmp_path / "slow.py"
    script.write_text(SLOW_SYSTEM)
    path = tmp_path / "t.jsonl"
    generator = np.random.default_rng(1)
    ends = [
        subprocess.run([sys.executable, str(script), str(path), str(delay)], check=False).returncode
        for delay in generator.uniform(0.001, 0.04, size=10)
    ]
    # Two milliseconds a sentence: all of it takes longer than all delays together.
    assert ends == [-signal.SIGALRM] * 10
    whole = [sys.executable, str(script)]
    subprocess.run([*whole, str(path), "0"], check=True, capture_output=True)
    undisturbed = tmp_path / "u.jsonl"
    subprocess.run([*whole, str(undisturbed), "0"], check=True, capture_output=True)
    assert path.read_bytes() == undisturbed.read_bytes()
    assert Path(str(path).replace(".jsonl", ".meta.json")).is_file()


def test_rows_of_other_sentences_are_kept_aside(tmp_path):
    """The file holds what was asked for and nothing else; the rest waits beside it."""
    path = tmp_path / "t.jsonl"
    path.write_text('{"id":"9","hyp":"S9"}\n{"id":"2","hyp":"S2"}\n', encoding="utf-8")
    system = Upper()
    assert translate_to_file(system, SOURCES, path, {}).now == 5
    assert system.calls == ["s0", "s1", "s3", "s4", "s5"]
    assert path.read_text() == EXPECTED
    assert others_of(path).read_text() == '{"id":"9","hyp":"S9"}\n'


def test_what_is_refused_for_good_is_not_said_to_be_tried_again(tmp_path):
    """Only what may come the next time is worth another run."""
    for final, hint in ((True, "--accept-failures goes on"), (False, "run again to retry 1 of")):
        path = tmp_path / f"{final}.jsonl"
        found = translate_to_file(Upper({"s1"}, final=final), SOURCES, path, {})
        assert hint in found.problem().hint


def test_a_file_from_before_hashes_is_taken_as_it_is(tmp_path):
    """Its side file says only that it is complete."""
    path = tmp_path / "t.jsonl"
    path.write_text(EXPECTED)
    Meta(path).write({"a": 1}, complete=True, sentences=6, failed=0)
    assert is_translated(path, {"a": 1})


def test_force_sets_aside_answers_outside_the_sample_too(tmp_path):
    """They are of the system as it was."""
    path = tmp_path / "t.jsonl"
    translate_to_file(Upper(), SOURCES, path, {"sample": 0})
    translate_to_file(Upper(), SOURCES[:2], path, {"sample": 2})
    assert others_of(path).exists()
    translate_to_file(Upper(), SOURCES[:2], path, {"sample": 2}, force=True)
    assert not others_of(path).exists()


@pytest.mark.parametrize("name", ["t.jsonl", "t.errors.jsonl"])
def test_a_damaged_file_is_named_and_left_as_it_is(tmp_path, name):
    """A line broken in the middle of a file: whatever else it holds was paid for."""
    path, damaged = tmp_path / "t.jsonl", tmp_path / name
    translate_to_file(Upper(fail={"s1", "s3", "s4"}), SOURCES, path, {})
    lines = damaged.read_text().splitlines(keepends=True)
    damaged.write_text(lines[0] + "{\n" + lines[2])
    before = {one: one.read_bytes() for one in (path, errors_of(path))}
    with pytest.raises(DataError, match="complete rows follow") as told:
        translate_to_file(Upper(), SOURCES, path, {})
    assert (told.value.where.path, told.value.where.line) == (str(damaged), 2)
    assert {one: one.read_bytes() for one in before} == before


def test_every_answer_is_in_the_file_before_the_next_is_asked_for(tmp_path):
    """A kill loses the sentence at hand and no other; who removes a file meanwhile does no harm."""
    path = tmp_path / "t.jsonl"
    seen: list[int] = []

    class Watching(Upper):
        def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
            for answer in super().translate(sources):
                seen.append(path.read_text().count("\n"))
                yield answer
            errors_of(path).unlink()

    translate_to_file(Watching(), SOURCES, path, {})
    assert seen == [0, 1, 2, 3, 4, 5]
    assert path.read_text() == EXPECTED


def test_what_was_made_elsewhere_is_not_asked_for(tmp_path):
    """Nor does it replace what is there: the file's own answer stays."""
    path = tmp_path / "t.jsonl"
    translate_to_file(Upper(), SOURCES[:1], path, {"sample": 1})
    system = Upper()
    made = {"0": "other", "1": "S1", "2": "S\n2", "9": "S9"}
    translated = translate_to_file(system, SOURCES[:4], path, {"sample": 4}, known_answers=made)
    assert (system.calls, translated.now) == (["s3"], 3)
    rows = EXPECTED.replace("S2", "S 2").splitlines(keepends=True)[:4]
    assert path.read_text() == "".join(rows)


@pytest.mark.parametrize("final", [True, False])
def test_answered_is_what_would_not_be_asked_for_again(tmp_path, final):
    """Translated, within the sample or outside of it, or refused for good."""
    path = tmp_path / "t.jsonl"
    translate_to_file(Upper({"s1"}, final=final), SOURCES, path, {"sample": 0})
    assert answered(path) == set("012345") - (set() if final else {"1"})
    translate_to_file(Upper({"s1"}, final=final), SOURCES[:3], path, {"sample": 3})
    assert answered(path) == set("012345") - (set() if final else {"1"})


def test_rows_that_are_no_answers_answer_nothing(tmp_path):
    """JSON of something else in any of the three files: its sentences are asked for."""
    path = tmp_path / "t.jsonl"
    for one in (path, others_of(path), errors_of(path)):
        one.write_text('{"text":"s0"}\n{"id":1,"hyp":"S1","error":"x"}\n{"id":"2"}\n')
    assert answered(path) == set()
    assert translate_to_file(Upper(), SOURCES, path, {}).now == 6
    assert path.read_text() == EXPECTED


def test_a_file_that_is_begun_is_not_complete_and_has_no_failures(tmp_path):
    """Whoever looks at it meanwhile, or after a kill, is told so."""
    path = tmp_path / "t.jsonl"
    seen = []

    class Watching(Upper):
        def translate(self, sources):
            seen.append({key: stored(path)[key] for key in ("complete", "sentences", "failed")})
            return super().translate(sources)

    translate_to_file(Watching(), SOURCES, path, {})
    assert seen == [{"complete": False, "sentences": 6, "failed": 0}]


def test_a_retry_asks_for_what_was_refused_alone(tmp_path):
    """After a program was mended what it had translated is kept, and its former code is noted."""
    path = tmp_path / "a.jsonl"
    translate_to_file(Upper({"s1", "s4"}, final=True), SOURCES, path, {"code": {"p.py": "1"}})
    with pytest.raises(StaleOutput) as caught:
        translate_to_file(Upper(set()), SOURCES, path, {"code": {"p.py": "2"}})
    assert "--retry asks the mended program" in caught.value.render()
    mended = Upper(set())
    found = translate_to_file(mended, SOURCES, path, {"code": {"p.py": "2"}}, retry=True)
    assert (found.now, found.failed) == (2, ())
    assert mended.calls == ["s1", "s4"]
    assert Meta(path).read()["before"] == [{"code": {"p.py": "1"}}]
    again = Upper(set())
    again = Upper(set())
    assert translate_to_file(again, SOURCES, path, {"code": {"p.py": "2"}}, retry=True).now == 0
    assert again.calls == []


def test_a_retry_takes_no_other_options(tmp_path):
    """Only the code may have been mended."""
    path = tmp_path / "a.jsonl"
    translate_to_file(Upper({"s1"}, final=True), SOURCES, path, {"options": {"beams": 1}})
    with pytest.raises(StaleOutput):
        translate_to_file(Upper(set()), SOURCES, path, {"options": {"beams": 2}}, retry=True)


def test_empty_answers_are_counted(tmp_path):
    """A translation without a word is remarked; that of an empty source is not."""
    path = tmp_path / "a.jsonl"
    sources = [SourceSentence("1", "a dog"), SourceSentence("2", " "), SourceSentence("3", "a cat")]

    class Silent:
        def translate(self, sources):
            return iter(["", "", "une chatte"])

    assert translate_to_file(Silent(), sources, path, {}).empty == 1
    assert translate_to_file(Silent(), sources, path, {}).empty == 1  # read from the file
