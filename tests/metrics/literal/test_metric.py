"""Literal translation of idioms: published classifier and the neutral one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recombine.benchmark import Example, Focus
from recombine.builders.consistency.examples import idiom_example
from recombine.builders.consistency.wordlists import read_idioms
from recombine.metrics.base import Scored
from recombine.metrics.literal.metric import (
    LiteralControl,
    LiteralTranslation,
    contains_keyword,
    degeneracy,
)

KEYWORDS = ("tijd", "even", "tijdje")


def idiom(
    hypothesis: str,
    reference: str | None = None,
    *,
    keywords: tuple[str, ...] = KEYWORDS,
    source: str = "I play it once in a while when I can .",
    **tags: str,
) -> Scored:
    """Return a translated sentence with 'once in a while'."""
    return Scored(
        Example.make(
            source=source,
            references=(reference,) if reference else (),
            tags=tags,
            focus=(
                Focus(text="once in a while", role="idiom"),
                Focus(text="while", role="keyword", accepted=keywords),
            ),
            salt=hypothesis,
        ),
        hypothesis,
    )


def classes(metric: LiteralTranslation, items: list[Scored]) -> list[str | None]:
    """Return the label of every item, None for excluded ones."""
    metric.prepare(items)
    return [
        None if observed is None else str(observed.detail["class"])
        for observed in (metric.observe([item]) for item in items)
    ]


@pytest.mark.parametrize(
    ("target", "text", "said", "label"),
    [
        ("fr", "by heart", "Je connaissais la formule par cœur.", "paraphrase"),
        ("fr", "by heart", "Je connaissais la formule avec le cœur.", "literal"),
        ("fr", "in tandem", "Nous travaillerons avec eux en tandem.", "paraphrase"),
        ("fr", "in the final analysis", "En dernière analyse, c'est ce qui compte.", "paraphrase"),
        ("fr", "in the final analysis", "Dans l'analyse finale, c'est ce qui compte.", "literal"),
        ("fr", "once in a while", "Je le jouerai de temps en temps.", "paraphrase"),
        ("fr", "by dint of", "Nous en faisons partie à force d'engagement.", "paraphrase"),
        ("fr", "out of the blue", "C'est juste sorti du bleu.", "literal"),
        ("it", "state of the art", "È lo stato dell'arte.", "paraphrase"),
        ("fr", "state of the art", "C'est un état de l'art.", "paraphrase"),
        ("es", "state of the art", "Esto es un estado  del arte.", "paraphrase"),
        ("fr", "do the right thing", "Fais juste la bonne chose.", "paraphrase"),
        ("fr", "do the right thing", "Fais la chose juste.", "literal"),
        ("it", "state of the art", "È uno stato di arte.", "literal"),
        ("es", "in tandem", "Trabajaremos con ellos en tándem.", "paraphrase"),
        ("es", "in tandem", "Obraremos con ellos en el tándem.", "paraphrase"),
        ("pt", "state of the art", "Este é um estado da arte.", "paraphrase"),
        ("pt", "in the final analysis", "Em última análise, isso é o que importa.", "paraphrase"),
        ("pt", "out of your mind", "Você saiu de sua mente.", "literal"),
        ("ca", "in tandem", "Treballarem amb ells en tàndem.", "paraphrase"),
        ("ca", "set eyes on", "Mai havia posat els ulls en ell.", "paraphrase"),
        ("ca", "take stock", "Dur estoc de les lliçons.", "literal"),
    ],
)
def test_what_people_say_is_not_literal(target: str, text: str, said: str, label: str) -> None:
    """A normal rendering that holds the idiom's word is none that betrays anything."""
    (found,) = (one for one in read_idioms("en", target) if one.text == text)
    source = found.clause.replace('"', "").removeprefix("that said").strip()
    item = Scored(idiom_example(source, found, {}), said)
    assert classes(LiteralTranslation(), [item]) == [label]


