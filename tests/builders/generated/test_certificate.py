"""The certificate: proved by parsing, proved again from the files, not to be fooled."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from builders.generated.small_recipe import deep, primitive, small_recipe
from recombine.benchmark import Benchmark, Example
from recombine.builders.check import check_benchmark, compare_card
from recombine.builders.generated.blueprint import Blueprint
from recombine.builders.generated.builder import Generated
from recombine.builders.generated.certificate import (
    broken_promises,
    card_of,
    certify,
)
from recombine.builders.generated.judge import Composition
from recombine.builders.generated.lexicon import Lexicon
from recombine.builders.generated.parts import GeneratedOptions, RecipePart
from recombine.builders.generated.proof import look_in_training
from recombine.builders.recipe import build, read_recipe
from recombine.config import parse_config
from recombine.errors import ConfigError
from recombine.files import dump_row, sha256_of, write_json
from recombine.grammar import Grammar
from recombine.grammar.tree import Tree

RECIPE = small_recipe(
    "tiny",
    deep(6, "3"),
    primitive(6),
    """\
[split.gen.pp_on_subject]
size = 12
category = "Phrase recombination"
group = "structural"
pattern = ["_.subj > (agent_mod|patient_mod|recip_mod) > living_pp"]
weights = { "{wh}" = 0, "{topic}" = 0, tell_now = 0, agent_mod = 300, patient_mod = 300 }
look = [{ find = "_.subj > (agent_mod|patient_mod|recip_mod) > living_pp", take = "subj" }]
""",
    exposures=5,
    train=500,
    dev=20,
)


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Benchmark:
    """A small benchmark with one held-out pattern."""
    folder = tmp_path_factory.mktemp("certificate")
    recipe = folder / "tiny.toml"
    recipe.write_text(RECIPE, encoding="utf-8")
    return build(str(recipe), folder / "tiny", seed=3)


@pytest.fixture
def copy(built, tmp_path) -> Path:
    """A copy that a test may damage."""
    return shutil.copytree(built.path, tmp_path / "copy")


def edit(folder: Path, split: str, change, *, pattern: str = "", rows: int = 1) -> None:
    """Change the first rows of a split (of a pattern, where one is named)."""
    path = folder / f"{split}.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")
    for index, line in enumerate(lines):
        row = json.loads(line or "{}")
        if rows and row and pattern in ("", row["tags"]["pattern"]):
            change(row)
            lines[index] = dump_row(row)
            rows -= 1
    assert not rows
    path.write_text("\n".join(lines), encoding="utf-8", newline="\n")


def plant(folder: Path, source: str, reference: str) -> None:
    """Replace the first training sentence by another one."""
    edit(folder, "train", lambda row: row.update(source=source, references=[reference]))


def forge_hashes(folder: Path) -> None:
    """Recompute every hash of the manifest, as a careless or dishonest editor would."""
    manifest = folder / "benchmark.toml"
    text = manifest.read_text(encoding="utf-8")
    for path in sorted(folder.iterdir()):
        if path.name != "benchmark.toml":
            name = re.escape(path.name)
            text = re.sub(
                rf'("?{name}"? = ")[0-9a-f]{{64}}', lambda m, p=path: m[1] + sha256_of(p), text
            )
    manifest.write_text(text, encoding="utf-8", newline="\n")


def forge(folder: Path) -> None:
    """Write the certificate that belongs to the changed rows, and recompute every hash."""
    forge_hashes(folder)
    benchmark = Benchmark.open(folder)
    recipe = parse_config(Generated, benchmark.manifest.recipe)
    blueprint = recipe.blueprint()
    examples = {split: benchmark.read(split) for split in benchmark.splits}
    look = look_in_training(blueprint, examples)
    path = folder / "certificate.json"
    old = json.loads(path.read_text(encoding="utf-8"))
    new = certify(blueprint, recipe.grammar, examples, lambda: look, old["violations"])
    write_json(path, new)
    card = folder / "README.md"
    text = card.read_text(encoding="utf-8")
    told = text.index("## Proved"), text.index("\n# ") if "\n# " in text[1:] else len(text)
    card.write_text(
        text[: told[0]] + card_of(new, examples, blueprint.labels("train")) + text[told[1] :],
        encoding="utf-8",
    )
    forge_hashes(folder)


def messages(folder: Path) -> list[str]:
    """What `recombine check` says."""
    return [problem.message for problem in check_benchmark(Benchmark.open(folder))]


HELD_OUT = ("A friend in the house ran.", "家の中の友達が走った。")


def test_an_honest_build_passes(built):
    """Nothing to complain about, and the numbers are there."""
    assert messages(built.path) == []
    certificate = json.loads((built.path / "certificate.json").read_text(encoding="utf-8"))
    assert broken_promises(certificate) == []
    row = certificate["patterns"]["pp_on_subject"]
    assert (row["sentences"], row["in_train"]) == (12, 0)
    assert certificate["overlaps"] == {"dev in train": 0, "gen in train": 0, "gen in dev": 0}


def test_a_planted_sentence_is_found(copy):
    """One held-out sentence in train: the hash differs and the pattern is seen."""
    plant(copy, *HELD_OUT)
    found = messages(copy)
    assert any("SHA-256" in text for text in found)
    assert any("pp_on_subject" in text and "1 times in train" in text for text in found)


def test_a_planted_sentence_is_found_with_forged_hashes(copy):
    """Recomputed hashes do not help: the certificate is proved by parsing."""
    plant(copy, *HELD_OUT)
    forge_hashes(copy)
    found = messages(copy)
    assert not any("SHA-256" in text for text in found)
    assert any("pp_on_subject" in text and "1 times in train" in text for text in found)
    assert any("A friend in the house ran." in text for text in found)


def test_a_changed_certificate_is_found(copy):
    """A certificate that says otherwise than the files is refused."""
    path = copy / "certificate.json"
    certificate = json.loads(path.read_text(encoding="utf-8"))
    certificate["patterns"]["pp_on_subject"]["sentences"] = 13
    path.write_text(json.dumps(certificate, ensure_ascii=False), encoding="utf-8")
    forge_hashes(copy)
    assert any("certificate says otherwise" in text for text in messages(copy))


def test_a_sentence_outside_the_grammar_is_found(copy):
    """What cannot be parsed cannot be proved."""
    plant(copy, "Colourless ideas sleep.", "無色の考えが眠る。")
    forge_hashes(copy)
    assert any("outside the grammar" in text for text in messages(copy))


def test_two_translations_of_one_sentence_are_found(copy):
    """English to Japanese stays a function."""
    rows = (copy / "train.jsonl").read_text(encoding="utf-8").split("\n")
    second = json.loads(rows[1])
    plant(copy, second["source"], "別の文。")
    forge_hashes(copy)
    assert any("two translations" in text for text in messages(copy))


FAULTS = {
    "a wrong reference in train": (
        "train",
        "base",
        lambda row: row.update(references=["猫が走った。"]),
        "the grammar translates it",
    ),
    "a wrong reference in gen": (
        "gen",
        "deep",
        lambda row: row.update(references=["猫が走った。"]),
        "the grammar translates it",
    ),
    "a second reference that is no variant": (
        "gen",
        "deep",
        lambda row: row["references"].append("猫が走った。"),
        "is no variant of its translation",
    ),
    "a row labelled with a pattern it does not show": (
        "gen",
        "deep",
        lambda row: row["tags"].update(pattern="pp_on_subject"),
        "does not show its pattern: _.subj > ",
    ),
    "a row labelled with no pattern of the recipe": (
        "gen",
        "deep",
        lambda row: row["tags"].update(pattern="nosuch"),
        "no part 'nosuch' in gen",
    ),
    "a junk focus": (
        "gen",
        "pp_on_subject",
        lambda row: row["focus"][0].update(text="junk", start=0, end=4),
        "which is not its focus",
    ),
    "a focus that stands elsewhere": (
        "gen",
        "pp_on_subject",
        lambda row: row["focus"][0].update(start=row["focus"][0]["start"] + 1),
        "which is not its focus",
    ),
    "a focus with another rendering": (
        "gen",
        "pp_on_subject",
        lambda row: row["focus"][0].update(accepted=["猫"]),
        "which is not its focus",
    ),
    "a wrong depth": (
        "gen",
        "deep",
        lambda row: row["tags"].update(depth=4),
        "wrong tags: depth is 3, not 4",
    ),
    "a sentence of another depth": (
        "gen",
        "deep",
        lambda row: row.update(
            source="Liam saw a cat on the road.",
            references=["リアムが道路の上の猫を見た。"],
            focus=[],
        ),
        "does not show its pattern: {pp} and depth of pp in [3]",
    ),
    "a wrong target word": (
        "gen",
        "primitive",
        lambda row: row["tags"].update(target_word="nobody"),
        "wrong tags: target_word is '",
    ),
    "a sentence that does not stand inside a clause": (
        "gen",
        "primitive",
        lambda row: row["tags"].update(in_cp=1),
        "not what 'primitive' asks for",
    ),
    "a training sentence that prepares nothing": (
        "train",
        "exposure/primitive",
        lambda row: row.update(source="Liam ran.", references=["リアムが走った。"]),
        "not what 'exposure/primitive' asks for",
    ),
    "a sentence outside the grammar": (
        "gen",
        "deep",
        lambda row: row.update(source="Colourless ideas sleep.", focus=[]),
        "outside the grammar",
    ),
}


@pytest.mark.parametrize(("split", "pattern", "change", "said"), FAULTS.values(), ids=FAULTS)
def test_every_row_is_what_it_says(copy, split, pattern, change, said):
    """Though all hashes fit and the certificate is that of the changed rows."""
    edit(copy, split, change, pattern=pattern)
    forge(copy)
    problems = check_benchmark(Benchmark.open(copy))
    assert not any("certificate says" in one.message for one in problems)
    assert not any("SHA-256" in one.message for one in problems)
    found = [one for one in problems if said in one.message]
    assert len(found) == 1, [one.message for one in problems]
    assert re.search(rf"{split}\.jsonl:\d+$", str(found[0].where))


def test_all_faults_are_found_at_once(copy):
    """One problem per part and kind of fault, with how many rows have it."""
    edit(copy, "train", lambda row: row.update(references=["猫。"]), pattern="base", rows=5)
    edit(copy, "gen", lambda row: row["tags"].update(depth=4), pattern="deep", rows=2)
    edit(copy, "gen", lambda row: row["focus"].clear(), pattern="pp_on_subject", rows=3)
    edit(copy, "gen", lambda row: row["tags"].update(group_name="x"), pattern="primitive")
    forge_hashes(copy)
    found = "\n".join(messages(copy))
    for said in ("translates it", "depth is 3", "not its focus", "group_name is 'lexical'"):
        assert said in found
    assert "(and 4 more of 'base')" in found
    assert "(and 1 more of 'deep')" in found
    assert "(and 2 more of 'pp_on_subject')" in found
    assert "certificate says otherwise: splits.train.sha256" in found


def test_depths_that_contradict_what_is_held_out_are_refused(built, tmp_path):
    """A card must not say "held out: depth in [5, 6]" of sentences of depth 2."""
    override = 'split.gen.cp_depth_5_6.depth_outside={cp="2"}'
    with pytest.raises(ConfigError, match="not within its depth"):
        build("sget-mini", tmp_path / "b", overrides=[override])
    folder = shutil.copytree(built.path, tmp_path / "stored")
    manifest = folder / "benchmark.toml"
    text = manifest.read_text(encoding="utf-8")
    table = "[recipe.split.gen.deep.depth_outside]\n"
    assert table in text
    manifest.write_text(text.replace(table, table + 'pp = "2"\n'), encoding="utf-8")
    assert any("not within its depth" in text for text in messages(folder))


def test_the_other_edition_is_no_excuse(copy):
    """References are those of the benchmark's own edition."""
    manifest = copy / "benchmark.toml"
    text = manifest.read_text(encoding="utf-8")
    other = text.replace('grammar = "sget"', 'grammar = "sget"\nedition = "official"')
    manifest.write_text(other, encoding="utf-8")
    assert any("the grammar translates it" in text for text in messages(copy))


