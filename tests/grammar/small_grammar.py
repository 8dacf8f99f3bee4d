"""A grammar small enough to check by hand: the worked example of the format page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from recombine.grammar import Parse, Tree

SMALL = {
    "abstract.grammar": """
%start S
decl   : S  -> subj:NP *VP
sleep_ : VP -> V1              [2]
trans  : VP -> *V2 obj:NP
def    : NP -> N               [3]
beside : NP -> *N loc:NP       {pp}
""",
    "abstract.lexicon.tsv": "id\tcat\ncat\tN\ndog\tN\nhouse\tN\nsee\tV2\nsleep\tV1\n",
    "en.grammar": """
%post capitalise
decl   = subj VP + "."
sleep_ = V1
trans  = V2 obj
def    = "the" N
beside = "the" N "beside" loc
""",
    "en.lexicon.tsv": "id\tform\ncat\tcat\ndog\tdog\nhouse\thouse\nsee\tsaw\nsleep\tslept\n",
    "ja.grammar": """
%join ""
decl   = subj "が" VP "。"
sleep_ = V1
trans  = obj "を" V2
def    = N
beside = loc "の横の" N
""",
    "ja.lexicon.tsv": "id\tform\ncat\t猫\ndog\t犬\nhouse\t家\nsee\t見た\nsleep\t眠った\n",
}

Write = Callable[..., Path]


def is_read(tree: Tree, parse: Parse) -> bool:
    """Whether a tree is among the analyses of a text."""
    return any(found == tree for found in parse.trees(50_000))
