"""Choosing the atoms: frequent enough, translated consistently, spread over frequency."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from recombine.builders.alignment import Alignment
from recombine.builders.bilingual_lexicon import Renderings, phrase_rendering, renderings
from recombine.builders.compose import ChosenAtom
from recombine.builders.corpus_filter import Pair
from recombine.builders.templates import Phrase, children, modifier_span
from recombine.errors import DataError

# A determiner that mostly goes with plurals ("these") does not fit a singular noun.
SINGULAR_SHARE = 0.8
# Determiners of singulars alone ("this", "every") show which nouns are singular: a plural that
# parsers give as its own lemma ("funds") hardly ever has one.
STRICTLY_SINGULAR = 0.95
ARTICLE_SHARE = 0.03
# A word is taken for a role that it has in most of its uses: "will" is no noun, "that" no article.
USUAL = {"N": 0.6, "ADJ": 0.5, "DET": 0.5, "V": 0.3, "P": 0.4}
NOMINAL = frozenset(
    {"nsubj", "nsubjpass", "nsubj:pass", "dobj", "obj", "iobj", "dative", "pobj", "obl", "nmod"}
    | {"attr", "conj", "compound", "poss", "nmod:poss", "root", "appos"}
)
ADPOSITIONS = frozenset({"prep", "case", "agent", "mark"})
# A name is a word that keeps its capital inside a sentence.
NAME_SHARE = 0.5
# An article whose next word begins like this ten times less often than after articles in general
# ("an" before "new") does not fit it; below five expected cases nothing is concluded.
INITIAL_RATIO = 0.1
FEWEST_EXPECTED = 5
# Of the atoms asked for, this share must be found; atoms.tsv shows how many were.
ENOUGH = 0.75


@dataclass(frozen=True, kw_only=True)
class Role:
    """How many atoms of a role to take, how they hang in the tree, how consistent they must be.

    `coverage`: share of the word's links that its three largest groups of forms must cover.
    `unchecked`: take words below that too, without a check of their translation (the published
    test does so with "the" and five prepositions). `words` names the atoms outright.
    """

    count: int
    relations: tuple[str, ...] = ()
    coverage: float = 0.7
    unchecked: bool = False
    words: tuple[str, ...] = ()


@dataclass
class Candidates:
    """What the phrases of one category offer, per role: text -> occurrences."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    phrase_links: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


class Usage:
    """How every word of a corpus is used: relations, objects, capitals, what follows articles."""

    def __init__(self, pairs: Iterable[Pair], object_relations: Sequence[str]) -> None:
        self.total: Counter[str] = Counter()
        self.related: Counter[tuple[str, str]] = Counter()
        self.with_object: Counter[str] = Counter()
        self.surfaces: dict[str, Counter[str]] = defaultdict(Counter)
        self.initials: dict[str, Counter[str]] = defaultdict(Counter)
        self.articles: dict[str, Counter[str]] = defaultdict(Counter)
        self._every_initial: Counter[str] = Counter()
        for pair in pairs:
            self.total.update(pair.tokens)
            self.related.update(zip(pair.tokens, pair.relations, strict=True))
            owners = {
                pair.heads[token]
                for token, relation in enumerate(pair.relations)
                if relation in object_relations
            }
            self.with_object.update(pair.tokens[owner] for owner in owners if owner >= 0)
            for token, (head, relation) in enumerate(zip(pair.heads, pair.relations, strict=True)):
                if relation == "det" and head >= 0:
                    self.articles[pair.tokens[head]][pair.tokens[token]] += 1
            for token in range(1, len(pair.tokens)):
                text = pair.source[pair.starts[token] : pair.ends[token]]
                self.surfaces[pair.tokens[token]][text] += 1
                if pair.relations[token - 1] == "det":
                    self.initials[pair.tokens[token - 1]][pair.tokens[token][0]] += 1

    def fits(self, word: str, role: str, relations: Iterable[str]) -> bool:
        """Return True for a word that has this role in most of its uses."""
        total = self.total[word]
        if role not in USUAL or not total:
            return True
        if role == "V":
            return self.with_object[word] >= USUAL[role] * total
        wanted = {"N": NOMINAL, "P": ADPOSITIONS}.get(role, relations)
        usual = sum(self.related[word, relation] for relation in wanted)
        return usual >= USUAL[role] * total and not (role == "N" and self.is_name(word))

    def is_singular(self, noun: str, articles: Iterable[str]) -> bool:
        """Return True for a noun that is attested with determiners of singulars alone."""
        found = sum(self.articles[noun][article] for article in articles)
        return found >= ARTICLE_SHARE * self.total[noun]

    def is_name(self, word: str) -> bool:
        """Return True for a word with a capital in most places inside sentences."""
        forms = self.surfaces[word]
        capital = sum(count for form, count in forms.items() if form[:1].isupper())
        return capital > NAME_SHARE * max(1, forms.total())

    def surface(self, text: str) -> str:
        """Return a word or phrase as it is usually written inside a sentence."""
        return " ".join(
            self.surfaces[word].most_common(1)[0][0] if self.surfaces[word] else word
            for word in text.split()
        )

    def may_precede(self, article: str, words: Iterable[str]) -> bool:
        """Return True unless an article avoids the first letter of one of these words."""
        initials = self.initials[article]
        everywhere = self._all_initials()
        for word in words:
            letter = word[0].lower()
            expected = initials.total() * everywhere[letter] / max(1, everywhere.total())
            if expected >= FEWEST_EXPECTED and initials[letter] < INITIAL_RATIO * expected:
                return False
        return True

    def _all_initials(self) -> Counter[str]:
        if not self._every_initial:
            for counts in self.initials.values():
                self._every_initial.update(counts)
        return self._every_initial


