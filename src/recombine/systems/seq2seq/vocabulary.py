"""Vocabulary: text to piece numbers and back, losslessly for text it has seen.

Four kinds: BPE (the `tokenizers` package, as most toolkits of the papers), SentencePiece BPE, whole
words and characters. A word-initial piece carries U+2581, so joining pieces restores the spaces. A
segmented side (Japanese cut by Sudachi before BPE, as in Kumon et al. 2024, section 4.1.1) has no
spaces of its own: they are added by the segmenter and removed from the output.
"""

from __future__ import annotations

import base64
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recombine.corpus.segment import sudachi
from recombine.errors import ConfigError
from recombine.files import read_json, write_json
from recombine.registry import require
from recombine.systems.seq2seq.options import Segmenter, Subwords

PAD, UNKNOWN, BEGIN, END = 0, 1, 2, 3
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")
WORD_START = "▁"
SHOWN_UNKNOWN = "⁇"
_OWN_SPACE = "␠"  # a space of the text itself, kept through segmentation


@dataclass
class Vocabulary:
    """The pieces of one side and the rule that cuts text into them."""

    kind: Subwords
    pieces: list[str]
    segmenter: Segmenter = "none"
    lowercase: bool = False
    model: str = ""  # the serialised BPE or SentencePiece model

    def __post_init__(self) -> None:
        self._numbers = {piece: number for number, piece in enumerate(self.pieces)}
        self._tokenizer: Any = None
        self._segment: Any = None

    def __len__(self) -> int:
        return len(self.pieces)

    @classmethod
    def learn(
        cls,
        texts: Iterable[str],
        kind: Subwords,
        size: int,
        *,
        segmenter: Segmenter = "none",
        lowercase: bool = False,
    ) -> Vocabulary:
        """Learn a vocabulary of at most `size` pieces, the special ones included."""
        empty = cls(kind, list(SPECIAL), segmenter, lowercase)
        prepared = [empty.prepare(text) for text in texts]
        if kind == "bpe":
            pieces, model = _learn_bpe(prepared, size, marked=segmenter == "none")
        elif kind == "sentencepiece":
            pieces, model = _learn_sentencepiece(prepared, size)
        else:
            counts = Counter(piece for text in prepared for piece in empty.cut(text))
            ranked = sorted(counts, key=lambda piece: (-counts[piece], piece))
            pieces, model = [*SPECIAL, *ranked[: max(0, size - len(SPECIAL))]], ""
        return cls(kind, pieces, segmenter, lowercase, model)

    def prepare(self, text: str) -> str:
        """Lower-case and segment, as far as this vocabulary does."""
        if self.lowercase:
            text = text.lower()
        if self.segmenter == "sudachi" and self.kind != "char":
            if self._segment is None:
                self._segment = sudachi()
            # Full-width and other exotic spaces would come back as morphemes of their own.
            text = " ".join(self._segment(re.sub(r"\s", _OWN_SPACE, text)))
        return text

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the piece numbers of each text, without begin and end."""
        prepared = [self.prepare(text) for text in texts]
        if self.kind in ("bpe", "sentencepiece"):
            tokenizer = self._loaded()
            if self.kind == "bpe":
                return [encoding.ids for encoding in tokenizer.encode_batch(prepared)]
            return [tokenizer.encode(text) for text in prepared]
        numbers = self._numbers
        return [[numbers.get(piece, UNKNOWN) for piece in self.cut(text)] for text in prepared]

    def cut(self, text: str) -> list[str]:
        """Cut prepared text into words or characters; a segmented side needs no space marks."""
        if self.kind == "char":
            return [WORD_START if character == " " else character for character in text]
        return _words(text, "" if self.segmenter != "none" else WORD_START)

    def decode(self, numbers: Iterable[int]) -> str:
        """Return the text of piece numbers; unknown pieces show as U+2047."""
        parts = []
        for number in numbers:
            if number == UNKNOWN:
                parts.append(SHOWN_UNKNOWN)
            elif number >= len(SPECIAL):
                parts.append(self.pieces[number])
        text = "".join(parts)
        if self.segmenter != "none":
            return text.replace(WORD_START, "").replace(" ", "").replace(_OWN_SPACE, " ")
        return text.replace(WORD_START, " ").strip(" ")

    def write(self, path: Path) -> None:
        """Write as JSON."""
        write_json(
            path,
            {
                "kind": self.kind,
                "segmenter": self.segmenter,
                "lowercase": self.lowercase,
                "pieces": self.pieces,
                "model": self.model,
            },
        )

    @classmethod
    def read(cls, path: Path) -> Vocabulary:
        """Read what `write` wrote."""
        row = read_json(path)
        return cls(row["kind"], row["pieces"], row["segmenter"], row["lowercase"], row["model"])

    def _loaded(self) -> Any:
        if self._tokenizer is None:
            if self.kind == "bpe":
                tokenizers = require("tokenizers", extra="train", feature="BPE")
                self._tokenizer = tokenizers.Tokenizer.from_str(self.model)
            else:
                module = require("sentencepiece", extra="train", feature="SentencePiece")
                self._tokenizer = module.SentencePieceProcessor(
                    model_proto=base64.b64decode(self.model)
                )
        return self._tokenizer


def _learn_bpe(texts: list[str], size: int, *, marked: bool) -> tuple[list[str], str]:
    tokenizers = require("tokenizers", extra="train", feature="BPE")
    split = tokenizers.pre_tokenizers
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token=SPECIAL[UNKNOWN]))
    # Punctuation never merges with a word: "dog." and "dog" must share their pieces.
    words = split.Metaspace(replacement=WORD_START) if marked else split.WhitespaceSplit()
    tokenizer.pre_tokenizer = split.Sequence([words, split.Punctuation("isolated")])
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(SPECIAL), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    vocabulary = tokenizer.get_vocab()
    return sorted(vocabulary, key=vocabulary.__getitem__), tokenizer.to_str()


def _learn_sentencepiece(texts: list[str], size: int) -> tuple[list[str], str]:
    module = require("sentencepiece", extra="train", feature="SentencePiece")
    stream = io.BytesIO()
    try:
        module.SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_writer=stream,
            vocab_size=size,
            model_type="bpe",
            character_coverage=1.0,
            hard_vocab_limit=False,
            normalization_rule_name="identity",
            pad_id=PAD,
            unk_id=UNKNOWN,
            bos_id=BEGIN,
            eos_id=END,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise ConfigError(f"SentencePiece could not learn {size} pieces: {error}") from error
    proto = stream.getvalue()
    processor = module.SentencePieceProcessor(model_proto=proto)
    pieces = [processor.id_to_piece(number) for number in range(processor.get_piece_size())]
    return pieces, base64.b64encode(proto).decode("ascii")


def _words(text: str, mark: str) -> list[str]:
    """Cut at spaces and around punctuation: 'The dog.' -> ▁The ▁dog ."""
    pieces = []
    for word in text.split():
        start = mark
        for part in _at_punctuation(word):
            pieces.append(start + part)
            start = ""
    return pieces


def _at_punctuation(word: str) -> list[str]:
    parts: list[str] = []
    run = ""
    for character in word:
        # An apostrophe or hyphen inside a word belongs to it.
        if unicodedata.category(character).startswith("P") and character not in "'’-":
            parts += [run, character] if run else [character]
            run = ""
        else:
            run += character
    return [*parts, run] if run else parts
