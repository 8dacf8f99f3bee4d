"""Programs that behave, and every way in which they do not."""

from __future__ import annotations

import sys
import textwrap
import time
from pathlib import Path

import pytest

from recombine.config import parse_config
from recombine.errors import ConfigError, SystemFailure
from recombine.systems.base import Failure, answers
from recombine.systems.command.system import Command

SOURCES = [f"sentence {number}" for number in range(10)]
UPPER = [source.upper() for source in SOURCES]


@pytest.fixture
def program(tmp_path: Path):
    """Write a Python program and return the list that runs it."""

    def write(body: str) -> tuple[str, ...]:
        path = tmp_path / "program.py"
        path.write_text("import json, os, sys, time\n" + textwrap.dedent(body), encoding="utf-8")
        return (sys.executable, str(path))

    return write


@pytest.fixture
def patience(program) -> float:
    """A timeout that a program which answers keeps with ease, on however busy a machine."""
    began = time.monotonic()
    outcome(Command(run=program(UPPERCASE)), SOURCES[:1])
    return round(max(0.7, 12 * (time.monotonic() - began)), 3)


def outcome(system: Command, sources: list[str]) -> list[str | Failure]:
    """Translate everything and end the program."""
    try:
        return list(answers(system, sources))
    finally:
        system.close()


UPPERCASE = """
for line in sys.stdin:
    print(line.strip().upper(), flush=True)
"""
UPPERCASE_JSON = """
for line in sys.stdin:
    row = json.loads(line)
    print(json.dumps({"id": row["id"], "translation": row["source"].upper()}), flush=True)
"""


@pytest.mark.parametrize("mode", ["per-batch", "long-lived"])
@pytest.mark.parametrize("batch_size", [1, 3, 64])
@pytest.mark.parametrize(("format", "body"), [("lines", UPPERCASE), ("jsonl", UPPERCASE_JSON)])
def test_translates_in_order(program, mode, batch_size, format, body):
    """Every mode, format and batch size gives the same translations in the same order."""
    system = Command(run=program(body), mode=mode, format=format, batch_size=batch_size)
    assert outcome(system, SOURCES) == UPPER


def test_long_lived_starts_once(program):
    """A long-lived program serves several calls with one start."""
    system = Command(run=program(UPPERCASE), mode="long-lived", batch_size=2)
    assert list(system.translate(SOURCES)) == UPPER
    assert list(system.translate(SOURCES[:1])) == UPPER[:1]
    assert system.describe()["starts"] == 1
    system.close()


def test_in_flight_feeds_programs_that_batch(program):
    """A program that answers only every fourth line works when four sources are in flight."""
    body = """
    held = []
    for line in sys.stdin:
        held.append(line.strip().upper())
        if len(held) == 4:
            print("\\n".join(held), flush=True)
            held = []
    """
    system = Command(run=program(body), mode="long-lived", batch_size=4, in_flight=4, timeout=20)
    assert outcome(system, SOURCES[:8]) == UPPER[:8]


def test_jsonl_answers_may_come_in_any_order(program):
    """JSONL answers are matched by id, so a program may finish them as it likes."""
    body = """
    rows = [json.loads(line) for line in sys.stdin]
    for row in reversed(rows):
        print(json.dumps({"id": row["id"], "translation": row["source"].upper()}))
    """
    assert outcome(Command(run=program(body), format="jsonl"), SOURCES) == UPPER


def test_a_source_with_a_line_break_needs_jsonl(program):
    """A source that cannot be one line fails alone, with the way out."""
    results = outcome(Command(run=program(UPPERCASE)), ["a", "b\nc", "d"])
    assert results[0] == "A"
    assert results[2] == "D"
    assert isinstance(results[1], Failure)
    assert "jsonl" in results[1].reason
    assert outcome(Command(run=program(UPPERCASE_JSON), format="jsonl"), ["b\nc"]) == ["B C"]


def test_an_empty_source_is_an_empty_translation(program):
    """Nothing to translate is not sent, so it cannot shift the others."""
    assert outcome(Command(run=program(UPPERCASE)), ["a", "", "b"]) == ["A", "", "B"]


