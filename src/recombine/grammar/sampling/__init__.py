"""Constraints -> trees: an automaton, its product with the grammar, and draws from it."""
