"""Examples of the consistency tests: which roles, foci and tags the metrics will look for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from recombine.benchmark import Example, Focus
from recombine.builders.sentences import Sentence
from recombine.builders.wordlists import Idiom, SynonymPair


def idiom_example(
    source: str, idiom: Idiom, tags: Mapping[str, Any], reference: str | None = None
) -> Example:
    """Return a sentence with an idiom: where it stands, its keywords, what betrays it."""
    start = source.lower().find(idiom.text.lower())
    focus = [Focus(text=idiom.text, role="idiom", start=start, end=start + len(idiom.text))]
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
    start = source.lower().find(term.lower())
    return Focus(
        text=term, role="synonym", accepted=pair.renderings, start=start, end=start + len(term)
    )


def synonym_examples(base: Sentence, pair: SynonymPair, group: str) -> Iterator[Example]:
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
    sentence: Sentence, role: str, group: str, source: str, focus: tuple[Focus, ...]
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


def slot_focus(sentence: Sentence, slot: str, role: str) -> Focus:
    """Return what stands in a slot of a sentence."""
    start, end = sentence.slots[slot]
    return Focus(text=sentence.source[start:end], role=role, start=start, end=end)


def references_of(sentence: Sentence) -> tuple[str, ...]:
    """Return the reference of a sentence, if its maker speaks the target language."""
    return (sentence.reference,) if sentence.reference else ()