@pytest.mark.parametrize("target", ["ca", "da", "de", "es", "fr", "it", "nl", "pt", "sv"])
def test_lists_hold_words(target: str) -> None:
    """No rest of a web page, and no word that is said without the idiom in every sentence."""
    for found in read_idioms("en", target):
        assert not [word for word in found.literal if "&" in word or "#" in word], found.text


def test_a_language_without_a_list_says_so() -> None:
    """Nobody knows there which literal renderings are normal."""
    metric = LiteralTranslation()
    metric.prepare([idiom("Ik speel het in een tijd")])
    assert "may be" in metric.notes()["beware"]
    (listed,) = (one for one in read_idioms("en", "fr") if one.text == "by heart")
    item = Scored(idiom_example(listed.text, listed, {}), "par coeur")
    metric.prepare([item])
    assert "beware" not in metric.notes()


def test_official_is_a_substring_anywhere() -> None:
    """'altijd' counts as literal, a copied keyword does not."""
    items = [idiom("Ik speel altijd"), idiom("Ik speel soms"), idiom("Ik speel once in a while")]
    assert classes(LiteralTranslation(mode="official"), items) == [
        "literal",
        "paraphrase",
        "paraphrase",
    ]


def test_official_filters_natural_references() -> None:
    """Natural examples with a literal reference are left out and counted."""
    items = [
        idiom("Ik speel af en toe", "Eens in de tijd"),
        idiom("Ik speel af en toe", "Af en toe", data="natural"),
        idiom("Ik speel af en toe .", "Eens in de tijd", data="synthetic"),
    ]
    metric = LiteralTranslation(mode="official")
    assert classes(metric, items) == [None, "paraphrase", "paraphrase"]
    assert metric.notes()["excluded"] == {"the reference is literal": 1}
    everything = LiteralTranslation(mode="official", only_paraphrased=False)
    assert classes(everything, items) == ["paraphrase", "paraphrase", "paraphrase"]


def test_neutral_matches_words_forms_and_copies() -> None:
    """Whole words and their endings count, parts of other words do not, copies do."""
    items = [
        idiom("Ik speel het altijd als ik kan ."),
        idiom("Ik speel het een tijd als ik kan ."),
        idiom("Ik speel het in tijden als ik kan ."),
        idiom("Ik speel het once in een while als ik kan ."),
        idiom("Ik speel het soms als ik kan ."),
    ]
    assert classes(LiteralTranslation(), items) == [
        "paraphrase",
        "literal",
        "paraphrase",
        "copied",
        "paraphrase",
    ]


def test_own_translation_of_the_bare_word_is_a_block_list() -> None:
    """Without an idiom file the system's own rendering of 'while' betrays it."""
    words = {"while": "tiempo", "thing": "cosa", "mind": "mente", "art": "arte", "board": "tabla"}
    probes = [
        Scored(
            Example.make(
                source=f"This is a {word} .", focus=(Focus(text=word, role="word"),), role="word"
            ),
            f"Esto es un {rendering} .",
        )
        for word, rendering in words.items()
    ]
    items = [
        idiom("Lo toco una vez en un tiempo cuando puedo .", keywords=()),
        idiom("Esto lo toco de vez en cuando es un decir .", keywords=()),
    ]
    metric = LiteralTranslation()
    metric.prepare([*probes, *items])
    labels = [metric.observe([item]) for item in items]
    assert [label.detail["class"] for label in labels if label] == ["literal", "paraphrase"]
    assert classes(LiteralTranslation(block_lists=("file",)), items) == [None, None]


def test_dictionary_and_lemmas(tmp_path: Path) -> None:
    """A bilingual word list blocks words, a lemma list finds their irregular forms."""
    dictionary = tmp_path / "words.tsv"
    dictionary.write_text("# en\tnl\nwhile\tpoos; een wijl\n", encoding="utf-8")
    lemmas = tmp_path / "lemmas.tsv"
    lemmas.write_text("pozen\tpoos\n", encoding="utf-8")
    items = [
        idiom("Ik speel het een poos als ik kan .", keywords=()),
        idiom("Ik speel het bij pozen als ik kan .", keywords=()),
        idiom("Ik speel het een wijl als ik kan .", keywords=()),
    ]
    assert classes(LiteralTranslation(dictionary=dictionary), items) == [
        "literal",
        "paraphrase",
        "literal",
    ]
    both = LiteralTranslation(dictionary=dictionary, lemmas=lemmas)
    assert classes(both, items) == ["literal", "literal", "literal"]


