"""Noun and verb phrases of a parsed corpus that can be set into sentence frames.

Six kinds, after the semi-natural templates of Dankers et al. (2022), table 2:

    infinitive           what follows "to": "make the most of their stay in the city"
    predicate            a present-tense predicate: "offers a service of car rental", and its plural
    nominal-pp           "the marketing of innovative products"
    nominal-relative     "the concept of a system that looks to the long term"
    nominal-which        "the whole of the customs union , which is an exclusive competence"
    nominal-infinitive   "the intention to boost the quantity of aid"

Relations of Universal Dependencies and of the English CLEAR scheme (spaCy) are both understood.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from recombine.builders.parsed import ParsedSentence

KINDS = (
    "infinitive",
    "predicate",
    "nominal-pp",
    "nominal-relative",
    "nominal-which",
    "nominal-infinitive",
)
_NOMINAL = {"dobj", "obj", "pobj", "nsubj", "obl", "attr", "nmod", "nsubjpass", "nsubj:pass"}
_RELATIVE = {"relcl", "acl:relcl"}
_TO = {"aux", "mark"}
_AUXILIARY = {"aux", "auxpass", "aux:pass", "cop", "neg", "expl"}
_SUBJECT = {"nsubj", "nsubjpass", "nsubj:pass", "csubj"}
_PLAIN = re.compile(r"[^\W\d_][\w'\u2019-]*|,")
_WORD = re.compile(r"\w+(?:[-\u2019']\w+)*|[^\w\s]")


class Fragment(NamedTuple):
    """A phrase ready for a frame; the plural differs for predicates alone."""

    kind: str
    singular: str
    plural: str
    shape: str  # the relations below its head, in order

    def form(self, *, plural: bool) -> str:
        """Return the phrase for a singular or plural subject."""
        return self.plural if plural else self.singular


def frequent_fragments(
    sentences: Iterable[ParsedSentence], *, fewest: int, tokens: tuple[int, int]
) -> dict[str, list[Fragment]]:
    """Return the different fragments of each kind whose shape recurs, in corpus order."""
    found: dict[str, Fragment] = {}
    shapes: Counter[tuple[str, str]] = Counter()
    for sentence in sentences:
        for fragment in fragments_of(sentence, tokens):
            shapes[fragment.kind, fragment.shape] += 1
            found.setdefault(f"{fragment.kind} {fragment.singular.lower()}", fragment)
    kinds: dict[str, list[Fragment]] = {kind: [] for kind in KINDS}
    for fragment in found.values():
        if shapes[fragment.kind, fragment.shape] >= fewest:
            kinds[fragment.kind].append(fragment)
    return kinds


def fragments_of(sentence: ParsedSentence, tokens: tuple[int, int]) -> Iterator[Fragment]:
    """Yield the fragments of one sentence."""
    forms = list(sentence.forms) if sentence.forms else _WORD.findall(sentence.text)
    if len(forms) != len(sentence.lemmas):
        return  # the text cannot be matched with its analysis
    tree = _Tree(sentence)
    for head in range(len(forms)):
        for kind, first, last in _candidates(tree, sentence, head):
            words = forms[first : last + 1]
            if not tokens[0] <= len(words) <= tokens[1]:
                continue
            if not all(_PLAIN.fullmatch(word) for word in words) or words[-1] == ",":
                continue
            plural = _plural_predicate(words, sentence.lemmas[first], kind)
            if plural is None:
                continue
            if first == 0 and not words[0].isupper():
                words = [words[0].lower(), *words[1:]]
                plural = [plural[0].lower(), *plural[1:]]
            shape = " ".join(sentence.relations[child] for child in tree.children[head])
            yield Fragment(kind, " ".join(words), " ".join(plural), shape)


class _Tree:
    def __init__(self, sentence: ParsedSentence) -> None:
        size = len(sentence.lemmas)
        self.children: list[list[int]] = [[] for _ in range(size)]
        for token, head in enumerate(sentence.heads):
            if head:
                self.children[head - 1].append(token)

    def span(self, node: int) -> tuple[int, int] | None:
        """Return the first and last token below a node, None when they are not contiguous."""
        seen = [node]
        for token in seen:
            seen += self.children[token]
        first, last = min(seen), max(seen)
        return (first, last) if last - first + 1 == len(seen) else None


def _candidates(tree: _Tree, sentence: ParsedSentence, head: int) -> Iterator[tuple[str, int, int]]:
    children = tree.children[head]
    relations = [sentence.relations[child] for child in children]
    span = tree.span(head)
    if span is None:
        return
    first, last = span
    to = [c for c in children if sentence.relations[c] in _TO and sentence.lemmas[c] == "to"]
    if to and to[0] == first and head == first + 1 and not set(relations) & _SUBJECT:
        yield "infinitive", first + 1, last
    if sentence.relations[head] in _NOMINAL and sentence.lemmas[first] in ("the", "a", "an"):
        kind = _nominal_kind(tree, sentence, head)
        if kind is not None:
            yield kind, first, last
    subjects = [c for c in children if sentence.relations[c] in _SUBJECT and c < head]
    if sentence.relations[head] == "root" and subjects and not set(relations) & _AUXILIARY:
        while last > head and not _PLAIN.fullmatch(_text(sentence, last)):
            last -= 1
        if max(c for c in children if c < head) == subjects[-1]:
            yield "predicate", head, last


def _nominal_kind(tree: _Tree, sentence: ParsedSentence, head: int) -> str | None:
    for child in tree.children[head]:
        if child < head:
            continue
        relation = sentence.relations[child]
        span = tree.span(child)
        if span is None:
            return None
        opening = sentence.lemmas[span[0]].lower()
        if relation in _RELATIVE:
            if opening not in ("that", "which", "who"):
                return None
            comma = span[0] > 0 and sentence.lemmas[span[0] - 1] == ","
            return "nominal-which" if comma else "nominal-relative"
        if relation == "acl":
            return "nominal-infinitive" if opening == "to" else None
        if relation in ("conj", "cc", "appos", "punct"):
            return None
    later = {sentence.relations[child] for child in tree.children[head] if child > head}
    return "nominal-pp" if later & {"prep", "nmod"} else None


def _plural_predicate(words: Sequence[str], lemma: str, kind: str) -> list[str] | None:
    """Return the phrase after a plural subject; None where the verb is no regular -s form."""
    if kind != "predicate":
        return list(words)
    verb = words[0].lower()
    if verb in (f"{lemma}s", f"{lemma}es") or (lemma.endswith("y") and verb == f"{lemma[:-1]}ies"):
        return [lemma, *words[1:]]
    return None


def _text(sentence: ParsedSentence, token: int) -> str:
    return sentence.forms[token] if sentence.forms else sentence.lemmas[token]
