"""A scored run over invented compounds, with known errors."""

from __future__ import annotations

import dataclasses

from recombine.benchmark import Example, Focus
from report.scored_run import scored_run, small_benchmark

NOUNS = {"dog": "hund", "cat": "katze", "fox": "fuchs", "owl": "eule"}
ADJECTIVES = {"": "", "small": "kleine", "old": "alte"}
CONTEXTS = ("{} slept .", "then {} ran off .", "at noon {} ate a big lunch .")


def examples():
    """Yield every noun with every adjective in three contexts."""
    for adjective, low in ADJECTIVES.items():
        for noun, ding in NOUNS.items():
            words = ["every", *([adjective] if adjective else []), noun]
            accepted = ["jede", *([low] if low else []), ding]
            roles = ["DET", *(["ADJ"] if adjective else []), "N"]
            text = " ".join(words)
            for number, context in enumerate(CONTEXTS):
                yield Example.make(
                    source=context.format(text),
                    references=[" ".join(accepted) + f" und {number} ."],
                    tags={
                        "pattern": " ".join(roles),
                        "category": "NP",
                        "length": len(words),
                        "contexts": 3,
                        "context_length": len(context.split()) - 1,
                        "compound": text,
                    },
                    group=text,
                    focus=[
                        Focus(text=w, role=r, accepted=(a,))
                        for w, r, a in zip(words, roles, accepted, strict=True)
                    ],
                )


def train():
    """Yield training sentences: the owl is rare, 'every dog' is known."""
    for number in range(40):
        yield Example.make(source=f"every dog saw the cat {number} .", references=["x"])
        yield Example.make(source=f"a small fox and an old cat {number} .", references=["x"])
    yield Example.make(source="an owl called .", references=["x"])


def plain_test():
    """Yield plain sentences that the system translates like their references."""
    for number in range(8):
        text = f"they saw him at noon {number} ."
        yield Example.make(source=text, references=[f"man sah ihn am mittag {number} ."])


def contexts():
    """Yield training sentences with the phrases that compounds replaced."""
    for one in examples():
        if "dog" in one.source:
            yield dataclasses.replace(one, id=f"{one.id}-0", source=f"so {one.source}")


def make_run(root, seeds=(1, 2), plain=False, name="compounds"):
    """Return the folder of a run that fails on owls, and on old things in the last context.

    With `plain` it has a test split and the training contexts too, translated perfectly.
    """
    splits = {"train": train(), "gen": examples()}
    if plain:
        splits |= {"test": plain_test(), "context": contexts()}
    metrics = ["compound", "compound_aggregate"]
    benchmark = small_benchmark(
        root / "benchmark", splits, name=name, builder="compounds", metrics=metrics
    )

    def outputs(split, seed):
        return {one.id: output(one, split) for one in benchmark.iterate(split)}

    return scored_run(
        root / "run", benchmark, {"toy": outputs}, seeds=seeds, use="transformer",
        metrics=[*metrics, "bleu"] if plain else metrics,
        splits=["gen", "test", "context"] if plain else ["gen"],
    )  # fmt: skip


def output(example, split):
    """Return the reference but for owls, and for old things in the last context."""
    good = example.references[0]
    bad = "owl" in example.source or ("old" in example.source and "2 ." in good)
    return "etwas ganz anderes ." if split == "gen" and bad else good
