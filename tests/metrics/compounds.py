"""Small invented compounds for the tests of the compound metric."""

from __future__ import annotations

from recombine.benchmark import Example, Focus
from recombine.metrics.base import Scored

LEXICON = {
    "every": ("jeder", "jede", "jedes", "jeden"),
    "the": (),
    "small": ("kleine", "kleiner", "kleinen"),
    "dog": ("hund",),
    "cat": ("katze",),
    "in the garden": ("im garten",),
    "saw": ("sah",),
    "near": ("bei", "neben"),
    "with": (),
}
ROLES = {
    "every": "DET",
    "the": "DET",
    "small": "ADJ",
    "dog": "N",
    "cat": "N",
    "in the garden": "MOD",
    "saw": "V",
    "near": "P",
    "with": "P",
}


def compound(atoms, context="{} slept .", reference=None, contexts=1, salt=""):
    """Return an example that embeds a compound of the invented lexicon."""
    text = " ".join(atoms)
    return Example.make(
        source=context.format(text),
        references=() if reference is None else (reference,),
        tags={"compound": text, "contexts": contexts},
        group=text,
        focus=[Focus(text=atom, role=ROLES[atom], accepted=LEXICON[atom]) for atom in atoms],
        salt=salt,
    )


def many(atoms, references, hypothesis="x"):
    """Return scored items with these references, each in its own context."""
    return [
        Scored(compound(atoms, f"{{}} did {place} .", text, salt=str(place)), hypothesis)
        for place, text in enumerate(references)
    ]
