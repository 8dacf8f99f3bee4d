"""Raw text goes through a parser once and is kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from recombine.corpus import parsers
from recombine.corpus.conllu import read_parsed
from recombine.corpus.parsers import load_parser, parsed_text, parser_hint, read_lines_of
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


def stand_in_for_stanza(monkeypatch: pytest.MonkeyPatch, document: Any) -> Any:
    """Let stanza's pipeline, which needs models, give always the same document."""

    class Pipeline:
        def __init__(self, language: str, **options: object) -> None:
            if language != "en":
                raise FileNotFoundError(f"no {language} in resources.json")
            assert options["download_method"] is None

        def bulk_process(self, texts: list[str]) -> list[Any]:
            return [document for _ in texts]

    monkeypatch.setitem(sys.modules, "stanza", SimpleNamespace(Pipeline=Pipeline))
    load_parser.cache_clear()
    return load_parser("stanza:en")


def test_stanza_documents_become_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heads of a second sentence count on from the first; several roots are kept."""
    words = [
        SimpleNamespace(text=t, lemma=t.lower(), upos="X", feats=None, head=head, deprel=relation)
        for t, head, relation in (("Cats", 2, "nsubj"), ("sleep", 0, "root"))
    ]
    document = SimpleNamespace(sentences=[SimpleNamespace(words=words)] * 2)
    (tokens,) = stand_in_for_stanza(monkeypatch, document)(["Cats sleep Cats sleep"])
    assert [token[1] for token in tokens] == ["cats", "sleep", "cats", "sleep"]
    assert [token[5] for token in tokens] == [2, 0, 4, 0]
    with pytest.raises(ConfigError, match="no models for 'xx'") as caught:
        load_parser("stanza:xx")
    assert "stanza.download('xx')" in str(caught.value.hint)
    load_parser.cache_clear()


def test_stanza_splits_contractions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On stanza's own documents: words of a contraction are nodes, the contraction is none."""
    doc = pytest.importorskip("stanza.models.common.doc", reason="stanza is not installed")
    rows = [
        {"id": 1, "text": "Il", "lemma": "il", "upos": "PRON", "head": 2, "deprel": "nsubj"},
        {"id": 2, "text": "parle", "lemma": "parler", "upos": "VERB", "head": 0, "deprel": "root"},
        {"id": (3, 4), "text": "du"},
        {"id": 3, "text": "de", "lemma": "de", "upos": "ADP", "head": 5, "deprel": "case"},
        {"id": 4, "text": "le", "upos": "DET", "feats": "Number=Sing", "head": 5, "deprel": "det"},
        {"id": 5, "text": "chat", "lemma": "chat", "upos": "NOUN", "head": 2, "deprel": "obl"},
    ]
    parse = stand_in_for_stanza(monkeypatch, doc.Document([rows], text="Il parle du chat"))
    (tokens,) = parse(["Il parle du chat"])
    assert [token[0] for token in tokens] == ["Il", "parle", "de", "le", "chat"]
    assert [token[1] for token in tokens] == ["il", "parler", "de", "le", "chat"]
    assert [token[5] for token in tokens] == [2, 0, 5, 5, 2]
    assert tokens[3][4] == "Number=Sing"
    path = tmp_path / "t.txt"
    path.write_text("Il parle du chat\n", encoding="utf-8")
    (sentence,) = read_parsed(parsed_text(path, "stanza:en", cache=tmp_path))
    assert list(sentence.relations) == ["nsubj", "root", "case", "det", "obl"]
    load_parser.cache_clear()