DIES = """
for line in sys.stdin:
    if "sentence 6" in line:
        sys.stderr.write("model file is corrupt\\n")
        sys.exit(3)
    print(line.strip().upper(), flush=True)
"""


@pytest.mark.parametrize("mode", ["per-batch", "long-lived"])
def test_a_program_that_dies_loses_one_sentence(program, mode):
    """The sentence that kills the program fails by name; all others are translated."""
    results = outcome(Command(run=program(DIES), mode=mode), SOURCES)
    assert [r for i, r in enumerate(results) if i != 6] == UPPER[:6] + UPPER[7:]
    reason = results[6].reason
    assert "'sentence 6'" in reason
    assert "sentence 6" in reason
    assert "status 3" in reason
    assert "model file is corrupt" in reason


def test_a_death_by_chance_is_repaired_by_a_restart(program, tmp_path):
    """A program that dies once and then works loses nothing."""
    body = f"""
    mark = {str(tmp_path / "died")!r}
    for line in sys.stdin:
        if "sentence 4" in line and not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), 9)
        print(line.strip().upper(), flush=True)
    """
    system = Command(run=program(body), mode="long-lived")
    assert outcome(system, SOURCES) == UPPER
    assert system.describe()["starts"] == 2


@pytest.mark.parametrize("mode", ["per-batch", "long-lived"])
def test_a_program_that_hangs_is_ended(program, mode, patience):
    """A hanging sentence costs its timeout, is named, and the rest goes on."""
    body = """
    for line in sys.stdin:
        if "sentence 2" in line:
            time.sleep(600)
        print(line.strip().upper(), flush=True)
    """
    system = Command(run=program(body), mode=mode, timeout=patience, retries=0)
    began = time.monotonic()
    results = outcome(system, SOURCES)
    assert time.monotonic() - began < 500  # it hangs for 600
    assert [r for i, r in enumerate(results) if i != 2] == UPPER[:2] + UPPER[3:]
    assert f"{patience:g} s" in results[2].reason


@pytest.mark.parametrize("mode", ["per-batch", "long-lived"])
def test_a_line_too_many_never_shifts_the_others(program, mode):
    """Two lines for one source are attributed to that source, whatever the position."""
    body = """
    for line in sys.stdin:
        print(line.strip().upper(), flush=True)
        if "sentence 5" in line:
            print("second half", flush=True)
    """
    results = outcome(Command(run=program(body), mode=mode), SOURCES)
    assert [r for i, r in enumerate(results) if i != 5] == UPPER[:5] + UPPER[6:]
    assert "line" in results[5].reason


def test_a_line_too_few_never_shifts_the_others(program):
    """A swallowed line is found by halving, and only its source fails."""
    body = """
    for line in sys.stdin:
        if "sentence 3" not in line:
            print(line.strip().upper())
    """
    results = outcome(Command(run=program(body)), SOURCES)
    assert [r for i, r in enumerate(results) if i != 3] == UPPER[:3] + UPPER[4:]
    assert "0 lines for 1 source" in results[3].reason


def test_a_swallowed_line_of_a_long_lived_program_times_out(program, patience):
    """Without an end of output a missing line shows as silence, on the right source."""
    body = """
    for line in sys.stdin:
        if "sentence 3" not in line:
            print(line.strip().upper(), flush=True)
    """
    system = Command(run=program(body), mode="long-lived", timeout=patience, retries=0)
    results = outcome(system, SOURCES)
    assert [r for i, r in enumerate(results) if i != 3] == UPPER[:3] + UPPER[4:]


@pytest.mark.parametrize("mode", ["per-batch", "long-lived"])
def test_invalid_utf8_fails_alone(program, mode):
    """Bytes that are not UTF-8 fail their own source and nothing else."""
    body = """
    for line in sys.stdin:
        answer = line.strip().upper().encode()
        sys.stdout.buffer.write((b"\\xff\\xfe" if b"SENTENCE 1" in answer else answer) + b"\\n")
        sys.stdout.buffer.flush()
    """
    results = outcome(Command(run=program(body), mode=mode), SOURCES)
    assert [r for i, r in enumerate(results) if i != 1] == UPPER[:1] + UPPER[2:]
    assert "UTF-8" in results[1].reason


