"""Invented words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grammar.small_grammar import is_read
from recombine.errors import ConfigError
from recombine.grammar import Grammar, check_grammar
from recombine.grammar.nonce import letters
from recombine.grammar.nonce.donors import Donors
from recombine.grammar.nonce.folder import write_nonce
from recombine.grammar.nonce.proof import prove
from recombine.grammar.nonce.words import Nonce, invent
from recombine.grammar.variants.files import read_variants

ABSTRACT = "%start S\ns : S -> subj:N *V\n"
FRENCH = (
    ("n1", "chat", ""),
    ("n2", "chien", ""),
    ("v1", "trouver", "a trouvé"),
    ("v2", "aimer", "a aimé"),
    ("v3", "regarder", "a regardé"),
    ("v4", "voir", "a vu"),
    ("v5", "faire la sieste", "a fait la sieste"),
)


@pytest.fixture(scope="module")
def sget() -> Grammar:
    """A grammar to invent words for: the shipped one with most words."""
    return Grammar.load("sget")


@pytest.fixture(scope="module")
def invented(sget: Grammar) -> Nonce:
    """Invented words of it."""
    return invent(sget, seed=3)


def test_no_invented_word_is_a_word(sget: Grammar, invented: Nonce) -> None:
    """None is in a lexicon, no two are the same, senses of one form share it, seeds differ."""
    assert invented == invent(sget, seed=3)
    other = invent(sget, seed=4)
    for language, rows in invented.forms.items():
        concrete = sget.concrete(language)
        real = {f for forms in concrete.forms for variants in forms.values() for f in variants}
        old = {w: concrete.word_forms(sget.inventory.code(w))["form"][0] for w in rows}
        new = {word: row["form"] for word, row in rows.items()}
        assert not set(new.values()) & real
        assert len(set(new.values())) == len(set(old.values()))
        assert new["change_tr"] == new["change_intr"] or old["change_tr"] != old["change_intr"]
        assert new != {word: row["form"] for word, row in other.forms[language].items()}
    assert "want_to" in invented.kept  # Japanese says it with an ending, not with a word
    chinese = "".join(row["form"].removesuffix("给") for row in invented.forms["zh"].values())
    assert not set(chinese) & set("了的被把谁那一个位本书马给")  # none is a word or an ending


def test_invented_verbs_inflect_regularly(sget: Grammar, invented: Nonce) -> None:
    """The endings are those of a regular word that ends alike; features stay as they were."""
    english = invented.forms["en"]["break_tr"]
    assert english["past"].endswith("ed")
    assert english["part"] == english["past"]
    endings = {
        "る": ("った", "た"),
        "す": ("した",),
        "く": ("いた",),
        "う": ("った",),
        "む": ("んだ",),
        "つ": ("った",),
        "ぶ": ("んだ",),
        "ぐ": ("いだ",),
        "ぬ": ("んだ",),
    }
    chinese = [row for row in invented.forms["zh"].values() if row["form"].endswith("给")]
    assert len(chinese) > 20
    assert all(row["form"] == row["rec.form"] + "给" for row in chinese)
    for word, row in invented.forms["ja"].items():
        if "past" in row:
            assert row["past"].endswith(endings[row["form"][-1]]), (word, row)
            assert row["past"][0] == row["form"][0]
    for word, row in invented.forms["es"].items():
        if row["form"].endswith(("car", "gar", "zar")) and "pres.sub" in row:
            assert row["pres.sub"].endswith(("que", "gue", "ce")), (word, row)
    real = sget.concrete("ja").word_forms(sget.inventory.code("see_tr"))
    assert invented.forms["ja"]["see_tr"]["part"] == real["part"][0]


def test_the_folder_is_a_grammar_that_parses_all_it_says(tmp_path: Path) -> None:
    """Written out it extends the grammar, has no problem, and reads its own sentences."""
    folder = tmp_path / "toy-nonce"
    found = write_nonce("toy", 5, folder)
    assert check_grammar(folder) == []
    grammar = Grammar.load(folder)
    for language in grammar.languages:
        for tree in grammar.sample(60, seed=1):
            assert is_read(tree, grammar.parse(grammar.text(tree, language), language))
    glossary = (folder / "glossary.csv").read_text(encoding="utf-8").splitlines()
    assert glossary[0] == "category,de,en,ja,tr"
    assert found.forms["en"]["cat"]["form"] in "".join(glossary)
    certificate = json.loads((folder / "nonce.json").read_text(encoding="utf-8"))
    assert certificate["seed"] == 5
    assert certificate["no_word_list_for"] == list(found.missing)
    with pytest.raises(ConfigError, match="exists"):
        write_nonce("toy", 5, folder)


def test_the_shipped_grammar_invents_a_grammar_without_problem(tmp_path: Path) -> None:
    """No text that an invented word can say is a real form, and the editions hold, too."""
    write_nonce("sget", 1, tmp_path / "sn")
    assert check_grammar(tmp_path / "sn") == []
    assert read_variants(tmp_path / "sn", "ja").rows == ()  # no synonym of a real word is drawn
    assert read_variants(tmp_path / "sn", "ja").roles
    certificate = json.loads((tmp_path / "sn" / "nonce.json").read_text(encoding="utf-8"))
    assert set(certificate["real_forms_found"].values()) == {0}
    assert set(certificate["silent_words"].values()) == {0}
    assert min(certificate["texts_compared"].values()) > 1_000


def test_every_cell_of_a_stem_is_made_anew(sget: Grammar, invented: Nonce) -> None:
    """Where other verbs have an auxiliary, a verb of one word has its own new form (admirait)."""
    rows = invented.forms["fr"]
    real = sget.concrete("fr").word_forms(sget.inventory.code("admire_tr"))
    assert real["fin.ind"] == ("admirait",)
    admire = rows["admire_tr"]
    assert admire["fin.ind"] == admire["form"].removesuffix("er") + "ait"
    assert rows["see_tr"]["fin.ind"] == "a"
    several = [w for w, row in rows.items() if " " in row["form"]]
    assert several == []  # a verb of two words becomes one word, and nothing of it stays


def test_verbs_of_one_root_are_made_anew(invented: Nonce) -> None:
    """*gab* is in *geben, zurückgeben, zu essen geben*: a stem of theirs and no function word."""
    rows = invented.forms["de"]
    for word in ("give_dat", "return_dat", "feed_dat", "assign_dat"):
        form, past = rows[word]["form"], rows[word]["past.main"]
        assert past.endswith("te"), word
        assert form.startswith(past[:4]), word
        # Either the prefix is in the infinitive, or *zu* stands beside it.
        assert rows[word]["zu"] == "zu", word
        assert rows[word]["pre"] == '""', word


def test_the_proof_notices_a_word_that_says_nothing(sget: Grammar, invented: Nonce) -> None:
    """No sentence has lost a word; one that says function words alone is named."""
    assert {proof.silent for proof in invented.proof.values()} == {()}
    compiled = sget.concrete("fr")
    script = letters.Script(["mot"])
    rows = {word: dict(row) for word, row in invented.forms["fr"].items()}
    rows["help_tr"] |= {field: '""' for field in rows["help_tr"] if field.startswith("spp.")}
    donors = Donors(compiled, script, sget.inventory.words_of)
    proof = prove(compiled, donors, rows)
    assert proof.silent == ("help_tr",)  # a vu, a: the auxiliary alone is no verb
    assert proof.real == ()


def test_a_verb_of_two_words_is_whole(tmp_path: Path) -> None:
    """The auxiliary stays and the participle is made anew: no sentence loses its verb.

    A light verb is said by one word, which inflects as those beside it do.
    """
    (tmp_path / "abstract.grammar").write_text(ABSTRACT, encoding="utf-8")
    (tmp_path / "fr.grammar").write_text("s = subj V.past\n", encoding="utf-8")
    rows = [f"{word}\t{form}\t{past}\n" for word, form, past in FRENCH]
    (tmp_path / "fr.lexicon.tsv").write_text("id\tform\tpast\n" + "".join(rows), "utf-8")
    (tmp_path / "abstract.lexicon.tsv").write_text(
        "id\tcat\n" + "".join(f"{word}\t{word[0].upper()}\n" for word, *_ in FRENCH), "utf-8"
    )
    assert check_grammar(tmp_path) == []
    invented = invent(Grammar.load(tmp_path), seed=1).forms["fr"]
    for word, row in invented.items():
        if word.startswith("v"):
            assert row["past"] == f"a {row['form'].removesuffix('er')}é", (word, row)
    write_nonce(str(tmp_path), 1, tmp_path / "nonce")
    assert check_grammar(tmp_path / "nonce") == []


def test_word_lists_of_the_machine_are_respected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toy: Grammar
) -> None:
    """A form that a list has is not taken, and a language without a list is named."""
    first = invent(toy, seed=1)
    words = [row["form"] for row in first.forms["en"].values()]
    (tmp_path / "american-english").write_text("\n".join(words), encoding="utf-8")
    monkeypatch.setattr(letters, "DICTIONARIES", tmp_path)
    second = invent(toy, seed=1)
    assert second.lists["en"] == ("american-english",)
    assert "tr" in second.missing
    assert not set(words) & {row["form"] for row in second.forms["en"].values()}


def test_unknown_categories_are_refused(toy: Grammar) -> None:
    """A category that has no words is a mistake."""
    with pytest.raises(ConfigError, match="no words of the category 'Verb'"):
        invent(toy, 1, ["Verb"])


def test_a_y_before_a_vowel_is_a_consonant(tmp_path: Path) -> None:
    """Words like *apoyar* lend their end to a vowel: *predayar*, never *predamyar*."""
    verbs = ["support_that", "admire_that", "hope_that", "fear_that", "learn_that"]
    (tmp_path / "abstract.grammar").write_text("%extends sget\n", encoding="utf-8")
    rows = "".join(f"{verb}\tapoyar\tar\n" for verb in verbs)
    (tmp_path / "es.lexicon.tsv").write_text("id\tform\tclass\n" + rows, encoding="utf-8")
    forms = invent(Grammar.load(tmp_path), seed=7, categories=["VT", "VC"]).forms["es"]
    ends = [row["form"] for row in forms.values() if row["form"].endswith("yar")]
    assert ends
    assert all(form[-4] in "aeiou" for form in ends)