def test_a_spacy_pipeline_on_disk_is_used(tmp_path: Path) -> None:
    """A real pipeline, trained on one sentence: heads, relations and lemmas come through."""
    spacy = pytest.importorskip("spacy", reason="the extra 'parse' is not installed")
    from spacy.training import Example

    pipeline = spacy.blank("en")
    pipeline.add_pipe("parser", config={"min_action_freq": 1})
    example = Example.from_dict(
        pipeline.make_doc("Cats see dogs"),
        {"heads": [1, 1, 1], "deps": ["nsubj", "ROOT", "obj"]},
    )
    optimizer = pipeline.initialize(lambda: [example])
    for _ in range(30):
        pipeline.update([example], sgd=optimizer)
    pipeline.to_disk(tmp_path / "model")
    before = parsers._version(f"spacy:{tmp_path / 'model'}")
    path = tmp_path / "t.txt"
    path.write_text("Cats see dogs\n", encoding="utf-8")
    (sentence,) = read_parsed(parsed_text(path, f"spacy:{tmp_path / 'model'}", cache=tmp_path))
    assert list(sentence.lemmas) == ["Cats", "see", "dogs"]
    assert list(sentence.heads) == [2, 0, 2]
    assert list(sentence.relations) == ["nsubj", "root", "obj"]
    load_parser.cache_clear()
    (tmp_path / "model" / "meta.json").write_text("{}")  # trained anew in the same place
    assert parsers._version(f"spacy:{tmp_path / 'model'}") != before


def test_unknown_parsers_and_models(tmp_path: Path) -> None:
    """A parser or model that is not there is named with what to do."""
    with pytest.raises(ConfigError, match="unknown parser"):
        load_parser("crystal-ball")
    pytest.importorskip("spacy", reason="the extra 'parse' is not installed")
    with pytest.raises(ConfigError, match="not installed") as caught:
        load_parser("spacy:xx_no_such_model")
    assert "spacy download xx_no_such_model" in str(caught.value.hint)


def test_a_hint_names_parsers_of_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Japanese parser is no help with English; spaCy's names of models differ by language."""
    pytest.importorskip("spacy", reason="the extra 'parse' is not installed")
    models = [SimpleNamespace(name=name) for name in ("ja_ginza", "en_core_web_md")]
    monkeypatch.setattr(parsers, "entry_points", lambda group: models)
    english = parser_hint("en")
    assert "installed here for 'en': -o parser=spacy:en_core_web_md. To get one" in english
    assert "ginza" not in english
    assert "installed here for 'ja': -o parser=ginza. To get one" in parser_hint("ja")
    assert "download nl_core_news_sm" in parser_hint("nl")
    assert "download zh_core_web_sm" in parser_hint("zh")
    czech = parser_hint("cs")
    assert "installed here for 'cs': none" in czech
    assert "stanza.download('cs')" in czech
    assert "cs_core" not in czech  # spaCy has no Czech pipeline


def test_an_empty_line_is_refused(tmp_path: Path) -> None:
    """Lines and sentences must stay aligned."""
    path = tmp_path / "t.txt"
    path.write_text("One.\n\nTwo.\n", encoding="utf-8")
    with pytest.raises(DataError, match="empty line") as caught:
        list(read_lines_of(path))
    assert caught.value.where is not None
    assert caught.value.where.line == 2


def test_two_builds_parse_a_text_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes second waits, and takes what the first has parsed."""
    path = tmp_path / "t.txt"
    path.write_text("Cats see dogs\n", encoding="utf-8")
    code = (
        "import sys, time; from pathlib import Path; from recombine.corpus import parsers\n"
        "def slow(name):\n"
        "    def parse(texts):\n"
        "        Path(sys.argv[1]).open('a').write('parsed\\n'); time.sleep(1)\n"
        "        yield from parsers._words(texts)\n"
        "    return parse\n"
        "parsers.load_parser = slow\n"
        f"print(parsers.parsed_text(Path({str(path)!r}), 'words', cache=Path({str(tmp_path)!r})))\n"
    )
    log = tmp_path / "log"
    runs = [
        subprocess.Popen([sys.executable, "-c", code, str(log)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [run.communicate(timeout=60)[0].strip() for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert outputs[0] == outputs[1]
    assert log.read_text() == "parsed\n"
    assert next(iter(read_parsed(outputs[0]))).text == "Cats see dogs"
