"""Partial Match: the word and the role count, everything else is free."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from recombine.benchmark import Benchmark, Example, Focus
from recombine.builders.check import check_benchmark
from recombine.builders.generated.builder import Generated
from recombine.builders.recipe import build, read_recipe
from recombine.errors import ConfigError
from recombine.grammar import Grammar
from recombine.grammar.parsing.relaxed import relax
from recombine.grammar.tree import Tree
from recombine.metrics.base import Scored
from recombine.metrics.partial import Constituent, Partial, headed
from recombine.metrics.scoring import create_metric, score
from recombine.registry import data_path


@pytest.fixture(scope="module")
def metric() -> Partial:
    """One metric for all, as the grammar is loaded once."""
    return Partial(grammar="sget", edition="official", target_language="ja")


def example(reference: str, rendering: str, role: str) -> Example:
    """An example with one focus."""
    focus = Focus(text="the focus of it", role=role, accepted=(rendering,))
    return Example.make(source="x", references=(reference,), focus=(focus,))


IN_HOUSE = example("家の中の子供が走った。", "家の中の子供", "subj")
THIEF = example("リアムが泥棒に気づいた。", "泥棒", "obj")
TRUSTS = example("子供が魚がライリーが走ったと信じると信じた。", "信じる", "VC")
LENDS = example("リアムがエマに本を貸す。", "貸す", "VD")


@pytest.mark.parametrize(
    ("wanted", "hypothesis", "value", "how"),
    [
        (IN_HOUSE, "家の中の子供が走った。", 1, "exact"),
        (IN_HOUSE, "家の中の子供が歩いた。", 1, "parsed"),
        (IN_HOUSE, "ノアが家の中の子供が本を見つけたと言った。", 1, "parsed"),
        (IN_HOUSE, "子供が走った。", 0, "parsed"),
        (IN_HOUSE, "家の上の子供が走った。", 0, "parsed"),
        (IN_HOUSE, "犬が家の中の子供を見た。", 0, "parsed"),
        (IN_HOUSE, "家の中の子供が走った走った。", 1, "fragments"),
        (IN_HOUSE, "車の横の家の中の子供が走った走った。", 0, "fragments"),
        (IN_HOUSE, "", 0, "fragments"),
        (IN_HOUSE, "\u2028ｘｙｚ", 0, "fragments"),
        (THIEF, "ノアが泥棒に気づいた。", 1, "parsed"),
        (THIEF, "ノアが本の上の泥棒を見た。", 1, "parsed"),
        (THIEF, "ノアが泥棒に本をあげた。", 0, "parsed"),
        (THIEF, "泥棒がリアムに気づいた。", 0, "parsed"),
        (THIEF, "リアムが泥棒をノアに与えた。", 1, "parsed"),
        (LENDS, "ノアが本をエマに貸す。", 1, "parsed"),
        (LENDS, "リアムがエマに本を貸した。", 0, "parsed"),
        (LENDS, "リアムがエマに本を貸す貸す。", 1, "fragments"),
        (TRUSTS, "子供が魚がノアが走ったと信じると信じた。", 1, "parsed"),
        (TRUSTS, "子供が魚がライリーが走ったと信じたと信じた。", 0, "parsed"),
    ],
)
def test_word_and_role(metric, wanted, hypothesis, value, how):
    """Appendix D of the paper: wrong word = wrong, wrong role = wrong, other words free."""
    observation = metric.observe([Scored(wanted, hypothesis)])
    assert (observation.value, observation.detail["how"]) == (value, how)


def test_a_phrase_with_another_head_is_not_tried(metric, monkeypatch):
    """No form of it is in a rendering: the grammar need not say it in its place."""
    tried = []
    monkeypatch.setattr(Partial, "_says_argument", lambda *place: tried.append(place))
    assert metric.observe([Scored(THIEF, "ノアが本を見た。")]).value == 0
    assert tried == []


def test_a_verb_is_said_without_the_particle_of_its_object():
    """The word, and a phrase that is nothing but the word; the phrase with its object has it."""
    grammar = relax(Grammar.load("sget", edition="official"), "ja").grammar
    tree = grammar.parse("ノアが本を持った。", "ja").require_tree()
    realiser = grammar.realiser("ja")
    said = realiser.realise(tree)
    wholes = {
        part.slot: Constituent(realiser, tree, said, child).whole
        for parent, children in enumerate(tree.positions)
        if children
        for part, child in zip(
            grammar.inventory.rule(tree.codes[parent]).parts, children, strict=True
        )
    }
    assert wholes["VT"] == wholes["Vpast"] == "持った"
    assert wholes["VF"] == "本を持った"


def test_a_verb_is_put_where_other_words_agree_with_it():
    """The reference's verb with a subject of the passive: of another category, with its gender."""
    metric = Partial(grammar="sget", target_language="fr")
    wanted = example(
        "Le garçon a garanti à un enfant un gâteau à côté de la table.", "garanti", "VD"
    )
    hypothesis = "L'enfant a dit que le voleur s'était vu proposer un vin par Elijah."
    found = metric.observe([Scored(wanted, hypothesis)])
    assert (found.value, found.detail["how"]) == (0, "parsed")


