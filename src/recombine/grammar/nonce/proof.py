"""What a certificate of invented words says: no reference holds a real word, and none lost one.

Both are read off the compiled table of the language with the invented words in it, so they hold for
every sentence of the grammar and not only for those that somebody draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from recombine.grammar.compiled import CompiledLanguage, CompiledLexicon, PartField, Sense
from recombine.grammar.nonce.donors import Donors
from recombine.grammar.parsing.cfg import ContextFreeGrammar

Rows = Mapping[str, Mapping[str, str]]  # by word, then by field


class NonceProof(NamedTuple):
    """How many texts the invented words of a language can say, and what is wrong with them."""

    texts: int
    real: tuple[str, ...]  # texts that hold a form of a word that was replaced
    silent: tuple[str, ...]  # words of which some sentence has nothing


def prove(compiled: CompiledLanguage, donors: Donors, rows: Rows) -> NonceProof:
    """Compare all that the invented words can say with the forms that they replace."""
    inventory = compiled.inventory

    def own(code: int, field: str, text: str) -> list[str]:
        category = inventory.category(code)
        if field in compiled.features.get(category, ()):
            return []
        return donors.own_pieces(category, field, text)

    real = {
        piece.lower()
        for code in map(inventory.code, rows)
        for field, texts in compiled.word_forms(code).items()
        for text in texts
        for piece in own(code, field, text)
    }
    invented = _with_rows(compiled, rows)
    still_real: dict[str, None] = {}
    silent: dict[str, None] = {}
    compared: set[tuple[int, str, str]] = set()
    for code, fields in said_together(ContextFreeGrammar(invented)):
        word = inventory.labels[code]
        if word not in rows:
            continue
        forms = invented.word_forms(code)
        texts = [(field, text) for field in fields for text in forms.get(field, ())]
        pieces = {(field, text): own(code, field, text) for field, text in texts}
        if not any(pieces.values()):
            silent[word] = None
        compared |= {(code, field, text) for field, text in texts if text}
        still_real |= {
            text: None
            for (_, text), parts in pieces.items()
            if any(piece.lower() in real for piece in parts)
        }
    return NonceProof(len(compared), tuple(sorted(still_real)), tuple(sorted(silent)))


def _with_rows(compiled: CompiledLanguage, rows: Rows) -> CompiledLanguage:
    """The language with other forms of some words."""
    senses = list(compiled.senses)
    for word, row in rows.items():
        forms = {
            field: tuple("" if text == '""' else text for text in cell.split("|"))
            for field, cell in row.items()
        }
        senses[compiled.inventory.code(word) - compiled.inventory.first_word] = (Sense(forms),)
    lexicon = CompiledLexicon(senses, compiled.tables)
    return CompiledLanguage(compiled.inventory, compiled.language, lexicon)


def said_together(cfg: ContextFreeGrammar) -> Iterator[tuple[int, frozenset[str]]]:
    """Every word with the fields of it that a sentence says: *sah* and *an* of *ansehen*.

    From the start downwards: a constituent that is asked for some fields asks each of its parts for
    the fields that its lines have of it.  Of several wordings the first is what a reference has.
    """
    compiled, kinds = cfg.compiled, cfg.kinds
    root = frozenset([compiled.language.root])
    starts = [cfg.kind_of[symbol] for symbol in cfg.roots]
    reached = dict.fromkeys((kind, root) for kind in starts)
    waiting = list(reached)
    words: set[tuple[int, frozenset[str]]] = set()
    while waiting:
        kind, fields = waiting.pop()
        if cfg.inventory.is_lexical(kinds[kind].symbol):
            words |= {(code, fields) for code in cfg.kind_words(kind)}
            continue
        for number in cfg.instances_of[kind]:
            instance = cfg.instances[number]
            constituent = cfg.constituent(instance)
            below: dict[int, set[str]] = {}
            for field in fields:
                expansion = compiled.expansion(constituent, field)
                for row in expansion.rows[:1] if expansion is not None else ():
                    for symbol in row.symbols:
                        if isinstance(symbol, PartField):
                            below.setdefault(symbol.part, set()).add(symbol.field)
            for part, asked in below.items():
                below_it = instance.slots[part], frozenset(asked)
                if below_it not in reached:
                    reached[below_it] = None
                    waiting.append(below_it)
    yield from sorted(words, key=lambda each: (each[0], sorted(each[1])))
