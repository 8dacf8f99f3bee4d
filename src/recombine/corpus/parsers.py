"""Raw text through a parser: one small adapter per library, streamed, and kept by fingerprint.

A parser is named `library:model`: `spacy:en_core_web_sm` (any spaCy 3 pipeline with a parser and
lemmas), `ginza` (Japanese), `stanza:en`. Models are the user's own; nothing is fetched. Two need
no library: `grammar:NAME:LANGUAGE` analyses sentences with one of our grammars (rules and words
are the units, slots the relations, so that compounds are tree fragments), and `words` only cuts
text into words, enough for n-grams.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

from recombine.corpus.conllu import is_parsed
from recombine.corpus.segment import PLAIN_TOKEN
from recombine.errors import ConfigError, DataError, Where
from recombine.files import open_text, read_jsonl, sha256_of
from recombine.lock import lock_of, locked
from recombine.parallel import Engine, map_in_order
from recombine.progress import progress
from recombine.registry import require

Tokens = list[tuple[str, str, str, str, str, int, str]]
Parse = Callable[[list[str]], Iterator[Tokens]]

LINES = 500


class Lines(NamedTuple):
    """Consecutive lines of a text file."""

    path: str
    first: int
    texts: tuple[str, ...]


@dataclass(frozen=True)
class TextParser:
    """What workers run: lines to CoNLL-U; the model is loaded once per process."""

    name: str

    def __call__(self, lines: Lines) -> str:
        """Return the parses of some lines as CoNLL-U text."""
        parse = load_parser(self.name)
        parts: list[str] = []
        for number, (text, tokens) in enumerate(
            zip(lines.texts, parse(list(lines.texts)), strict=True), lines.first
        ):
            if not tokens:
                raise DataError("the parser found no tokens", Where(lines.path, number, text=text))
            rows = [
                "\t".join(
                    (str(place), form, lemma, upos, "_", features, str(head), relation, "_", "_")
                )
                for place, (form, lemma, upos, _, features, head, relation) in enumerate(tokens, 1)
            ]
            parts.append("\n".join([f"# text = {text}", *rows]) + "\n\n")
        return "".join(parts)


def parsed_file(
    path: Path, parser: str | None, *, words: bool = True, **options: Unpack[ParserOptions]
) -> Path:
    """Return the parsed file of a corpus: itself, or what a parser makes of it.

    `words`: whether text that is only cut into words would do.
    """
    if parser is not None:
        return parsed_text(path, parser, **options)
    if not is_parsed(path):
        raise ConfigError(
            f"{path} is not parsed", hint=f"give a parser: {parser_hint(words=words)}"
        )
    return path


class ParserOptions(TypedDict, total=False):
    """Where a text is parsed, and where the result is kept."""

    cache: Path | None
    engine: Engine
    workers: int
    address: str | None


def parsed_text(
    path: Path,
    parser: str,
    *,
    cache: Path | None = None,
    engine: Engine = "local",
    workers: int = 1,
    address: str | None = None,
) -> Path:
    """Parse a text file, one sentence a line, and return the CoNLL-U file of its parses.

    The result lies in the cache under the hash of the text, the parser and its version.
    """
    key = hashlib.sha256(f"{sha256_of(path)}\n{parser}\n{_version(parser)}".encode()).hexdigest()[
        :20
    ]
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = cache or Path(home) / "recombine" / "parses"
    finished = folder / f"{key}.conllu"
    if finished.is_file():
        return finished
    folder.mkdir(parents=True, exist_ok=True)
    partial = finished.with_suffix(".partial")
    # Another build of the same text waits for this one, and takes what it parsed.
    with locked(lock_of(finished), wait=math.inf):
        if not finished.is_file():
            _parse_into(partial, path, parser, engine, workers, address)
            partial.replace(finished)
    return finished


def _parse_into(
    partial: Path, path: Path, parser: str, engine: Engine, workers: int, address: str | None
) -> None:
    with (
        progress(f"parsing {path.name} with {parser}") as bar,
        partial.open("w", encoding="utf-8", newline="\n") as stream,
    ):
        for text in map_in_order(
            TextParser(parser), read_lines_of(path), engine=engine, workers=workers, address=address
        ):
            stream.write(text)
            bar.advance(text.count("\n\n"))


def read_lines_of(path: Path) -> Iterator[Lines]:
    """Yield a text file in parts of some hundred lines; an empty line is a fault."""
    texts: list[str] = []
    first = 1
    for number, line in enumerate(_sentences(path), 1):
        text = " ".join(line.split())
        if not text:
            raise DataError("an empty line; each line is one sentence", Where(str(path), number))
        texts.append(text)
        if len(texts) == LINES:
            yield Lines(str(path), first, tuple(texts))
            texts, first = [], number + 1
    if texts:
        yield Lines(str(path), first, tuple(texts))


def _sentences(path: Path) -> Iterator[str]:
    """Yield the lines of a text file, or the sources of a benchmark's split."""
    if path.suffix == ".jsonl":
        for row in read_jsonl(path):
            yield str(row.get("source", ""))
        return
    with open_text(path) as stream:
        yield from stream


