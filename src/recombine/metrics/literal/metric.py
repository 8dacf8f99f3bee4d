"""Overgeneralisation: is an idiom translated word for word?

The score is the share of literal renderings, so 0 is what a system should reach at the end of
training. `mode = "official"` is the published classifier (a keyword as a substring anywhere in the
output, natural examples only where the reference paraphrases); the default matches whole words or
their inflected forms, counts copied source words, and takes its block-lists from the benchmark's
idiom file, from a dictionary and from the system's own translation of the bare word.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from recombine.benchmark import Example
from recombine.corpus.segment import is_punctuation, segment
from recombine.corpus.word_forms import Keyword, as_keyword, find_keyword
from recombine.metrics.base import Metric, Missing, Observation, Scored
from recombine.metrics.literal.keywords import (
    own_translations,
    read_dictionary,
    read_lemmas,
    without_phrases,
)
from recombine.statistics.aggregate import Kind


def idiom_of(example: Example) -> str:
    """Return the idiom that an example contains."""
    return next((focus.text for focus in example.focus if focus.role == "idiom"), "")


def _file_keywords(example: Example) -> tuple[str, ...]:
    return tuple(
        accepted
        for focus in example.focus
        if focus.role == "keyword"
        for accepted in focus.accepted
    )


def _normal_renderings(example: Example) -> tuple[Keyword, ...]:
    """Renderings of the idiom that hold a listed word and are good target language."""
    return tuple(
        tuple(segment(accepted))
        for focus in example.focus
        if focus.role == "idiom"
        for accepted in focus.accepted
    )


def _source_keywords(example: Example) -> tuple[Keyword, ...]:
    return tuple(as_keyword(focus.text) for focus in example.focus if focus.role == "keyword")


def contains_keyword(sentence: str, keywords: Sequence[str]) -> bool:
    """Return True when any keyword is a substring of the lower-cased sentence."""
    sentence = sentence.lower()
    return any(keyword.lower() in sentence for keyword in keywords)


def _keyword_elsewhere(example: Example) -> bool:
    """Say whether a content word of the idiom stands outside it, where it is rightly rendered.

    "In the short run" beside "the doctors run": the verb's rendering says nothing of the idiom.
    """
    idiom = next(focus for focus in example.focus if focus.role == "idiom")
    start = example.source.lower().find(idiom.text.lower()) if idiom.start is None else idiom.start
    rest = f"{example.source[:start]} {example.source[start + len(idiom.text) :]}"
    keywords = _source_keywords(example)
    return find_keyword(segment(rest), keywords, inflected=True) is not None


# Tokens of the output per token of the source; characters of unspaced scripts need more room.
SHORTEST, LONGEST = 0.3, 4.0


# The share of one single word, and the share of source words that came through unchanged.
MOST_REPEATED, MOST_COPIED = 0.5, 0.7


def degeneracy(source: str, hypothesis: str) -> str | None:
    """Return why an output is no translation: empty, short, long, repetitive or a copy."""
    words = [token.lower() for token in segment(hypothesis) if not is_punctuation(token)]
    if not words:
        return "empty"
    given = [token.lower() for token in segment(source) if not is_punctuation(token)]
    ratio = len(words) / max(1, len(given))
    if ratio < SHORTEST:
        return "short"
    if ratio > LONGEST:
        return "long"
    if len(words) >= 4 and Counter(words).most_common(1)[0][1] > MOST_REPEATED * len(words):
        return "repetitive"
    if len(given) >= 4 and sum((Counter(words) & Counter(given)).values()) > MOST_COPIED * len(
        given
    ):
        return "copy"
    return None


NO_NORMAL = (
    "no list says which renderings with an idiom's word are normal in this language "
    "(idiom_keywords, column normal), so some that count as literal may be"
)
# A listed word in more than this share of the sentences with other idioms is no keyword.
MOST_COMMON = 0.1


@dataclass(kw_only=True)
class LiteralTranslation(Metric):
    """The share of idioms that are rendered word for word.

    `lexicalised`: an idiom whose references are literal more often than this is set apart, because
    its literal rendering is good target language (the paper keeps idioms with over 80%
    paraphrases, section 4.3). `only_paraphrased`: leave out examples whose own reference is
    literal. `gate`: set degenerate outputs apart.
    """

    name: ClassVar[str] = "literal"
    use: ClassVar[str] = "figurative"
    kind: ClassVar[Kind] = "ratio"
    higher_is_better: ClassVar[bool] = False
    right_value: ClassVar[float] = 0.0
    missing: ClassVar[Missing] = "left out"
    clusters: ClassVar[tuple[str, ...]] = ("idiom",)

    mode: Literal["neutral", "official"] = "neutral"
    match: Literal["word", "inflected"] = "inflected"
    block_lists: tuple[Literal["file", "dictionary", "system"], ...] = (
        "file",
        "dictionary",
        "system",
    )
    dictionary: Path | None = None
    lemmas: Path | None = None
    only_paraphrased: bool = True
    lexicalised: float = 0.2
    fewest_references: int = 20
    gate: bool = True
    excluded: Counter[str] = field(init=False, default_factory=Counter, repr=False)
    _own: dict[str, tuple[Keyword, ...]] = field(init=False, default_factory=dict, repr=False)
    _listed: dict[str, tuple[Keyword, ...]] = field(init=False, default_factory=dict, repr=False)
    _lemmas: dict[str, str] = field(init=False, default_factory=dict, repr=False)
    _listed_normal: bool = field(init=False, default=True, repr=False)
    _apart: dict[str, float] = field(init=False, default_factory=dict, repr=False)
    _common: dict[str, frozenset[Keyword]] = field(init=False, default_factory=dict, repr=False)

    def key(self, example: Example) -> str | None:
        """Every sentence with an idiom is one observation."""
        if example.tags.get("use", "figurative") != self.use:
            return None
        return example.id if any(focus.role == "idiom" for focus in example.focus) else None

    def observe(self, items: Sequence[Scored]) -> Observation | None:
        """Label one output: literal, copied, paraphrase, degenerate or set apart."""
        item = items[0]
        label, keyword = (
            self._label_officially(item) if self.mode == "official" else self._label(item)
        )
        if label is None:
            return None
        counts = label not in ("degenerate", "set apart")
        value = float(label in ("literal", "copied"))
        detail: dict[str, Any] = {"class": label, "idiom": idiom_of(item.example)}
        if keyword is not None:
            detail["keyword"] = keyword
        return Observation(
            key=item.example.id,
            ids=(item.example.id,),
            value=value if counts else 0.0,
            stats=(value, 1.0) if counts else (0.0, 0.0),
            detail=detail,
        )

    def _label_officially(self, item: Scored) -> tuple[str | None, str | None]:
        """Label as the released code does: a keyword of the file anywhere in the output."""
        keywords = _file_keywords(item.example)
        if not keywords:
            self.excluded["the idiom has no keywords for this target language"] += 1
            return None, None
        # The released code filters natural data alone; generated data has no reference there.
        natural = item.example.tags.get("data", "natural") == "natural"
        filtered = self.only_paraphrased and natural and item.example.references
        if filtered and contains_keyword(item.example.references[0], keywords):
            self.excluded["the reference is literal"] += 1
            return None, None
        is_literal = contains_keyword(item.hypothesis, keywords)
        return ("literal" if is_literal else "paraphrase"), None

    def _label(self, item: Scored) -> tuple[str | None, str | None]:
        """Label by whole words; first comes what cannot be judged, then what is no translation."""
        example = item.example
        block_list = self._block_list(example)
        if not block_list:
            self.excluded["no block-list for the idiom"] += 1
            return None, None
        if idiom_of(example) in self._apart:
            return "set apart", None
        if _keyword_elsewhere(example):
            self.excluded["a keyword stands outside the idiom as well"] += 1
            return None, None
        if self.only_paraphrased and self._literal_reference(example, block_list):
            self.excluded["the reference is literal"] += 1
            return None, None
        reason = degeneracy(example.source, item.hypothesis) if self.gate else None
        if reason is not None:
            return "degenerate", reason
        tokens = without_phrases(segment(item.hypothesis), _normal_renderings(example))
        inflected = self.match == "inflected"
        keyword = find_keyword(tokens, block_list, inflected=inflected, lemmas=self._lemmas)
        if keyword is not None:
            return "literal", " ".join(keyword)
        copied = find_keyword(tokens, _source_keywords(example), inflected=False)
        return ("copied", " ".join(copied)) if copied is not None else ("paraphrase", None)

    def _literal_reference(self, example: Example, block_list: Sequence[Keyword]) -> bool:
        return any(
            find_keyword(
                without_phrases(segment(reference), _normal_renderings(example)),
                block_list,
                inflected=self.match == "inflected",
                lemmas=self._lemmas,
            )
            is not None
            for reference in example.references
        )

    def _block_list(self, example: Example) -> tuple[Keyword, ...]:
        """Return words that render the idiom's own words, from all lists, less common ones."""
        keywords: list[Keyword] = []
        if "file" in self.block_lists:
            keywords += [as_keyword(keyword) for keyword in _file_keywords(example)]
        for focus in example.focus:
            if focus.role != "keyword":
                continue
            word = focus.text.lower()
            if "dictionary" in self.block_lists:
                keywords += self._listed.get(word, ())
            if "system" in self.block_lists:
                keywords += self._own.get(word, ())
        common = self._common.get(idiom_of(example), frozenset())
        return tuple(
            dict.fromkeys(keyword for keyword in keywords if keyword and keyword not in common)
        )

    def prepare(self, items: Sequence[Scored]) -> None:
        """Read the lists, learn the system's own words, find idioms that are literal anyway."""
        self.excluded.clear()
        self._apart, self._common = {}, {}
        self._listed_normal = self.mode == "official" or any(
            _normal_renderings(item.example) for item in items
        )
        if self.mode == "official":
            return
        self._listed = read_dictionary(self.dictionary) if self.dictionary else {}
        self._lemmas = read_lemmas(self.lemmas) if self.lemmas else {}
        self._own = own_translations(items) if "system" in self.block_lists else {}
        self._common = self._find_common(items)
        literal: dict[str, list[bool]] = defaultdict(list)
        for item in items:
            if self.key(item.example) is not None and item.example.references:
                is_literal = self._literal_reference(item.example, self._block_list(item.example))
                literal[idiom_of(item.example)].append(is_literal)
        for idiom, verdicts in literal.items():
            share = sum(verdicts) / len(verdicts)
            if len(verdicts) >= self.fewest_references and share > self.lexicalised:
                self._apart[idiom] = round(share, 4)

    def _find_common(self, items: Sequence[Scored]) -> dict[str, frozenset[Keyword]]:
        """Find listed words that betray nothing: frequent in sentences with other idioms.

        Dictionaries and models offer "de" for "dint" or "was" for "thing"; no list of function
        words is needed to see that they stand in every other sentence.
        """
        keywords: dict[str, tuple[Keyword, ...]] = {}
        hits: dict[str, Counter[Keyword]] = defaultdict(Counter)
        sizes: Counter[str] = Counter()
        for item in items:
            if self.key(item.example) is None:
                continue
            idiom = idiom_of(item.example)
            keywords.setdefault(idiom, self._block_list(item.example))
            sizes[idiom] += 1
            hits[idiom].update({(token.lower(),) for token in segment(item.hypothesis)})
        total = sum(sizes.values())
        everywhere: Counter[Keyword] = sum(hits.values(), Counter())
        common = {}
        for idiom, listed in keywords.items():
            others = total - sizes[idiom]
            if others >= self.fewest_references:
                common[idiom] = frozenset(
                    keyword
                    for keyword in listed
                    if everywhere[keyword] - hits[idiom][keyword] > MOST_COMMON * others
                )
        return common

    def notes(self) -> dict[str, Any]:
        """Return what was left out, and the idioms that are literal in the target language."""
        return {
            **({} if self._listed_normal else {"beware": NO_NORMAL}),
            "excluded": dict(sorted(self.excluded.items())),
            "set_apart": dict(self._apart),
            "too_common": {
                idiom: sorted(" ".join(keyword) for keyword in found)
                for idiom, found in self._common.items()
                if found
            },
        }

    def signature(self) -> str:
        """Return mode, matching and lists."""
        filtered = "paraphrased" if self.only_paraphrased else "all"
        if self.mode == "official":
            return f"{self.name}|mode:official|references:{filtered}|source:Dankers2022"
        lists = "+".join(self.block_lists)
        return (
            f"{self.name}|mode:neutral|match:{self.match}|lists:{lists}|references:{filtered}"
            f"|lexicalised:{self.lexicalised:g}|gate:{'yes' if self.gate else 'no'}"
        )


@dataclass(kw_only=True)
class LiteralControl(LiteralTranslation):
    """The share of literal USES of the same expressions that are rendered literally.

    There the literal rendering is right: the distance between the two scores is what a system
    knows about idioms (Dankers, Lucas & Titov 2022).
    """

    name: ClassVar[str] = "literal-control"
    use: ClassVar[str] = "literal"
    higher_is_better: ClassVar[bool] = True
    right_value: ClassVar[float] = 1.0

    only_paraphrased: bool = False
