"""Building from a grammar: sizes, knobs, the same bytes, bad recipes refused at once."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from builders.generated.small_recipe import deep, primitive, small_recipe
from recombine.benchmark import Benchmark, Example
from recombine.builders.check import check_benchmark
from recombine.builders.generated.lexicon import words_of
from recombine.builders.recipe import build, read_recipe
from recombine.errors import ConfigError, Problems, RecombineError
from recombine.grammar import Grammar
from recombine.registry import data_path

WEIGHTS = 'weights = { "{wh}" = 0, "{topic}" = 0, tell_now = 0 }'
RECIPE = small_recipe(
    "small",
    """\
[split.train.joined]
size = 4
compose = "concat_three"
slot.first = { depth = { cp = 0 } }
slot.second = { depth = { cp = 0 } }
slot.third = { depth = { cp = 0 } }
""",
    primitive(20, WEIGHTS),
    deep(10, "5-6", f"each_depth = true\n{WEIGHTS}"),
    exposures=10,
    train=600,
    dev=60,
    options="""\
exclude = ["(inf_do|inf_pp).VD = <held-present>", "inf_that.VC = <held-present>"]
depth = { pp = "0-2,4", cp = "0-2,4" }
""",
)


@pytest.fixture(scope="module")
def recipe(tmp_path_factory) -> Path:
    """A recipe with one pattern of each kind."""
    path = tmp_path_factory.mktemp("recipe") / "small.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def built(recipe, tmp_path_factory) -> Benchmark:
    """The benchmark of that recipe."""
    return build(str(recipe), tmp_path_factory.mktemp("built") / "b", seed=1)


def digest(benchmark: Benchmark) -> str:
    """One hash for all files but the manifest, which names the version."""
    names = sorted(benchmark.manifest.files)
    parts = [f"{name} {benchmark.manifest.files[name]}" for name in names if name != "README.md"]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def test_sizes_are_those_of_the_recipe(built):
    """Base + exposures + composed; every split as asked for."""
    assert built.manifest.splits == {"train": 614, "dev": 60, "gen": 30}


def test_same_seed_same_bytes(recipe, built, tmp_path):
    """Two builds are byte-identical; another seed is not."""
    again = build(str(recipe), tmp_path / "again", seed=1)
    other = build(str(recipe), tmp_path / "other", seed=2)
    assert digest(again) == digest(built)
    assert digest(other) != digest(built)


def test_golden_hash(built, golden):
    """The bytes of a build change only when we mean it."""
    golden("sget/small.sha256", digest(built) + "\n")


def test_the_tag_of_the_two_halves_is_named_by_the_recipe(tmp_path):
    """`in_cp` is SGET's; a tag that every sentence has is refused."""
    recipe = tmp_path / "r.toml"
    recipe.write_text(small_recipe("r", primitive(4), exposures=5, train=60, dev=5))
    built = build(str(recipe), tmp_path / "b", overrides=["inside_tag=embedded"])
    assert Counter(one.tags["embedded"] for one in built.read("gen")) == {0: 2, 1: 2}
    assert check_benchmark(built) == []
    with pytest.raises(ConfigError, match="every sentence has a tag 'pattern' already"):
        read_recipe(str(recipe), ["inside_tag=pattern"])


def test_targets_are_balanced_and_alone(built):
    """Equally many sentences per target word, one target word each, half inside a clause."""
    rows = [one for one in built.read("gen") if one.tags["pattern"] == "primitive"]
    assert Counter(one.tags["target_word"] for one in rows) == {"thief": 10, "author": 10}
    assert Counter(one.tags["in_cp"] for one in rows) == {0: 10, 1: 10}
    assert all(("thief" in one.source) != ("author" in one.source) for one in rows)


def test_each_depth_gets_its_share(built):
    """Depths 5 and 6 come equally often."""
    rows = [one for one in built.read("gen") if one.tags["pattern"] == "deep"]
    assert Counter(one.tags["depth"] for one in rows) == {5: 5, 6: 5}


