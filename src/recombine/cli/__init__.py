"""The command line: verbs -> functions. The only package that prints or exits.

Standard output is data, standard error is talk. Exit 0: done. 1: the run failed. 2: the user must
change something. 130: stopped by Ctrl-C, 143: by SIGTERM. Everything heavy is imported inside its
verb, so that --help answers at once.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from recombine.errors import ConfigError, RecombineError


class Terminated(KeyboardInterrupt):
    """SIGTERM: a scheduler wants the process to end; it ends as after Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; return the exit code. Without arguments it is the program itself."""
    if arguments is None:
        _mend_streams()
    with _signals() if arguments is None else contextlib.nullcontext():
        try:
            return _answer(arguments)
        except KeyboardInterrupt as stop:
            _say("stopped; what was finished is kept, run the same command again to go on")
            # As shells count a program that a signal ended: 128 + its number.
            return 143 if isinstance(stop, Terminated) else 130
        finally:
            if arguments is None:
                # The process ends, and with it all that was made: Python need not look through
                # it for cycles first, which took up to a quarter of the time.
                gc.freeze()


def _mend_streams() -> None:
    """Open what is closed, and escape what an encoding cannot hold: neither ends in a traceback."""
    lost = sys.stdout is None
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # In this order the number of a closed stream is not given to another file.
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.isatty():
        from recombine.cli.talk import SafeTerminal

        stdout = sys.stdout
        encoding = stdout.encoding
        sys.stdout = SafeTerminal(
            stdout.detach(), encoding, "backslashreplace", line_buffering=True
        )
    if lost:
        _say("note: standard output is closed; what would be printed is lost")


def _answer(arguments: Sequence[str] | None) -> int:
    from recombine.cli.parser import make_parser, require_verb
    from recombine.progress import waiting

    parser = make_parser()
    words = sys.argv[1:] if arguments is None else [*arguments]
    try:
        require_verb(words)
    except ConfigError as error:
        _say(error.render())
        return error.exit_code
    options = parser.parse_args(words)
    if not hasattr(options, "function"):
        parser.print_help()
        return 2
    from recombine.cli.talk import print_unplanned
    from recombine.registry import NotImported, user_code_barred

    try:
        if getattr(options, "json_is_of_plan", False) and options.json and not options.dry_run:
            raise ConfigError(
                f"--json of '{options.verb}' prints the plan: give it together with --dry-run",
                hint="recombine score and recombine report print results as JSON",
            )
        planned = getattr(options, "dry_run", False)
        barred = (planned or options.verb == "check") and not getattr(options, "trust", False)
        with waiting(f"recombine {options.verb}"), user_code_barred(barred):
            try:
                code: int = options.function(options)
            except NotImported as error:
                if not planned:
                    raise
                code = print_unplanned([{"imports": error.name}], getattr(options, "json", False))
        sys.stdout.flush()
        return code
    except RecombineError as error:
        _say(error.render())
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output has gone (| head); nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _say(f"error: {place}{error.strerror or error}")
        _say("hint: what was finished is kept; free space or change permissions and run again")
        return 1
    except MemoryError:
        _say("error: out of memory")
        _say("hint: what was finished is kept; take a smaller part (--sample) or a larger machine")
        return 1


def _say(text: str) -> None:
    from recombine.cli.talk import say

    say(text)


@contextlib.contextmanager
def _signals() -> Iterator[None]:
    """Let SIGTERM end the program as Ctrl-C does; when it is done, signals end it at once."""
    owner = os.getpid()

    def stop(number: int, frame: Any) -> None:
        if os.getpid() == owner:
            raise Terminated
        # A copy of this process has nothing to put away.
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
