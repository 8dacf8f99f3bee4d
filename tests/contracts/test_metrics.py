"""Every built-in metric keeps the contract that outside authors are held to."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.benchmark import Benchmark, Example, Focus, stratified_sample
from recombine.builders.recipe import build
from recombine.draft import Draft
from recombine.errors import RecombineError
from recombine.metrics.base import Scored
from recombine.metrics.scoring import create_metrics
from recombine.registry import BUILT_IN
from recombine.testing import check_metric

SLOW = {"partial-ginza"}  # loads a Japanese parser
# Somebody else's scores: what they mean a user declares (tests/metrics/external).
EXTERNAL = {"command", "scores-file", "llm-judge"}
PARSES = {"partial", "anatomy", "meaning"}  # with the grammar that the benchmark was made with


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """A small generated benchmark with targets and structures."""
    out = tmp_path_factory.mktemp("generated") / "b"
    return build("sget-mini", out, overrides=["scale=0.2"])


@pytest.fixture(scope="module")
def consistency(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Minimal pairs, triples, synonyms, idioms and probes."""
    sizes = ("sentences", "pairs", "triples", "synonym_samples", "idiom_samples")
    overrides = [f"{name}=2" for name in sizes] + ["context_samples=1", "repeats=4"]
    return build("consistency", tmp_path_factory.mktemp("consistency") / "b", overrides=overrides)


@pytest.fixture(scope="module")
def compounds(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Two compounds in two contexts each."""
    rows = []
    for noun, words in (("dog", ("狗",)), ("bag", ("袋", "包"))):
        for place in ("here", "there"):
            focus = (
                Focus(text=f"the {noun}", role="compound"),
                Focus(text=noun, role="N", accepted=words),
            )
            reference = f"{words[0]}在{'这里' if place == 'here' else '那里'}。"
            rows.append(
                Example.make(
                    source=f"the {noun} is {place} .",
                    references=[reference],
                    tags={"category": "NP"},
                    group=f"the {noun}",
                    focus=focus,
                )
            )
    draft = Draft(tmp_path_factory.mktemp("compounds") / "b", seed=1)
    draft.write("test", rows)
    head = {"format": 1, "name": "c", "version": "1", "source": "en", "target": "zh"}
    return draft.finish({**head, "builder": "none", "seed": 1})


@pytest.fixture(scope="module")
def literal_uses(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Idioms meant word by word, which a user finds in a corpus."""
    rows = [
        Example.make(
            source=f"{who} kicked the bucket over .",
            references=[f"{who} stieß den Eimer um ."],
            tags={"use": "literal"},
            focus=[
                Focus(text="kicked the bucket", role="idiom"),
                Focus(text="bucket", role="keyword", accepted=("Eimer",)),
            ],
        )
        for who in ("Mary", "Tom", "The cat")
    ]
    draft = Draft(tmp_path_factory.mktemp("literal") / "b", seed=1)
    draft.write("overgeneralisation", rows)
    head = {"format": 1, "name": "l", "version": "1", "source": "en", "target": "de"}
    return draft.finish({**head, "builder": "none", "seed": 1})


def items(benchmark: Benchmark, *, perfect: bool) -> list[Scored]:
    """Return references, or a mix of references, parts of them and copies."""
    found = []
    for split in benchmark.splits:
        if split in ("train", "dev"):
            continue
        for number, example in enumerate(stratified_sample(benchmark.read(split), 150, 1)):
            right = example.references[0] if example.references else example.source.upper()
            wrong = (right, right[: len(right) // 2], "")[number % 3]
            found.append(Scored(example, right if perfect else wrong))
    return found


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in SLOW else ())
        for name in sorted(set(BUILT_IN["metric"]) - EXTERNAL)
    ],
)
def test_the_contract_holds(name, generated, consistency, compounds, literal_uses):
    """On every kind of benchmark: keys, finite statistics, order, blank output, perfect output."""
    observed = 0
    for benchmark in (generated, consistency, compounds, literal_uses):
        (metric,) = (m for m in create_metrics([name], benchmark) if m.name == name)
        mixed = items(benchmark, perfect=False)
        applicable = sum(metric.key(item.example) is not None for item in mixed)
        if name in PARSES and "grammar" not in benchmark.manifest.recipe:
            # A benchmark that names no grammar is refused.
            if applicable:
                with pytest.raises(RecombineError):
                    check_metric(metric, mixed)
            continue
        observed += applicable
        # Copying every source in capitals is no perfect translation: only references are.
        perfect = items(benchmark, perfect=True) if benchmark is not consistency else ()
        check_metric(metric, mixed, perfect)
    assert observed, f"nothing here lets '{name}' observe anything"


def test_no_metric_shares_a_signature(generated: Benchmark):
    """A number's signature tells which metric made it."""
    metrics = create_metrics(sorted(set(BUILT_IN["metric"]) - SLOW - EXTERNAL), generated)
    signatures = [metric.signature() for metric in metrics]
    assert len(set(signatures)) == len(signatures)


def test_the_fixtures_are_small(generated: Benchmark, consistency: Benchmark):
    """The suite is run often."""
    assert all(isinstance(one.path, Path) for one in (generated, consistency))
    assert generated.manifest.splits["gen"] < 1000
