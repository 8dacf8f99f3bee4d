"""Examples of the page: which are chosen, and how they are packed."""

from __future__ import annotations

import base64
from collections import Counter

import pytest

from recombine.report.examples import explain
from recombine.report.page.examples import gather, pack, pack_examples
from recombine.report.reading.observations import details_of, read_scores
from recombine.report.reading.runs import open_runs
from report.synthetic import unpack


def test_everything_fits_or_is_counted(findings):
    """All examples when there is room; else a sample that is even over patterns."""
    everything = pack_examples(findings, 10_000_000)
    assert (everything.shown, everything.total) == (400, 400)
    small = pack_examples(findings, 12_000)
    assert 50 <= small.shown < 400
    assert len(small.text) <= 12_000
    header = base64.b64decode(small.text)[:10]  # no time, no level, Unix: the same on every Python
    assert header == b"\x1f\x8b\x08" + bytes(6) + b"\x03"
    data = unpack(small.text)
    codes = data["tags"]["pattern"]["codes"]
    gen = [c for c, s in zip(codes, data["tags"]["split"]["codes"], strict=True) if s == 0]
    counts = Counter(gen)
    assert max(counts.values()) - min(counts.values()) <= 1


@pytest.fixture(scope="module")
def data(findings):
    """All examples of the synthetic run, as the browser sees them."""
    chosen = {split: list(findings.source.examples(split)) for split in findings.splits}
    return unpack(pack(findings, gather(findings, chosen), chosen))


def test_every_seed_is_a_voice(data):
    """Three systems with three seeds are nine voices, in the order of the report."""
    assert data["systems"] == ["lstm", "oracle-ish", "transformer"]
    assert data["voices"] == [[system, seed] for system in range(3) for seed in (1, 2, 3)]
    assert len(data["said"]) == len(data["verdicts"][0]["values"]) == 9


def test_what_was_said_is_found_again(findings, run, data):
    """-1 is nothing, 0 the reference, any other number one of the example's own texts."""
    for cell in open_runs([run]).cells:
        voice = data["voices"].index([data["systems"].index(cell.name), cell.seed])
        said = cell.translations("gen")
        for number, name in enumerate(data["id"]):
            code = data["said"][voice][number]
            if name in said:
                texts = [data["references"][number][0], *data["texts"][number]]
                assert texts[code] == said[name]


def test_verdicts_are_those_of_the_score_files(findings, data):
    """Each voice has its own verdicts, and right ones said the reference."""
    exact = data["verdicts"][0]
    assert exact["right"] == 1.0
    for one in findings.source.files("exact", "gen"):
        voice = data["voices"].index([data["systems"].index(one.system), one.seed])
        table = read_scores(findings.source, one)
        values = {name: value for name, value, _ in details_of(table)}
        for number, name in enumerate(data["id"]):
            if name in values:
                assert exact["values"][voice][number] == values[name]
                assert (data["said"][voice][number] == 0) == (values[name] == 1)


def test_texts_are_kept_once(data):
    """Voices that say the same refer to the same text."""
    assert all(len(set(texts)) == len(texts) for texts in data["texts"])
    told = [number for number, texts in enumerate(data["texts"]) if texts]
    shared = [number for number in told for column in data["said"] if column[number] == 1]
    assert len(shared) > len(told)


def test_details_become_sentences():
    """A metric's own sentence is used; else its fields are listed, internals are not."""
    assert explain({"class": "modifier dropped", "explanation": "house of game"}) == (
        "modifier dropped: house of game"
    )
    assert explain({"missing": ["car"], "aligned": [["a", "b", "c"]], "n": 2}) == "missing car; n 2"
    assert explain({"wrong": [{"id": "1", "atom": "car"}, {"id": "2", "atom": "car"}]}) == (
        "wrong 2 × car"
    )
    one = {"id": "1", "class": "missing", "atom": "car"}
    assert explain({"compound": "a car", "contexts": 5, "wrong": [one, {**one, "id": "2"}]}) == (
        "“a car” is wrong in 2 of 5 contexts: 2 × a word of the compound is missing; namely “car”"
    )
    assert explain({}) == ""
    assert explain({"class": "right"}) == ""
    assert explain({"class": "collapsed"}) == "two meanings have one translation"
