"""Small recipes for tests: a pool of sentences, and parts of it that training does not show."""

from __future__ import annotations


def small_recipe(
    name: str, *parts: str, exposures: int, train: int, dev: int, options: str = ""
) -> str:
    """A recipe on the SGET grammar with a pool of so many sentences, and these parts."""
    head = f"""\
builder = "generated"
grammar = "sget"
inside_tag = "in_cp"
exposures = {exposures}
{options}
[benchmark]
name = "{name}"
source = "en"
target = "ja"
[split.train.base]
size = {train}
pool = "base"
[split.dev.base]
size = {dev}
pool = "base"
"""
    return "\n".join([head, *parts])


def primitive(size: int, more: str = "") -> str:
    """Target words that training shows alone, as subjects."""
    return f"""\
[split.gen.primitive]
size = {size}
category = "Primitive substitution"
group = "lexical"
targets = ["thief", "author"]
pattern = ["_.subj = $target"]
{more}
inside = "that_past"
depth_outside = {{ cp = 0 }}
depth_inside = {{ cp = "1" }}
look = [{{ find = "_.subj = $target", take = "subj", head = true }}]
[[split.gen.primitive.expose]]
pattern = ["bare_noun = $target"]
weights = {{ bare_noun = 1 }}
bare = true
"""


def deep(size: int, depth: str, more: str = "") -> str:
    """Prepositional phrases of a depth that training does not show."""
    return f"""\
[split.gen.deep]
size = {size}
category = "Recursion"
group = "structural"
pattern = ["{{pp}}"]
depth = {{ pp = "{depth}" }}
{more}
look = [
    {{ find = "_.obj >> {{pp}}", take = "obj" }},
    {{ find = "_.theme >> {{pp}}", take = "theme" }},
]
"""
