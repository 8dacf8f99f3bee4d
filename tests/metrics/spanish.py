"""Small invented Spanish for the tests of consistency: nouns that agree, and verbs."""

from __future__ import annotations

NOUNS = {
    "king": ("el", "rey"),
    "queen": ("la", "reina"),
    "boy": ("el", "chico"),
    "girl": ("la", "chica"),
    "father": ("el", "padre"),
    "mother": ("la", "madre"),
}
VERBS = {
    "sees": "ve",
    "hears": "oye",
    "knows": "conoce",
    "wants": "quiere",
    "likes": "aprecia",
    "needs": "necesita",
    "finds": "encuentra",
}