def test_a_phrase_that_ends_with_a_clause_has_no_comma_of_its_own():
    """The comma behind the clause is the sentence's, whether it stands there or not."""
    metric = Partial(grammar="sget", target_language="de")
    reference = "Eine Mutter dachte, dass der Freund, der es hörte, es wusste."
    wanted = example(reference, "der Freund, der es hörte", "subj")
    for hypothesis, value in (
        ("Mutter dachte, dass der Freund, der es hörte, es wusste.", 1),
        ("Mutter dachte, dass der Mann, der es hörte, es wusste.", 0),
    ):
        found = metric.observe([Scored(wanted, hypothesis)])
        assert (found.value, found.detail["how"]) == (value, "fragments")


def test_a_phrase_is_the_same_with_a_capital():
    """A subject that begins the sentence here and not there; every word of it counts."""
    metric = Partial(grammar="toy", target_language="en")
    wanted = example("The dog beside the house slept.", "The dog beside the house", "subj")
    for hypothesis, value in (
        ("Did the dog beside the house sleep?", 1),
        ("Did the dog beside the garden sleep?", 0),
    ):
        found = metric.observe([Scored(wanted, hypothesis)])
        assert (found.value, found.detail["how"]) == (value, "parsed")


def test_where_no_word_marks_a_role_the_words_are_enough():
    """A subject of English has nothing beside it; the sentence need not parse."""
    metric = Partial(grammar="toy", target_language="en")
    wanted = example("The dog beside the house slept.", "The dog beside the house", "subj")
    found = metric.observe([Scored(wanted, "The dog beside the house slept slept.")])
    assert (found.value, found.detail["how"]) == (1, "fragments")


def test_a_wrong_role_is_named(metric):
    """The observation says where the rendering stood instead."""
    observation = metric.observe([Scored(IN_HOUSE, "犬が家の中の子供を見た。")])
    assert "obj" in observation.detail["elsewhere"]


def test_examples_without_focus_do_not_count(metric):
    """Eleven patterns of the paper have no Partial Match."""
    assert metric.key(Example.make(source="x", references=("y",))) is None
    assert metric.key(IN_HOUSE) == IN_HOUSE.id


def test_signature_names_the_grammar(metric):
    """Another grammar or edition is another number."""
    assert metric.signature() != Partial(grammar="sget", target_language="ja").signature()


def test_a_reference_changed_in_its_frame_only_passes(metric):
    """A verb under another verb has another form, which is not its own."""
    wanted = example("子供が女王がほこりを払うつもりだと言った。", "つもりだ", "VN")
    for hypothesis, value in {
        "子供が女王がほこりを払うつもりであることを願った。": 1,
        "子供が女王がほこりを払うつもりだったと言った。": 0,
        "子供が女王がほこりを払おうとすると言った。": 0,
    }.items():
        assert metric.observe([Scored(wanted, hypothesis)]).value == value, hypothesis


