"""Semi-natural sentences: fragments of the user's corpus set into sentence frames.

Dankers et al. 2022, section 3: a frame such as "The {subject} wants to {fragment} ." is filled with
a noun of the template grammar and with a phrase that the corpus has, found in its parses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recombine.builders.consistency.synthetic import TemplateSentence, TemplateTrees
from recombine.corpus.conllu import ParsedSentence, read_parsed
from recombine.corpus.segment import PLAIN_TOKEN
from recombine.corpus.spans import Subtrees
from recombine.errors import DataError
from recombine.files import read_table
from recombine.registry import data_path

# What a frame can ask for.
KINDS = (
    "infinitive",
    "predicate",
    "nominal-pp",
    "nominal-relative",
    "nominal-which",
    "nominal-infinitive",
)
# Relations in Universal Dependencies and in ClearNLP labels.
_NOMINAL = {"dobj", "obj", "pobj", "nsubj", "obl", "attr", "nmod", "nsubjpass", "nsubj:pass"}
_RELATIVE = {"relcl", "acl:relcl"}
_TO = {"aux", "mark"}
_AUXILIARY = {"aux", "auxpass", "aux:pass", "cop", "neg", "expl"}
_SUBJECT = {"nsubj", "nsubjpass", "nsubj:pass", "csubj"}
_PLAIN = re.compile(r"[^\W\d_][\w'\u2019-]*|,")
_CHOICE = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")


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
    fragments: dict[str, Fragment] = {}
    shapes: Counter[tuple[str, str]] = Counter()
    for sentence in sentences:
        for fragment in fragments_of(sentence, tokens):
            shapes[fragment.kind, fragment.shape] += 1
            fragments.setdefault(f"{fragment.kind} {fragment.singular.lower()}", fragment)
    kinds: dict[str, list[Fragment]] = {kind: [] for kind in KINDS}
    for fragment in fragments.values():
        if shapes[fragment.kind, fragment.shape] >= fewest:
            kinds[fragment.kind].append(fragment)
    return kinds


def fragments_of(sentence: ParsedSentence, tokens: tuple[int, int]) -> Iterator[Fragment]:
    """Yield the fragments of one sentence."""
    forms = list(sentence.forms) if sentence.forms else PLAIN_TOKEN.findall(sentence.text)
    if len(forms) != len(sentence.lemmas):
        return  # the text cannot be matched with its analysis
    tree = Subtrees([head - 1 for head in sentence.heads])
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


def _candidates(
    tree: Subtrees, sentence: ParsedSentence, head: int
) -> Iterator[tuple[str, int, int]]:
    children = tree.children[head]
    relations = [sentence.relations[child] for child in children]
    span = tree.span(head)
    if span is None:
        return
    first, last = span[0], span[1] - 1
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


def _nominal_kind(tree: Subtrees, sentence: ParsedSentence, head: int) -> str | None:
    after = [child for child in tree.children[head] if child > head]
    for child, following in zip(after, [*after[1:], None], strict=False):
        relation = sentence.relations[child]
        span = tree.span(child)
        if span is None:
            return None
        start = span[0]
        if sentence.lemmas[start] == ",":
            # The comma before a clause hangs on the noun in ClearNLP, on the clause's verb in UD.
            before_clause = following is not None and sentence.relations[following] in _RELATIVE
            if relation == "punct" and before_clause:
                continue
            start += relation in _RELATIVE
        opening = sentence.lemmas[start].lower()
        if relation in _RELATIVE:
            if opening not in ("that", "which", "who"):
                return None
            comma = start > 0 and sentence.lemmas[start - 1] == ","
            return "nominal-which" if comma else "nominal-relative"
        if relation == "acl":
            return "nominal-infinitive" if opening == "to" else None
        if relation in ("conj", "cc", "appos", "punct"):
            return None
    later = {sentence.relations[child] for child in after}
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


class Frame(NamedTuple):
    """A sentence with a place for a noun (`{subject}`) and one for a fragment (`{fragment}`).

    `{wants|want}` gives the singular and the plural form.
    """

    name: str
    pattern: str
    kind: str

    def fill(self, noun: str, fragment: Fragment, *, plural: bool) -> tuple[str, int]:
        """Return the sentence and where its noun stands."""
        text = _CHOICE.sub(lambda match: match[2] if plural else match[1], self.pattern)
        before, _, after = text.partition("{subject}")
        rendered = fragment.form(plural=plural)
        before = before.replace("{fragment}", rendered)
        return before + noun + after.replace("{fragment}", rendered), len(before)


def read_frames(path: Path) -> list[Frame]:
    """Read the frames; every fault names its line."""
    frames = []
    for row in read_table(path, ("frame", "pattern", "fragment")):
        pattern = row["pattern"]
        if pattern.count("{subject}") != 1 or pattern.count("{fragment}") != 1:
            raise DataError("a pattern needs one {subject} and one {fragment}", row.where)
        if row["fragment"] not in KINDS:
            raise DataError(
                f"unknown fragment kind '{row['fragment']}'",
                row.where,
                hint=f"known: {', '.join(KINDS)}",
            )
        frames.append(Frame(row["frame"], pattern, row["fragment"]))
    return frames


class _Filling(NamedTuple):
    frame: Frame
    fragment: Fragment
    noun: int
    plural: bool


class FrameSentences:
    """Frames x nouns x fragments, drawn without repetition."""

    data = "semi-natural"

    def __init__(
        self,
        frames: Sequence[Frame],
        nouns: Mapping[bool, Sequence[str]],
        swaps: Mapping[bool, Sequence[str]],
        fragments: Mapping[str, Sequence[Fragment]],
    ) -> None:
        self._frames = {frame.name: frame for frame in frames}
        self._nouns = nouns
        self._swaps = swaps
        self._fragments = fragments
        for frame in frames:
            if not fragments.get(frame.kind):
                raise DataError(
                    f"the corpus has no fragment of kind '{frame.kind}' for frame '{frame.name}'",
                    hint="take a larger corpus, -o fragment_count=1 (rare shapes, too), or frames "
                    "of your own (-o frames=FILE, docs/how-to/consistency.md)",
                )

    @classmethod
    def from_corpus(
        cls,
        corpus: Path | None,
        trees: TemplateTrees,
        *,
        language: str,
        frames: Path | None,
        fewest: int,
        tokens: tuple[int, int],
    ) -> FrameSentences:
        """Find the fragments of a parsed corpus and take the nouns from the template grammar."""
        if corpus is None:
            raise DataError("no parsed corpus is given", hint="-o parsed=CORPUS.conllu")
        fragments = frequent_fragments(read_parsed(corpus), fewest=fewest, tokens=tokens)
        return cls(
            read_frames(frames or data_path("consistency", f"{language}.frames.tsv")),
            {plural: trees.nouns(("people",), _number(plural)) for plural in (False, True)},
            {plural: trees.nouns(("people", "elite"), _number(plural)) for plural in (False, True)},
            fragments,
        )

    @property
    def templates(self) -> tuple[str, ...]:
        """The names of the frames."""
        return tuple(self._frames)

    def roles(self, template: str) -> tuple[str, ...]:
        """Only the subject can be swapped: the rest is found text."""
        return ("np",)

    def draw(self, template: str, size: int, rng: np.random.Generator) -> list[TemplateSentence]:
        """Draw different sentences of one frame."""
        frame = self._frames[template]
        fragments = self._fragments[frame.kind]
        nouns = len(self._nouns[False])
        total = 2 * nouns * len(fragments)
        sentences = []
        for rank in rng.permutation(total)[:size].tolist():
            rank, number = divmod(rank, 2)
            place, noun = divmod(rank, nouns)
            filling = _Filling(frame, fragments[place], noun, bool(number))
            sentences.append(self._sentence(filling, self._nouns[filling.plural][noun]))
        return sentences

    def swap(
        self, sentence: TemplateSentence, role: str, rng: np.random.Generator
    ) -> TemplateSentence:
        """Return the sentence with another noun of the same number."""
        filling: _Filling = sentence.origin
        current = sentence.part("np")
        present = set(sentence.source.split())
        others = [
            noun for noun in self._swaps[filling.plural] if noun != current and noun not in present
        ]
        return self._sentence(filling, others[int(rng.integers(len(others)))])

    def _sentence(self, filling: _Filling, noun: str) -> TemplateSentence:
        source, start = filling.frame.fill(noun, filling.fragment, plural=filling.plural)
        span = (start, start + len(noun))
        return TemplateSentence(
            source=source,
            template=filling.frame.name,
            data=self.data,
            slots={"np": span, "clause": span},
            is_plural=filling.plural,
            is_question=source.endswith("?"),
            origin=filling,
        )


def _number(plural: bool) -> str:
    return "pl" if plural else "sg"