def test_idioms_that_are_literal_in_the_target_language_are_set_apart() -> None:
    """When references are often literal, so may the system be."""
    items = [idiom("Ik speel het een tijd als ik kan .", "Een tijd") for _ in range(10)]
    items += [idiom("Ik speel het soms als ik kan .", "Soms") for _ in range(15)]
    metric = LiteralTranslation()
    labels = classes(metric, items)
    assert set(labels) == {"set apart"}
    assert metric.notes()["set_apart"] == {"once in a while": 0.4}


def test_degenerate_outputs_do_not_count() -> None:
    """Silence, babble and copies are no paraphrases."""
    items = [
        idiom(""),
        idiom("de de de de de de de"),
        idiom("Ik"),
        idiom("I play it once in a while when I can ."),
        idiom("Ik speel het soms als ik kan ."),
    ]
    labels = classes(LiteralTranslation(), items)
    assert labels == ["degenerate", "degenerate", "degenerate", "degenerate", "paraphrase"]
    assert classes(LiteralTranslation(gate=False), items)[0] == "paraphrase"


def test_a_keyword_outside_the_idiom_says_nothing() -> None:
    """Beside "while you sing" a literal "while" in the output may be right."""
    metric = LiteralTranslation()
    items = [
        idiom("Ik speel het een tijd terwijl jij zingt .", source=source)
        for source in (
            "I play it once in a while while you sing .",
            "I play it once in a while and you sing .",
        )
    ]
    assert classes(metric, items) == [None, "literal"]
    assert metric.notes()["excluded"] == {"a keyword stands outside the idiom as well": 1}


def test_literal_uses_are_the_control() -> None:
    """A literal use is not overgeneralised; it has its own score."""
    item = idiom("Een tijd lang speelde ik het .", use="literal")
    assert LiteralTranslation().key(item.example) is None
    control = LiteralControl()
    assert control.key(item.example) == item.example.id
    assert classes(control, [item]) == ["literal"]


@pytest.mark.reference
def test_recorded_translations_of_ten_idioms(reference_data: Path) -> None:
    """Official mode gives the expected shares on real OPUS-MT output, to four digits."""
    folder = reference_data / "paradox" / "idiom_translations"
    idioms = {one.text: one for one in read_idioms("en", "nl")}
    header, *rows = (folder / "EXPECTED.tsv").read_text("utf-8").splitlines()
    for row in rows:
        expected = dict(zip(header.split("\t"), row.split("\t"), strict=True))
        name = expected["idiom"].replace(" ", "_")
        lines = (folder / f"{name}.tsv").read_text("utf-8").split("\n")[1:-1]
        items = []
        for line in lines:
            source, reference, hypothesis = line.split("\t")
            example = idiom_example(
                source, idioms[expected["idiom"]], {"data": "natural"}, reference
            )
            items.append(Scored(example, hypothesis))
        for only_paraphrased, column in (
            (False, "overgen_all"),
            (True, "overgen_ref_paraphrase_only"),
        ):
            metric = LiteralTranslation(mode="official", only_paraphrased=only_paraphrased)
            metric.prepare(items)
            seen = [metric.observe([item]) for item in items]
            stats = np.array([one.stats for one in seen if one is not None])
            assert f"{metric.aggregate(stats) / 100:.4f}" == expected[column]
        assert len(stats) == int(expected["n_ref_paraphrase"])


