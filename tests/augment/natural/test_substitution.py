"""Running text: words take the places of others that were seen between the same neighbours."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from recombine.augment import AugmentOptions, Pair, Recombiner
from recombine.augment.methods import augment
from recombine.augment.natural.substitution import Substitution
from recombine.errors import DataError

CITIES = {f"Ci{x}ty": f"Sta{x}dt" for x in "abcdefgh"}
DAYS = {f"mon{x}th": f"Mo{x}nat" for x in "abcdefgh"}
OPTIONS = AugmentOptions(
    n=200, source_language="en", target_language="de", place_similarity=0.1, places=2
)


def running_text() -> list[Pair]:
    """600 sentences, none built as another; cities and months stand between the same words."""
    stream = random.Random(4)
    rows = []
    for number in range(600):
        noise = [f"{stream.choice('bdfgk')}{stream.choice('aeiou')}{number}" for _ in range(6)]
        city, day = stream.choice(sorted(CITIES)), stream.choice(sorted(DAYS))
        one, other = noise[:3], noise[3:]
        left, right = stream.choice(["in", "near"]), stream.choice(["we", "they"])
        made = {"in": "in", "near": "bei", "we": "wir", "they": "sie"}
        rows.append(
            Pair(
                f"{' '.join(one)} {left} {city} {right} said in {day} {' '.join(other)}.",
                f"{' '.join(w.upper() for w in one)} {made[left]} {CITIES[city]} {made[right]} "
                f"sagten im {DAYS[day]} {' '.join(w.upper() for w in other)}.",
                f"p{number}",
            )
        )
    return rows


@pytest.fixture(scope="module")
def learnt() -> Substitution:
    """What was learnt of the text, frequent words included: it is small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("recombine.augment.natural.environments.FREQUENT", 1.0)
        return Substitution.learn(running_text(), OPTIONS)


def test_words_are_exchanged_for_words_of_their_places_in_both_languages(learnt):
    """A city for a city, a month for a month, and the same on the other side."""
    known = {pair.id: pair for pair in running_text()}
    drawn = list(learnt.draw(100))
    assert len(drawn) == 100
    for pair in drawn:
        old = known[pair.parents[0]]
        changed = [
            (a, b)
            for a, b in zip(old.source[:-1].split(), pair.source[:-1].split(), strict=True)
            if a.lower() != b.lower()
        ]
        assert 1 <= len(changed) <= 3
        assert len(changed) == len(pair.steps)
        for a, b in changed:
            words = CITIES if a in CITIES else DAYS
            assert {a, b} <= words.keys()
            assert words[b] in pair.target
            assert words[a] not in pair.target


def test_the_same_seed_draws_the_same_pairs(learnt):
    """Same input and seed, same bytes; no source twice, none that is in training."""
    first = list(learnt.draw(50, seed=3))
    assert first == list(learnt.draw(50, seed=3))
    assert first != list(learnt.draw(50, seed=4))
    known = {pair.source for pair in running_text()}
    assert len({pair.source for pair in first} - known) == 50


def test_a_drawn_sentence_is_explained(learnt):
    """The training pair, and each word that was exchanged."""
    pair = next(learnt.draw(1))
    lines = learnt.explain(pair.source)
    assert lines
    assert lines[0].startswith("from: ")
    assert sorted(lines[1:]) == sorted(pair.steps)
    assert learnt.explain("nothing like it.") is None


def test_fixed_expressions_stay(monkeypatch):
    """Where two words mostly have this one beside them, it is no free place."""
    monkeypatch.setattr("recombine.augment.natural.environments.FREQUENT", 1.0)
    pairs = [
        Pair(one.source.replace(" we said", " ladies and gentlemen said"), one.target)
        for one in running_text()
    ]
    drawn = list(Substitution.learn(pairs, OPTIONS).draw(100))
    assert not any("gentlemen" in step for pair in drawn for step in pair.steps)


def test_text_without_shared_places_is_refused_with_counts():
    """How many words have a translation, and how many of those can be exchanged."""
    strange = [(f"a{n} b{n} c{n}.", f"d{n} e{n} f{n}.") for n in range(40)]
    with pytest.raises(DataError, match=r"of \d+ words .* in 40 pairs, 0 can be exchanged"):
        augment(strange, 10, method="substitute", source_language="en", target_language="de")


def test_running_text_is_no_text_of_frames():
    """The default method says so, with counts and the method that is for it."""
    stream = random.Random(2)
    pairs = [
        Pair(*(" ".join(stream.choices(letters, k=8)) + "." for letters in ("abcdefg", "opqrstu")))
        for _ in range(600)
    ]
    with pytest.raises(DataError, match=r"running text: of 600 pairs only \d+ have") as told:
        Recombiner.learn(pairs, OPTIONS)
    assert "method=substitute" in str(told.value.hint)


def agreeing_text() -> list[Pair]:
    """Adjectives that agree with nouns of two genders; *lastadj* and *lastnoun* never meet."""
    stream = random.Random(5)
    adjectives = [f"{x}adj" for x in ("red", "big", "old", "new", "last")]
    feminine = [f"{x}noun" for x in ("tree", "lamp", "door", "street", "last")]
    nouns = [*feminine, *(f"{x}noun" for x in ("house", "book", "ship"))]
    rows = []
    while len(rows) < 900:
        adjective, noun = stream.choice(adjectives), stream.choice(nouns)
        if (adjective, noun) == ("lastadj", "lastnoun"):
            continue
        the, ending = ("die", "e") if noun in feminine else ("das", "es")
        number = len(rows)
        rows.append(
            Pair(
                f"k{number} saw the {adjective} {noun} today m{number}.",
                f"K{number} sah {the} {adjective.upper()}{ending} {noun.upper()} heute M{number}.",
            )
        )
    return rows


@pytest.mark.parametrize("novel", [False, True])
def test_a_word_comes_beside_a_new_neighbour_only_where_that_is_asked_for(novel, monkeypatch):
    """Then one neighbour is new, and articles and endings still agree."""
    monkeypatch.setattr("recombine.augment.natural.environments.FREQUENT", 1.0)
    monkeypatch.setattr("recombine.augment.natural.environments.FIXED", 1.1)
    options = replace(OPTIONS, novel=novel, form_share=0.2)
    drawn = list(Substitution.learn(agreeing_text(), options).draw(1500))
    new = [pair for pair in drawn if "lastadj lastnoun" in pair.source]
    assert bool(new) == novel
    assert all("die LASTADJe LASTNOUN" in pair.target for pair in new)
    for pair in drawn:
        words = pair.target.split()
        she = words[4] in {"TREENOUN", "LAMPNOUN", "DOORNOUN", "STREETNOUN", "LASTNOUN"}
        assert words[2] == ("die" if she else "das")
        assert words[3].endswith("e" if she else "es")