def test_no_word_form_comes_twice(built):
    """The duplicate filter goes by English surface forms; articles are free."""
    for one in built.read("gen"):
        words = [word for word in words_of(one.source) if word.lower() not in ("a", "an", "the")]
        grammatical = ("in", "on", "beside", "that", "to", "was", "by")
        content = [word for word in words if word not in grammatical]
        assert len(content) == len(set(content)), one.source


def test_splits_are_disjoint(built):
    """No source sentence stands in two splits."""
    splits = [{one.source for one in built.read(split)} for split in built.splits]
    assert not splits[0] & splits[1]
    assert not splits[0] & splits[2]


def test_first_tag_is_the_pattern(built):
    """--sample is stratified by the first tag."""
    assert all(next(iter(one.tags)) == "pattern" for one in built.read("gen"))


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ('split.gen.primitive.pattern=["_.subjekt = $target"]', "no slot 'subjekt'"),
        ('split.gen.deep.depth={pp = "9", cp = "x"}', "each_depth"),
        ('split.gen.primitive.targets=["thief", "nosuchword"]', "nosuchword"),
        ('split.gen.deep.pattern=["nosuchrule"]', "nosuchrule"),
        ("scale=0", "scale"),
        ("target_words=0", "target_words"),
        ("split.gen.deep.size=-1", "negative"),
        ("split.gen.deep.inside_share=2", "inside_share"),
        ("nonsense=1", "nonsense"),
        ("grammar=nosuchgrammar", "nosuchgrammar"),
        ("edition=nosuchedition", "nosuchedition"),
        ('vocabulary={"Nosuch" = 3}', "Nosuch"),
        ("split.dev.base.depth={pp = 1}", "same sentences"),
    ],
)
def test_bad_recipes_fail_with_the_reason(recipe, tmp_path, override, message):
    """Nothing is left behind, and the message names what to change."""
    with pytest.raises(RecombineError) as caught:
        build(str(recipe), tmp_path / "bad", overrides=[override])
    error = caught.value
    texts = [p.message for p in error.problems] if isinstance(error, Problems) else [error.message]
    assert any(message in text or message in str(error) for text in texts), texts
    assert not (tmp_path / "bad").exists()


def test_more_sentences_than_exist_is_refused(recipe, tmp_path):
    """A size larger than what the grammar can produce is found before anything is drawn."""
    overrides = [
        'split.gen.primitive.require=["tell > change"]',
        'split.gen.primitive.inside=""',
        "split.gen.primitive.size=100000",
    ]
    with pytest.raises(RecombineError, match="only"):
        build(str(recipe), tmp_path / "bad", overrides=overrides)


def test_contradictory_depth_is_refused(recipe, tmp_path):
    """A pattern that a depth forbids is said to be impossible."""
    with pytest.raises(RecombineError, match="no tree"):
        build(
            str(recipe),
            tmp_path / "bad",
            overrides=['split.gen.deep.depth={pp = "0"}', "split.gen.deep.each_depth=false"],
        )


def test_knobs_change_the_benchmark(recipe, tmp_path):
    """Concatenation, selection, exposures, target words and scale are recipe keys."""
    plain = build(
        str(recipe),
        tmp_path / "plain",
        overrides=["concatenation=false", "exposures=2", "target_words=1", "scale=0.5"],
    )
    assert plain.manifest.splits == {"train": 301, "dev": 30, "gen": 15}
    rows = [one for one in plain.read("gen") if one.tags["pattern"] == "primitive"]
    assert {one.tags["target_word"] for one in rows} == {"thief"}
    free = build(str(recipe), tmp_path / "free", overrides=["selection=false"])
    certificate = json.loads((free.path / "certificate.json").read_text(encoding="utf-8"))
    assert certificate["violations"] == {}


