"""How faults start commands: in a warm copy of Python, or as a stranger's shell would."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from faults.inputs import write_inputs

# What a warm Python has done once, in the folder of `write_inputs`.
WARMING = (
    "build recipe.toml --out made",
    "build divergent.toml --out divergent",
    "augment benchmark -n 150 --out augmented",
    # No report: what draws figures starts threads, which a copy of the process does not have.
    "train all.toml",
    "translate all.toml",
    "score all.toml",
)
RECOMBINE = [sys.executable, "-m", "recombine.cli"]
# Nothing here takes longer, on however busy a machine; what does hangs.
LIMIT = 240.0


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    seconds: float
    out: str
    err: str
    megabytes: float = 0.0  # the most it had, of a warm Python's copy

    def fault(self, *codes: int) -> str:
        """What is wrong with the way it ended, if anything."""
        if "Traceback" in self.err:
            return f"a traceback: {self.err[-600:]}"
        return "" if self.code in codes else f"exit {self.code}: {self.err[-600:]}"


class WarmPython:
    """A process that has imported everything and runs one command after another in copies."""

    def __init__(self) -> None:
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        self._server = subprocess.Popen(
            [sys.executable, "-m", "faults.launch"],
            cwd=Path(__file__).parent.parent,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )

    def run(
        self,
        arguments: Sequence[str],
        folder: Path,
        *,
        kill: int | None = None,
        after: float = 0.0,
        env: Mapping[str, str] | None = None,
    ) -> Ended:
        """Run a command in a folder; with `kill`, send its process group that signal after a time.

        Ctrl-C goes to all that a terminal started; so do all signals here.
        """
        began = time.monotonic()
        process = self.start(arguments, folder, env=env)
        if kill is not None:
            time.sleep(after)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process, kill)
        return self.end(process)._replace(seconds=time.monotonic() - began)

    def start(
        self, arguments: Sequence[str], folder: Path, *, env: Mapping[str, str] | None = None
    ) -> int:
        """Start a command and return its process; several may be under way."""
        job = {"arguments": list(arguments), "folder": str(folder), "env": dict(env or {})}
        process: int = self._ask(job)["pid"]
        return process

    def end(self, process: int) -> Ended:
        """Wait for a command that was started."""
        answer = self._ask({"wait": process})
        return Ended(answer["code"], 0.0, answer["out"], answer["err"], answer["megabytes"])

    def close(self) -> None:
        """End it."""
        self._server.kill()
        self._server.wait()

    def _ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(question) + "\n")
        self._server.stdin.flush()
        answer: dict[str, Any] = json.loads(self._server.stdout.readline())
        return answer


def cold(
    arguments: Sequence[str], folder: Path, *, env: Mapping[str, str] | None = None, **options: Any
) -> Ended:
    """Run a command as a shell would."""
    began = time.monotonic()
    done = subprocess.run(
        [*RECOMBINE, *arguments],
        cwd=folder,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=LIMIT,
        check=False,
        **options,
    )
    return Ended(done.returncode, time.monotonic() - began, done.stdout, done.stderr)


def _serve() -> None:
    import tempfile

    import torch

    from recombine.cli import main

    torch.set_num_threads(1)
    scratch = Path(tempfile.mkdtemp())
    with contextlib.redirect_stdout(sys.stderr), contextlib.chdir(scratch):
        # Everything is imported and compiled once, by doing it once. What cannot be done here
        # (an extra is not installed) fails again where it is tested, and alone.
        write_inputs(scratch)
        for command in WARMING:
            main(command.split())
    # A copy that is stopped before it has become a command ends silently.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for line in sys.stdin:
        job = json.loads(line)
        if "wait" in job:
            answer = _wait(job["wait"], LIMIT)
            for name in ("out", "err"):
                path = scratch / f"{job['wait']}.{name}"
                answer[name] = path.read_text(errors="replace") if path.exists() else ""
        else:
            child = os.fork()
            if not child:
                _become(job, scratch)
                sys.argv = ["recombine", *job["arguments"]]
                code = 1
                try:
                    signal.signal(signal.SIGINT, signal.default_int_handler)
                    code = main()
                except SystemExit as end:
                    code = int(end.code or 0)
                except BaseException:
                    traceback.print_exc()
                finally:
                    sys.stdout.flush()
                    sys.stderr.flush()
                    os._exit(code)
            answer = {"pid": child}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _become(job: Mapping[str, Any], scratch: Path) -> None:
    os.setsid()
    os.chdir(job["folder"])
    os.environ.update(job["env"])
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(
            os.open(scratch / f"{os.getpid()}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
            number,
        )


def _wait(child: int, limit: float) -> dict[str, Any]:
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        process, status, used = os.wait4(child, os.WNOHANG)
        if process:
            megabytes = used.ru_maxrss / 1024
            return {"code": os.waitstatus_to_exitcode(status), "megabytes": megabytes}
        time.sleep(0.002)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return {"code": 9999, "megabytes": 0.0}


if __name__ == "__main__":
    _serve()
