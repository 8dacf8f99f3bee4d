"""What the metrics need beside the pairs: nouns, clauses and words alone, and sentences twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from recombine.benchmark import Example, Focus
from recombine.builders.wordlists import Idiom, SynonymPair

# The frame with which the published keyword lists were elicited (released scripts/).
WORD_FRAME = "This is a {word} ."


def phrase_probes(phrases: Iterable[tuple[str, str, str | None]]) -> Iterator[Example]:
    """Yield isolated noun phrases: they calibrate the window and anchor the nouns."""
    for form, source, reference in phrases:
        yield Example.make(
            source=source,
            references=(reference,) if reference else (),
            tags={"probe": "phrase"},
            role="phrase",
            focus=(Focus(text=form, role="phrase"),),
            salt="phrase",
        )


def clause_probes(clauses: Iterable[str]) -> Iterator[Example]:
    """Yield second conjuncts alone: they show where to look for them in a coordination."""
    for clause in dict.fromkeys(clauses):
        source = clause[:1].upper() + clause[1:]
        yield Example.make(source=source, tags={"probe": "clause"}, role="clause", salt="clause")


def word_probes(
    synonyms: Sequence[SynonymPair], idioms: Sequence[Idiom], frame: str = WORD_FRAME
) -> Iterator[Example]:
    """Yield bare words, alone and in a frame that says no more than the word."""
    words = [term for pair in synonyms for term in (pair.first, pair.second)]
    words += [keyword for idiom in idioms for keyword in idiom.keywords]
    for word in dict.fromkeys(words):
        for source in (word, frame.format(word=word)):
            yield Example.make(
                source=source,
                tags={"probe": "word"},
                role="word",
                focus=(Focus(text=word, role="word"),),
                salt="word",
            )


def repeat_probes(sources: Sequence[str], size: int, rng: np.random.Generator) -> Iterator[Example]:
    """Yield sentences a second time: what differs then is the system's own unrest."""
    different = list(dict.fromkeys(sources))
    for place in sorted(rng.permutation(len(different))[:size].tolist()):
        yield Example.make(
            source=different[place], tags={"probe": "repeat"}, role="repeat", salt="repeat"
        )