def holding_out(grammar: Grammar, **options) -> Blueprint:
    """A recipe that holds one part out."""
    part = RecipePart(size=1, category="c", **options)
    return Blueprint(grammar, GeneratedOptions(split={"gen": {"part": part}}))


def test_depths_are_held_out_too():
    """A pattern may be a depth: three prepositional phrases, not two and not four."""
    grammar = Grammar.load("sget")
    held = holding_out(grammar, pattern=("{pp}",), depth={"pp": "3"})
    sources = [
        "Liam saw a book in a car on the road.",
        "Liam saw a book in a car on the road beside a house.",
        "Liam saw a book in a car on the road beside a house in the garden.",
    ]
    train = [Example.make(source=source) for source in sources]
    shown, unparsed, words = look_in_training(held, {"train": train})["train"]
    assert shown["part"] == (1, [sources[1]])
    assert unparsed == 0
    assert words["Liam"] == 3


def test_lexicon_goes_by_text():
    """Forms and lemmas come from the words of a sentence, not from its tree."""
    lexicon = Lexicon(Grammar.load("sget"), "en")
    tokens = lexicon.tokens(["The thieves ran.", "A child ran?"])
    assert tokens == {"The", "thieves", "ran", "A", "child"}
    assert {"run", "child", "thieves"} <= lexicon.lemmas(tokens)
    assert {"lends", "lent", "lend"} <= lexicon.forms_of(["lend_dat"])


