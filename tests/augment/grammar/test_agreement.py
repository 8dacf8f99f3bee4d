"""Which words may fill a slot."""

from __future__ import annotations

import numpy as np

from recombine.augment.grammar.agreement import RuleAgreement
from recombine.augment.grammar.constituents import HEAD, PHRASE, SENTENCE
from recombine.augment.grammar.rules import Derivation, PairRule, RuleSlot
from recombine.augment.grammar.tables import RulePlace, RuleTables

ROOT = PairRule(SENTENCE, (RuleSlot(PHRASE), " slept", "."), (0, " dort", "."))
UNE, LA, ELIDED = (
    PairRule(PHRASE, (source, RuleSlot(HEAD)), (target, 0))
    for source, target in ((" a", " une"), (" the", " la"), (" the", " l'"))
)


def test_a_word_behind_an_elided_one_is_the_same_word():
    """*échelle* was seen behind *l'* without a space, so *une échelle* allows no *la échelle*."""
    words = [(f" noun{n}", (f" nom{n}",), (f" nom{n}",), LA) for n in range(60)]
    words += [(f" vowel{n}", (f" arme{n}",), (f"arme{n}",), ELIDED) for n in range(12)]
    wholes = [
        Derivation(ROOT, [Derivation(rule, [(word, target)])])
        for word, indefinite, definite, article in words
        for rule, target in ((UNE, indefinite), (article, definite))
    ]
    agreement = RuleAgreement(RuleTables(dict(enumerate(wholes * 20))))
    allowed = agreement.cores(RulePlace(ROOT, 0), LA)
    units = {agreement.units[number] for number in np.flatnonzero(allowed).tolist()}
    assert (" noun1", (" nom1",)) in units
    assert not {word for word, _ in units if word.startswith(" vowel")}