def test_dry_run_plans_without_building(recipe):
    """The plan names the size of every split."""
    plan = read_recipe(str(recipe)).builder.plan()
    assert plan["splits"] == {"train": 614, "dev": 60, "gen": 30}


def test_shipped_recipe_has_the_published_sizes():
    """44,100 + 5,000 + 5,000 + 76,000 in 42 patterns, 34 of 2,000 and 8 of 1,000."""
    builder = read_recipe("sget").builder
    assert builder.sizes() == {"train": 44100, "dev": 5000, "test": 5000, "gen": 76000}
    sizes = Counter(part.size for part in builder.split["gen"].values())
    assert sizes == {2000: 34, 1000: 8}
    numbers = [part.number for part in builder.split["gen"].values()]
    assert numbers == list(range(1, 43))
    looked_at = [part for part in builder.split["gen"].values() if part.look]
    assert len(looked_at) == 31


def test_groups_of_the_paper():
    """Sentence-weighted groups as recovered from Table 3: 8 patterns are lexical+morphological."""
    parts = read_recipe("sget").builder.split["gen"].values()
    assert Counter(part.group for part in parts) == {
        "lexical": 13,
        "lexical+morphological": 8,
        "structural": 21,
    }


@pytest.mark.slow
def test_full_build_golden(tmp_path, golden):
    """All 130,100 pairs: the hash of every split and a certificate without a broken promise."""
    from recombine.builders.generated.certificate import broken_promises

    benchmark = build("sget", tmp_path / "sget", seed=1)
    files = {n: h for n, h in benchmark.manifest.files.items() if n.endswith(".jsonl")}
    golden("sget/full.sha256", "".join(f"{h}  {n}\n" for n, h in sorted(files.items())))
    certificate = json.loads((benchmark.path / "certificate.json").read_text(encoding="utf-8"))
    assert broken_promises(certificate) == []


@pytest.fixture(scope="module")
def mini(tmp_path_factory) -> list[Example]:
    """What the small recipe tests, with enough passives to see what their subjects are."""
    overrides = ["split.gen.active_to_passive.size=180"]
    built = build("sget-mini", tmp_path_factory.mktemp("mini") / "b", seed=1, overrides=overrides)
    return built.read("gen")


def test_no_slot_of_adjectives_is_filled_twice(mini):
    """Training never fills one twice: a pattern that did would measure something else."""
    lexicon = data_path("grammars", "sget", "abstract.adjectives.lexicon.tsv")
    rows = [row.split("\t") for row in lexicon.read_text(encoding="utf-8").splitlines()]
    slots = {row[0]: row[2].split()[0] for row in rows if len(row) == 3}
    found = {5: Counter(), 6: Counter()}
    for example in mini:
        if example.tags["pattern"] == "adjective_depth_5_6":
            used = [slots[word] for word in example.source.split() if word in slots]
            found[example.tags["depth"]][tuple(used)] += 1
    things, beings = ([f"{kind}{slot}" for slot in range(1, 6)] for kind in ("thing", "living"))
    assert set(found[5]) == {tuple(things), tuple(beings)}
    # The sixth is the slot that the other list has: an origin of things, a colour of beings.
    assert set(found[6]) == {(*things, "living5"), (*beings[:4], "thing5", "living5")}


def test_passives_of_target_verbs_have_any_subject(mini):
    """Beings and names as well as things are seen, known or esteemed; no noun is most of them."""
    heads = Counter()
    for example in mini:
        if example.tags["pattern"] == "active_to_passive":
            words = example.source.split()
            heads[words[len(words) - 1 - words[::-1].index("was") - 1]] += 1
    grammar = Grammar.load("sget")
    kinds = Counter()
    for head, times in heads.items():
        word = grammar.abstract.words[head]
        kinds["name" if word.category == "Name" else word.classes[0]] += times
    assert min(kinds["name"], kinds["animate"], kinds["inanimate"]) > 0.15 * heads.total()
    assert heads.most_common(1)[0][1] < 0.25 * heads.total()


