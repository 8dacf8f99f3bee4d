"""What a stranger must know of recombined pairs to believe the score of a model that saw them.

A method receives training pairs and nothing else. Only when everything has been drawn are the other
splits of the benchmark read: pairs whose source is one of theirs are counted, their targets are
compared with the references, and they are removed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from recombine import __version__
from recombine.augment.files.inputs import TRAIN, PairSource
from recombine.augment.options import AugmentOptions, Recombined
from recombine.augment.tokens import in_blocks
from recombine.benchmark import Benchmark
from recombine.corpus.segment import segment
from recombine.parallel import Engine, map_in_order
from recombine.stage import code_version

FORMAT = 1
# What a model has learned from, besides the training pairs; every table of a report names it.
TRAIN_ONLY, GRAMMAR = "train-only", "grammar"
SIDES = ("source", "target")
SHOWN = 5
NEW_WORDS_SHOWN = 50


@dataclass
class Overlap:
    """Drawn pairs whose source is a sentence of a split."""

    split: str
    sources: int = 0
    same_target: int = 0
    examples: list[dict[str, str]] = field(default_factory=list)

    def add(self, pair: Recombined, references: Sequence[str]) -> None:
        """Count a pair; the first with another target are kept to be read."""
        self.sources += 1
        if pair.target in references:
            self.same_target += 1
        elif len(self.examples) < SHOWN:
            self.examples.append(
                {"source": pair.source, "target": pair.target, "reference": (*references, "")[0]}
            )

    def row(self) -> dict[str, Any]:
        """Return the counts."""
        other = self.sources - self.same_target
        found: dict[str, Any] = {
            "sources": self.sources,
            "target_as_reference": self.same_target,
            "other_target": other,
        }
        return {**found, "examples": self.examples} if self.examples else found


class Kept(NamedTuple):
    """The pairs that are no sentence of another split, of how many, and what the others were."""

    pairs: list[Recombined]
    drawn: int
    overlaps: list[Overlap]


def remove_known(drawn: Sequence[Recombined], benchmark: Benchmark | None) -> Kept:
    """Remove the pairs whose source another split has; they are a sequence: all drawn by now."""
    if benchmark is None:
        return Kept(list(drawn), len(drawn), [])
    overlaps = {split: Overlap(split) for split in benchmark.splits if split != TRAIN}
    known: dict[str, dict[str, tuple[str, ...]]] = {}
    for split in overlaps:
        for example in benchmark.iterate(split):
            found = known.setdefault(example.source, {})
            found[split] = (*found.get(split, ()), *example.references)
    kept = []
    for pair in drawn:
        places = known.get(pair.source)
        if places is None:
            kept.append(pair)
            continue
        for split, references in places.items():
            overlaps[split].add(pair, references)
    return Kept(kept, len(drawn), list(overlaps.values()))


def certify(source: PairSource, options: AugmentOptions, found: Kept) -> dict[str, Any]:
    """Return what is known of the pairs that are kept: from what, how, and what was removed."""
    kept = found.pairs
    in_train = {pair.source for pair in source.pairs}
    trained, drawn = (
        {
            side: count_words(
                [getattr(pair, side) for pair in pairs], options.engine, options.address
            )
            for side in SIDES
        }
        for pairs in (source.pairs, kept)
    )
    return {
        **identity(source, options),
        "drawn": found.drawn,
        "removed": {one.split: one.row() for one in found.overlaps},
        "kept": len(kept),
        "sources_in_train": sum(pair.source in in_train for pair in kept),
        "words": {side: _words(trained[side], drawn[side]) for side in SIDES},
        "steps": dict(Counter(kind for pair in kept for kind in step_kinds(pair)).most_common()),
        "depth": {str(k): n for k, n in sorted(Counter(pair.depth for pair in kept).items())},
        "source_words": {
            "mean": round(drawn["source"].total / max(1, len(kept)), 2),
            "longest": drawn["source"].longest,
            "longest_in_train": trained["source"].longest,
        },
    }


def identity(source: PairSource, options: AugmentOptions) -> dict[str, Any]:
    """Return all that the pairs depend on."""
    return {
        "format": FORMAT,
        "recombine": __version__,
        **code_version(options),
        "track": track_of(options.method, options.grammar),
        "options": options.said(),
        "learned_from": {**source.origin, "received": len(source.pairs), "sha256": source.digest},
    }


def track_of(method: str, grammar: str = "") -> str:
    """Return what a model has learned from that is trained with a method's pairs.

    Files that a person may have corrected say more than training does.
    """
    return GRAMMAR if method == GRAMMAR or grammar else TRAIN_ONLY


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text; its characters in scripts without spaces."""
    return segment.__wrapped__(text)