def test_a_flood_of_stderr_does_not_block(program):
    """Megabytes of talk on stderr neither block the pipe nor fill the memory."""
    body = """
    for line in sys.stdin:
        sys.stderr.write("loading " * 200000)
        print(line.strip().upper(), flush=True)
    """
    assert outcome(Command(run=program(body), mode="long-lived", timeout=60), SOURCES) == UPPER


def test_a_flood_of_stdout_is_cut(program):
    """Output without an end is stopped at the limit and reported."""
    body = """
    while True:
        sys.stdout.write("x" * 100000)
    """
    with pytest.raises(SystemFailure, match="50000 bytes"):
        outcome(Command(run=program(body), record_limit=50_000, retries=0), SOURCES)


def test_a_program_that_never_works_is_given_up(program):
    """A broken program is stopped early, with its reason."""
    system = Command(run=program("sys.exit('no such model')"))
    results = []
    with pytest.raises(SystemFailure, match=r"3 sentences in a row .*no such model"):
        results.extend(answers(system, SOURCES))
    assert system.describe()["starts"] < 15


def test_finished_work_is_kept_when_a_program_breaks_for_good(program, tmp_path):
    """What was answered before a lasting failure has been yielded before the error."""
    body = f"""
    mark = {str(tmp_path / "broken")!r}
    for line in sys.stdin:
        if "sentence 4" in line or os.path.exists(mark):
            open(mark, "w").close()
            sys.exit("out of memory")
        print(line.strip().upper(), flush=True)
    """
    system = Command(run=program(body), batch_size=2, give_up_after=3)
    results: list[str | Failure] = []
    with pytest.raises(SystemFailure, match=r"3 sentences in a row .*out of memory"):
        results.extend(answers(system, SOURCES))
    assert results[:4] == UPPER[:4]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("'not json'", "not JSON"),
        ("'[1]'", "no 'id'"),
        ("json.dumps({'id': 99, 'translation': 'x'})", "not asked"),
        ("json.dumps({'id': row['id'], 'translation': None})", "no text 'translation'"),
    ],
)
@pytest.mark.parametrize("mode", ["per-batch", "long-lived"])
def test_a_bad_jsonl_line_fails_alone(program, mode, line, words):
    """One bad answer is named; the others are kept."""
    body = f"""
    for text in sys.stdin:
        row = json.loads(text)
        answer = json.dumps({{"id": row["id"], "translation": row["source"].upper()}})
        print({line} if row["source"] == "sentence 2" else answer, flush=True)
    """
    results = outcome(Command(run=program(body), format="jsonl", mode=mode), SOURCES)
    assert [r for i, r in enumerate(results) if i != 2] == UPPER[:2] + UPPER[3:]
    assert words in results[2].reason


def test_only_named_variables_are_passed(program, monkeypatch):
    """The environment is a white list: unnamed variables, secrets above all, stay out."""
    monkeypatch.setenv("SEEN", "yes-seen")
    monkeypatch.setenv("UNSEEN", "no-unseen")
    body = """
    for line in sys.stdin:
        print(os.environ.get("SEEN"), os.environ.get("UNSEEN"))
    """
    assert outcome(Command(run=program(body), env=("SEEN",)), ["a"]) == ["yes-seen None"]
    with pytest.raises(ConfigError, match="ABSENT"):
        outcome(Command(run=program(body), env=("ABSENT",)), ["a"])


def test_a_secret_in_stderr_is_redacted(program, monkeypatch):
    """A program that prints its key while dying does not put it into the error."""
    monkeypatch.setenv("ENGINE_KEY", "sk-very-secret")
    system = Command(run=program("sys.exit(os.environ['ENGINE_KEY'])"), env=("ENGINE_KEY",))
    with pytest.raises(SystemFailure) as error:
        outcome(system, ["a"] * 9)
    assert "sk-very-secret" not in str(error.value)
    assert "[ENGINE_KEY]" in str(error.value)


