"""Verbs that make benchmarks and training pairs, and look at them."""