# --- with the benchmark's own grammar

OWN = """
builder = "generated"
grammar = "{grammar}"
[benchmark]
source = "en"
target = "{target}"
metrics = ["partial", "anatomy"]
[split.train.base]
size = 300
pool = "base"
[split.gen.beside_in_subject]
category = "modifiers"
size = 10
pattern = ["decl.subj > beside"]
look = [{{ find = "decl.subj > beside", take = "subj" }}]
"""


@pytest.fixture
def own_grammar(tmp_path: Path) -> Path:
    """A user's grammar: the toy one with other words for dog and house."""
    folder = tmp_path / "mine"
    shutil.copytree(data_path("grammars", "toy"), folder)
    lexicon = folder / "ja.lexicon.tsv"
    text = lexicon.read_text(encoding="utf-8")
    lexicon.write_text(text.replace("犬", "狼").replace("家", "城"), encoding="utf-8")
    return folder


def built(tmp_path: Path, grammar: Path | str, target: str = "ja") -> Benchmark:
    """A benchmark made from a grammar."""
    recipe = tmp_path / "own.toml"
    recipe.write_text(OWN.format(grammar=grammar, target=target), encoding="utf-8")
    return build(str(recipe), tmp_path / "b")


def references(benchmark: Benchmark) -> dict[str, str]:
    """Every example's reference, as a system's translation."""
    return {one.id: one.references[0] for one in benchmark.read("gen")}


@pytest.mark.parametrize("target", ["ja", "de"])
@pytest.mark.parametrize("name", ["partial", "anatomy"])
def test_the_grammar_is_the_one_the_benchmark_was_made_with(tmp_path, own_grammar, name, target):
    """Its words, edition and languages; a wrong subject is wrong in them, too."""
    benchmark = built(tmp_path, own_grammar, target)
    right = references(benchmark)
    subjects = {one.id: one.focus[0].accepted[0] for one in benchmark.read("gen")}
    texts = list(subjects.values())
    others = dict(zip(subjects, [*texts[1:], texts[0]], strict=True))
    wrong = {
        key: text.replace(subjects[key], others[key])
        for key, text in right.items()
        if subjects[key].casefold() != others[key].casefold()
    }
    assert wrong
    for hypotheses, value in ((right, 100.0), (wrong, 0.0)):
        (result,) = score(benchmark, hypotheses, [name], splits=["gen"])
        assert result.mean("") == value
        assert len(result.keys) == len(hypotheses)


@pytest.mark.parametrize("name", ["partial", "anatomy"])
def test_a_benchmark_takes_its_grammar_along(tmp_path, own_grammar, name):
    """Moved, and the user's folder gone or changed: the copy inside is read."""
    benchmark = built(tmp_path, own_grammar)
    before = create_metric(name, benchmark, {}).signature()
    shutil.rmtree(own_grammar)
    moved = Benchmark.open(benchmark.path.rename(tmp_path / "elsewhere"))
    (result,) = score(moved, references(moved), [name], splits=["gen"])
    assert result.mean("") == 100.0
    assert result.signature == before
    assert str(tmp_path) not in before
    assert check_benchmark(moved) == []


@pytest.mark.parametrize("name", ["partial", "anatomy"])
def test_another_grammar_is_never_taken_instead(tmp_path, own_grammar, name):
    """Not there, changed or not named: an error in words, unless the user names one."""
    benchmark = built(tmp_path, own_grammar)
    hypotheses = {key: f"{text}。" for key, text in references(benchmark).items()}

    def fails(message: str) -> None:
        with pytest.raises(ConfigError, match=message):
            score(benchmark, hypotheses, [name], splits=["gen"])

    lexicon = benchmark.path / "grammar" / "mine" / "ja.lexicon.tsv"
    lexicon.write_text(lexicon.read_text(encoding="utf-8").replace("狼", "熊"), encoding="utf-8")
    fails("not the one that the benchmark was made with")
    shutil.rmtree(benchmark.path / "grammar")
    score(benchmark, hypotheses, [name], splits=["gen"])  # the folder it was made from is there
    shutil.rmtree(own_grammar)
    fails("not here")
    score(benchmark, hypotheses, [name], splits=["gen"], options={name: {"grammar": "toy"}})
    benchmark.manifest.recipe.clear()
    fails("names none")


