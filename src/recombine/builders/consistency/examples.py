"""Examples of the consistency tests: which roles, foci and tags the metrics will look for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from recombine.benchmark import Example, Focus
from recombine.builders.consistency.synthetic import TemplateSentence
from recombine.builders.consistency.wordlists import Idiom, SynonymPair


def idiom_example(
    source: str, idiom: Idiom, tags: Mapping[str, Any], reference: str | None = None
) -> Example:
    """Return a sentence with an idiom: where it stands, its keywords, what betrays it."""
    start, end = place_of(idiom.text, source)
    focus = [Focus(text=idiom.text, role="idiom", accepted=idiom.normal, start=start, end=end)]
    for place, keyword in enumerate(idiom.keywords):
        accepted = idiom.literal if place == 0 else ()
        focus.append(Focus(text=keyword, role="keyword", accepted=accepted))
    return Example.make(
        source=source,
        references=(reference,) if reference else (),
        tags=tags,
        focus=focus,
        salt=f"idiom/{tags.get('data', '')}",
    )


def synonym_focus(source: str, term: str, pair: SynonymPair) -> Focus:
    """Return where a term of a synonym pair stands, and how it is known to be rendered."""
    start, end = place_of(term, source)
    return Focus(text=term, role="synonym", accepted=pair.renderings, start=start, end=end)


def place_of(term: str, source: str) -> tuple[int, int] | tuple[None, None]:
    """Return from where to where a sentence has a term, whatever its case; None: nowhere.

    A plural is found by its stem.
    """
    match = re.search(re.escape(term), source, re.IGNORECASE)
    return (None, None) if match is None else match.span()


def synonym_examples(base: TemplateSentence, pair: SynonymPair, group: str) -> Iterator[Example]:
    """Yield a sentence with the clause of either term."""
    for role, second in (("base", False), ("synonym", True)):
        clause = pair.clause(plural=base.is_plural, second=second)
        source, _ = base.with_clause(clause)
        term = pair.second if second else pair.first
        yield Example.make(
            source=source,
            tags={"synonym": pair.name, "data": base.data, "template": base.template},
            group=group,
            role=role,
            focus=(synonym_focus(source, term, pair),),
        )


def group_example(
    sentence: TemplateSentence, role: str, group: str, source: str, focus: tuple[Focus, ...]
) -> Example:
    """Return a member of a group; `source` may be the sentence or a coordination with it."""
    return Example.make(
        source=source,
        references=references_of(sentence) if source == sentence.source else (),
        tags=group_tags(group, role, sentence.data, sentence.template),
        group=group,
        role=role,
        focus=focus,
    )


def group_tags(group: str, role: str, data: str, template: str) -> dict[str, str]:
    """Return the tags of a member of a group.

    The first tag is the stratum of --sample: equal within a group, so that groups stay whole. The
    base belongs to every condition, so it has none.
    """
    tags = {"test": group.partition("/")[0], "data": data, "template": template}
    return tags if role == "base" else {**tags, "condition": role}


def slot_focus(sentence: TemplateSentence, slot: str, role: str) -> Focus:
    """Return what stands in a slot of a sentence."""
    start, end = sentence.slots[slot]
    return Focus(text=sentence.source[start:end], role=role, start=start, end=end)


def references_of(sentence: TemplateSentence) -> tuple[str, ...]:
    """Return the reference of a sentence, if its maker speaks the target language."""
    return (sentence.reference,) if sentence.reference else ()


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
    """Yield sentences a second time: what differs then is the system's own variation."""
    different = list(dict.fromkeys(sources))
    for place in sorted(rng.permutation(len(different))[:size].tolist()):
        yield Example.make(
            source=different[place], tags={"probe": "repeat"}, role="repeat", salt="repeat"
        )
