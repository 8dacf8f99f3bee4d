"""The options of consistency tests: which data, how many sentences of each test, which tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from recombine.builders.consistency.synthetic import TemplateUse
from recombine.corpus.parsers import parser_hint
from recombine.errors import ConfigError


@dataclass(kw_only=True)
class ConsistencyOptions:
    """All options of a consistency recipe; `ConsistencyTests` builds with them.

    All sizes are per template and condition; 0 leaves a test out.
    """

    source_language: str = "en"
    target_language: str = ""
    grammar: str = "paradox"
    template: dict[str, TemplateUse] = field(default_factory=dict)
    data: tuple[Literal["synthetic", "semi-natural", "natural"], ...] = ("synthetic",)
    sentences: int = 3000
    pairs: int = 500
    triples: int = 500
    synonym_samples: int = 500
    idiom_samples: int = 500
    context_samples: int = 100
    context_words: int = 10
    repeats: int = 200
    clause_probes: bool = True
    join: str = " , and "
    synonyms: Path | None = None
    synonym_renderings: Path | None = None
    idioms: Path | None = None
    idiom_keywords: Path | None = None
    words: Path | None = None
    frames: Path | None = None
    parsed: Path | None = None
    parser: str | None = None
    fragment_count: int = 2
    fragment_tokens: tuple[int, ...] = (5, 20)
    text: Path | None = None
    translations: Path | None = None
    natural_samples: int = 3000
    training: Path | None = None
    training_translations: Path | None = None
    training_size: int = 0
    dev_size: int = 1000
    spacing: Literal["natural", "tokens"] | None = None

    def __post_init__(self) -> None:
        # Text to train on has its punctuation set apart, and so have the tests beside it.
        self.spacing = self.spacing or ("natural" if self.training is None else "tokens")
        if self.parser == "words":
            raise ConfigError(
                "semi-natural sentences need dependency relations; the parser 'words' has none",
                hint="natural sentences need no parser: leave it out. Or "
                + parser_hint(words=False),
            )
        parsed = self.parsed or (self.parser and self.text)
        if "semi-natural" in self.data and not parsed:
            raise ConfigError(
                "semi-natural data needs a parsed corpus",
                hint="-o parsed=CORPUS.conllu, or -o text=CORPUS.en -o parser=PARSER: "
                + parser_hint(words=False),
            )
        if "natural" in self.data and self.text is None:
            raise ConfigError("natural data needs a text", hint="-o text=CORPUS.en")
        if not self.template:
            raise ConfigError(
                "no template is used", hint='[template.t1] np = "subj", vp = "obj", clause = "obj"'
            )

    @staticmethod
    def take_text(data: dict[str, Any], text: str, translation: str | None, language: str) -> None:
        """Take raw text for natural sentences, and with a parser for semi-natural ones."""
        data["text"] = text
        kinds = ["semi-natural", "natural"] if data.get("parser") else ["natural"]
        data["data"] = list(dict.fromkeys([*data.get("data", ()), *kinds]))
        if translation is not None:
            data["translations"] = translation