def test_words_that_a_pattern_forbids_decide_too():
    """Trees of one structure are judged once, but not where a word of the pattern differs."""
    grammar = Grammar.load("sget")
    held = holding_out(grammar, pattern=("_ & !Liam",)).held
    parse = grammar.parser("en").parse
    shown = [held.shown_by(parse(text).require_tree().codes) for text in ("Liam ran.", "Emma ran.")]
    assert shown == [(), ("part",)]


def test_card_names_proofs_and_examples():
    """Overlaps, violations, patterns and examples."""
    certificate = {
        "sources_with_two_translations": 0,
        "overlaps": {"dev in train": 0},
        "violations": {"train": 7},
        "patterns": {
            "p": {"held_out": "a | b", "sentences": 3, "in_train": 0, "new_word_forms": ["lends"]}
        },
    }
    train = [
        Example.make(source=f"{label}.", tags={"pattern": label})
        for label in ("base", "exposure/p")
    ]
    gen = Example.make(source="A.", references=("B。",), tags={"pattern": "p"})
    rows = {"train": train, "gen": [gen]}
    text = card_of(certificate, rows, {"base"})
    for part in (
        "dev in train: 0",
        "train 7",
        "| p | `a \\| b` | 3 | 0 | lends |",
        "A. -> B。",
        "base: base.",
    ):
        assert part in text
    assert "exposure/p" not in text


