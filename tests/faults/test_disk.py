"""Disk and rights: a clear error, and what existed is untouched."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess

import pytest

from faults.inputs import contents, difference, write_inputs

# What fills a folder, and what was there before.
COMMANDS = {
    "build": ("build recipe.toml --out {out}/made", ()),
    "build --force": (
        "build recipe.toml --out {out}/made --seed 2 --force",
        ("build recipe.toml --out {out}/made",),
    ),
    "augment": ("augment benchmark -n 150 --out {out}/made", ()),
    "run": ("run all.toml -o run={out}/run", ()),
    "score": (
        "score command.toml -o run={out}/run --force",
        ("run command.toml -o run={out}/run",),
    ),
    "report": ("report runs/command --out {out}/made", ()),
    "translate lines": ("translate --system copy --input lines.en --output {out}/made", ()),
}


@contextlib.contextmanager
def mounted(path, *options):
    """A small file system of its own, or a skip where one may not mount."""
    path.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["mount", *options, str(path)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("file systems cannot be mounted here (needs root)")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=False)


@pytest.fixture
def inputs(tmp_path, warm):
    """Inputs, and a run to report on."""
    folder = tmp_path / "work"
    write_inputs(folder)
    assert warm.run(["run", "command.toml"], folder).code == 0
    return folder


def run(warm, command, folder, out):
    """Run a command that writes below `out`."""
    return warm.run(command.format(out=out).split(), folder)


def made(folder):
    """What was made; an experiment's record holds the path of its run."""
    found = contents(folder)
    return {name: text for name, text in found.items() if not name.endswith("experiment.json")}


def kept(before, after):
    """What is wrong with what existed: a run may go on, nothing that was finished may change."""
    lost = {name: text for name, text in before.items() if after.get(name) != text}
    left = [name for name in after if name.endswith((".partial", ".lock"))]
    return (f"changed: {sorted(lost)} " if lost else "") + (f"left: {left}" if left else "")


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("room", [0, 60], ids=lambda room: f"{room}K")
def test_a_full_disk(name, room, inputs, tmp_path, warm, survive):
    """With this much room left; then there is room again, and the result is the right one."""
    command, before = COMMANDS[name]
    whole = tmp_path / "whole"
    whole.mkdir()
    for one in (*before, command):
        assert run(warm, one, inputs, whole).fault(0) == ""
    expected = made(whole)
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=64M", "none") as small:
        for one in before:
            assert run(warm, one, inputs, small).fault(0) == ""
        there = contents(small)
        state = os.statvfs(small)
        filler = small / "filler"
        with filler.open("wb") as stream:
            stream.write(b"\0" * (state.f_bavail * state.f_frsize - room * 1024))
        ended = run(warm, command, inputs, small)
        filler.unlink()
        wrong = ended.fault(0, 1)
        if not wrong and ended.code == 1 and "No space left" not in ended.err:
            wrong = f"it does not say what is wrong: {ended.err}"
        if not wrong and ended.code == 1 and name not in ("score", "run"):
            wrong = kept(there, contents(small))
        if not wrong:
            wrong = run(warm, command, inputs, small).fault(0)
            wrong = wrong or difference(made(small), expected)
    survive("disk full", name, wrong)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_that_cannot_be_written(name, inputs, tmp_path, warm, survive):
    """A medium that is read-only: a clear error, and nothing changed."""
    command, before = COMMANDS[name]
    out = tmp_path / "out"
    out.mkdir()
    for one in before:
        assert run(warm, one, inputs, out).fault(0) == ""
    there = contents(out)
    with mounted(out, "--bind", str(out)):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(out)], check=True)
        ended = run(warm, command, inputs, out)
    wrong = ended.fault(1, 2)
    if not wrong and "Read-only" not in ended.err:
        wrong = f"it does not say what is wrong: {ended.err}"
    survive("read-only folder", name, wrong or difference(contents(out), there))


def test_a_run_on_a_medium_that_cannot_be_written_is_reported(inputs, tmp_path, warm, survive):
    """Somebody else's run, with --out elsewhere."""
    there = contents(inputs / "runs")
    with mounted(inputs / "runs", "--bind", str(inputs / "runs")):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(inputs / "runs")], check=True)
        ended = warm.run(["report", "runs/command", "--out", str(tmp_path / "made")], inputs)
    wrong = ended.fault(0) or difference(contents(inputs / "runs"), there)
    survive("read-only folder", "what is read", wrong)


STRANGE = {
    "unicode": "Ünïcødé 試験 🙂",
    "space": "a  b ",
    "newline": "a\nb",
    "quotes": "a'b\"c$d`e",
    "long": "/".join(["x" * 200] * 12),
    "too long": "y" * 250,
}


@pytest.mark.parametrize("kind", STRANGE)
def test_strange_paths(kind, inputs, tmp_path, warm, survive):
    """Everything works there, or a name that the file system cannot hold is refused."""
    plain, strange = tmp_path / "plain", tmp_path / "strange" / STRANGE[kind]
    for out in (plain, strange):
        out.mkdir(parents=True)
    for name in ("build", "augment", "report"):
        command = COMMANDS[name][0]
        assert run(warm, command, inputs, plain).fault(0) == ""
        arguments = [part.replace("{out}", str(strange)) for part in command.split()]
        ended = warm.run(arguments, inputs)
        wrong = ended.fault(0)
        made = contents(strange / "made") if (strange / "made").exists() else {}
        there = contents(plain / "made")
        survive("strange path", kind, wrong or difference(made, there))
        for out in (plain, strange):
            shutil.rmtree(out / "made")


def test_a_name_that_is_too_long_for_its_unfinished_file(inputs, warm, survive):
    """A folder's name fits, the same name with .partial does not: an error, not a traceback."""
    ended = warm.run(["build", "recipe.toml", "--out", "z" * 252], inputs)
    wrong = ended.fault(1, 2)
    survive(
        "strange path",
        "no room for .partial",
        wrong or ("" if "too long" in ended.err else ended.err),
    )


def test_links_and_other_file_systems(inputs, tmp_path, warm, survive):
    """A linked folder is the folder; a link as --out keeps what it points to."""
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    plain = tmp_path / "plain"
    plain.mkdir()
    for name in ("build", "augment", "run", "report"):
        command = COMMANDS[name][0]
        assert run(warm, command, inputs, plain).fault(0) == ""
        wrong = run(warm, command, inputs, tmp_path / "link").fault(0)
        survive("linked folder", name, wrong or difference(made(real), made(plain)))
        for out in (plain, real):
            shutil.rmtree(out)
            out.mkdir()
    with mounted(tmp_path / "other", "-t", "tmpfs", "-o", "size=64M", "none") as other:
        for name in ("build", "run"):
            command = COMMANDS[name][0]
            assert run(warm, command, inputs, plain).fault(0) == ""
            wrong = run(warm, command, inputs, other).fault(0)
            survive("other file system", name, wrong or difference(made(other), made(plain)))
            for one in other.iterdir():
                shutil.rmtree(one)
            shutil.rmtree(plain)
            plain.mkdir()
