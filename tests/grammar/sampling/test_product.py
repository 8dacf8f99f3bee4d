"""The grammar times the constraints: weights, shares and numbers of trees."""

from __future__ import annotations

import pytest
from scipy.stats import zipf

from grammar.small_grammar import SMALL, Write
from recombine.errors import GrammarError
from recombine.grammar import Constraints, Grammar
from recombine.grammar.model import Symbol
from recombine.grammar.sampling.product import (
    Product,
    ProductBuilder,
    weigh,
    word_weights,
    zipf_weights,
)


def build(grammar: Grammar, constraints: Constraints) -> Product:
    """The product, which must exist."""
    product = ProductBuilder(grammar.inventory, constraints).build()
    assert product is not None
    return product


def test_acceptance_is_the_share_of_the_grammar(small: Grammar) -> None:
    """The share of admitted trees is what the weights say."""
    assert build(small, Constraints()).acceptance == pytest.approx(1)
    # sleep_ has weight 2 beside trans with 1, def 3 beside beside with 1.
    assert build(small, Constraints(require=("trans",))).acceptance == pytest.approx(1 / 3)
    flat = build(small, Constraints(count={"pp": 0}))
    assert flat.acceptance == pytest.approx(2 / 3 * 3 / 4 + 1 / 3 * (3 / 4) ** 2)


def test_number_of_trees(small: Grammar) -> None:
    """Trees are counted exactly; a recursive grammar has endlessly many."""
    nouns = 3
    flat = build(small, Constraints(count={"pp": 0}))
    assert flat.trees == nouns + nouns * nouns
    assert build(small, Constraints()).trees == float("inf")


def test_nothing_to_draw(small: Grammar) -> None:
    """Constraints that no tree meets give no product, an unknown start is refused."""
    assert ProductBuilder(small.inventory, Constraints(weights={"def": 0})).build() is None
    with pytest.raises(GrammarError, match="no category 'Text'"):
        ProductBuilder(small.inventory, Constraints(start="Text"))


def test_later_weights_win(small: Grammar) -> None:
    """Overrides go by name, tag and category, in the order given."""
    inventory = small.inventory
    weights = weigh(inventory, Constraints(weights={":N": 5, "cat": 7, "{pp}": 0}))
    assert [weights[inventory.code(name)] for name in ("cat", "dog", "beside", "def")] == [
        7,
        5,
        0,
        3,
    ]
    with pytest.raises(GrammarError, match="must be 0 or more"):
        weigh(inventory, Constraints(weights={"cat": -1}))


def test_leaving_a_word_out_promotes_no_other(write: Write) -> None:
    """Under a Zipf distribution the words that stay keep the shares of their ranks."""
    abstract = "%zipf 2 : N\n" + SMALL["abstract.grammar"]
    inventory = Grammar.load(write({"abstract.grammar": abstract})).inventory

    def shares(constraints: Constraints) -> dict[int, float]:
        return word_weights(inventory, Symbol("N"), weigh(inventory, constraints), constraints)

    every = shares(Constraints())
    without = shares(Constraints(weights={"cat": 0}))
    assert every[inventory.code("cat")] > every[inventory.code("dog")]
    assert without == {code: share for code, share in every.items() if code in without}
    assert inventory.code("cat") not in without


@pytest.mark.parametrize(
    ("count", "exponent"), [(1, 1.4), (20, 1.4), (100, 1.4), (7, 2.5), (50, 1.01)]
)
def test_against_scipy(count: int, exponent: float) -> None:
    """p(k) = zipf.pmf(k, a) + leftover / n."""
    mass = [float(zipf.pmf(k, exponent)) for k in range(1, count + 1)]
    rest = (1 - sum(mass)) / count
    assert zipf_weights(count, exponent) == pytest.approx([p + rest for p in mass], rel=1e-9)
    assert sum(zipf_weights(count, exponent)) == pytest.approx(1)


def test_published_shares() -> None:
    """The shares that SGET's words show (n = 100): .323 .123 .070 .048 .035."""
    assert [round(p, 3) for p in zipf_weights(100, 1.4)[:5]] == [0.323, 0.123, 0.07, 0.048, 0.035]