@pytest.fixture(scope="module")
def official() -> Grammar:
    """The published edition of the grammar."""
    return Grammar.load("sget", edition="official")


def test_official_edition_builds_and_keeps_its_quirks(recipe, tmp_path, official):
    """The official edition may repeat sentences across splits and says a obese, guess, supplys."""
    made = build(
        str(recipe), tmp_path / "official", overrides=["edition=official", "disjoint=false"]
    )
    certificate = json.loads((made.path / "certificate.json").read_text(encoding="utf-8"))
    assert certificate["disjoint"] is False
    tree = official.parse("A child guess that Liam ran.", "en").require_tree()
    assert official.text(tree, "ja") == "子供がリアムが走ったことを想像した。"


def test_official_recipe_overlaps_like_the_release(tmp_path):
    """A third of the released test sentences stand in train, too (1,541 of 5,000)."""
    sizes = ["split.train.base.size=40000", "split.dev.base.size=10", "split.test.base.size=1500"]
    overrides = [*sizes, "split.gen={}", "concatenation=false"]
    read = read_recipe("sget-official", overrides).builder
    assert (read.edition, read.disjoint) == ("official", False)
    built = build("sget-official", tmp_path / "official", overrides=overrides)
    train = {example.source for example in built.read("train")}
    test = built.read("test")
    shared = sum(example.source in train for example in test) / len(test)
    assert shared == pytest.approx(1541 / 5000, rel=0.15)


@pytest.mark.parametrize(
    ("english", "japanese"),
    [
        ("A friend in the house was given the book.", "家の中の友達が本をあげられた。"),
        ("What was brought to the boy?", "何が少年に持ってこられたか？"),
        ("A jar on the book changed.", "本の上の瓶が変わった。"),
        ("The book was recognized by Liam.", "本がリアムによって認識された。"),
        ("Sophia was recognized by Liam.", "ソフィアがリアムによって認識された。"),
        ("What was seen?", "何が見られたか？"),
        ("What was broken?", "何が壊されたか？"),
        (
            "The child handed the box beside a table beside a tree beside a house to the teacher.",
            "子供が家の横の木の横のテーブルの横の箱を教師に渡した。",
        ),
        ("Ava broke the beautiful cup.", "アヴァが美しいカップを壊した。"),
        ("The small child cried.", "小さい子供が泣いた。"),
        ("The woman cried.", "女性が泣いた。"),
        ("What did the girl give to the boy?", "少女が何を少年にあげたか？"),
        (
            "The child saw the guy that the friend gave the plant to.",
            "子供が友達が植物をあげた人を見た。",
        ),
        ("Who wanted to talk?", "誰が話したかったか？"),
        ("What did the boy in the car eat?", "車の中の少年が何を食べたか？"),
        ("What did Liam think that the girl broke?", "リアムが少女が何を壊したと思ったか？"),
        ("Who did Liam give a shoe to?", "リアムが靴を誰にあげたか？"),
        ("jump", "飛ぶ"),
        ("thief", "泥棒"),
    ],
)
def test_worked_examples_of_the_paper(official, english, japanese):
    """The paper's examples come out of the official edition, with the released words."""
    assert official.text(official.parse(english, "en").require_tree(), "ja") == japanese


@pytest.mark.reference
@pytest.mark.slow
@pytest.mark.parametrize("name", ["train.tsv", "dev.tsv"])
def test_official_edition_translates_every_published_sentence(reference_data, official, name):
    """Byte for byte: quirks, concatenations, primitives, topics and the embedding order."""
    wrong = []
    for line in (reference_data / "sget" / name).read_text(encoding="utf-8").split("\n"):
        if line:
            english, japanese = line.split("\t")[:2]
            tree = official.parse(english, "en").tree
            if tree is None or official.text(tree, "ja") != japanese:
                wrong.append(english)
    assert wrong == []