@lru_cache(maxsize=2)
def load_parser(name: str) -> Parse:
    """Return the parser of that name."""
    library, _, model = name.partition(":")
    if library == "spacy" and model:
        return _spacy(model)
    if library == "ginza":
        require("ginza", extra="ja", feature="parsing Japanese with GiNZA")
        return _spacy(model or "ja_ginza")
    if library == "stanza" and model:
        return _stanza(model)
    if library == "grammar" and ":" in model:
        return _grammar(*model.rsplit(":", 1))
    if name == "words":
        return _words
    raise ConfigError(f"unknown parser '{name}'", hint=parser_hint())


# Languages for which spaCy has pipelines; two of them are trained on the web, the others on news.
SPACY = "ca da de el en es fi fr hr it ja ko lt mk nb nl pl pt ro ru sl sv uk zh"
SPACY_WEB = ("en", "zh")


def installed_parsers(language: str = "") -> list[str]:
    """Names of the parsers that would work here, of one language or of all, without loading any."""
    parsers: list[tuple[str, str]] = []
    if importlib.util.find_spec("spacy") is not None:
        for model in sorted(point.name for point in entry_points(group="spacy_models")):
            name = "ginza" if model == "ja_ginza" else f"spacy:{model}"
            parsers.append((model.partition("_")[0], name))
    if importlib.util.find_spec("stanza") is not None:
        folder = Path(os.environ.get("STANZA_RESOURCES_DIR", Path.home() / "stanza_resources"))
        parsers += [
            (language_folder.name, f"stanza:{language_folder.name}")
            for language_folder in sorted(folder.glob("*/"))
        ]
    return [name for code, name in parsers if language in ("", code)]


def parser_hint(language: str = "", *, words: bool = True) -> str:
    """What to give as parser: what is installed, how to get another, and what needs none.

    `words`: whether text that is only cut into words would do.
    """
    installed = " or ".join(f"-o parser={name}" for name in installed_parsers(language))
    code = language or "en"
    ways = [f"pip install 'recombine[stanza]', stanza.download('{code}'), -o parser=stanza:{code}"]
    if code in SPACY.split():
        model = f"{code}_core_{'web' if code in SPACY_WEB else 'news'}_sm"
        ways.insert(
            0,
            f"pip install 'recombine[parse]' && python -m spacy download {model}, "
            f"then -o parser=spacy:{model}",
        )
    if code == "ja":
        ways.insert(0, "pip install 'recombine[ja]', then -o parser=ginza")
    which = f" for '{language}'" if language else ""
    advice = f"installed here{which}: {installed or 'none'}. To get one: {'; or '.join(ways)}"
    if not words:
        return advice
    return (
        f"{advice}. Without any: -o parser=words -o definition=ngrams (divergent splits of word "
        "sequences), or grammar:NAME:LANGUAGE for sentences of a grammar"
    )


def language_of(parser: str) -> str:
    """The language that a parser's name declares; empty where it declares none."""
    library, _, model = parser.partition(":")
    if library == "ginza":
        return "ja"
    code = model.partition("_")[0]
    if library == "spacy" and code in SPACY.split():
        return code
    return model if library == "stanza" else ""


def require_relations(parser: str | None, what: str, otherwise: str = "") -> None:
    """Raise where text would only be cut into words, and relations between them are needed."""
    if parser == "words":
        raise ConfigError(
            f"the parser 'words' only cuts text into words; {what} needs their relations",
            hint=otherwise + parser_hint(words=False),
        )