def step_kinds(pair: Recombined) -> set[str]:
    """The kinds of steps that made a pair."""
    return {step.partition(":")[0] for step in pair.steps}


class WordCounts(NamedTuple):
    """The words of texts: in how many texts each is, how many there are, and in one at most."""

    texts_with: Counter[str]
    total: int
    longest: int


def count_words(
    texts: Sequence[str], engine: Engine = "local", address: str | None = None
) -> WordCounts:
    """Count the words of texts, in processes or on a cluster where there are many."""
    every: Counter[str] = Counter()
    total = longest = 0
    for found in map_in_order(_count_block, in_blocks(texts), engine=engine, address=address):
        every.update(found.texts_with)
        total += found.total
        longest = max(longest, found.longest)
    return WordCounts(every, total, longest)


def _count_block(texts: Sequence[str]) -> WordCounts:
    texts_with: Counter[str] = Counter()
    total = longest = 0
    for text in texts:
        # A name that is seen by itself only is no new word inside a sentence.
        words = [word.lower() for word in words_of(text)]
        texts_with.update(set(words))
        total += len(words)
        longest = max(longest, len(words))
    return WordCounts(texts_with, total, longest)


def _words(trained: WordCounts, drawn: WordCounts) -> dict[str, Any]:
    known, used = trained.texts_with, drawn.texts_with
    new = sorted((word for word in used if word not in known), key=lambda one: (-used[one], one))
    return {
        "in_train": len(known),
        "used": len(used) - len(new),
        "new": len(new),
        **({"most_frequent_new": new[:NEW_WORDS_SHOWN]} if new else {}),
    }


def card(certificate: Mapping[str, Any], name: str) -> str:
    """Return the data card (README.md) of recombined pairs."""
    learned, options = certificate["learned_from"], certificate["options"]
    lines = [
        f"# {name}: recombined training pairs",
        "",
        f"{certificate['kept']:,} pairs made by `recombine augment` (method `{options['method']}`, "
        f"seed {options['seed']}) of {learned['received']:,} training pairs"
        + (f" of the benchmark {learned['benchmark']}." if "benchmark" in learned else "."),
        f"Track: *{certificate['track']}*. A score of a model trained with them names it.",
        "",
        "`pairs.jsonl` has a pair a line: `source`, `target`, `parents` (ids of the training pairs "
        "it was made of), `steps` (classes and analogies used) and `depth`. `certificate.json` has "
        "every count below and the hash of what was learned from, `review.html` what was learned.",
        "",
        "| | |",
        "| --- | ---: |",
        f"| drawn | {certificate['drawn']:,} |",
    ]
    for split, row in certificate["removed"].items():
        lines.append(
            f"| removed: the source is a sentence of {split} | {row['sources']:,} "
            f"({row['target_as_reference']:,} with the reference as target) |"
        )
    words = certificate["source_words"]
    lines += [
        f"| kept | {certificate['kept']:,} |",
        f"| of these, with a source that train has too | {certificate['sources_in_train']:,} |",
        f"| words of a source, on average | {words['mean']} |",
        f"| words of the longest source (in train) | {words['longest']} "
        f"({words['longest_in_train']}) |",
    ]
    for side, row in certificate["words"].items():
        lines.append(
            f"| {side} words of train that are used; new ones (of scripts without spaces: "
            f"characters) | {row['used']:,} of {row['in_train']:,}; {row['new']:,} |"
        )
    lines += ["", "| step | pairs with it |", "| --- | ---: |"]
    lines += [f"| {kind} | {count:,} |" for kind, count in certificate["steps"].items()]
    return "\n".join(lines) + "\n"
