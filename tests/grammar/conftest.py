"""Grammars that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from recombine.grammar import Grammar

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


@pytest.fixture(scope="session")
def toy() -> Grammar:
    """The shipped toy grammar."""
    return Grammar.load("toy")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write the small grammar, with some files replaced or added; return its folder."""

    def build(changes: dict[str, str] | None = None, **more: str) -> Path:
        folder = tmp_path / "small"
        for name, text in {**SMALL, **(changes or {}), **more}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return folder

    return build


@pytest.fixture
def small(write: Write) -> Grammar:
    """The worked example of the format page."""
    return Grammar.load(write())
