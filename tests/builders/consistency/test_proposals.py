"""Proposals of synonyms and idioms from parallel text."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.builders.consistency.proposals import (
    propose_idioms,
    propose_synonyms,
    write_synonyms,
)
from recombine.builders.consistency.wordlists import Idiom, read_synonyms
from recombine.errors import DataError

VERBS = [("sees", "ziet"), ("has", "heeft"), ("likes", "mag"), ("buys", "koopt")]
NOUNS = [
    ("airplane", "vliegtuig"),
    ("aeroplane", "vliegtuig"),
    ("dog", "hond"),
    ("dogs", "honden"),
    ("hong kong", "hongkong"),
    ("cat", "kat"),
]


def corpus() -> tuple[list[str], list[str]]:
    """Return sentences with every noun and verb."""
    pairs = [
        (f"he {verb} the {noun} .", f"hij {dutch} de {term} .")
        for verb, dutch in VERBS
        for noun, term in NOUNS
        for _ in range(3)
    ]
    return [source for source, _ in pairs], [target for _, target in pairs]


def test_synonyms_share_their_target_term(tmp_path: Path) -> None:
    """Airplane and aeroplane are proposed; collocates and forms of one word are not."""
    sources, translations = corpus()
    found = propose_synonyms(sources, translations)
    pairs = {(one.first, one.second): one.translation for one in found}
    assert pairs[("aeroplane", "airplane")] == "vliegtuig"
    assert ("hong", "kong") not in pairs
    assert ("dog", "dogs") not in pairs
    path = tmp_path / "synonyms.tsv"
    write_synonyms(str(path), found)
    assert ("aeroplane", "airplane") in {one[:2] for one in read_synonyms("en", "", path)}


def test_idioms_need_hits_and_paraphrases() -> None:
    """Both criteria of the paper decide, and the counts are shown either way."""
    sources = ["It came out of the blue ."] * 9 + ["I know it by heart ."] * 9 + ["Take stock ."]
    translations = ["Het kwam plotseling ."] * 9 + ["Met het hart ."] * 9 + ["Blik terug ."]
    idioms = [
        Idiom("out of the blue", ("blue",), "", ("blauw", "blauwe")),
        Idiom("by heart", ("heart",), "", ("hart",)),
        Idiom("take stock", ("stock",), "", ("voorraad",)),
    ]
    found = {one.idiom: one for one in propose_idioms(sources, translations, idioms, fewest=5)}
    assert found["out of the blue"].accepted
    assert (found["by heart"].hits, found["by heart"].paraphrased) == (9, 0.0)
    assert not found["by heart"].accepted
    assert not found["take stock"].accepted


def test_unequal_texts_are_refused() -> None:
    """Line-aligned means line-aligned."""
    with pytest.raises(DataError, match="different lengths"):
        propose_synonyms(["a", "b"], ["a"])
    with pytest.raises(DataError, match="2 sources"):
        propose_idioms(["a", "b"], ["a"], [])
