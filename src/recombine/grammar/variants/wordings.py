"""All wordings of one meaning: whether a text is one of them, and some of them drawn at random.

A tree and the variants of a language make a finite language: every node can be said by one of its
rows, every word by one of its senses.
"""

from __future__ import annotations

from pathlib import Path

from recombine.grammar.files.folder import find_grammar
from recombine.grammar.grammar import Grammar
from recombine.grammar.model import Line
from recombine.grammar.realise.spelling import SpelledText
from recombine.grammar.sampling.random_stream import Stream
from recombine.grammar.tree import Tree, construction_slots
from recombine.grammar.variants.drawing import WordingDraw
from recombine.grammar.variants.files import read_variants
from recombine.grammar.variants.matching import WordingMatch
from recombine.grammar.variants.table import WordingTable

MOST_TRIES = 20  # draws for one more wording before it is said that there is none


def wordings_of(grammar: Grammar, place: str | Path, language: str) -> Wordings:
    """The wordings of a grammar's language, by the variants that lie with the grammar."""
    own = grammar.concrete(language)
    folder, params = find_grammar(place), own.language.params
    return Wordings(own, read_variants(folder, language, params, grammar.edition))


class Wordings(WordingTable):
    """The ways to say trees in one language."""

    def accepts(self, tree: Tree, text: str) -> bool:
        """Whether a text is a way to say a tree."""
        spelled = self.spelled(self.clean(text))
        return self._may_say(tree, spelled) and WordingMatch(self, tree, spelled).whole()

    def _may_say(self, tree: Tree, text: SpelledText) -> bool:
        """Whether some form of every word is in a text at all, which takes no matching."""
        first = self.inventory.first_word
        for code in tree.codes:
            if code >= first:
                forms = self.any_form(code)
                if forms and not any(text.has(form) for form in forms):
                    return False
        return True

    def sample(self, tree: Tree, count: int, seed: int, stream: str = "") -> tuple[str, ...]:
        """Some other wordings of a tree, each once, none of them the canonical text."""
        canonical = self.clean(WordingDraw(self, tree, None).text())
        found: dict[str, str] = {}
        for candidate, numbers in Stream(seed, f"variants/{stream}").rows():
            if len(found) == count or candidate == MOST_TRIES * count:
                break
            drawn = WordingDraw(self, tree, numbers).text()
            cleaned = self.clean(drawn)
            if cleaned and cleaned != canonical:
                found.setdefault(cleaned, drawn)
        return tuple(found.values())

    def example(self, tree: Tree, line: Line) -> str:
        """The tree said by one line of the variants and by the language's own lines elsewhere."""
        for node in range(len(tree.codes)):
            if construction_slots(tree, node, line.chain) is not None:
                return WordingDraw(self, tree, None, (node, line)).text()
        return ""
