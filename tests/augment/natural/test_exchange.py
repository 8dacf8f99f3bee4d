"""Running text: words take the places of others of their class, with a translation of their own."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from recombine.augment import AugmentOptions, Pair, Recombiner
from recombine.augment.methods import augment
from recombine.augment.natural.exchange import Exchange
from recombine.errors import DataError, MissingExtra

CITIES = {f"Ci{x}ty": f"Sta{x}dt" for x in "abcdefgh"}
DAYS = {f"mon{x}th": f"Mo{x}nat" for x in "abcdefgh"}
OPTIONS = AugmentOptions(n=200, method="exchange", source_language="en", target_language="de")


def running_text() -> list[Pair]:
    """600 sentences, none built as another; cities and months have neighbours of their own."""
    stream = random.Random(4)
    rows = []
    for number in range(600):
        noise = [f"{stream.choice('bdfgk')}{stream.choice('aeiou')}{number}" for _ in range(6)]
        city, day = stream.choice(sorted(CITIES)), stream.choice(sorted(DAYS))
        one, other = noise[:3], noise[3:]
        left, right = stream.choice(["in", "near"]), stream.choice(["we", "they"])
        translated = {"in": "in", "near": "bei", "we": "wir", "they": "sie"}
        rows.append(
            Pair(
                f"{' '.join(one)} {left} {city} {right} said in {day} {' '.join(other)}.",
                f"{' '.join(w.upper() for w in one)} {translated[left]} {CITIES[city]} "
                f"{translated[right]} sagten im {DAYS[day]} {' '.join(w.upper() for w in other)}.",
                f"p{number}",
            )
        )
    return rows


@pytest.fixture(scope="module")
def learnt() -> Exchange:
    """What was learnt of the text."""
    return Exchange.learn(running_text(), OPTIONS)


def test_words_are_exchanged_for_words_of_their_class_in_both_languages(learnt):
    """A city for a city and a month for a month, each with its own translation."""
    known = {pair.id: pair for pair in running_text()}
    drawn = list(learnt.draw(300))
    assert len(drawn) == 300
    exchanged = Counter()
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
            for words in (CITIES, DAYS):
                assert (a in words) == (b in words)
                if a in words:
                    exchanged[b] += 1
                    assert words[b] in pair.target
                    assert words[a] not in pair.target
    # Any member of a class may come, not only some that were seen beside these neighbours.
    assert set(exchanged) == {*CITIES, *DAYS}


def test_the_same_seed_draws_the_same_pairs(learnt):
    """Same input and seed, same bytes; no source twice, none that is in training."""
    first = list(learnt.draw(50, seed=3))
    assert first == list(learnt.draw(50, seed=3))
    assert first == list(Exchange.learn(running_text(), OPTIONS).draw(50, seed=3))
    assert first != list(learnt.draw(50, seed=4))
    known = {pair.source for pair in running_text()}
    assert len({pair.source for pair in first} - known) == 50


def test_a_drawn_sentence_is_explained(learnt):
    """The training pair, and each word that was exchanged."""
    pair = next(learnt.draw(1))
    lines = learnt.explain(pair.source)
    assert lines
    assert lines[0].startswith("from: ")
    assert len(lines) == 1 + len(pair.steps)
    assert learnt.explain("nothing like it.") is None


def test_the_review_shows_the_classes(learnt):
    """All cities in one, all months in another."""
    classes = [set(row["members"]) for row in learnt.review().classes]
    for words in (CITIES, DAYS):
        assert any(words.keys() <= members for members in classes)


def test_the_share_of_a_translation_is_respected():
    """A rare wrong link makes no unit; a second translation that is frequent does."""
    pairs = running_text()
    units = {
        share: {
            step.split(" -> ")[1]
            for pair in augment(
                pairs, 400, method="exchange", source_language="en", target_language="de",
                unit_share=share,
            )
            for step in pair.steps
        }
        for share in (0.1, 0.9)
    }  # fmt: skip
    assert units[0.9] < units[0.1] | units[0.9]
    assert {f"{word}|{other}" for word, other in CITIES.items()} <= units[0.9]


def test_text_whose_words_never_come_again_is_refused_with_counts():
    """How many words have a translation, and how many of those can be exchanged."""
    strange = [(f"a{n} b{n} c{n}.", f"d{n} e{n} f{n}.") for n in range(40)]
    with pytest.raises(DataError, match=r"of 0 words .* in 40 pairs, 0 can be exchanged"):
        augment(strange, 10, method="exchange", source_language="en", target_language="de")


def test_running_text_is_no_text_of_frames():
    """The default method says so, with counts and the method that is for it."""
    stream = random.Random(2)
    pairs = [
        Pair(*(" ".join(stream.choices(letters, k=8)) + "." for letters in ("abcdefg", "opqrstu")))
        for _ in range(600)
    ]
    with pytest.raises(DataError, match=r"running text: of 600 pairs only \d+ are built") as told:
        Recombiner.learn(pairs, OPTIONS)
    assert "method=exchange" in str(told.value.hint)


def chinese_text() -> list[Pair]:
    """Sentences of two-character words without spaces."""
    stream = random.Random(3)
    things = {"dog": "小狗", "doctor": "医生", "teacher": "老师", "friend": "朋友", "girl": "女孩"}
    verbs = {"saw": "看见", "liked": "喜欢", "met": "遇见", "asked": "询问", "hit": "打了"}
    rows = []
    for number in range(200):
        one, other = stream.sample(sorted(things), 2)
        verb = stream.choice(sorted(verbs))
        rows.append(
            Pair(
                f"the {one} {verb} the {other} at {number} .",
                f"{things[one]}在{number}{verbs[verb]}{things[other]}。",
            )
        )
    return rows


def test_chinese_is_exchanged_by_the_word():
    """Not a character for a word: whole words come in the place of whole words."""
    drawn = augment(
        chinese_text(), 100, method="exchange", source_language="en", target_language="zh"
    )
    steps = [step for pair in drawn for step in pair.steps]
    assert any("doctor|医生" in step for step in steps)
    assert not any("|医 " in f"{step} " or "|生 " in f"{step} " for step in steps)


def test_a_missing_segmenter_of_chinese_is_named(monkeypatch):
    """With the extra that has it."""

    def missing(module, *, extra, feature):
        raise MissingExtra(feature, extra, module)

    from recombine.augment import tokens

    tokens._segmenter.cache_clear()
    monkeypatch.setattr("recombine.corpus.segment.require", missing)
    with pytest.raises(MissingExtra, match="jieba") as told:
        augment(chinese_text(), 10, method="exchange", source_language="en", target_language="zh")
    assert told.value.hint == "pip install 'recombine[zh]'"
    tokens._segmenter.cache_clear()
