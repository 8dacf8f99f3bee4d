"""Every built-in builder keeps the contract that outside authors are held to."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.builders.recipe import read_recipe
from recombine.registry import BUILT_IN
from recombine.testing import check_builder

# Importers of published data run the same suite in their own tests, on a tiny release.
IMPORTERS = {"compound-release", "consistency-release", "generated-release"}
CONLLU = """\
1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2\t{noun}\t{noun}\tNOUN\t_\t_\t3\tnsubj\t_\t_
3\t{verb}s\t{verb}\tVERB\t_\t_\t0\troot\t_\t_
4\ta\ta\tDET\t_\t_\t6\tdet\t_\t_
5\t{adjective}\t{adjective}\tADJ\t_\t_\t6\tamod\t_\t_
6\t{other}\t{other}\tNOUN\t_\t_\t3\tobj\t_\t_

"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A parsed corpus of our own, with German beside it."""
    nouns = ["dog", "cat", "king", "queen", "child", "friend"]
    verbs = ["see", "know", "help", "find"]
    adjectives = ["old", "young", "red"]
    blocks, targets = [], []
    for number in range(400):
        noun, other = nouns[number % 6], nouns[(number // 6) % 6]
        verb, adjective = verbs[(number // 3) % 4], adjectives[(number // 7) % 3]
        text = f"# text = The {noun} {verb}s a {adjective} {other}\n"
        blocks.append(text + CONLLU.format(noun=noun, verb=verb, adjective=adjective, other=other))
        targets.append(f"D-{noun} V-{verb} A-{adjective} N-{other}\n")
    path = tmp_path / "corpus.conllu"
    path.write_text("".join(blocks), encoding="utf-8")
    (tmp_path / "corpus.de").write_text("".join(targets), encoding="utf-8")
    return path


def overrides(name: str, corpus: Path) -> tuple[str, list[str]]:
    """Return a recipe and the options that make it small."""
    if name == "imported":
        return name, [f"split.test.source={corpus.parent / 'corpus.de'}"]
    if name == "divergent":
        return name, [f"corpus={corpus}", "edition=all", "target_divergence=1.0"]
    if name == "compounds":
        from builders.invented_corpus import SMALL, write_corpus

        return name, [*SMALL, f"corpus={write_corpus(corpus.parent / 'pairs.tsv')}"]
    if name == "generated":
        return "sget-mini", ["scale=0.1"]
    sizes = ("sentences", "pairs", "triples", "synonym_samples", "idiom_samples")
    small = [f"{size}=2" for size in sizes] + ["context_samples=1", "repeats=4"]
    return "consistency", small


@pytest.mark.parametrize("name", sorted(set(BUILT_IN["builder"]) - IMPORTERS))
def test_the_contract_holds(name, corpus):
    """Valid examples, the same bytes for the same seed, and its own check agrees."""
    recipe, options = overrides(name, corpus)
    check_builder(lambda: read_recipe(recipe, options).builder)
