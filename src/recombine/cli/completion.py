"""The verb completion: a script that lets a shell complete verbs, options, names and files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from recombine.cli.options import Verb

SHELLS = ("bash", "zsh", "tcsh")
# Arguments that name something shipped: a recipe or a grammar; files of one's own complete, too.
NAMED = {"recipe": "recipes", "grammar": "grammars"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("shell", choices=SHELLS, help="your shell")


def completion_verb(options: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    from recombine.cli.listing import members

    parser: argparse.ArgumentParser = options.parser
    words = {kind: " ".join(members(kind)) for kind in NAMED.values()}
    preamble = {
        "bash": "\n".join(
            f'_recombine_{kind}() {{ compgen -W "{names}" -- "$1"; compgen -f -- "$1"; }}'
            for kind, names in words.items()
        ),
        "zsh": "\n".join(
            f"_recombine_{kind}() {{ compadd {names}; _files }}" for kind, names in words.items()
        ),
    }
    for action in _actions(parser):
        if action.type is Path:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.dest in NAMED and not action.option_strings:
            function = f"_recombine_{NAMED[action.dest]}"
            action.complete = {  # type: ignore[attr-defined]
                "bash": function, "zsh": function, "tcsh": "f",
            }  # fmt: skip
    print(shtab.complete(parser, shell=options.shell, preamble=preamble.get(options.shell, "")))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)


VERB = Verb(
    "completion",
    "print a script that lets your shell complete verbs, options and names",
    "recombine completion bash",
    add_arguments,
    completion_verb,
)
