"""The docs site: Sphinx with MyST and Furo. `make docs` builds it; nothing is fetched, nothing remote is linked in.

Two directives read the program itself, so that the reference cannot fall behind: `cli` has every verb of the parser,
`listing` a kind of things that can be named in recipes and experiments.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "src"))

project = "Recombine"
author = "The Recombine developers"
copyright = author
# The pages of a release say of which; those of the main branch are about what is not released yet.
release = os.environ.get("DOCS_VERSION", "development")
html_title = f"Recombine ({release})"
extensions = ["myst_nb"]
exclude_patterns = ["_build", "make_images.py", "results/*/*.md"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
# The notebook holds its results; tests/test_notebook.py runs it.
nb_execution_mode = "off"
nitpicky = True
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}


class Generated(SphinxDirective):
    """A directive whose content is Markdown that the program writes."""

    def written(self) -> list[str]:
        """Return the lines."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """Parse them here."""
        self.env.note_dependency(__file__)
        section = nodes.section()
        section.document = self.state.document
        self.state.nested_parse(StringList(self.written(), __file__), 0, section, match_titles=True)
        return section.children


class Cli(Generated):
    """Every verb: what it does, its usage, its options, its example."""

    def written(self) -> list[str]:
        """Walk the parser."""
        from recombine.cli.parser import make_parser

        (verbs,) = (a for a in make_parser()._actions if isinstance(a, argparse._SubParsersAction))
        lines: list[str] = []
        for name, parser in verbs.choices.items():
            example = (parser.epilog or "").removeprefix("example:\n").strip()
            lines += [f"## `{name}`", "", f"{(parser.description or '').capitalize()}.", ""]
            lines += ["```sh", example, "```", "", "| | |", "| --- | --- |"]
            for action in parser._actions:
                if action.dest != "help":
                    lines.append(f"| {_flags(action)} | {_cell(_help(action))} |")
            lines.append("")
        return lines


def _flags(action: argparse.Action) -> str:
    shown = ", ".join(f"`{flag}`" for flag in action.option_strings)
    value = action.metavar or (
        "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()
    )
    takes = action.nargs != 0
    return (
        f"{shown} `{value}`" if shown and takes else shown or f"`{action.metavar or action.dest}`"
    )


def _help(action: argparse.Action) -> str:
    text = (action.help or "").replace("%%", "%")
    if action.required and action.option_strings:
        text = f"{text} (required)".strip()
    return text


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


class Listing(Generated):
    """What `recombine list KIND` says, as a table."""

    required_arguments = 1

    def written(self) -> list[str]:
        """Ask the verb's own functions."""
        from recombine.cli.listing import members

        rows = [
            f"| `{name}` | {_cell(said)} |" for name, said in members(self.arguments[0]).items()
        ]
        return ["| name | |", "| --- | --- |", *rows, ""]


def outside(app: Sphinx, name: str, text: list[str]) -> None:
    """A link to a folder of the repository leads nowhere on the site: its words stay."""
    here = Path(app.env.doc2path(name)).parent

    def words(link: re.Match[str]) -> str:
        return link[1] if (here / link[2]).is_dir() else link[0]

    text[0] = re.sub(r"\[([^\]]+)\]\((\.\./[^)#]+)\)", words, text[0])


def setup(app: Sphinx) -> None:
    """Add the two directives, and what becomes of links that leave the docs."""
    app.connect("source-read", outside)
    app.add_directive("cli", Cli)
    app.add_directive("listing", Listing)