def test_no_shell_unless_asked_for(tmp_path):
    """Shell syntax is plain text without `shell`, and works with it."""
    marker = tmp_path / "made"
    plain = Command(run=f"cat ; touch {marker}", retries=0)
    with pytest.raises(SystemFailure):
        outcome(plain, SOURCES)
    assert not marker.exists()
    assert outcome(Command(run="tr a-z A-Z | cat", shell=True), SOURCES) == UPPER


def test_a_missing_program_is_the_users_mistake():
    """A program that does not exist is a configuration error, not a failed run."""
    with pytest.raises(ConfigError, match="cannot start"):
        outcome(Command(run=("./no-such-program",)), SOURCES)


def test_paragraph_separator(program):
    """A program of paragraphs is served by a separator of two line breaks."""
    body = """
    for paragraph in sys.stdin.read().split("\\n\\n"):
        if paragraph:
            print(paragraph.upper() + "\\n")
    """
    assert outcome(Command(run=program(body), separator="\n\n"), SOURCES) == UPPER


def test_working_directory(program, tmp_path):
    """The program runs where it is told to."""
    folder = tmp_path / "folder"
    folder.mkdir()
    body = "for line in sys.stdin: print(os.getcwd())"
    assert outcome(Command(run=program(body), cwd=folder), ["a"]) == [str(folder)]


def test_options_are_checked():
    """Contradicting options are refused before anything runs."""
    with pytest.raises(ConfigError):
        parse_config(Command, {"run": []})
    with pytest.raises(ConfigError):
        parse_config(Command, {"run": ["a", "b"], "shell": True})
    with pytest.raises(ConfigError):
        parse_config(Command, {"run": "a", "batch_size": 0})


def test_the_program_counts_by_what_it_says(program, tmp_path, monkeypatch):
    """Scripts and a program beside the experiment; neither interpreters nor logs."""
    script = tmp_path / "program.py"
    assert Command(run=program(UPPERCASE)).depends_on() == (script,)
    (tmp_path / "run.log").write_text("changes\n")
    monkeypatch.chdir(tmp_path)
    assert Command(run="python -u program.py run.log").depends_on() == (Path("program.py"),)
    (tmp_path / "engine").write_bytes(b"\x7fELF")
    assert Command(run=("./engine", "run.log")).depends_on() == (Path("engine"),)
    assert Command(run="cat | tr a-z A-Z", shell=True).depends_on() == ()
    with pytest.raises(ConfigError, match="names no program"):
        Command(run=" ")


@pytest.mark.parametrize("mode", ["per-batch", "long-lived"])
def test_a_sentence_that_kills_the_program_is_to_blame(program, mode):
    """A sentence that worked before still does: no later run need ask for the bad one again."""
    body = """
    for line in sys.stdin:
        if "bad" in line:
            sys.exit(3)
        print(line.strip().upper(), flush=True)
    """
    found = outcome(Command(run=program(body), mode=mode, batch_size=4), [*SOURCES, "bad"])
    assert found[:-1] == UPPER
    assert isinstance(found[-1], Failure)
    assert found[-1].final
    assert "status 3" in found[-1].reason


def test_a_program_that_broke_down_blames_no_sentence(program, tmp_path, patience):
    """Where nothing passes any more, all may be right later; so may what took too long."""
    body = f"""
    for line in sys.stdin:
        if os.path.exists({str(tmp_path / "full")!r}):
            sys.exit(3)
        open({str(tmp_path / "full")!r}, "w").close()
        print(line.strip().upper(), flush=True)
    """
    found = outcome(Command(run=program(body), batch_size=1), SOURCES[:3])
    assert found[0] == UPPER[0]
    assert [one.final for one in found[1:]] == [False, False]
    slow = """
    for line in sys.stdin:
        time.sleep(600 if "bad" in line else 0)
        print(line.strip().upper(), flush=True)
    """
    system = Command(run=program(slow), batch_size=1, timeout=patience, retries=0)
    assert [getattr(one, "final", None) for one in outcome(system, ["a", "bad"])] == [None, False]
