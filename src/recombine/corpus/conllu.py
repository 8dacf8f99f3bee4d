"""Parsed sentences from disk: CoNLL-U or tab-separated columns, plain or compressed, streamed.

The column format has one sentence per line and a header. `lemmas`, `relations` and `heads` are
required (space-separated, heads 1-based, 0 = root); `forms`, `upos`, `features` and `document` are
known; `text` or `source`, or else the first column, is the sentence; every other column is a
translation under its header's name. In CoNLL-U, `# text_de = ...` is the translation `de` and
`# newdoc id = ...` starts a document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from recombine.errors import DataError, Where
from recombine.files import open_text

_MOST = 10**18  # beyond it, token numbers do not fit 64 bits
REQUIRED_COLUMNS = ("lemmas", "relations", "heads")
KNOWN_COLUMNS = (*REQUIRED_COLUMNS, "forms", "upos", "features", "document")
BLOCK_CHARACTERS = 1 << 21
LONGEST_SENTENCE = 4 * BLOCK_CHARACTERS


class ParsedSentence(NamedTuple):
    """One sentence and its dependency tree; `heads` are 1-based, 0 = root."""

    text: str
    lemmas: Sequence[str]
    relations: Sequence[str]
    heads: Sequence[int]
    forms: Sequence[str] | None = None
    upos: Sequence[str] | None = None
    features: Sequence[str] | None = None
    translations: dict[str, str] = {}
    document: str | None = None
    line: int = 0


class TextBlock(NamedTuple):
    """Whole sentences as raw text, small enough to send to another process."""

    path: str
    columns: tuple[str, ...] | None  # None: CoNLL-U
    first_line: int
    text: str
    document: str | None = None


def read_parsed(path: Path | str) -> Iterator[ParsedSentence]:
    """Yield the sentences of a parsed corpus in order; a fault raises DataError with its line."""
    for block in read_blocks(path):
        yield from parse_block(block)


def read_blocks(path: Path | str, characters: int = BLOCK_CHARACTERS) -> Iterator[TextBlock]:
    """Cut a corpus into blocks of whole sentences without parsing it."""
    path = Path(path)
    with open_text(path) as stream:
        yield from _cut(path, stream, characters)


def is_parsed(path: Path | str) -> bool:
    """Say whether a file looks parsed, by its first line that is no comment."""
    read = 0
    with open_text(Path(path)) as stream:
        for number, line in enumerate(iter(partial(stream.readline, LONGEST_SENTENCE), "")):
            read += len(line)
            if read >= LONGEST_SENTENCE:  # a file that unpacks to nothing but comments
                return False
            if number == 0 and all(name in line.split() for name in REQUIRED_COLUMNS):
                return True
            if line.strip() and not line.startswith("#"):
                return line.count("\t") == 9
    return True  # nothing but comments: let the reader say what is missing


def parse_block(block: TextBlock) -> list[ParsedSentence]:
    """Return the sentences of one block, checked: columns, numbers, heads in range, no cycles."""
    if block.columns is None:
        sentences = _parse_conllu(block)
    else:
        sentences = _parse_columns(block, block.columns)
    _require_trees(block.path, sentences)
    return sentences


def mean_distance(heads: Sequence[int], relations: Sequence[str]) -> float:
    """Return the mean distance of words and their heads; heads are 0-based, the root has -1.

    Liu 2008, as in Li et al. 2021, section 6.6: the root and punctuation are left out.
    """
    distances = [
        abs(token - head)
        for token, (head, relation) in enumerate(zip(heads, relations, strict=True))
        if head >= 0 and relation != "punct"
    ]
    return round(sum(distances) / len(distances), 3) if distances else 0.0


def _cut(path: Path, stream: IO[str], characters: int) -> Iterator[TextBlock]:
    first = stream.readline(LONGEST_SENTENCE).removeprefix("\ufeff")
    if len(first) >= LONGEST_SENTENCE:
        raise _endless(path, 1)
    columns = _header(path, first)
    line, rest, separator = (1, first, "\n\n") if columns is None else (2, "", "\n")
    document: str | None = None
    while True:
        text = stream.read(characters)
        if not text:
            break
        rest += text
        cut = rest.rfind(separator)
        if cut < 0:
            if len(rest) > LONGEST_SENTENCE:
                raise _endless(path, line)
            continue
        cut += len(separator)
        block, rest = rest[:cut], rest[cut:]
        yield TextBlock(str(path), columns, line, block, document)
        line += block.count("\n")
        document = _last_document(block, document) if columns is None else None
    if rest.strip():
        yield TextBlock(str(path), columns, line, rest, document)


def _endless(path: Path, line: int) -> DataError:
    """A file that unpacks to gigabytes without an end of a sentence must not fill the memory."""
    return DataError(
        f"a sentence of more than {LONGEST_SENTENCE // 1_000_000} million characters",
        Where(str(path), line),
        hint="CoNLL-U has an empty line after each sentence, a table a line for each",
    )


def _header(path: Path, line: str) -> tuple[str, ...] | None:
    columns = tuple(line.rstrip("\r\n").split("\t"))
    present = [name for name in REQUIRED_COLUMNS if name in columns]
    if len(present) == len(REQUIRED_COLUMNS):
        if len(set(columns)) != len(columns):
            raise DataError("two columns have one name", Where(str(path), 1, text=line.rstrip()))
        return columns
    if present:
        missing = ", ".join(name for name in REQUIRED_COLUMNS if name not in columns)
        raise DataError(f"the header lacks the column {missing}", Where(str(path), 1))
    return None


def _last_document(text: str, document: str | None) -> str | None:
    start = text.rfind("# newdoc id")
    if start < 0:
        return document
    return text[start : text.find("\n", start)].partition("=")[2].strip() or document


def _parse_conllu(block: TextBlock) -> list[ParsedSentence]:
    sentences: list[ParsedSentence] = []
    document = block.document
    line = block.first_line
    for part in block.text.split("\n\n"):
        start = line
        line += part.count("\n") + 2
        if not part.strip():
            continue
        sentence, document = _conllu_sentence(block.path, part, start, document)
        sentences.append(sentence)
    return sentences


def _conllu_sentence(
    path: str, part: str, start: int, document: str | None
) -> tuple[ParsedSentence, str | None]:
    comments: dict[str, str] = {}
    forms: list[str] = []
    lemmas: list[str] = []
    upos: list[str] = []
    features: list[str] = []
    heads: list[int] = []
    relations: list[str] = []
    for number, line in enumerate(part.split("\n"), start):
        if not line or line.isspace():
            continue
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
            continue
        fields = line.rstrip("\r").split("\t")
        if len(fields) != 10:
            raise DataError(
                f"a CoNLL-U token has 10 tab-separated columns, this line has {len(fields)}",
                Where(path, number, text=line),
                hint=f"a table instead begins with a header that has {', '.join(REQUIRED_COLUMNS)}",
            )
        token, form, lemma, tag, _, feature, head, relation, _, _ = fields
        if "-" in token or "." in token:  # a multiword range or an empty node: no tree node
            continue
        if token != str(len(forms) + 1):
            raise DataError(
                f"token number {len(forms) + 1} expected, '{token}' found",
                Where(path, number, 1, line, len(token)),
            )
        if not head.isdecimal() or len(head) > 18:
            raise DataError(
                f"the head '{head}' is not a token number",
                Where(path, number, line.index(head) + 1, line, len(head)),
            )
        forms.append(form)
        lemmas.append(form if lemma == "_" else lemma)
        upos.append(tag)
        features.append(feature)
        heads.append(int(head))
        relations.append(relation)
    if not forms:
        raise DataError("a sentence without tokens", Where(path, start))
    document = comments.get("newdoc id", document)
    translations = {
        key[5:]: value for key, value in comments.items() if key.startswith("text_") and key[5:]
    }
    text = comments.get("text") or " ".join(forms)
    sentence = ParsedSentence(
        text, lemmas, relations, heads, forms, upos, features, translations, document, start
    )
    return sentence, document


def text_column(columns: Sequence[str]) -> int | None:
    """Return which column is the sentence: `text`, `source`, or else the first (None: none is)."""
    for name in ("text", "source"):
        if name in columns:
            return columns.index(name)
    return None if columns[0] in KNOWN_COLUMNS else 0


def _parse_columns(block: TextBlock, columns: tuple[str, ...]) -> list[ParsedSentence]:
    place = {name: index for index, name in enumerate(columns)}
    text_at = text_column(columns)
    if text_at is None:
        raise DataError(
            "no column holds the sentence's text", Where(block.path, 1), hint="name it 'text'"
        )
    translated = [
        (name, index)
        for name, index in place.items()
        if name not in KNOWN_COLUMNS and index != text_at
    ]
    lemmas_at, relations_at, heads_at = (place[name] for name in REQUIRED_COLUMNS)
    forms_at, upos_at, features_at, document_at = (
        place.get(name) for name in ("forms", "upos", "features", "document")
    )
    sentences: list[ParsedSentence] = []
    for number, line in enumerate(block.text.removesuffix("\n").split("\n"), block.first_line):
        fields = line.rstrip("\r").split("\t")
        if len(fields) != len(columns):
            raise DataError(
                f"{len(columns)} columns expected, {len(fields)} found",
                Where(block.path, number, text=line),
            )
        lemmas = fields[lemmas_at].split(" ")
        relations = fields[relations_at].split(" ")
        try:
            heads = list(map(int, fields[heads_at].split(" ")))
        except ValueError as error:
            raise _column_fault(block.path, number, line, fields) from error
        if (
            not len(lemmas) == len(relations) == len(heads)
            or not fields[text_at]
            or not -_MOST < min(heads) <= max(heads) < _MOST
        ):
            raise _column_fault(block.path, number, line, fields)
        sentences.append(
            ParsedSentence(
                fields[text_at],
                lemmas,
                relations,
                heads,
                None if forms_at is None else fields[forms_at].split(" "),
                None if upos_at is None else fields[upos_at].split(" "),
                None if features_at is None else fields[features_at].split(" "),
                {name: fields[index] for name, index in translated},
                None if document_at is None else fields[document_at],
                number,
            )
        )
        for extra in sentences[-1][4:7]:
            if extra is not None and len(extra) != len(lemmas):
                raise _column_fault(block.path, number, line, fields)
    return sentences


def _column_fault(path: str, number: int, line: str, fields: list[str]) -> DataError:
    where = Where(path, number, text=line)
    if not all(fields[:1]) or not line.strip():
        return DataError("an empty sentence", where)
    return DataError(
        "lemmas, relations and heads must have one value per token, heads whole numbers", where
    )


def _require_trees(path: str, sentences: list[ParsedSentence]) -> None:
    """Check all heads at once: in range, and every chain of heads ends at a root."""
    if not sentences:
        return
    lengths = np.fromiter((len(s.heads) for s in sentences), np.int64, len(sentences))
    starts = np.cumsum(lengths) - lengths
    heads = np.fromiter((h for s in sentences for h in s.heads), np.int64, int(lengths.sum()))
    owner = np.repeat(np.arange(len(sentences)), lengths)
    outside = (heads < 0) | (heads > lengths[owner])
    if outside.any():
        at = int(np.flatnonzero(outside)[0])
        sentence = sentences[owner[at]]
        raise DataError(
            f"token {at - starts[owner[at]] + 1} has head {heads[at]} "
            f"in a sentence of {len(sentence.heads)} tokens",
            Where(path, sentence.line, text=sentence.text),
        )
    # Pointer doubling: after log2(longest) rounds everything that can reach a root has.
    count = len(heads)
    jump = np.append(np.where(heads == 0, count, starts[owner] + heads - 1), count)
    for _ in range(max(1, int(lengths.max()).bit_length())):
        jump = jump[jump]
    circular = jump[:-1] != count
    if circular.any():
        at = int(np.flatnonzero(circular)[0])
        sentence = sentences[owner[at]]
        raise DataError(
            f"the heads form a cycle (token {at - starts[owner[at]] + 1} never reaches the root)",
            Where(path, sentence.line, text=sentence.text),
        )
