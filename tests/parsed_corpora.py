"""Small made-up corpora and a plain-Python reading of the published counting rules."""

from __future__ import annotations

import string
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from recombine.builders.divergent.count import CountOptions, Counts, count_corpus
from recombine.builders.divergent.encode import BlockEncoder, EncodedCorpus, encode_corpus
from recombine.builders.divergent.options import DivergentOptions
from recombine.corpus.conllu import ParsedBlock, ParsedSentence

RELATIONS = ("nsubj", "obj", "amod", "punct", "advmod", "mark")
Plain = tuple[list[str], list[str], list[int]]


def made_up(sentences: int, seed: int = 0, words: int = 60) -> list[ParsedSentence]:
    """Return random trees over a small vocabulary with a long tail."""
    generator = np.random.default_rng(seed)
    weights = 1 / np.arange(1, words + 1)
    names = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(words)]
    for at, name in ((3, "it's"), (7, "mark"), (11, "ten-10")):
        if at < words:
            names[at] = name
    result = []
    for number in range(sentences):
        length = int(generator.integers(1, 9))
        drawn = generator.choice(words, length, p=weights / weights.sum())
        lemmas = [names[index].upper() if index % 5 == 0 else names[index] for index in drawn]
        root = int(generator.integers(0, length))
        # Some hang on the root, some on their neighbour on the way to it.
        near = generator.integers(0, 2, length)
        heads = [
            0 if at == root else (at + (2 if at < root else 0) if near[at] else root + 1)
            for at in range(length)
        ]
        relations = [
            "root" if at == root else RELATIONS[int(generator.integers(0, len(RELATIONS)))]
            for at in range(length)
        ]
        features = [f"Case={'ABC'[index % 3]}|Number={'SP'[index % 2]}" for index in drawn]
        result.append(
            ParsedSentence(
                " ".join(lemmas),
                lemmas,
                relations,
                heads,
                features=features,
                document=f"d{number // 7}",
                line=number + 1,
            )
        )
    return result


def asked(goal: float = 1.0, **more: Any) -> DivergentOptions:
    """The options of a split of this divergence, whatever its corpus."""
    return DivergentOptions(corpus=Path("corpus"), target_divergence=goal, **more)


def counted(
    sentences: list[ParsedSentence], folder: Path, **cuts: Any
) -> tuple[EncodedCorpus, Counts]:
    """Encode and count sentences under a folder."""
    encoder = BlockEncoder(features=cuts.get("definition") == "morphology")
    corpus = encode_corpus(
        [encoder.encode(ParsedBlock.of("made-up", sentences))], folder / "corpus"
    )
    return corpus, count_corpus(corpus, CountOptions(**cuts), folder / "rows")


def published_counts(
    sentences: list[Plain], skip: int, block: int, least: int, weight: float
) -> tuple[list[tuple[Counter[str], Counter[str]]], set[str], set[str]]:
    """Return rows, atoms and compounds by the published rules, word by word."""
    frequency = Counter(lemma.lower() for lemmas, _, _ in sentences for lemma in lemmas)
    unclean = set(string.punctuation) - {"-"} | set(string.digits) | {" ", "\u2019", "\u2018"}
    ranked = [lemma for lemma, _ in frequency.most_common() if not unclean & set(lemma)]
    kept: set[str] = set()
    for start in range(skip, len(ranked), block):
        if frequency[ranked[start]] >= least:
            kept.update(ranked[start : start + block])
    found = []
    heads_of: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for lemmas, relations, heads in sentences:
        own = []
        for at, (lemma, relation, head) in enumerate(zip(lemmas, relations, heads, strict=True)):
            low, high = lemma.lower(), lemmas[head - 1].lower()
            if relation.startswith("punct") or relation == "root" or head == 0:
                continue
            if low in kept and high in kept:
                own.append((high, relation, low, at, head - 1))
                heads_of[relation, low][high] += 1
        found.append(own)
    heavy = {
        sub
        for sub, heads in heads_of.items()
        if 1 - max(heads.values()) / sum(heads.values()) >= weight
    }
    atoms = {part for sub in heavy for part in sub}
    compounds = {f"{head}|{sub[0]}+{sub[1]}" for sub in heavy for head in heads_of[sub]}
    rows = []
    for own in found:
        atom_counts: Counter[str] = Counter()
        compound_counts: Counter[str] = Counter()
        marked = {}
        for head, relation, low, at, head_at in own:
            if head not in atoms or low not in atoms:
                continue
            if relation in atoms:
                atom_counts[relation] += 1
            marked[at], marked[head_at] = low, head
            if (relation, low) in heavy:
                compound_counts[f"{head}|{relation}+{low}"] += 1
        atom_counts.update(marked.values())
        if atom_counts:
            rows.append((atom_counts, compound_counts))
    return rows, atoms, compounds


def write_conllu(path: Path, sentences: list[ParsedSentence]) -> Path:
    """Write sentences as CoNLL-U."""
    parts = []
    document = None
    for sentence in sentences:
        head = [f"# newdoc id = {sentence.document}"] if sentence.document != document else []
        document = sentence.document
        rows = [
            f"{at}\t{lemma}\t{lemma}\tX\t_\t{feature}\t{head_}\t{relation}\t_\t_"
            for at, (lemma, feature, head_, relation) in enumerate(
                zip(
                    sentence.lemmas,
                    sentence.features or (),
                    sentence.heads,
                    sentence.relations,
                    strict=True,
                ),
                1,
            )
        ]
        text = f"# text = {sentence.text}"
        translation = f"# text_de = {sentence.text[::-1]}"
        parts.append("\n".join([*head, text, translation, *rows]) + "\n\n")
    path.write_text("".join(parts), encoding="utf-8")
    return path
