"""Drawing sentences: lots, vocabulary, order, languages, and giving up with a reason."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest

from recombine.benchmark import Benchmark
from recombine.builders.check import check_benchmark
from recombine.builders.generated import draw
from recombine.builders.generated.blueprint import read_symbol, vocabulary_weights
from recombine.builders.generated.draw import stable_bucket
from recombine.builders.generated.lexicon import words_of
from recombine.builders.recipe import build
from recombine.errors import ConfigError, GrammarError
from recombine.grammar import Grammar, Pattern
from recombine.grammar.files.folder import shipped_grammars
from recombine.registry import data_path


def test_lots_and_symbols():
    """Lots are stable; symbols are read with classes."""
    assert stable_bucket("x", 1000) == stable_bucket("x", 1000) < 1000
    assert read_symbol("N<animate !target>").forbid == ("target",)
    with pytest.raises(ConfigError):
        read_symbol("N<")


def test_words_without_punctuation():
    """The topic comma is no word."""
    assert words_of("A book , Liam saw.") == ["A", "book", "Liam", "saw"]


def test_vocabulary_keeps_the_most_frequent_words():
    """Two names stay, the others get weight 0; target words are not touched."""
    weights = vocabulary_weights(Grammar.load("sget"), {"Name": 2})
    assert "Liam" not in weights
    assert weights["Zoe"] == 0
    assert "Coco" not in weights


TOY = """\
builder = "generated"
grammar = "toy"
[benchmark]
source = "en"
target = "de"
"""
HELD_OUT = """\
[split.gen.beside_in_subject]
category = "modifiers"
group = "structural"
size = 20
pattern = ["decl.subj >> beside"]
look = [{ find = "decl.subj >> beside", take = "subj" }]
"""


def build_from(folder: Path, text: str, *overrides: str) -> Benchmark:
    """Build what a recipe says."""
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    return build(str(folder / "recipe.toml"), folder / "built", overrides=overrides)


def test_a_held_out_pattern_is_named_once(tmp_path):
    """What a generalisation part requires never reaches training, dev or test, unasked."""
    text = (
        TOY
        + '[split.train.base]\nsize = 300\npool = "base"\n'
        + '[split.test.base]\nsize = 30\npool = "base"\n'
        + HELD_OUT
    )
    benchmark = build_from(tmp_path, text)
    grammar = Grammar.load("toy")
    pattern = Pattern.parse("decl.subj >> beside")
    shown = {
        split: sum(
            pattern.matches(grammar.parse(example.source, "en").tree)
            for example in benchmark.iterate(split)
        )
        for split in benchmark.splits
    }
    assert shown == {"train": 0, "test": 0, "gen": 20}
    assert check_benchmark(benchmark) == []


def test_training_without_a_pool_is_drawn_before_what_generalises(tmp_path):
    """Its words are known words: the plainest recipe builds, in whatever order it is written."""
    train = "[split.train.base]\nsize = 300\n"
    for number, text in enumerate((train + HELD_OUT, HELD_OUT + train)):
        folder = tmp_path / str(number)
        folder.mkdir()
        benchmark = build_from(folder, TOY + text)
        assert benchmark.manifest.splits == {"train": 300, "gen": 20}
        assert check_benchmark(benchmark) == []


def test_without_training_every_word_is_allowed(tmp_path):
    """A set of test sentences alone has nothing to generalise from."""
    assert build_from(tmp_path, TOY + HELD_OUT).manifest.splits == {"gen": 20}


@pytest.fixture
def impatient(monkeypatch):
    """Give up soon."""
    monkeypatch.setattr(draw, "PATIENCE", 500)


CLAUSES = ("first", "second", "third")
FEW = 'require = ["say > decl > intrans", "past", "name > (Emma|Ali)"]\nexclude = ["report"]\n'


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        pytest.param(
            "".join(
                f'[split.{split}.base]\npool = "base"\nsize = {size}\n{FEW}'
                for split, size in (("train", 4000), ("dev", 1))
            ),
            "pool 'base'",
            "falls to a split that has enough",
            id="a pool with too few different sentences",
        ),
        pytest.param(
            '[split.train.same]\nsize = 5\ncompose = "say"\n'
            'slot.S = { pattern = ["decl.subj >> beside"] }\n' + HELD_OUT,
            "train.same",
            "shows a held-out pattern",
            id="compositions that always show a held-out pattern",
        ),
        pytest.param(
            "[split.train.base]\nsize = 200\n[split.gen.words]\nsize = 10\n"
            'category = "c"\ntargets = ["cat", "dog"]\npattern = ["decl.subj > def > cat"]\n',
            "gen.words",
            "still wanted: dog 5",
            id="a target word that never fits",
        ),
        pytest.param(
            '[depth]\npp = 0\n[split.train.base]\nsize = 5\nrequire = ["{pp}"]\n',
            "train.base",
            "outside the depth bounds",
            id="depths that no sentence has",
        ),
        pytest.param(
            f"[split.train.base]\nsize = 5\n{FEW}[split.dev.base]\nsize = 5\n",
            "dev.base",
            "often for a word that training does not show: '",
            id="words that training lacks, by name",
        ),
    ],
)
def test_hopeless_drawing_ends_with_counted_reasons(tmp_path, impatient, text, name, reason):
    """Nothing hangs: one patience for every way to draw, and the message says what was dropped."""
    with pytest.raises(GrammarError) as caught:
        build_from(tmp_path, TOY + text)
    assert caught.value.message.startswith(f"{name}: found only ")
    assert reason in caught.value.message
    assert caught.value.hint
    assert not (tmp_path / "built").exists()


def test_unique_holds_in_pools(tmp_path):
    """`unique` names splits, however their sentences are drawn."""
    pool = '[split.{}.base]\npool = "base"\nsize = {}\n'
    text = 'unique = ["test"]\n' + TOY + pool.format("train", 300) + pool.format("test", 150)
    benchmark = build_from(tmp_path, text)
    sources = [one.source for one in benchmark.read("test")]
    assert len(set(sources)) == len(sources) == 150


def _pairs_of_languages():
    """Every pair of every grammar; now each language once as a source and once as a target, the
    rest with the slow tests.
    """
    for name in shipped_grammars():
        languages = Grammar.load(name).languages
        for (one, source), (other, target) in itertools.permutations(enumerate(languages), 2):
            now = (other - one) % len(languages) == 1
            yield pytest.param(name, source, target, marks=[] if now else pytest.mark.slow)


@pytest.mark.parametrize(("grammar", "source", "target"), _pairs_of_languages())
def test_every_pair_of_languages_builds(tmp_path, grammar, source, target):
    """With case, without spaces, with verbs in pieces; the certificate holds in each direction."""
    if grammar == "sget":
        benchmark = build(
            "sget-mini",
            tmp_path / "built",
            overrides=[f"benchmark.source={source}", f"benchmark.target={target}", "scale=0.2"],
        )
    else:
        text = TOY.replace("toy", grammar).replace('"en"', f'"{source}"')
        text = text.replace('"de"', f'"{target}"') + "[split.train.base]\nsize = 300\n"
        held = HELD_OUT
        if grammar == "paradox":
            held = held.replace("decl.subj >> beside", "t6.subj = poet").replace(
                'pattern = ["', 'targets = ["poet"]\npattern = ["'
            )
        benchmark = build_from(tmp_path, text + held)
    assert check_benchmark(benchmark) == []
    for one in benchmark.read("gen"):
        for focus in one.focus:
            assert one.source[focus.start : focus.end] == focus.text
            assert all(rendering in one.references[0] for rendering in focus.accepted)


def test_words_that_a_language_lacks_are_named_all_at_once(tmp_path):
    """Before anything is drawn; words of weight 0 are not missed."""
    folder = shutil.copytree(data_path("grammars", "toy"), tmp_path / "toy")
    lexicon = folder / "de.lexicon.tsv"
    rows = lexicon.read_text(encoding="utf-8").split("\n")
    lacking = ("dog", "cat", "frog")
    rows = [row for row in rows if row.split("\t")[0] not in lacking]
    lexicon.write_text("\n".join(rows), encoding="utf-8")
    text = TOY.replace('"toy"', f'"{folder}"') + "[split.train.base]\nsize = 10\n"
    with pytest.raises(GrammarError, match=r"lexicon of 'de': cat, dog, frog$"):
        build_from(tmp_path, text)
    benchmark = build_from(tmp_path, text, *(f"weights.{word}=0" for word in lacking))
    assert benchmark.manifest.splits == {"train": 10}


def test_clauses_without_a_form_of_their_own_are_composed(tmp_path):
    """A Japanese clause is said only within a sentence; its words do not repeat all the same."""
    text = (
        TOY.replace('"toy"', '"sget"').replace('"en"', '"ja"').replace('"de"', '"en"')
        + '[split.train.joined]\nsize = 20\ncompose = "concat_three"\n'
        + "".join(f"slot.{slot} = {{ depth = {{ cp = 0 }} }}\n" for slot in CLAUSES)
    )
    benchmark = build_from(tmp_path, text)
    assert benchmark.manifest.splits == {"train": 20}
    assert check_benchmark(benchmark) == []
    grammar = Grammar.load("sget")
    for one in benchmark.read("train"):
        tree = grammar.parse(one.references[0], "en").require_tree()
        for clause in CLAUSES:
            words = [word for word in tree[clause].words() if word not in ("a", "the")]
            assert len(words) == len(set(words)), one.references[0]