def test_what_each_label_is_worth() -> None:
    """Literal and copied are 1, a paraphrase 0; what is no translation has no part in the share."""
    items = [
        idiom("Ik speel het een tijd als ik kan ."),
        idiom("Ik speel het once in een while als ik kan ."),
        idiom("Ik speel het soms als ik kan ."),
        idiom(""),
    ]
    metric = LiteralTranslation()
    metric.prepare(items)
    seen = [metric.observe([item]) for item in items]
    assert [(one.value, one.stats) for one in seen if one] == [
        (1.0, (1.0, 1.0)),
        (1.0, (1.0, 1.0)),
        (0.0, (0.0, 1.0)),
        (0.0, (0.0, 0.0)),
    ]
    assert [one.detail for one in seen if one] == [
        {"class": "literal", "idiom": "once in a while", "keyword": "tijd"},
        {"class": "copied", "idiom": "once in a while", "keyword": "while"},
        {"class": "paraphrase", "idiom": "once in a while"},
        {"class": "degenerate", "idiom": "once in a while", "keyword": "empty"},
    ]
    for one, item in zip(seen, items, strict=True):
        assert one is not None
        assert one.ids == (one.key,) == (item.example.id,)
    official = LiteralTranslation(mode="official")
    assert classes(official, [idiom("x", keywords=())]) == [None]
    assert official.notes()["excluded"] == {"the idiom has no keywords for this target language": 1}
    assert classes(metric, [idiom("x", keywords=())]) == [None]
    assert metric.notes()["excluded"] == {"no block-list for the idiom": 1}


@pytest.mark.parametrize(
    ("literal", "all_of", "apart"), [(5, 20, {"once in a while": 0.25}), (4, 20, {}), (10, 19, {})]
)
def test_an_idiom_is_set_apart_by_enough_references(
    literal: int, all_of: int, apart: dict[str, float]
) -> None:
    """More than a fifth of at least twenty; the paper keeps those with over 80% paraphrases."""
    references = ["Een tijd"] * literal + ["Soms"] * (all_of - literal)
    metric = LiteralTranslation()
    metric.prepare([idiom("Ik speel het soms .", reference) for reference in references])
    assert metric.notes()["set_apart"] == apart


@pytest.mark.parametrize(
    ("others", "having", "common"), [(20, 3, True), (20, 2, False), (19, 9, False)]
)
def test_a_word_of_other_sentences_betrays_nothing(others: int, having: int, common: bool) -> None:
    """Listed or not: it stands in more than a tenth of at least twenty with other idioms."""
    other = [
        Scored(
            Example.make(
                source="It costs an arm and a leg here .",
                focus=(
                    Focus(text="an arm and a leg", role="idiom"),
                    Focus(text="leg", role="keyword", accepted=("been",)),
                ),
                salt=str(number),
            ),
            "Dat is er even duur ." if number < having else "Dat is er duur .",
        )
        for number in range(others)
    ]
    item = idiom("Ik speel het even als ik kan .")
    plain = Scored(Example.make(source="a dog"), "een hond")  # has no idiom, wherever it stands
    metric = LiteralTranslation()
    assert classes(metric, [plain, item, *other])[1] == ("paraphrase" if common else "literal")
    assert metric.notes()["too_common"] == ({"once in a while": ["even"]} if common else {})


def test_whole_words_alone_where_that_is_asked_for() -> None:
    """An inflected form is found by default."""
    items = [
        idiom("Ik speel met blauwe ballen .", keywords=("blauw",)),
        idiom("Ik speel met iets blauw .", keywords=("blauw",)),
    ]
    assert classes(LiteralTranslation(), items) == ["literal", "literal"]
    assert classes(LiteralTranslation(match="word"), items) == ["paraphrase", "literal"]


