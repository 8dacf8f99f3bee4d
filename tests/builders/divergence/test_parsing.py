"""Raw text goes through a parser once and is kept."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from recombine.builders.divergence.parsing import load_parser, parsed_text, read_lines_of
from recombine.builders.parsed import read_parsed
from recombine.errors import ConfigError, DataError


def test_words_are_cut_and_kept(tmp_path: Path) -> None:
    """The parse is made once; a second call returns the same file without parsing."""
    path = tmp_path / "t.txt"
    path.write_text("A well-known cat sleeps.\nIt's late!\n", encoding="utf-8")
    parsed = parsed_text(path, "words", cache=tmp_path / "cache")
    first, second = read_parsed(parsed)
    assert list(first.lemmas) == ["A", "well-known", "cat", "sleeps", "."]
    assert (second.text, list(second.lemmas)) == ("It's late!", ["It's", "late", "!"])
    before = parsed.stat().st_mtime_ns
    assert parsed_text(path, "words", cache=tmp_path / "cache") == parsed
    assert parsed.stat().st_mtime_ns == before
    path.write_text("Other text.\n", encoding="utf-8")
    assert parsed_text(path, "words", cache=tmp_path / "cache") != parsed


def test_grammar_nodes_are_tokens(tmp_path: Path) -> None:
    """A grammar's tree becomes tokens whose heads are the rules above them."""
    from recombine.grammar import Grammar

    grammar = Grammar.load("toy")
    language = grammar.languages[0]
    (tree,) = grammar.sample(1, seed=3)
    (tokens,) = load_parser(f"grammar:toy:{language}")([grammar.text(tree, language)])
    assert [token[0] for token in tokens] == tree.labels()
    assert [token[5] for token in tokens].count(0) == 1


@pytest.mark.slow
def test_a_spacy_model_is_used(tmp_path: Path) -> None:
    """Any installed spaCy pipeline with a parser gives lemmas and heads (here GiNZA's)."""
    pytest.importorskip("ja_ginza", reason="the extra 'ja' is not installed")
    path = tmp_path / "t.txt"
    path.write_text("猫が魚を食べた。\n", encoding="utf-8")
    (sentence,) = read_parsed(parsed_text(path, "ginza", cache=tmp_path))
    assert "食べる" in sentence.lemmas
    assert sentence.heads[sentence.lemmas.index("魚")] == sentence.lemmas.index("食べる") + 1


def stanza_word(number: int, text: str, head: int, relation: str) -> SimpleNamespace:
    """Return a word as stanza's documents hold them."""
    return SimpleNamespace(
        id=number, text=text, lemma=text.lower(), upos="X", feats=None, head=head, deprel=relation
    )


def test_stanza_documents_become_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heads of a second sentence count on from the first; several roots are kept."""

    class Pipeline:
        def __init__(self, language: str, **options: object) -> None:
            if language != "en":
                raise FileNotFoundError(f"no {language} in resources.json")
            assert options["download_method"] is None

        def bulk_process(self, texts: list[str]) -> list[SimpleNamespace]:
            cats = [stanza_word(1, "Cats", 2, "nsubj"), stanza_word(2, "sleep", 0, "root")]
            sentence = SimpleNamespace(words=cats)
            return [SimpleNamespace(sentences=[sentence, sentence]) for _ in texts]

    monkeypatch.setitem(sys.modules, "stanza", SimpleNamespace(Pipeline=Pipeline))
    load_parser.cache_clear()
    (tokens,) = load_parser("stanza:en")(["Cats sleep Cats sleep"])
    assert [token[1] for token in tokens] == ["cats", "sleep", "cats", "sleep"]
    assert [token[5] for token in tokens] == [2, 0, 4, 0]
    with pytest.raises(ConfigError, match="no models for 'xx'") as caught:
        load_parser("stanza:xx")
    assert "stanza.download('xx')" in str(caught.value.hint)
    load_parser.cache_clear()


def test_unknown_parsers_and_models(tmp_path: Path) -> None:
    """A parser or model that is not there is named with what to do."""
    with pytest.raises(ConfigError, match="unknown parser"):
        load_parser("crystal-ball")
    pytest.importorskip("spacy", reason="the extra 'parse' is not installed")
    with pytest.raises(ConfigError, match="not installed") as caught:
        load_parser("spacy:xx_no_such_model")
    assert "spacy download xx_no_such_model" in str(caught.value.hint)


def test_an_empty_line_is_refused(tmp_path: Path) -> None:
    """Lines and sentences must stay aligned."""
    path = tmp_path / "t.txt"
    path.write_text("One.\n\nTwo.\n", encoding="utf-8")
    with pytest.raises(DataError, match="empty line") as caught:
        list(read_lines_of(path))
    assert caught.value.where is not None
    assert caught.value.where.line == 2
