"""The published rules, one decision each."""

from __future__ import annotations

from recombine.builders.consistency.wordlists import candidate_terms
from recombine.metrics.consistency.official import (
    crop_synonym,
    fold_articles,
    is_consistent_swap,
    split_at_conjunction,
)


def test_articles_are_folded_by_plain_substrings() -> None:
    """Het/de and dat/die become equal; a sentence-initial Dat does not."""
    assert fold_articles("Het kind ziet het huis dat brandt") == "De kind ziet de huis die brandt"
    assert fold_articles("Dat kind ziet het") == "Dat kind ziet het"


def test_swap_must_be_one_edit() -> None:
    """One substitution, insertion or deletion passes; none or two do not."""
    assert is_consistent_swap("De man loopt .", "Het kind loopt .", role="np")
    assert is_consistent_swap("De man loopt .", "De man loopt hard .", role="np")
    assert not is_consistent_swap("De man loopt .", "De man loopt .", role="np")
    assert not is_consistent_swap("De man loopt .", "De vrouw rent .", role="np")


def test_vp_variant_is_folded_twice() -> None:
    """The released code folds the VP variant twice, which shows where two 'dat' meet."""
    base = "Hij weet die die man loopt ."
    assert is_consistent_swap(base, "Zij weet dat dat man loopt .", role="vp")
    assert not is_consistent_swap(base, "Zij weet dat dat man loopt .", role="np")


def test_candidates_keep_the_order_of_the_file() -> None:
    """No hash order: translation first, then each harvested term once."""
    assert candidate_terms("postcode", ("code", "postcode", "zip code")) == (
        "postcode",
        "code",
        "zip code",
    )


def test_crop_and_omission_rule() -> None:
    """The whole word that contains a candidate, or the sentence when there is none."""
    candidates = ("zeilboot", "boot van het zeilen", "boot")
    assert crop_synonym("Hij heeft een Zeilbootje .", candidates) == "Zeilbootje"
    assert crop_synonym("Een boot van het zeilen .", candidates) == "boot_van_het_zeilen"
    assert crop_synonym("Hij heeft niets .", candidates) == "Hij heeft niets ."


def test_official_split() -> None:
    """After the first conjunction, or the second when under five tokens stand before it."""
    long = "De vader vermijdt zeker de koning , en de jongens lopen ."
    assert split_at_conjunction(long) == "de jongens lopen ."
    short = "De man en de vrouw zien de koning , en de jongens lopen ."
    assert split_at_conjunction(short) == "de jongens lopen ."
    assert split_at_conjunction("De man slaapt , en de jongens lopen .") == ""
    five = "De man ziet haar niet en zij rent en lacht ."
    assert split_at_conjunction(five) == "zij rent en lacht ."
    assert split_at_conjunction(five.replace(" niet", "")) == "lacht ."
    assert split_at_conjunction("De man slaapt . En zij loopt .") is None
