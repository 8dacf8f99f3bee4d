"""The command line: verbs -> functions. The only package that prints or exits.

Standard output is data, standard error is talk. Exit 0: done. 1: the run failed. 2: the user must
change something. 130: stopped by Ctrl-C. Everything heavy is imported inside its verb, so that
--help answers at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from recombine.cli.parser import make_parser
from recombine.cli.talk import say
from recombine.errors import ConfigError, RecombineError
from recombine.progress import waiting


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; return the exit code."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    if not hasattr(options, "function"):
        parser.print_help()
        return 2
    try:
        if getattr(options, "json_is_of_plan", False) and options.json and not options.dry_run:
            raise ConfigError(
                f"--json of '{options.verb}' is the plan's: it goes with --dry-run",
                hint="recombine score and recombine report print results as JSON",
            )
        with waiting(f"recombine {options.verb}"):
            code: int = options.function(options)
        sys.stdout.flush()
        return code
    except RecombineError as error:
        say(error.render())
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output has gone (| head); nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        say("stopped; what was finished is kept, run the same command again to go on")
        return 130  # as shells count a program that SIGINT ended: 128 + 2
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        say(f"error: {place}{error.strerror or error}")
        say("hint: what was finished is kept; free space or change permissions and run again")
        return 1
