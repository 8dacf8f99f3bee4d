"""A small grammar whose one language has variants."""

from __future__ import annotations

from pathlib import Path

import pytest

FILES = {
    "abstract.grammar": """\
%start Text
tell : Text -> S
act  : S -> subj:NP *VP
tr   : VP -> *V obj:NP
np   : NP -> N
""",
    "abstract.lexicon.tsv": "id\tcat\ncat\tN\ndog\tN\nsee\tV\nlike\tV\n",
    "xx.grammar": """\
%join " "
tell = S "."
act  = subj "ga" VP
tr   = obj V.part V.past
np   = N
""",
    "xx.lexicon.tsv": (
        "id\tform\tpart\tpast\n"
        "cat\tneko\t\t\n"
        "dog\tinu\t\t\n"
        "see\tmi\to\tmita\n"
        "like\tsuki\tga\tsukida\n"
    ),
    "variants/xx.grammar": """\
%ignore ","
%final ".!"
%contrast polarity
act = subj _topic VP
act/tr = { subj _topic , obj V.part } V.past | { obj "ga" , subj "ni" } V.passive
act/tr = subj _topic obj _done[V.kind]
np = ( "sono" | "kono" ) N
""",
    "variants/xx.lexicon.tsv": (
        "id\tmi\tmiru\n"
        "_done\tni.ki.zuita\tni.au\n"
        "id\tkind\n"
        "see\tmi|miru\n"
        "id\tform\tpart\tpast\tpassive\tpolarity.past\n"
        "_topic\tga|wa\n"
        "cat\tkoneko\n"
        "see\t\t\t\tmirareta\tminakatta\n"
        "like\tkonomu\to\tkononda\n"
    ),
}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The folder of the grammar."""
    folder = tmp_path / "small"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
