"""Parsed sentences from disk: CoNLL-U or tab-separated columns, plain or compressed, streamed.

The column format has one sentence per line and a header. `lemmas`, `relations` and `heads` are
required (space-separated, heads 1-based, 0 = root); `forms`, `upos`, `features` and `document` are
known; `text` or `source`, or else the first column, is the sentence; every other column is a
translation under its header's name. In CoNLL-U, `# text_de = ...` is the translation `de` and
`# newdoc id = ...` starts a document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.benchmark import normalise
from recombine.errors import DataError, Where
from recombine.files import open_text

Longs = npt.NDArray[np.int64]
_MOST_DIGITS = 18  # of a token number: longer ones do not fit 64 bits
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


class ParsedBlock(NamedTuple):
    """The sentences of one block by columns: the tokens of all of them, and the length of each."""

    path: str
    lengths: Longs
    lemmas: Sequence[str]
    relations: Sequence[str]
    heads: Longs
    forms: Sequence[str] | None
    upos: Sequence[str] | None
    features: Sequence[str] | None
    texts: Sequence[str]
    translations: Mapping[str, Sequence[str | None]]
    documents: Sequence[str | None]
    lines: Sequence[int]

    @classmethod
    def of(cls, path: str, sentences: Sequence[ParsedSentence]) -> ParsedBlock:
        """Put sentences together; a column of tokens that one of them lacks is left out."""

        def tokens(name: str) -> list[Any]:
            return [token for sentence in sentences for token in getattr(sentence, name)]

        def known(name: str) -> list[str] | None:
            lacks = any(getattr(sentence, name) is None for sentence in sentences)
            return None if lacks else tokens(name)

        names = dict.fromkeys(name for sentence in sentences for name in sentence.translations)
        return cls(
            path,
            np.array([len(sentence.heads) for sentence in sentences], np.int64),
            tokens("lemmas"),
            tokens("relations"),
            np.array(tokens("heads"), np.int64),
            known("forms"),
            known("upos"),
            known("features"),
            [sentence.text for sentence in sentences],
            {name: [sentence.translations.get(name) for sentence in sentences] for name in names},
            [sentence.document for sentence in sentences],
            [sentence.line for sentence in sentences],
        )

    def sentences(self) -> Iterator[ParsedSentence]:
        """Yield the sentences one by one."""
        heads: list[int] = self.heads.tolist()
        end = 0
        for number, length in enumerate(self.lengths.tolist()):
            own = slice(end, end + length)
            end += length
            forms, upos, features = (
                None if column is None else column[own]
                for column in (self.forms, self.upos, self.features)
            )
            translations = {
                name: text
                for name, column in self.translations.items()
                if (text := column[number]) is not None
            }
            yield ParsedSentence(
                self.texts[number], self.lemmas[own], self.relations[own], heads[own],
                forms, upos, features, translations, self.documents[number], self.lines[number],
            )  # fmt: skip


def read_parsed(path: Path | str) -> Iterator[ParsedSentence]:
    """Yield the sentences of a parsed corpus in order; a fault raises DataError with its line."""
    for block in read_blocks(path):
        yield from parse_block(block).sentences()


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


def parse_block(block: TextBlock) -> ParsedBlock:
    """Return the sentences of one block in NFC, checked: columns, numbers, heads, no cycles.

    A letter with its accent beside it is the same letter, and its lemma the same lemma.
    """
    block = block._replace(text=normalise(block.text))
    if block.columns is None:
        parsed = ParsedBlock.of(block.path, _parse_conllu(block))
    else:
        parsed = _parse_table(block, block.columns)
    _require_trees(parsed)
    return parsed


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
        if not head.isdecimal() or len(head) > _MOST_DIGITS:
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


# The columns that have a value for every token.
_OF_TOKENS = (*REQUIRED_COLUMNS, "forms", "upos", "features")
_HEADS = re.compile(rf"\d{{1,{_MOST_DIGITS}}}(?: \d{{1,{_MOST_DIGITS}}})*", re.ASCII)


def _parse_table(block: TextBlock, names: tuple[str, ...]) -> ParsedBlock:
    """Read a table by whole columns, which is three times as fast as sentence by sentence."""
    text_name = next((name for name in ("text", "source") if name in names), names[0])
    if text_name in KNOWN_COLUMNS:
        raise DataError(
            "no column holds the sentence's text", Where(block.path, 1), hint="name it 'text'"
        )
    of_tokens = [names.index(name) for name in _OF_TOKENS if name in names]
    text, heads = names.index(text_name), names.index("heads")
    rows: list[list[str]] = []
    for number, line in enumerate(block.text.removesuffix("\n").split("\n"), block.first_line):
        row = line.rstrip("\r").split("\t")
        if len(row) != len(names):
            raise DataError(
                f"{len(names)} columns expected, {len(row)} found",
                Where(block.path, number, text=line),
            )
        if not row[text]:
            raise DataError("an empty sentence", Where(block.path, number, text=line))
        spaces = row[heads].count(" ")
        if not _HEADS.fullmatch(row[heads]) or any(
            row[at].count(" ") != spaces for at in of_tokens
        ):
            raise DataError(
                "lemmas, relations and heads must have one value per token, heads whole numbers",
                Where(block.path, number, text=line),
            )
        rows.append(row)
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    tokens = {n: " ".join(columns[n]).split(" ") for n in _OF_TOKENS if n in names and n != "heads"}
    return ParsedBlock(
        block.path,
        np.array([cell.count(" ") + 1 for cell in columns["heads"]], np.int64),
        tokens["lemmas"],
        tokens["relations"],
        np.fromstring(" ".join(columns["heads"]), np.int64, sep=" "),
        tokens.get("forms"),
        tokens.get("upos"),
        tokens.get("features"),
        columns[text_name],
        {n: columns[n] for n in names if n not in (*KNOWN_COLUMNS, text_name)},
        columns.get("document", (None,) * len(rows)),
        range(block.first_line, block.first_line + len(rows)),
    )


def _require_trees(block: ParsedBlock) -> None:
    """Check all heads at once: in range, and every chain of heads ends at a root."""
    if not len(block.lengths):
        return
    lengths, heads = block.lengths, block.heads
    starts = np.cumsum(lengths) - lengths
    owner = np.repeat(np.arange(len(lengths)), lengths)

    def fault(tokens: npt.NDArray[np.bool_], say: Callable[[int, int, int], str]) -> DataError:
        at = int(np.flatnonzero(tokens)[0])
        number = int(owner[at])
        where = Where(block.path, block.lines[number], text=block.texts[number])
        token = at - int(starts[number]) + 1
        return DataError(say(token, int(heads[at]), int(lengths[number])), where)

    outside = (heads < 0) | (heads > lengths[owner])
    if outside.any():
        raise fault(outside, "token {} has head {} in a sentence of {} tokens".format)
    # Pointer doubling: after log2(longest) rounds everything that can reach a root has.
    count = len(heads)
    jump = np.append(np.where(heads == 0, count, starts[owner] + heads - 1), count)
    for _ in range(max(1, int(lengths.max()).bit_length())):
        jump = jump[jump]
    circular = jump[:-1] != count
    if circular.any():
        raise fault(circular, "the heads form a cycle (token {} never reaches the root)".format)