def test_card_names_grammar_edition_and_fixes(built):
    """How the data was made stands before the proofs, the notes of the grammar after them."""
    text = (built.path / "README.md").read_text(encoding="utf-8")
    assert "grammar `sget`, edition `standard`" in text
    assert "moose" in text
    assert "**Counted** on" in text  # how many pairs were read, and how many were wrong or odd


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("README.md", "# tiny 1", "# sget 1"),
        ("README.md", "seed 3", "seed 4"),
        ("README.md", "- dev in train: 0", "- dev in train: 1"),
        ("README.md", "edition `standard`", "edition `official`"),
        ("benchmark.toml", 'name = "tiny"', 'name = "sget"'),
    ],
)
def test_the_card_says_what_was_proved(copy, name, old, new):
    """Its words are checked, not only its hash; so a name that was changed is noticed."""
    path = copy / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="\n")
    forge_hashes(copy)
    (problem,) = check_benchmark(Benchmark.open(copy))
    assert "the data card says otherwise" in problem.message
    assert problem.where.path.endswith("README.md")
    card = (copy / "README.md").read_text(encoding="utf-8").split("\n")
    assert problem.where.text == card[problem.where.line - 1]
    assert problem.where.column == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda found: found["violations"].update(gen=9), "violations.gen is"),
        (lambda found: found.update(blessed=True), "blessed is None, not True"),
        (lambda found: found["patterns"]["deep"].update(read=9), "patterns.deep.read is None"),
    ],
)
def test_a_certificate_says_nothing_else(copy, change, said):
    """Pairs of words that do not go together are counted again; what nobody proved is no proof."""
    path = copy / "certificate.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    change(found)
    write_json(path, found)
    forge_hashes(copy)
    problems = [str(one) for one in check_benchmark(Benchmark.open(copy))]
    assert [one for one in problems if said in one]


