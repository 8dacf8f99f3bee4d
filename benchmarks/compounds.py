"""Speed of compound verdicts, of word alignment and of a whole build; prints one line each.

Verdicts: ours beside the published rules (which look at far less). Alignment: the built-in
aligner. Build: with `--corpus FILE` (parsed pairs, cleaned), the
recipe of examples/compounds-europarl; must stay under two minutes and 2 GB for 200,000 pairs.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from recombine.benchmark import Example, Focus
from recombine.corpus.alignment import align
from recombine.metrics.base import Scored
from recombine.metrics.compound.metric import Compound

SENTENCES = 10_800


def seconds(work) -> float:
    """Return the processor seconds of a call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def verdicts() -> None:
    """Judge as many sentences as the published test has."""
    generator = np.random.default_rng(0)
    nouns = [f"noun{n}" for n in range(40)]
    items = []
    for number in range(SENTENCES):
        noun = nouns[int(generator.integers(len(nouns)))]
        focus = [
            Focus(text="every", role="DET", accepted=("jede", "jeder")),
            Focus(text="small", role="ADJ", accepted=("kleine",)),
            Focus(text=noun, role="N", accepted=(noun.upper(),)),
        ]
        text = " ".join(f"w{word}" for word in generator.integers(0, 500, 10))
        reference = f"{text} jede sehr kleine {noun.upper()} {text} ."
        example = Example.make(
            source=f"{number} every small {noun} slept .",
            references=[reference],
            tags={"compound": f"every small {noun}"},
            group=noun,
            focus=focus,
        )
        items.append(Scored(example, reference))
    times = {}
    for mode in ("official", "default"):
        metric = Compound(mode=mode)
        prepared = seconds(lambda metric=metric: metric.prepare(items))
        judged = seconds(lambda metric=metric: [metric.observe([item]) for item in items])
        times[mode] = judged
        print(f"verdicts {mode}: learn {prepared:.2f} s, judge {SENTENCES:,} in {judged:.2f} s")
    print(f"ratio default / official: {times['default'] / times['official']:.1f}")


def alignment() -> None:
    """Align an invented corpus of 20,000 pairs."""
    generator = np.random.default_rng(1)
    words = np.array([f"s{n}" for n in range(3000)])
    rows = generator.zipf(1.3, (20_000, 14)) % 3000
    sources = [words[row].tolist() for row in rows]
    targets = [[word.replace("s", "t") for word in reversed(sentence)] for sentence in sources]
    align(sources[:10], targets[:10])  # compile first
    own = seconds(lambda: align(sources, targets))
    print(f"alignment built-in: {len(sources):,} pairs in {own:.1f} s")


def build(corpus: Path) -> None:
    """Build the Europarl example in a process of its own and say what it took."""
    recipe = Path(__file__).parent.parent / "examples" / "compounds-europarl" / "recipe.toml"
    with tempfile.TemporaryDirectory() as folder:
        command = [str(Path(sys.executable).with_name("recombine")), "build", str(recipe)]
        command += ["--out", f"{folder}/out", "-o", f"corpus={corpus}"]
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        wall = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"build: {wall:.0f} s wall, {used.ru_utime + used.ru_stime:.0f} s processor, "
        f"{used.ru_maxrss / 2**20:.2f} GiB at most"
    )


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpus", type=Path)
    chosen = options.parse_args()
    if chosen.corpus is not None:
        build(chosen.corpus)
    verdicts()
    alignment()
