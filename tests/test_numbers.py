"""Numbers that other code must give, too: a few lines that know the paper, other libraries."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from parsed_corpora import made_up, write_conllu
from recombine.builders.recipe import build, read_recipe
from recombine.cli import main

HYPOTHESES = ["ein Hund lief", "das Buch fiel um", "", "sie sah ihn gestern", "ja"]
REFERENCES = ["ein Hund lief", "das Buch fiel", "ein Kind", "sie hat ihn gesehen", "ja"]


def chernoff(train: Counter[str], test: Counter[str], alpha: float) -> float:
    """Keysers et al. 2020, section 2.2: one minus the Chernoff coefficient of two distributions."""
    n, m = train.total(), test.total()
    return 1 - sum((train[k] / n) ** alpha * (test[k] / m) ** (1 - alpha) for k in train & test)


def read_conllu(path: Path) -> list[list[list[str]]]:
    """Sentences as rows of columns, with nothing but `split`."""
    blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
    return [[w.split("\t") for w in b.splitlines() if not w.startswith("#")] for b in blocks]


@pytest.mark.parametrize("goal", [0.3, 1.0])
def test_divergences_follow_from_corpus_and_splits(goal: float, tmp_path: Path) -> None:
    """D_A and D_C of a certificate are those of a few lines that know the paper alone.

    A dependency without punctuation and root is a compound; its two lemmas and its relation are
    atoms, a lemma once for each place where it stands (Moisio et al. 2023, section 3).
    """
    corpus = write_conllu(tmp_path / "c.conllu", made_up(400, words=40))
    cuts = ["skip_most_frequent=0", "block=100000", "min_frequency=1", "min_weight=0"]
    options = [f"corpus={corpus}", "passes=5", f"target_divergence={goal}", *cuts]
    benchmark = build(read_recipe("divergent", options), tmp_path / "b", seed=1)
    sentences = read_conllu(corpus)
    counts = {}
    for split in ("train", "test"):
        atoms, compounds = Counter[str](), Counter[str]()
        for line in (benchmark.path / f"{split}.jsonl").read_text(encoding="utf-8").splitlines():
            words = sentences[json.loads(line)["tags"]["sentence"] - 1]
            places = {}
            for at, word in enumerate(words):
                lemma, head, relation = word[2].lower(), int(word[6]), word[7]
                if head and relation != "punct" and lemma.isalpha():
                    above = words[head - 1][2].lower()
                    if above.isalpha():
                        places[at], places[head - 1] = lemma, above
                        atoms[relation] += 1
                        compounds[f"{above} {relation} {lemma}"] += 1
            atoms.update(places.values())
        counts[split] = atoms, compounds
    certificate = json.loads((benchmark.path / "certificate.json").read_text(encoding="utf-8"))
    (train_atoms, train_compounds), (test_atoms, test_compounds) = counts["train"], counts["test"]
    assert certificate["atom_divergence"] == pytest.approx(
        chernoff(train_atoms, test_atoms, 0.5), abs=1e-9
    )
    assert certificate["compound_divergence"] == pytest.approx(
        chernoff(train_compounds, test_compounds, 0.1), abs=1e-9
    )


def jackknife(score: Callable[[list[str], list[str]], float]) -> tuple[float, float]:
    """The interval of a corpus score in Wilson's form, by leaving out one sentence at a time."""
    count = len(HYPOTHESES)
    without = [
        score(
            HYPOTHESES[:left] + HYPOTHESES[left + 1 :], REFERENCES[:left] + REFERENCES[left + 1 :]
        )
        for left in range(count)
    ]
    error = math.sqrt((count - 1) * np.var(without)) / 100
    student, share = stats.t.ppf(0.975, count - 1), score(HYPOTHESES, REFERENCES) / 100
    worth = share * (1 - share) / error**2
    centre = (share + student**2 / (2 * worth)) / (1 + student**2 / worth)
    half = student / (1 + student**2 / worth)
    half *= math.sqrt(share * (1 - share) / worth + student**2 / (4 * worth**2))
    return 100 * max(0, centre - half), 100 * min(1, centre + half)


def test_scores_and_intervals_are_those_of_sacrebleu_and_statsmodels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`score` prints the corpus scores of sacrebleu, and exact match is counted by hand.

    The interval of exact match is Wilson's by statsmodels, the others are a jackknife of sacrebleu.
    """
    sources = [f"sentence number {number}" for number in range(len(REFERENCES))]
    for name, lines in (("s", sources), ("r", REFERENCES), ("h", HYPOTHESES)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = [
        f"split.test.source={tmp_path / 's'}",
        f'split.test.references=["{tmp_path / "r"}"]',
        "benchmark.source=en",
        "benchmark.target=de",
    ]
    build(read_recipe("imported", options), tmp_path / "b", seed=1)
    metrics = [part for name in ("exact", "bleu", "chrf") for part in ("--metric", name)]
    code = main(["score", str(tmp_path / "b"), "--hyps", str(tmp_path / "h"), "--json", *metrics])
    assert code == 0
    rows = {
        row["metric"]: (row["score"], row["ci_low"], row["ci_high"])
        for row in json.loads(capsys.readouterr().out)
        if row["tag"] == "all"
    }
    right = sum(one == other for one, other in zip(HYPOTHESES, REFERENCES, strict=True))
    share = right / len(REFERENCES)
    wilson = proportion_confint(right, len(REFERENCES), method="wilson")
    assert rows["exact"] == pytest.approx((100 * share, *(100 * end for end in wilson)), abs=1e-3)
    for name, corpus_score in (("bleu", sacrebleu.corpus_bleu), ("chrf", sacrebleu.corpus_chrf)):

        def score(hypotheses: list[str], references: list[str], corpus=corpus_score) -> float:
            return float(corpus(hypotheses, [references]).score)

        expected = (score(HYPOTHESES, REFERENCES), *jackknife(score))
        assert rows[name] == pytest.approx(expected, abs=1e-3), name
