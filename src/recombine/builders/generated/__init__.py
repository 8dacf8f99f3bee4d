"""Sentences drawn from a grammar, with held-out patterns (Kumon et al. 2024)."""
