"""From linked pairs to pairs without agreement, and from those to what puts forms back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from recombine.augment.agreement.articles import (
    Articles,
    find_articles,
    take_out,
    take_out_particles,
)
from recombine.augment.agreement.genders import row_classes
from recombine.augment.agreement.inflector import (
    HEAD,
    Observations,
    Role,
    SeenForm,
    SeenNoun,
    TargetInflector,
    surroundings,
)
from recombine.augment.agreement.stems import StemmedText, gap_of, merge_forms, put_back
from recombine.augment.classes import Unit, word_classes
from recombine.augment.frames import Core, is_clause
from recombine.augment.links import LinkedText
from recombine.augment.phrases.grammar import PhraseGrammar, Reduced, head_classes
from recombine.augment.phrases.slots import HeadPhrase, Item, PhraseSlot
from recombine.augment.repertoire import Repertoire, RepertoireIndex


@dataclass(frozen=True)
class AgreeingText:
    """Pairs without articles and with one form of what agrees, and what was found on the way."""

    articles: Articles
    stemmed: StemmedText
    gender: dict[str, int]
    classes: list[list[Unit]]

    @property
    def text(self) -> LinkedText:
        """The pairs to learn from."""
        return self.stemmed.bare.text


def find_agreement(text: LinkedText, similarity: float, support: int) -> AgreeingText | None:
    """Take articles and forms that agree out of the targets, if there are articles."""
    articles = find_articles(text.pairs, support)
    if articles is None:
        return None
    bare = take_out(text, articles)
    classes = word_classes(bare.text, similarity, support)
    if not classes:
        return None
    heads, _ = head_classes(bare.text, classes, articles.source)
    label = {unit: own for own in heads for unit in classes[own]}
    names = {unit for unit, own in label.items() if not heads[own]}
    bare = take_out_particles(bare, articles.particles, names)
    rows: dict[str, Counter[tuple[Hashable, Hashable]]] = defaultdict(Counter)
    kinds: dict[str, int] = {}
    for pair in bare.text.pairs:
        gaps = bare.gaps[pair.number]
        for i, j in pair.links:
            own = label.get((pair.source[i], pair.target[j]))
            if own is None or not heads[own]:
                continue
            article = _article(pair.source, i, articles, bare.text.source_content)
            wrapper = gaps.get(gap_of(pair, gaps, (i, j), articles), ())
            if article and wrapper:
                rows[pair.source[i]][article, wrapper[-1]] += 1
                kinds[pair.source[i]] = own
    gender = {str(word): number for word, number in row_classes(rows, kinds)[0].items()}
    stemmed = merge_forms(bare, gender, articles)
    split: dict[tuple[int, int | None], list[Unit]] = {}
    for number, units in enumerate(word_classes(stemmed.bare.text, similarity, support)):
        for unit in units:
            split.setdefault((number, gender.get(unit[0])), []).append(unit)
    parts = list(split.values())
    heads, _ = head_classes(stemmed.bare.text, parts, articles.source)
    stemmed = put_back(stemmed, {unit for own in heads for unit in parts[own]}, articles)
    return AgreeingText(articles, stemmed, gender, parts)


def _article(
    source: tuple[str, ...], i: int, articles: Articles, content: frozenset[str]
) -> str | None:
    i -= 1
    while i >= 0 and source[i] in content:
        i -= 1
    return source[i] if i >= 0 and source[i] in articles.source else None


def learn_forms(
    agreement: AgreeingText, grammar: PhraseGrammar, known: Repertoire
) -> TargetInflector:
    """Learn from the training pairs how to put back what was taken out."""
    assert known.index is not None
    seen = _Observer(agreement, known.index, grammar.heads).observe(grammar.reduced)
    kinds = {unit: sort for sort, units in known.units.items() for unit in units}
    particles = agreement.articles.particles | agreement.articles.contracted.keys()
    return TargetInflector(seen, kinds, agreement.gender, particles)


class _Observer:
    def __init__(
        self, agreement: AgreeingText, index: RepertoireIndex, heads: Mapping[int, bool]
    ) -> None:
        self._stemmed = agreement.stemmed
        self._articles = agreement.articles
        self._heads = heads
        self._index = index
        self._seen = Observations()

    def observe(self, rows: Iterable[Reduced]) -> Observations:
        """Return nouns with their roles, and words beside nouns, of reduced pairs."""
        for row in rows:
            if not row.source or not row.target:
                continue
            core = Core(row.source, row.target)
            outer = self._index.left[core]
            place = self._index.frames.get(outer)
            if place is None or outer != core:
                # With clauses, it is known of the phrases before them which stands where.
                slots = [item for item in outer.source if isinstance(item, PhraseSlot)]
                first = sum(not is_clause(item) for item in slots)
                ahead = place is not None and not any(map(is_clause, slots[:first]))
                for slot, phrase in enumerate(row.phrases):
                    role: Role = ("", (), 0)
                    if place is not None:
                        role = str(place[0]), place[1], slot
                    self._phrase(row, phrase, role, known=ahead and slot < first)
                continue
            frame, words = place
            nouns = {
                slot: self._phrase(row, phrase, (str(frame), words, slot))
                for slot, phrase in enumerate(row.phrases)
            }
            self._words(row, row.target, row.places, nouns)
        return self._seen

    def _phrase(
        self, row: Reduced, phrase: HeadPhrase, role: Role, *, known: bool = True
    ) -> SeenNoun:
        number = row.pair.number
        gaps = self._stemmed.bare.gaps[number]
        wrapper = gaps.get(gap_of(row.pair, gaps, phrase.place, self._articles), ())
        form = self._stemmed.surface[number][phrase.place[1]]
        noun = SeenNoun(phrase.unit, phrase.free, role, wrapper, form)
        # A noun whose article is not the phrase's own tells nothing.
        if known and bool(phrase.free) == self._heads[phrase.label]:
            self._seen.nouns.append(noun)
        for (modifier, inside), places in zip(phrase.modifiers, phrase.places, strict=True):
            found = self._index.modifiers.get(Core(modifier.source, modifier.target))
            if found is None:
                continue
            frame, words = found
            nouns = {
                slot: self._phrase(row, inner, (str(frame), words, slot))
                for slot, inner in enumerate(inside)
            }
            nouns[HEAD] = noun
            self._words(row, modifier.target, places, nouns)
        return noun

    def _words(
        self,
        row: Reduced,
        items: Iterable[Item],
        places: Iterable[int],
        nouns: dict[int, SeenNoun],
    ) -> None:
        surface = self._stemmed.surface[row.pair.number]
        numbers = [item if isinstance(item, str) else item.number for item in items]
        around = surroundings(numbers, HEAD in nouns)
        for item, place, (before, near) in zip(numbers, places, around, strict=True):
            if isinstance(item, str):
                self._seen.forms.append(SeenForm(item, surface[place], nouns, before, near))