@pytest.mark.parametrize("name", ["partial", "anatomy"])
def test_a_grammar_of_other_sentences_is_found_out(tmp_path, name):
    """Named by the user: substrings are not counted where nothing can be read."""
    benchmark = built(tmp_path, "toy")
    with pytest.raises(ConfigError, match="parses none of the first 10 references"):
        score(
            benchmark,
            references(benchmark),
            [name],
            splits=["gen"],
            options={name: {"grammar": "sget", "edition": "official"}},
        )


def test_a_shipped_grammar_is_named_and_not_copied(tmp_path):
    """Recombine brings it; the edition is the recipe's."""
    benchmark = built(tmp_path, "toy")
    assert not (benchmark.path / "grammar").exists()
    official = build("sget-mini", tmp_path / "o", overrides=["scale=0.2", "edition=official"])
    assert create_metric("partial", official, {}).edition == "official"
    assert create_metric("partial", official, {"edition": "standard"}).edition == "standard"
    assert create_metric("anatomy", official, {"grammar": "sget"}).edition is None


# --- the focus and nothing else: every grammar, pattern and direction

# Patterns of the toy grammar: modified subjects, objects and places, nouns and verbs.
TOY = """
builder = "generated"
grammar = "toy"
[benchmark]
source = "{source}"
target = "{target}"
[split.gen.subject]
size = 4
category = "x"
pattern = ["decl.subj > (beside|rc_subj|rc_obj)"]
look = [{{ find = "decl.subj > (beside|rc_subj|rc_obj)", take = "subj" }}]
[split.gen.object]
size = 4
category = "x"
pattern = ["trans.obj > (beside|plural|indef)"]
look = [{{ find = "trans.obj > (beside|plural|indef)", take = "obj" }}]
[split.gen.noun]
size = 4
category = "x"
targets = ["dog", "frog", "elephant"]
pattern = ["_.obj = $target"]
look = [{{ find = "_.obj = $target", take = "obj", head = true }}]
[split.gen.verb]
size = 4
category = "x"
targets = ["see", "watch"]
pattern = ["(trans|transat).V2 = $target"]
look = [{{ find = "(trans|transat).V2 = $target", take = "V2" }}]
"""
LANGUAGES = ("en", "de", "ja", "tr")
DIRECTIONS = [
    ("sget", "en", "ja"),
    ("sget", "ja", "en"),
    *(("toy", source, target) for source in LANGUAGES for target in LANGUAGES if source != target),
]


@pytest.fixture(scope="module", params=DIRECTIONS, ids="-".join)
def direction(request, tmp_path_factory) -> tuple[Generated, Partial]:
    """A recipe in one direction, and the metric that reads its target language."""
    grammar, source, target = request.param
    if grammar == "toy":
        recipe = tmp_path_factory.mktemp("recipe") / "toy.toml"
        recipe.write_text(TOY.format(source=source, target=target), encoding="utf-8")
        builder = read_recipe(str(recipe)).builder
    else:
        overrides = [f"benchmark.source={source}", f"benchmark.target={target}"]
        builder = read_recipe("sget", overrides).builder
    return builder, Partial(grammar=grammar, target_language=target)


