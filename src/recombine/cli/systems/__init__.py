"""Verbs that evaluate systems: train, translate, score, compare, report."""
