"""The rule-based translator."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from recombine.errors import ConfigError
from recombine.grammar.files.folder import find_grammar
from recombine.registry import create
from recombine.systems.base import Failure
from recombine.systems.oracle import Oracle


def test_translates_and_fails_in_order() -> None:
    """Translations come in order; a sentence outside the grammar is a failure with the reason."""
    oracle = create("system", "oracle", {"grammar": "toy", "source": "en", "target": "ja"})
    outputs = list(oracle.translate(["The cat slept.", "The cat flew.", "Did Emma see a dog?"]))
    assert outputs[0] == "猫は眠った。"
    assert isinstance(outputs[1], Failure)
    assert "flew" in outputs[1].reason
    assert outputs[2] == "エマは犬を見たか。"
    assert oracle.describe()["grammar"] == "toy"


@pytest.mark.parametrize(("source", "target"), [("de", "tr"), ("tr", "en"), ("ja", "de")])
def test_any_pair(source: str, target: str) -> None:
    """Any language of the grammar is a source and a target."""
    sentences = {
        "de": "Die Katze sah den Hund.",
        "tr": "Kedi köpeği gördü.",
        "ja": "猫は犬を見た。",
        "en": "The cat saw the dog.",
    }
    oracle = Oracle(grammar="toy", source=source, target=target)
    assert list(oracle.translate([sentences[source]])) == [sentences[target]]


def test_unknown_language() -> None:
    """A language that the grammar does not have is refused before anything runs."""
    with pytest.raises(ConfigError) as caught:
        Oracle(grammar="toy", target="fr")
    assert "de" in str(caught.value.hint)


@pytest.mark.reference
def test_published_sentences(reference_data: Path) -> None:
    """Every published SGET dev sentence comes out as published."""
    path = reference_data / "sget" / "dev.tsv"
    rows = [line.split("\t")[:2] for line in path.read_text(encoding="utf-8").splitlines()]
    oracle = Oracle(grammar="sget", edition="official", target="ja")
    outputs = list(oracle.translate([row[0] for row in rows]))
    assert outputs == [row[1] for row in rows]


def test_its_grammar_counts_by_what_it_says() -> None:
    """Of the languages that it reads and says, with what all share, and of no other."""
    oracle = Oracle(grammar="toy", source="en", target="ja")
    owners = {path.name.partition(".")[0] for path in oracle.depends_on()}
    assert owners == {"abstract", "en", "ja"}


def test_the_grammar_is_read_once_and_again_when_it_changes(tmp_path: Path) -> None:
    """A stage makes the same system several times; a file that was edited meanwhile counts."""
    folder = shutil.copytree(find_grammar("toy"), tmp_path / "toy")
    first, second = (Oracle(grammar=str(folder), target="ja") for _ in range(2))
    assert first._grammar is second._grammar
    path = folder / "ja.grammar"
    path.write_text(path.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    assert Oracle(grammar=str(folder), target="ja")._grammar is not first._grammar