def collect(
    pairs: Sequence[Pair],
    phrases: Iterable[Phrase],
    roles: Mapping[str, Role],
    head_role: str,
    alignment: Alignment,
) -> Candidates:
    """Count the words that the phrases of a category are made of."""
    found = Candidates()
    for phrase in phrases:
        pair = pairs[phrase.sentence]
        if head_role and phrase.head >= 0:
            found.counts[head_role][pair.tokens[phrase.head]] += 1
        for role, one in roles.items():
            if role == "N":
                found.counts["N"][pair.tokens[phrase.noun]] += 1
            elif role == "MOD":
                span = modifier_span(pair, phrase.noun, one.relations)
                words = pair.tokens[span[0] : span[1]] if span else ()
                if span and all(word.isalpha() for word in words):
                    text = " ".join(words)
                    found.counts["MOD"][text] += 1
                    partners = alignment.of(phrase.sentence)
                    rendered = phrase_rendering(pair.target_tokens, partners.tolist(), *span)
                    if rendered:
                        found.phrase_links[text][rendered] += 1
            elif role != head_role and one.relations:
                for token in children(pair, phrase.noun, one.relations):
                    if phrase.start <= token < phrase.end and pair.tokens[token].isalpha():
                        found.counts[role][pair.tokens[token]] += 1
    return found


def singular_determiners(
    pairs: Iterable[Pair], relations: Sequence[str], share: float = SINGULAR_SHARE
) -> frozenset[str]:
    """Return the determiners that go with singular nouns in this share of their uses."""
    total: Counter[str] = Counter()
    singular: Counter[str] = Counter()
    for pair in pairs:
        for token, relation in enumerate(pair.relations):
            noun = pair.heads[token]
            if relation in relations and noun >= 0:
                total[pair.tokens[token]] += 1
                singular[pair.tokens[token]] += pair.tokens[noun] == pair.lemmas[noun].lower()
    return frozenset(word for word, count in total.items() if singular[word] >= share * count)


def choose(
    role: str,
    wanted: Role,
    candidates: Candidates,
    links: Mapping[str, Mapping[str, int]],
    frequencies: Mapping[str, int],
    *,
    floor: int,
    clusters: int,
    allowed: frozenset[str] | None = None,
    usage: Usage | None = None,
) -> list[ChosenAtom]:
    """Return the atoms of a role, the most frequent first."""
    found: list[ChosenAtom] = []
    loose: list[ChosenAtom] = []
    for text, seen in candidates.counts[role].items():
        if wanted.words and text not in wanted.words:
            continue
        frequency = seen if role == "MOD" else frequencies[text]
        least = max(5, floor // 6) if role == "MOD" else floor
        if not wanted.words and (frequency < least or seen < 3):
            continue
        if allowed is not None and text not in allowed:
            continue
        if usage is not None and not wanted.words and not usage.fits(text, role, wanted.relations):
            continue
        own = candidates.phrase_links[text] if role == "MOD" else links.get(text, {})
        rendered = (
            renderings(own, clusters=clusters, source=text) if own else Renderings((), 0.0, 0)
        )
        if rendered.forms and rendered.coverage >= wanted.coverage:
            found.append(ChosenAtom(text, role, rendered.forms, frequency, rendered.coverage))
        elif wanted.unchecked or wanted.words:
            loose.append(ChosenAtom(text, role, (), frequency, rendered.coverage))
    chosen = spread(found, wanted.count)
    chosen += spread(loose, wanted.count - len(chosen))
    if usage is not None:
        chosen = [atom._replace(text=usage.surface(atom.text)) for atom in chosen]
    if len(chosen) < math.ceil(ENOUGH * wanted.count):
        raise DataError(
            f"role {role}: {len(chosen)} of {wanted.count} atoms found among "
            f"{len(candidates.counts[role])} words",
            hint=f"lower floor or roles.{role}.coverage, or take a larger corpus",
        )
    return sorted(chosen, key=lambda atom: (-atom.frequency, atom.text))


def spread(atoms: Sequence[ChosenAtom], count: int) -> list[ChosenAtom]:
    """Take atoms at even distances on the logarithmic frequency scale."""
    if count <= 0:
        return []
    left = sorted(atoms, key=lambda atom: (-atom.frequency, atom.text))
    if len(left) <= count:
        return left
    top, bottom = math.log(left[0].frequency), math.log(left[-1].frequency)
    chosen: list[ChosenAtom] = []
    for step in range(count):
        aim = top - (top - bottom) * step / max(1, count - 1)
        best = min(left, key=lambda atom: (abs(math.log(atom.frequency) - aim), atom.text))
        chosen.append(best)
        left.remove(best)
    return chosen
