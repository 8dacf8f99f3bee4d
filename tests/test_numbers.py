"""Numbers that other code must give, too: a few lines that know the paper, other libraries."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import sacrebleu

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


def test_surface_scores_are_those_of_sacrebleu(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`score` prints the corpus scores of sacrebleu, and exact match is counted by hand."""
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
        row["metric"]: row["score"]
        for row in json.loads(capsys.readouterr().out)
        if row["tag"] == "all"
    }
    assert rows["exact"] == pytest.approx(40.0)
    assert rows["bleu"] == pytest.approx(sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES]).score)
    assert rows["chrf"] == pytest.approx(sacrebleu.corpus_chrf(HYPOTHESES, [REFERENCES]).score)