def test_lists_are_taken_where_they_are_asked_for(tmp_path: Path) -> None:
    """The file, a dictionary and the system's own words, each alone; the signature says which."""
    dictionary = tmp_path / "words.tsv"
    dictionary.write_text("While\tpoos\nwhile\twijl\n", encoding="utf-8")
    probe = Scored(
        Example.make(source="while", focus=(Focus(text="While", role="word"),)), "stond !"
    )
    items = [
        idiom(f"Ik speel het een {word} als ik kan .") for word in ("tijd", "poos", "wijl", "stond")
    ]
    for lists, literal in (("file", "1000"), ("dictionary", "0110"), ("system", "0001")):
        metric = LiteralTranslation(block_lists=(lists,), dictionary=dictionary)  # type: ignore[arg-type]
        found = classes(metric, [probe, *items])[1:]
        assert found == [("paraphrase", "literal")[int(one)] for one in literal]
        assert f"|lists:{lists}|" in metric.signature()


def test_where_the_idiom_begins_is_given_or_looked_for() -> None:
    """Another one of its words counts before and behind it, whatever its case."""

    def asked(source: str, start: int | None) -> Scored:
        end = None if start is None else start + len("once in a while")
        focus = (
            Focus(text="once in a while", role="idiom", start=start, end=end),
            Focus(text="while", role="keyword", accepted=KEYWORDS),
        )
        return Scored(Example.make(source=source, focus=focus), "Ik speel het een tijd .")

    alone, before = "Once in a while I play it .", "While I play once in a while it rains ."
    behind = "Once in a while I play while it rains ."
    for start in (None, 0):
        assert classes(LiteralTranslation(), [asked(alone, start)]) == ["literal"]
        assert classes(LiteralTranslation(), [asked(behind, start)]) == [None]
    for start in (None, 13):
        assert classes(LiteralTranslation(), [asked(before, start)]) == [None]


def test_settings_that_change_labels_are_in_the_signature() -> None:
    """Matching, lists, references, the gate; the published classifier has its own."""
    assert LiteralTranslation().signature() == (
        "literal|mode:neutral|match:inflected|lists:file+dictionary+system"
        "|references:paraphrased|lexicalised:0.2|gate:yes"
    )
    other = LiteralTranslation(match="word", only_paraphrased=False, gate=False)
    assert "|match:word|" in other.signature()
    assert "|references:all|lexicalised:0.2|gate:no" in other.signature()
    assert LiteralTranslation(mode="official").signature() == (
        "literal|mode:official|references:paraphrased|source:Dankers2022"
    )


def test_sentences_without_an_idiom_or_of_another_use_do_not_apply() -> None:
    """They have no key."""
    assert LiteralTranslation().key(Example.make(source="a dog")) is None
    plain = Example.make(source="a dog", focus=(Focus(text="dog", role="keyword"),))
    assert LiteralTranslation().key(plain) is None
    assert LiteralControl().key(idiom("x").example) is None


def test_keywords_match_anywhere() -> None:
    """Substring of the lower-cased output: 'tijd' in 'altijd' counts, as published."""
    assert contains_keyword("Hij speelt ALTIJD", ("tijd",))
    assert not contains_keyword("Hij speelt nooit", ("tijd",))


WHOLE = "The man that sleeps admires the old king of Spain ."


@pytest.mark.parametrize(
    ("hypothesis", "reason"),
    [
        ("", "empty"),
        (" . . .", "empty"),
        ("El", "short"),
        ("el " * 50, "long"),
        ("el el el el el el rey", "repetitive"),
        (WHOLE, "copy"),
        ("El hombre que duerme admira al viejo rey de España .", None),
        ("睡着的男人钦佩西班牙老国王。", None),
        # Of ten words three are enough and forty not too many; half may be one word.
        ("El rey duerme", None),
        ("El rey", "short"),
        ("a b c d " * 10, None),
        ("a b c d " * 10 + "e", "long"),
        ("el el el rey que duerme", None),
        ("el el el el rey que", "repetitive"),
        ("el el el", None),
        # Seven of its words may have come through.
        ("The man that sleeps admires the old rey de Francia", None),
        ("The man that sleeps admires the old king de Francia", "copy"),
    ],
)
def test_what_is_no_translation(hypothesis: str, reason: str | None) -> None:
    """Silence, babble and copies are told from translations in any script."""
    assert degeneracy(WHOLE, hypothesis) == reason