def test_outside_the_focus_all_is_free_and_inside_nothing_is(direction):
    """A reference changed outside the focus passes, changed inside it fails."""
    builder, metric = direction
    blueprint = builder.blueprint()
    grammar = blueprint.grammar
    chance = random.Random(7)
    size = 10 if builder.grammar == "toy" else 2  # sget has 31 patterns with a focus
    phrases = donors(list(grammar.sample(100, seed=6)))
    wrong: list[str] = []
    tried = {"outside": 0, "inside": 0}
    for planned in blueprint.patterns():
        finder = blueprint.finders[planned.split, planned.name]
        if not planned.recipe.look:
            continue
        for draw in planned.draws:
            trees = list(grammar.sample(size, seed=5, constraints=draw.constraints))
            for tree in trees:
                source = grammar.text(tree, builder.source_language)
                target = grammar.text(tree, builder.target_language)
                focus = finder.focus(tree.codes, source, target)
                example = Example.make(source=source, references=(target,), focus=focus)
                if sum(example.references[0].count(one) for one in example.focus[0].accepted) > 1:
                    continue  # said twice: nothing tells which of the two is meant
                node, _ = finder._place(tree.codes)
                for where, changed in (
                    *other_words(grammar, builder.target_language, tree, node, chance),
                    *other_phrases(tree, node, phrases, chance),
                ):
                    hypothesis = grammar.text(changed, builder.target_language)
                    if hypothesis in example.references:
                        continue
                    found = metric.observe([Scored(example, hypothesis)])
                    tried[where] += 1
                    if found.value != (where == "outside"):
                        wrong.append(
                            f"{planned.name}, {where}: {example.references[0]} -> {hypothesis} "
                            f"{example.focus} {found.detail}"
                        )
    assert wrong == []
    assert min(tried.values()) > 20


def other_words(
    grammar: Grammar, language: str, tree: Tree, focus: int, chance: random.Random
) -> Iterator[tuple[str, Tree]]:
    """The tree with one word replaced by another that may stand there, inside or outside."""
    inside = range(focus, focus + len(tree.at(focus)))
    inventory = tree.inventory
    for parent, children in enumerate(tree.positions):
        for part, child in zip(
            inventory.rule(tree.codes[parent]).parts if children else (), children, strict=True
        ):
            code = tree.codes[child]
            if inventory.is_word(code):
                other = chance.choice(choices(grammar, part.symbol))
                if forms(grammar, language, code) & forms(grammar, language, other):
                    continue  # one word to this language, or two that sound alike
                where = "inside" if child in inside else "outside"
                yield where, tree.replace(child, Tree(inventory, (other,)))


def other_phrases(
    tree: Tree, focus: int, phrases: dict[str, list[Tree]], chance: random.Random
) -> Iterator[tuple[str, Tree]]:
    """The tree with another phrase of the same category beside the focus."""
    inside = range(focus, focus + len(tree.at(focus)))
    is_verb = tree.inventory.category(tree.codes[focus]) == "V2"
    clause = {child for top in headed(tree, focus) for child in tree.positions[top]}
    for node in range(1, len(tree.codes)):
        below = range(node, node + len(tree.at(node)))
        category = tree.inventory.category(tree.codes[node])
        if focus not in below and node not in inside and phrases.get(category):
            # What says nothing itself, such as a tense, is said by the verb of its clause.
            silent = is_verb and len(below) == 1 and node in clause
            yield (
                "inside" if silent else "outside",
                tree.replace(node, chance.choice(phrases[category])),
            )


def donors(trees: list[Tree]) -> dict[str, list[Tree]]:
    """Phrases by category."""
    found: dict[str, list[Tree]] = {}
    for tree in trees:
        for node, code in enumerate(tree.codes):
            if not tree.inventory.is_word(code):
                found.setdefault(tree.inventory.category(code), []).append(tree.at(node))
    return found


@cache
def choices(grammar: Grammar, symbol: object) -> tuple[int, ...]:
    """The words that may fill a slot."""
    return tuple(c for c in grammar.inventory.choices(symbol) if grammar.inventory.is_word(c))


def forms(grammar: Grammar, language: str, code: int) -> set[str]:
    """All that a word says in a language."""
    found = grammar.concrete(language).word_forms(code)
    return {text for name, texts in found.items() if name != "part" for text in texts if text}
