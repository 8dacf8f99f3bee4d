"""Constituents of the source, found by exchange and deletion; nothing is known of the language.

A stretch of words is a phrase if it stands where single words of one class stand (the pro-form
test: *the child* where *Liam* stands). The class that is exchanged most for stretches of two words
names the phrases. Its phrases are reduced to it, and then longer stretches are tried: *X in X*
stands wherever X stands. A stretch that stands beside few words only is none (*X by X* follows the
participles of giving alone): it must have about as many different words to its left as so many
phrases have. A modifier may be deleted, and the rest is built as a known sentence is. A stretch
that is itself a sentence without its full stop is a clause.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from recombine.augment.grammar.words import BEGIN, CLASS, END, OPEN, cosine, damped, is_open
from recombine.augment.tokens import Tokens

# Set by reading what was found in SGET (build 1), not yet on what is held out of train, as those
# below. Cosine of the contexts
# of a phrase of two words and of its class; of a modified word; of a longer phrase.
SHORT_PHRASE, MODIFIED, LONG_PHRASE = 0.55, 0.4, 0.2
# A longer phrase stands in contexts of phrases this often, beside as many different words as this
# share of what phrases have. (Between X by X, .1, X X in X, .8, and X that X saw, 1.0, in English.)
IN_CONTEXT, DIVERSITY = 0.9, 0.9
# A stretch must be seen so often, and in this share of the sentences.
FEWEST, FEWEST_SHARE = 10, 0.001
LONGEST_PHRASE = 6
# A word is a phrase by itself if it is so much like phrases, and less like its class.
PHRASE_LIKE = 0.3
# A clause begins behind a word that has so many kinds of clauses behind it, so often.
CLAUSE_KINDS, CLAUSES, KNOWN_SENTENCE = 4, 30, 5
SENTENCE, CLAUSE, PHRASE, HEAD = "ROOT", "S", "X", "N"

Symbols = tuple[str, ...]


class Node(NamedTuple):
    """A constituent of a row of symbols; a word has no children."""

    symbol: str
    first: int
    last: int
    children: tuple[Node, ...] = ()


class Constituents:
    """The shapes of phrases, heads with modifiers, and clauses of one language."""

    def __init__(
        self,
        phrase: str,
        heads: Iterable[str],
        modified: Mapping[Symbols, str],
        short: Mapping[Symbols, str],
        long: Mapping[Symbols, str],
        clauses: Mapping[Symbols, Iterable[Symbols]] | None = None,
    ) -> None:
        # The class that names phrases, and the classes of words inside short phrases.
        self.phrase = phrase
        self.heads = frozenset(heads)
        self.modified, self.short, self.long = dict(modified), dict(short), dict(long)
        # What stands before a clause, and the shapes of sentences that clauses have.
        self.clauses = {key: frozenset(shapes) for key, shapes in (clauses or {}).items()}
        self._parsed: dict[Symbols, tuple[Node, ...]] = {}

    def parse(self, symbols: Symbols) -> tuple[Node, ...]:
        """Return the constituents of a sentence."""
        nodes = self._parsed.get(symbols)
        if nodes is None:
            nodes = self._parsed[symbols] = tuple(self._clauses(self.phrases(symbols)))
        return nodes

    def phrases(self, symbols: Symbols) -> list[Node]:
        """Return a sentence with its phrases reduced, innermost and rightmost first."""
        row = [Node(symbol, place, place + 1) for place, symbol in enumerate(symbols)]
        for shapes, wild in ((self.modified, False), (self.short, False), (self.long, True)):
            longest = max(map(len, shapes), default=0)
            while shapes and (reduced := self._reduced(row, shapes, longest, wild)) is not None:
                row = reduced
        return row

    def _reduced(
        self, row: list[Node], shapes: Mapping[Symbols, str], longest: int, wild: bool
    ) -> list[Node] | None:
        names = [self.wild(node.symbol) if wild else node.symbol for node in row]
        for at in range(len(row) - 1, -1, -1):
            for size in range(min(longest, len(row) - at), 1, -1):
                symbol = shapes.get(tuple(names[at : at + size]))
                if symbol is not None:
                    inside = tuple(row[at : at + size])
                    node = Node(symbol, inside[0].first, inside[-1].last, inside)
                    return [*row[:at], node, *row[at + size :]]
        return None

    def wild(self, symbol: str) -> str:
        """The symbol in the shape of a long phrase: open words that are no heads are alike."""
        return symbol if not is_open(symbol) or symbol in self._kept() else OPEN

    def _kept(self) -> frozenset[str]:
        return self.heads | {self.phrase}

    def shape(self, row: Sequence[Node]) -> Symbols:
        """The shape of a row of constituents, for clauses and rules."""
        return tuple(
            OPEN if is_open(node.symbol) and node.symbol != self.phrase else node.symbol
            for node in row
        )

    def clause_at(self, row: Sequence[Node], known: Mapping[Symbols, int]) -> int | None:
        """Return where the shortest clause at the end of a sentence begins."""
        shape = self.shape(row)
        for at in range(len(row) - 2, 1, -1):
            before = shape[at - 1]
            if before in (OPEN, CLAUSE, self.phrase) or shape[at] == CLAUSE:
                continue
            if shape[at:] in known and (not self.clauses or shape[at - 2 : at] in self.clauses):
                return at
        return None

    def _clauses(self, row: list[Node]) -> list[Node]:
        while self.clauses:
            shape = self.shape(row)
            for at in range(len(row) - 2, 1, -1):
                if shape[at:] in self.clauses.get(shape[at - 2 : at], ()):
                    inside = tuple(row[at:-1])
                    node = Node(CLAUSE, inside[0].first, inside[-1].last, inside)
                    row = [*row[:at], node, row[-1]]
                    break
            else:
                break
        return row


def find_constituents(sentences: Sequence[Tokens], symbols: Mapping[str, str]) -> Constituents:
    """Learn the constituents of a language from its sentences alone."""
    rows = [tuple(symbols[word] for word in sentence) for sentence in sentences]
    counts = Counter(rows)
    found = _short_phrases(counts)
    if found is None:  # No phrases: sentences are rows of words.
        return Constituents("", (), {}, {}, {})
    phrase, short, heads = found
    known = Constituents(phrase, heads, _modified(counts, heads, short), short, {})
    for _ in range(LONGEST_PHRASE):
        if not _add_short(known, counts) and not _add_long(known, sentences, rows, counts):
            break
        known = Constituents(phrase, known.heads, known.modified, known.short, known.long)
    _add_clauses(known, counts)
    return Constituents(phrase, known.heads, known.modified, known.short, known.long, known.clauses)


def _contexts(
    rows: Mapping[Symbols, int], shortest: int, longest: int
) -> dict[Symbols, Counter[tuple[str, str]]]:
    contexts: dict[Symbols, Counter[tuple[str, str]]] = defaultdict(Counter)
    for row, count in rows.items():
        framed = (BEGIN, *row, END)
        for size in range(shortest, longest + 1):
            for at in range(1, len(framed) - size):
                contexts[framed[at : at + size]][framed[at - 1], framed[at + size]] += count
    return contexts


def _short_phrases(
    rows: Mapping[Symbols, int],
) -> tuple[str, dict[Symbols, str], set[str]] | None:
    """Return the class that names phrases, its phrases of two words, and the classes in these."""
    contexts = _contexts(rows, 1, 2)
    size = {stretch: sum(counts.values()) for stretch, counts in contexts.items()}
    vectors = {key: damped(counts) for key, counts in contexts.items() if size[key] >= FEWEST}
    best: tuple[int, str, list[Symbols]] = (0, "", [])
    for stretch in sorted(vectors):
        if len(stretch) > 1 or not is_open(stretch[0]):
            continue
        alike: list[Symbols] = [
            other
            for other, vector in vectors.items()
            if len(other) == 2
            and sum(map(is_open, other)) == 1
            and cosine(vectors[stretch], vector) >= SHORT_PHRASE
        ]
        covered = size[stretch] + sum(size[other] for other in alike)
        if covered > best[0] and alike:
            best = covered, stretch[0], alike
    if not best[1]:
        return None
    short = dict.fromkeys(sorted(best[2]), best[1])
    heads = {symbol for shape in short for symbol in shape if is_open(symbol)} - {best[1]}
    return best[1], short, heads


def _modified(
    rows: Mapping[Symbols, int], heads: Iterable[str], short: Mapping[Symbols, str]
) -> dict[Symbols, str]:
    """Return the stretches of two open words that stand where a head stands alone (*red book*)."""
    contexts = {key: damped(counts) for key, counts in _contexts(rows, 1, 2).items()}
    modified: dict[Symbols, str] = {}
    for head in sorted(heads):
        alone = contexts[(head,)]
        for stretch in sorted(contexts):
            if len(stretch) != 2 or head not in stretch or stretch in short:
                continue
            if not all(is_open(s) and s != f"{CLASS}?" for s in stretch):
                continue
            if cosine(contexts[stretch], alone) < MODIFIED:
                continue
            seen = without = 0
            for row, count in rows.items():
                for at in range(len(row) - 1):
                    if row[at : at + 2] == stretch:
                        seen += count
                        without += count * ((*row[:at], head, *row[at + 2 :]) in rows)
            if 2 * without >= seen:
                modified[stretch] = head
    return modified


def _reduced_rows(known: Constituents, rows: Mapping[Symbols, int]) -> Counter[Symbols]:
    reduced: Counter[Symbols] = Counter()
    for row, count in rows.items():
        reduced[tuple(node.symbol for node in known.phrases(row))] += count
    return reduced


def _add_short(known: Constituents, rows: Mapping[Symbols, int]) -> bool:
    """Add phrases of rarer classes (*the bathtub*): they stand where phrases stand by now."""
    contexts = _contexts(_reduced_rows(known, rows), 1, 2)
    phrases = contexts[(known.phrase,)]
    vector = damped(phrases)
    openers = {symbol for shape in known.short for symbol in shape if not is_open(symbol)}
    added = False
    for stretch in sorted(contexts):
        if len(stretch) != 2 or stretch in known.short or openers.isdisjoint(stretch):
            continue
        word = next((symbol for symbol in stretch if is_open(symbol)), f"{CLASS}?")
        seen = contexts[stretch]
        count = sum(seen.values())
        inside = sum(often for context, often in seen.items() if context in phrases)
        if (
            word not in (f"{CLASS}?", known.phrase)
            and count >= FEWEST
            and inside >= 0.8 * count
            and cosine(damped(seen), vector) >= 0.05
        ):
            known.short[stretch] = known.phrase
            known.heads |= {word}
            added = True
    return added


def _add_long(
    known: Constituents,
    sentences: Sequence[Tokens],
    rows: Sequence[Symbols],
    counts: Mapping[Symbols, int],
) -> bool:
    """Add phrases of several words around a phrase; return whether there are new ones."""
    phrase = known.phrase
    reduced = {row: known.phrases(row) for row in counts}
    wild = {row: tuple(known.wild(n.symbol) for n in nodes) for row, nodes in reduced.items()}
    sums: Counter[Symbols] = Counter()
    for row, count in counts.items():
        sums[wild[row]] += count
    contexts = _contexts(sums, 1, LONGEST_PHRASE)
    phrases = contexts[(phrase,)]
    vector = damped(phrases)
    fewest = max(FEWEST, FEWEST_SHARE * len(rows))
    candidates = set()
    for stretch, seen in contexts.items():
        count = sum(seen.values())
        if (
            len(stretch) > 2
            and phrase in (stretch[0], stretch[-1])
            and count >= fewest
            and any(symbol != OPEN and not is_open(symbol) for symbol in stretch)
            and cosine(damped(seen), vector) >= LONG_PHRASE
            and sum(n for context, n in seen.items() if context in phrases) >= IN_CONTEXT * count
        ):
            candidates.add(stretch)
    if not candidates:
        return False
    lefts: dict[Symbols, Counter[str]] = defaultdict(Counter)
    usual: Counter[str] = Counter()
    for sentence, row in zip(sentences, rows, strict=True):
        names, nodes = wild[row], reduced[row]
        for at, name in enumerate(names):
            left = sentence[nodes[at].first - 1] if at else BEGIN
            if at and name == phrase:
                usual[left] += 1
            for size in range(3, min(LONGEST_PHRASE, len(names) - at) + 1):
                if names[at : at + size] in candidates:
                    lefts[names[at : at + size]][left] += 1
    total = sum(usual.values())
    diverse = [
        stretch
        for stretch in sorted(candidates)
        if len(lefts[stretch]) >= DIVERSITY * _expected(sum(lefts[stretch].values()), usual, total)
    ]
    # Modifiers follow their heads, or go before: the side that has more of them alone decides.
    before, after = (
        sum(
            (1 if known.long else sum(contexts[stretch].values()))
            for stretch in (known.long or diverse)
            if stretch[end] == phrase != stretch[-1 - end]
        )
        for end in (0, -1)
    )
    end = 0 if before >= after else -1
    new: list[Symbols] = []
    for stretch in sorted(diverse, key=lambda s: (len(s), s)):
        if stretch[end] == phrase and not _follows(stretch, [*known.long, *new], phrase):
            new.append(stretch)
    new = [stretch for stretch in new if stretch not in known.long]
    known.long.update(dict.fromkeys(new, phrase))
    return bool(new)


def _expected(count: int, usual: Mapping[str, int], total: int) -> float:
    """How many different words stand to the left of so many phrases, on average."""
    return max(1.0, sum(1 - (1 - often / total) ** count for often in usual.values()))


def _follows(stretch: Symbols, shapes: Sequence[Symbols], phrase: str) -> bool:
    """Whether a stretch is one shape with another inside (*X in X in X*)."""
    for shape in shapes:
        for at in range(len(stretch) - len(shape) + 1):
            if stretch[at : at + len(shape)] == shape:
                rest = (*stretch[:at], phrase, *stretch[at + len(shape) :])
                if rest in shapes:
                    return True
    return False


def _add_clauses(known: Constituents, rows: Mapping[Symbols, int]) -> None:
    """Find what stands before clauses, and which sentences stand behind it."""
    reduced = [(known.phrases(row), count) for row, count in rows.items()]
    shapes: Counter[Symbols] = Counter()
    for row, count in reduced:
        shapes[known.shape(row)] += count
    for first in (True, False, False, False):
        sentences = {
            shape: count
            for shape, count in shapes.items()
            if count >= KNOWN_SENTENCE and len(shape) >= 3
        }
        behind: dict[Symbols, Counter[Symbols]] = defaultdict(Counter)
        for row, count in reduced:
            at = known.clause_at(row, sentences)
            if at is not None:
                shape = known.shape(row)
                behind[shape[at - 2 : at]][shape[at:]] += count
        for before, kinds in behind.items():
            if first and (len(kinds) < CLAUSE_KINDS or sum(kinds.values()) < CLAUSES):
                continue
            known.clauses[before] = known.clauses.get(before, frozenset()) | set(kinds)
        if not known.clauses:
            return
        reduced = [(known._clauses(list(row)), count) for row, count in reduced]
        shapes = Counter()
        for row, count in reduced:
            shapes[known.shape(row)] += count


def reassigned(
    sentences: Sequence[Tokens], symbols: Mapping[str, str], known: Constituents
) -> dict[str, str]:
    """Return the classes of words, of which those that stand where phrases stand are phrases.

    A name that is seen as an object alone has other neighbours than most names, until phrases are
    reduced.
    """
    if not known.phrase:
        return dict(symbols)
    contexts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    classes: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for sentence in sentences:
        if len(sentence) < 3:
            continue
        nodes = known.phrases(tuple(symbols[word] for word in sentence))
        names = [BEGIN, *(known.wild(node.symbol) for node in nodes), END]
        for place, node in enumerate(nodes):
            around = names[place], names[place + 2]
            classes[node.symbol][around] += 1
            if not node.children and is_open(node.symbol):
                contexts[sentence[node.first]][around] += 1
    vectors = {symbol: damped(counts) for symbol, counts in classes.items()}
    changed = dict(symbols)
    for word, counts in contexts.items():
        symbol = symbols[word]
        if symbol in known.heads or symbol == known.phrase:
            continue
        vector = damped(counts)
        as_phrase = cosine(vector, vectors[known.phrase])
        if as_phrase > max(PHRASE_LIKE, cosine(vector, vectors[symbol])):
            changed[word] = known.phrase
    return changed
