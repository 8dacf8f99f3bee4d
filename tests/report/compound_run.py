"""A scored run over invented compounds, with known errors."""

from __future__ import annotations

import dataclasses

from recombine.benchmark import Draft, Example, Focus
from recombine.experiment.run import Run
from recombine.experiment.stages import write_result
from recombine.files import write_json, write_jsonl
from recombine.metrics.scoring import score

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
    draft = Draft(root / "benchmark", seed=0)
    draft.write("train", train())
    draft.write("gen", examples())
    if plain:
        draft.write("test", plain_test())
        draft.write("context", contexts())
    benchmark = draft.finish(
        {
            "format": 1, "name": name, "version": "1", "source": "en", "target": "de",
            "builder": "compounds", "seed": 0, "licence": "MIT", "citation": "none",
            "metrics": ["compound", "compound_aggregate"], "recombine": "0", "recipe": {},
        }
    )  # fmt: skip
    run = Run(root / "run")
    for seed in seeds:
        cell = run.cell("toy", seed)
        cell.update_record(
            system="toy", seed=seed, benchmark=str(benchmark.path),
            benchmark_hash=benchmark.hash, options={"use": "toy"},
        )  # fmt: skip
        made = {}
        for example in benchmark.iterate("gen"):
            good = example.references[0]
            bad = "owl" in example.source or ("old" in example.source and "2 ." in good)
            made[example.id] = "etwas ganz anderes ." if bad else good
        write_jsonl(cell.translations("gen"), ({"id": k, "hyp": v} for k, v in made.items()))
        metrics = ["compound", "compound_aggregate"]
        if plain:
            metrics.append("bleu")
            for split in ("test", "context"):
                right = {one.id: one.references[0] for one in benchmark.iterate(split)}
                rows = ({"id": key, "hyp": text} for key, text in right.items())
                write_jsonl(cell.translations(split), rows)
                made |= right
        for result in score(benchmark, made, metrics):
            write_result(cell.scores(result.metric.name, result.split), result)
    write_json(run.path / "experiment.json", {"benchmark": str(benchmark.path)})
    return run.path