def test_sentences_outside_the_grammar_count_each_time(built):
    """Training repeats its sentences; a strange one that comes three times is three."""
    blueprint = parse_config(Generated, built.manifest.recipe).blueprint()
    strange = Example.make(source="Colourless ideas sleep.", references=("…",))
    assert look_in_training(blueprint, {"train": [strange] * 3})["train"].unparsed == 3


def test_a_form_that_training_does_not_show_breaks_the_promise(built):
    """Every kind of broken promise is told by its words."""
    certificate = json.loads((built.path / "certificate.json").read_text(encoding="utf-8"))
    assert broken_promises(certificate) == []
    row = certificate["patterns"]["deep"]
    for key, said in (
        ("unexpected_word_forms", "the word form 'ran'"),
        ("lemmas_not_in_train", "the word 'ran'"),
    ):
        changed = {**certificate, "patterns": {"deep": {**row, key: ["ran"]}}}
        assert broken_promises(changed) == [f"pattern 'deep': training does not show {said}"]


def test_what_a_pattern_forbids_need_not_be_there():
    """A tree without a prepositional phrase shows a pattern that asks for none."""
    grammar = Grammar.load("sget")
    parse = grammar.parser("en").parse
    without, with_one = (
        parse(text).require_tree().codes
        for text in ("Liam saw a book.", "Liam saw a book in a car.")
    )
    sentence = grammar.inventory.labels[without[0]]
    assert without[0] == with_one[0]
    held = holding_out(grammar, pattern=(f"{sentence} !>> {{pp}}",)).held
    assert [held.shown_by(without), held.shown_by(with_one)] == [("part",), ()]


def test_the_card_shows_two_sentences_of_each_pattern(copy):
    """More would be a second copy of the benchmark."""
    card = (copy / "README.md").read_text(encoding="utf-8")
    assert card.count("- gen, deep: ") == 2


def test_a_card_that_cannot_be_read_is_a_problem(copy):
    """A benchmark without its card is not one that says what was proved."""
    (copy / "README.md").unlink()
    (problem,) = compare_card(Benchmark.open(copy))
    assert "the data card cannot be read" in problem.message


def test_a_target_that_training_does_not_show_is_shown_no_time(built):
    """Not once."""
    blueprint = parse_config(Generated, built.manifest.recipe).blueprint()
    examples = {split: built.read(split) for split in built.splits}
    shown = [one for one in examples["train"] if "thief" not in one.source.casefold()]
    assert len(shown) < len(examples["train"])
    examples["train"] = shown
    look = look_in_training(blueprint, examples)
    found = certify(blueprint, "sget", examples, lambda: look, {})
    assert found["patterns"]["primitive"]["targets_in_train"]["thief"] == 0
    assert found["patterns"]["primitive"]["targets_in_train"]["author"] > 0


def test_composed_parts_are_proved_in_depth():
    """The right rule with constituents that its slots do not ask for is not what was composed."""
    blueprint = read_recipe("sget").builder.blueprint()
    inventory = blueprint.grammar.inventory
    (part,) = (one for one in blueprint.parts if one.name == "concat_pp_ce_adj")
    root = inventory.code(part.recipe.compose)
    pieces = [
        next(blueprint.grammar.sampler(draw.constraints).draw_codes(1, seed=1, stream=draw.name))[1]
        for draw in part.draws
    ]
    composed = Composition(inventory, part.recipe.compose, part.draws)

    def admitted(first, second, third):
        return composed.admits(Tree(inventory, (root, *first, *second, *third)))

    pp, ce, adj = pieces
    assert admitted(pp, ce, adj)
    assert not admitted(ce, pp, adj)
    assert not admitted(pp, ce, ce)
