"""How every word of a parsed corpus is used: what makes it a typical noun, verb or preposition.

A compound reads well when its atoms are typical of their role and choosy about nothing. All of it
is counted in the corpus, so no list of words is needed for a new language.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from recombine.builders.compounds.filter import Pair
from recombine.builders.compounds.renderings import phrase_rendering
from recombine.corpus.alignment import Alignment
from recombine.corpus.spans import Subtrees

# A determiner that mostly goes with plurals ("these") does not fit a singular noun.
SINGULAR_SHARE = 0.8
# Determiners of singulars alone ("this", "every") show which nouns are singular: a plural that
# parsers give as its own lemma ("funds") hardly ever has one.
STRICTLY_SINGULAR = 0.95
ARTICLE_SHARE = 0.03
PLURAL = 0.5  # what is more often a plural than this is no singular, whatever stands before it
# A word is taken for a role that it has in most of its uses: "will" is no noun, "that" no article,
# "say" takes no object, "since" is a conjunction.
USUAL = {"N": 0.6, "ADJ": 0.6, "DET": 0.5, "V": 0.5, "P": 0.5}
NOMINAL = frozenset(
    {"nsubj", "nsubjpass", "nsubj:pass", "dobj", "obj", "iobj", "dative", "pobj", "obl", "nmod"}
    | {"attr", "conj", "compound", "poss", "nmod:poss", "root", "appos"}
)
ADPOSITIONS = frozenset({"prep", "case", "agent", "mark"})
SUBJECTS = frozenset({"nsubj", "nsubjpass", "nsubj:pass"})
AUXILIARIES = frozenset({"aux", "auxpass", "aux:pass", "cop"})
DETERMINERS = frozenset({"det", "poss", "nmod:poss"})
# A noun that goes without a determiner more often than not is a mass ("advice"), or lives in
# idioms ("take into account"). Halved where the corpus has few determiners at all.
DETERMINED = 0.5
# A preposition whose objects are mostly plural or coordinated ("between") takes no singular.
PLAIN_OBJECTS = 0.25
# A word with one favourite partner is half of a fixed expression: "young people", "thank you".
# Three times the partner's share with others, that is: in a corpus of few nouns all are common.
FAVOURITE = 0.15
FAVOURED = 3.0
FAVOURITE_OF_MODIFIER = 0.1
# Adjectives of plurals alone ("many") do not fit a singular; every other one is now and then used
# with one. Verb forms of plurals ("are") have singular subjects only where the noun is a group.
SINGULAR_PARTNERS = 0.3
AGREEING = 0.3
# A determiner in a place where it is three times rarer than others reads oddly there.
MISPLACED = 0.3
# Nouns are modified now and then, pronouns never: "of Europe" is a modifier, "of us" is not.
MODIFIED = 0.02
# A name is a word that keeps its capital inside a sentence.
NAME_SHARE = 0.5
# Ten times less often than expected is avoidance ("a" with "advice", "an" before "new"); below five
# expected cases nothing is concluded.
AVOIDED = 0.1
FEWEST_EXPECTED = 5


class Usage:
    """Counts over one corpus; `objects` says which relations depend on verbs and prepositions."""

    def __init__(self, pairs: Iterable[Pair], objects: Mapping[str, Sequence[str]]) -> None:
        self.total: Counter[str] = Counter()
        self.related: Counter[tuple[str, str]] = Counter()
        self.governing: Counter[tuple[str, str]] = Counter()
        self.plain_objects: Counter[str] = Counter()
        self.singular_partners: Counter[str] = Counter()
        self.beside_articles: dict[str, Counter[str]] = defaultdict(Counter)
        self.articles_in: dict[str, Counter[str]] = defaultdict(Counter)
        self.agreeing: dict[str, Counter[bool]] = defaultdict(Counter)
        self.partners: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.surfaces: dict[str, Counter[str]] = defaultdict(Counter)
        self.initials: dict[str, Counter[str]] = defaultdict(Counter)
        self.articles: dict[str, Counter[str]] = defaultdict(Counter)
        self.determined: Counter[str] = Counter()
        self.modified: Counter[str] = Counter()
        self.plural: Counter[str] = Counter()
        self.determiners: dict[str, Counter[bool]] = defaultdict(Counter)
        self._verbal = frozenset(objects.get("V", ()))
        self._prepositional = frozenset(objects.get("P", ()))
        forms: Counter[str] = Counter()
        for pair in pairs:
            self._add(pair)
            forms.update(pair.forms()[1:])
        for form, count in forms.items():
            self.surfaces[form.lower()][form] = count
        self.nominal: Counter[str] = Counter()
        for (word, relation), count in self.related.items():
            if relation in NOMINAL:
                self.nominal[word] += count
        self._every_initial = _sum(self.initials.values())
        self._every_article = _sum(self.articles.values())
        self._every_place = _sum(self.articles_in.values())
        self._beside_any = _sum(self.beside_articles.values())
        self._every_partner = {
            role: _sum(counts for (own, _), counts in self.partners.items() if own == role)
            for role in ("ADJ", "V")
        }
        self._determined = min(DETERMINED, self.determined.total() / max(1, self.nominal.total()))

    def _add(self, pair: Pair) -> None:
        tokens, relations, heads = pair.tokens, pair.relations, pair.heads
        self.total.update(tokens)
        self.related.update(zip(tokens, relations, strict=True))
        articles: dict[int, str] = {}
        determined: set[int] = set()
        modified: set[int] = set()
        coordinated: set[int] = set()
        governed: list[tuple[int, int]] = []
        for token, (head, relation) in enumerate(zip(heads, relations, strict=True)):
            if head < 0:
                continue
            if relation in NOMINAL:
                self.plural[tokens[token]] += not pair.is_singular(token)
            if relation in DETERMINERS:
                determined.add(head)
                modified.add(head)
                if relation == "det":
                    articles[head] = tokens[token]
                    self.articles[tokens[head]][tokens[token]] += 1
                    self.articles_in[tokens[token]][relations[head]] += 1
                    self.determiners[tokens[token]][pair.is_singular(head)] += 1
            elif relation == "amod":
                modified.add(head)
                self.partners["ADJ", tokens[token]][tokens[head]] += 1
                self.singular_partners[tokens[token]] += pair.is_singular(head)
                if head in articles:
                    self.beside_articles[tokens[token]][articles[head]] += 1
            elif relation == "conj":
                coordinated.add(head)
            elif relation == "case":
                governed.append((token, head))
            if relation in self._verbal:
                self.governing["V", tokens[head]] += 1
                self.partners["V", tokens[head]][pair.lemmas[token].lower()] += 1
            elif relation in self._prepositional and relations[head] in ADPOSITIONS:
                governed.append((head, token))
        self.determined.update(tokens[noun] for noun in determined)
        self.modified.update(tokens[noun] for noun in modified)
        for word, noun in governed:
            self.governing["P", tokens[word]] += 1
            self.plain_objects[tokens[word]] += (
                noun in determined and noun not in coordinated and pair.is_singular(noun)
            )
        for noun, relation in enumerate(relations):
            if relation in SUBJECTS and noun in modified:
                is_one = noun not in coordinated and pair.is_singular(noun)
                self.agreeing[tokens[agreeing_verb(pair, noun)]][is_one] += 1
        for token, relation in enumerate(relations[:-1]):
            if relation == "det":
                self.initials[tokens[token]][tokens[token + 1][0]] += 1

    def has_usually(self, word: str, role: str, relations: Iterable[str] = ()) -> bool:
        """Return True for a word that has this role in most of its uses."""
        if role in ("V", "P"):
            usual = self.governing[role, word]
        elif role == "N":
            usual = self.nominal[word]
        else:
            usual = sum(self.related[word, relation] for relation in relations)
        return usual >= USUAL.get(role, 0.0) * self.total[word]

    def is_typical(self, word: str, role: str, relations: Iterable[str] = ()) -> bool:
        """Return True for a word that usually has this role, and goes with anything in it."""
        if not self.has_usually(word, role, relations):
            return False
        if role in ("N", "ADJ") and self.is_name(word):
            return False
        if role == "P":
            return self.plain_objects[word] >= PLAIN_OBJECTS * self.governing["P", word]
        if role in self._every_partner:
            return is_free(self.partners[role, word], self._every_partner[role])
        return True

    def is_free_adjective(self, adjective: str, articles: Iterable[str]) -> bool:
        """Return True for an adjective of singulars that goes with all of these determiners.

        Not "many", and not "largest", which always has the same article.
        """
        count = self.partners["ADJ", adjective].total()
        own = self.beside_articles[adjective]
        return self.singular_partners[adjective] >= SINGULAR_PARTNERS * count and not any(
            _avoids(own, self._beside_any, article) for article in articles
        )

    def may_stand(self, article: str, relations: Iterable[str]) -> bool:
        """Return True unless a determiner avoids nouns there ("no" after prepositions)."""
        own = self.articles_in[article]
        share = sum(self._every_place[relation] for relation in relations) / max(
            1, self._every_place.total()
        )
        return sum(own[relation] for relation in relations) >= MISPLACED * share * own.total()

    def agrees_with_singular(self, pair: Pair, noun: int) -> bool:
        """Return True for a subject whose verb has a form that singular nouns go with."""
        counts = self.agreeing[pair.tokens[agreeing_verb(pair, noun)]]
        return counts[True] >= AGREEING * counts.total()

    def is_countable(self, noun: str, articles: Iterable[str]) -> bool:
        """Return True for a singular that takes determiners, also those of singulars alone."""
        own = self.articles[noun]
        # "a few words": a plural beside an article of singulars.
        if self.plural[noun] > PLURAL * self.nominal[noun]:
            return False
        if self.determined[noun] < self._determined * self.total[noun]:
            return False
        articles = list(articles)
        if sum(own[article] for article in articles) < ARTICLE_SHARE * self.total[noun]:
            return False
        return not any(_avoids(own, self._every_article, article) for article in articles)

    def is_nominal(self, word: str) -> bool:
        """Return True for a word that can be modified, which pronouns cannot."""
        return self.modified[word] >= MODIFIED * self.total[word]

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
        return not any(_avoids(initials, self._every_initial, word[0].lower()) for word in words)

    def singular_determiners(self, share: float = SINGULAR_SHARE) -> frozenset[str]:
        """Return the determiners that go with singular nouns in this share of their uses."""
        return frozenset(
            word
            for word, counts in self.determiners.items()
            if counts[True] >= share * counts.total()
        )


class Modifiers:
    """The modifiers of two or three words right behind nouns: partners and renderings of each."""

    def __init__(
        self, pairs: Sequence[Pair], relations: Sequence[str], alignment: Alignment
    ) -> None:
        self.partners: dict[str, Counter[str]] = defaultdict(Counter)
        self.objects: dict[str, str] = {}
        self.links: dict[str, Counter[str]] = defaultdict(Counter)
        for number, pair in enumerate(pairs):
            trees = None
            for token in range(1, len(pair.tokens)):
                if pair.relations[token] not in relations:
                    continue
                noun = pair.heads[token]
                if noun < 0 or pair.relations[noun] not in NOMINAL:
                    continue
                trees = trees or Subtrees(pair.heads)
                span = trees.span(token)
                if span is None or span[0] != noun + 1 or not 2 <= span[1] - span[0] <= 3:
                    continue
                words = pair.tokens[span[0] : span[1]]
                if not all(word.isalpha() for word in words):
                    continue
                text = " ".join(words)
                self.partners[text][pair.tokens[noun]] += 1
                self.objects[text] = words[-1]
                partners = alignment.of(number).tolist()
                rendered = phrase_rendering(pair.target_tokens, partners, *span)
                # The preposition alone is no rendering.
                if rendered and partners[span[1] - 1] >= 0:
                    self.links[text][rendered] += 1
        self._every_partner = _sum(self.partners.values())

    def is_free(self, text: str) -> bool:
        """Return True for a modifier without a favourite noun."""
        return is_free(self.partners[text], self._every_partner, FAVOURITE_OF_MODIFIER)


def agreeing_verb(pair: Pair, subject: int) -> int:
    """Return the word that agrees with a subject: the first auxiliary of its verb, or the verb."""
    verb = pair.heads[subject]
    for token, (head, relation) in enumerate(zip(pair.heads, pair.relations, strict=True)):
        if head == verb and relation in AUXILIARIES:
            return token
    return verb


def is_free(partners: Counter[str], everywhere: Counter[str], most: float = FAVOURITE) -> bool:
    """Return True for a word that goes with many others and has no favourite among them."""
    if not partners:
        return False
    favourite, count = partners.most_common(1)[0]
    usual = FAVOURED * everywhere[favourite] / max(1, everywhere.total())
    return count <= max(most, usual) * partners.total()


def _avoids(own: Counter[str], everywhere: Counter[str], what: str) -> bool:
    expected = own.total() * everywhere[what] / max(1, everywhere.total())
    return expected >= FEWEST_EXPECTED and own[what] < AVOIDED * expected


def _sum(counters: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for counts in counters:
        total.update(counts)
    return total
