"""What was meant, but for how it is said: a word that agrees wrongly, modifiers in another order.

Where a text is no wording of what was meant, a word of it is put into the other forms of its
agreement (*touchée* for *touché*, *une* for *un*), or the modifiers of a noun into the grammar's
order (*new cheap square* for *cheap square new*).  If the text then is a wording of it, it says
nothing else.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from recombine.grammar.model import LiteralText
from recombine.grammar.tree import Tree
from recombine.grammar.variants.wordings import Wordings
from recombine.metrics.anatomy.dependencies import Unit, nominal_categories

MOST_SLIPS = 2  # of one sentence
MOST_TRIED = 200  # sentences with one slip or more


def agreement_slip(
    wordings: Wordings, tree: Tree, nominal: Collection[str], hypothesis: str
) -> str:
    """Which words agree wrongly in a text that says a tree otherwise: *touchée for touché*.

    `nominal` has the categories of nouns, whose features others agree with.  Empty where a text
    says something else, or agrees.
    """
    if not wordings.join:
        return ""
    words = wordings.clean(hypothesis).split(wordings.join)
    swaps = list(_swaps(wordings, tree, nominal, words))
    several = (
        chosen for n in range(1, MOST_SLIPS + 1) for chosen in itertools.combinations(swaps, n)
    )
    for chosen in itertools.islice(several, MOST_TRIED):
        mended = list(words)
        for place, form in chosen:
            mended[place] = form
        if wordings.accepts(tree, wordings.join.join(mended)):
            return ", ".join(f"{words[place]} for {form}" for place, form in chosen)
    return ""


def _swaps(
    wordings: Wordings, tree: Tree, nominal: Collection[str], words: list[str]
) -> Iterator[tuple[int, str]]:
    """Every word of a text with another form of it that agrees with something else."""
    values = _noun_values(wordings, nominal)
    found: dict[tuple[int, str], None] = {}
    for code in dict.fromkeys(tree.codes):
        for forms in wordings.senses(code) if tree.inventory.is_word(code) else ():
            texts = {
                name: [wordings.cleaned(text) for text in cell] for name, cell in forms.items()
            }
            for place, word in enumerate(words):
                for field in [name for name, cell in texts.items() if word in cell]:
                    for other, cell in texts.items():
                        if _agrees_otherwise(field, other, values):
                            found |= {(place, text): None for text in cell if text != word}
    yield from found


def _noun_values(wordings: Wordings, nominal: Collection[str]) -> set[str]:
    """The values that the features of nouns have: m and f.  A verb's case is no agreement."""
    compiled = wordings.compiled
    return {
        text
        for category in nominal
        for code in compiled.inventory.words_of.get(category, ())
        for name in compiled.features.get(category, ())
        for text in compiled.word_forms(code).get(name, ())
    }


def _agrees_otherwise(field: str, other: str, values: set[str]) -> bool:
    """Whether two fields are one but for what they agree with: part.m and part.f."""
    here, there = field.split("."), other.split(".")
    apart = [pair for pair in zip(here, there, strict=False) if pair[0] != pair[1]]
    return len(here) == len(there) and len(apart) == 1 and values.issuperset(apart[0])


def in_order(wordings: Wordings, units: Sequence[Unit], canonical: str, hypothesis: str) -> str:
    """A text with the modifiers of each noun in the order of the canonical text.

    What the grammar says between them, such as *and*, goes.  Empty where nothing is to be ordered.
    """
    join, nouns = wordings.join, nominal_categories(units)
    modifiers = [
        unit
        for unit in units
        if unit.head >= 0 and not unit.named and units[unit.head].category in nouns
    ]
    if not join or len(modifiers) < 2:
        return ""
    order: dict[str, int] = {}  # the forms of modifiers, by their place in the canonical text
    said = wordings.clean(canonical).split(join)
    for unit in modifiers:
        forms = _forms(wordings, unit.label)
        place = next((place for place, word in enumerate(said) if word in forms), None)
        if place is not None:
            order |= dict.fromkeys(forms, place)
    joining = _joining(wordings, frozenset(unit.category for unit in modifiers))
    words: list[str] = []
    run: list[str] = []
    before = wordings.clean(hypothesis).split(join)
    for word, following in zip(before, [*before[1:], ""], strict=True):
        if word in order:
            run.append(word)
        elif not (run and word in joining and following in order):
            words += [*sorted(run, key=order.__getitem__), word]
            run = []
    words += sorted(run, key=order.__getitem__)
    return join.join(words) if words != before else ""


@cache
def _forms(wordings: Wordings, label: str) -> frozenset[str]:
    """All forms of a word."""
    senses = wordings.senses(wordings.inventory.code(label))
    cells = (cell for forms in senses for cell in forms.values())
    return frozenset(wordings.cleaned(text) for cell in cells for text in cell if text)


@cache
def _joining(wordings: Wordings, categories: frozenset[str]) -> frozenset[str]:
    """What lines say between words of some categories: *and*."""
    inventory = wordings.inventory
    lines = (*wordings.compiled.language.lines.values(), *wordings.variants.lines)
    return frozenset(
        wordings.cleaned(piece.text)
        for line in lines
        if line.chain[0] in inventory.codes
        and any(
            part.symbol.category in categories
            for part in inventory.rule(inventory.codes[line.chain[0]]).parts
        )
        for pieces in line.variants
        for piece in pieces
        if isinstance(piece, LiteralText)
    )
