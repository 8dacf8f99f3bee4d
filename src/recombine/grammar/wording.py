"""Wording: how a sentence words one of its constituents."""

from __future__ import annotations

from recombine.grammar.realise import Realiser
from recombine.grammar.tree import Tree


def wording(realiser: Realiser, tree: Tree, node: int) -> str:
    """The text of a constituent: a phrase in its plain form, a word in the form it has there."""
    inventory = tree.inventory
    word = node
    while not inventory.is_word(tree.codes[word]) and len(tree.positions[word]) == 1:
        word = tree.positions[word][0]
    if inventory.is_word(tree.codes[word]):
        # A verb may bring its particle too; its own form is the last piece it gives.
        slots = realiser.form_slots(tree.codes)
        forms = [column[tree.codes[word]] for place, column in slots if place == word]
        if forms:
            return forms[-1]
    return realiser.fill(tree.at(node).codes)