def _spacy(model: str) -> Parse:
    spacy = require("spacy", extra="parse", feature=f"parsing with the spaCy model '{model}'")
    try:
        pipeline = spacy.load(model, exclude=["ner"])
    except OSError as error:
        raise ConfigError(
            f"the spaCy model '{model}' is not installed",
            hint=f"python -m spacy download {model}; installed here: "
            + (
                ", ".join(installed_parsers(model.partition("_")[0])) or "no parser of its language"
            ),
        ) from error
    if "parser" not in pipeline.pipe_names:
        raise ConfigError(f"the spaCy model '{model}' has no dependency parser")

    def parse(texts: list[str]) -> Iterator[Tokens]:
        for document in pipeline.pipe(texts):
            yield _spacy_tokens(document)

    return parse


def _spacy_tokens(document: Any) -> Tokens:
    # White space tokens are no words; their dependants hang on the nearest real head.
    words = [token for token in document if not token.is_space]
    place = {token.i: number for number, token in enumerate(words, 1)}
    tokens: Tokens = []
    for token in words:
        head = token.head
        while head.is_space and head.head.i != head.i:
            head = head.head
        root = head.i == token.i or head.i not in place
        lemma = "_".join((token.lemma_ or token.text).split()) or token.text
        tokens.append(
            (
                token.text,
                lemma,
                token.pos_ or "_",
                "_",
                str(token.morph) or "_",
                0 if root else place[head.i],
                "root" if root else token.dep_ or "dep",
            )
        )
    return tokens


def _grammar(name: str, language: str) -> Parse:
    """Return a parser whose tokens are the nodes of grammar trees.

    Keysers et al. 2020 take the rules used to make a sentence as atoms and their combinations as
    compounds; an edge of the tree (rule, slot, rule or word) is the smallest combination.
    """
    from recombine.grammar import Grammar

    grammar = Grammar.load(*name.split("@", 1))

    def parse(texts: list[str]) -> Iterator[Tokens]:
        for text in texts:
            yield _tree_tokens(grammar.parse(text, language).require_tree())

    return parse


def _tree_tokens(tree: Any) -> Tokens:
    labels = tree.labels()
    parents = [0] * len(labels)
    slots = ["root"] * len(labels)
    for parent, children in enumerate(tree.positions):
        code = tree.codes[parent]
        if children:
            rule = tree.inventory.rule(code)
            for part, child in zip(rule.parts, children, strict=True):
                parents[child] = parent + 1
                slots[child] = part.slot
    return [
        (label, label, "_", "_", "_", parents[node], slots[node])
        for node, label in enumerate(labels)
    ]


def _words(texts: list[str]) -> Iterator[Tokens]:
    for text in texts:
        tokens = PLAIN_TOKEN.findall(text)
        yield [
            (word, word, "_", "_", "_", min(place, 1), "dep" if place else "root")
            for place, word in enumerate(tokens)
        ]


def _stanza(language: str) -> Parse:
    stanza = require("stanza", extra="stanza", feature="parsing with stanza")
    try:
        pipeline = stanza.Pipeline(
            language,
            processors="tokenize,mwt,pos,lemma,depparse",
            tokenize_no_ssplit=True,
            download_method=None,
            verbose=False,
        )
    except (OSError, ValueError) as error:  # stanza's own errors of absent models are of these
        raise ConfigError(
            f"stanza has no models for '{language}' here: {error}",
            hint=f"python -c \"import stanza; stanza.download('{language}')\"",
        ) from error

    def parse(texts: list[str]) -> Iterator[Tokens]:
        yield from map(_stanza_tokens, pipeline.bulk_process(texts))

    return parse


def _stanza_tokens(document: Any) -> Tokens:
    tokens: Tokens = []
    for sentence in document.sentences:
        before = len(tokens)
        tokens += [
            (
                word.text,
                word.lemma or word.text,
                word.upos or "_",
                "_",
                word.feats or "_",
                word.head and word.head + before,
                word.deprel,
            )
            for word in sentence.words
        ]
    return tokens


def _version(parser: str) -> str:
    """Return the versions that a parse depends on; a grammar or a folder is known by its files."""
    library, _, model = parser.partition(":")
    folder = Path(model)
    if library == "grammar":
        from recombine.grammar import find_grammar

        folder = find_grammar(model.rsplit(":", 1)[0].split("@")[0])
    if library == "grammar" or (library == "spacy" and folder.is_dir()):
        return "".join(sha256_of(path) for path in sorted(folder.rglob("*")) if path.is_file())
    names = {"spacy": ("spacy", model), "ginza": ("ginza", "ja-ginza"), "stanza": ("stanza",)}
    versions = []
    for name in names.get(library, ()):
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except (importlib.metadata.PackageNotFoundError, ValueError):
            versions.append(f"{name} unknown")
    return ", ".join(versions)
