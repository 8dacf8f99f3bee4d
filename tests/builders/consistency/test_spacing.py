"""Natural spacing moves no word, and every focus stays on its words."""

from __future__ import annotations

import pytest

from recombine.benchmark import Example, Focus
from recombine.builders.check import check_benchmark
from recombine.builders.consistency.spacing import closed_up, naturally_spaced
from recombine.builders.recipe import build

SENTENCES = [
    (
        'The poet that said " Just do the right thing " , and the king , sleep .',
        'The poet that said "Just do the right thing", and the king, sleep.',
    ),
    ("Do n't you see the king 's dog ?", "Don't you see the king's dog?"),
    ("It was ( he said ) 3.5 % .", "It was (he said) 3.5%."),
    ('A 5 " screen .', 'A 5 " screen.'),
    ("The dog sleeps.", "The dog sleeps."),
]


@pytest.mark.parametrize(("apart", "natural"), SENTENCES)
def test_punctuation_goes_where_people_write_it(apart, natural):
    """And what is written so already stays."""
    assert closed_up(apart)[0] == natural
    assert closed_up(natural)[0] == natural


def test_a_focus_stays_on_its_words():
    """Places before, inside and after what moved."""
    source = 'The king said " take stock " , and the dogs sleep .'
    parts = [("king", 4), ("take stock", 16), ("dog", 39)]
    example = Example.make(
        source=source,
        focus=[
            Focus(text=text, role="x", start=start, end=start + len(text)) for text, start in parts
        ],
    )
    moved = naturally_spaced(example)
    assert [moved.source[one.start : one.end] for one in moved.focus] == [one for one, _ in parts]


def test_a_benchmark_is_naturally_spaced_and_checks(tmp_path):
    """The default; the paper's spacing is an option. Both have the same words and groups."""
    sizes = ["sentences=0", "pairs=2", "triples=2", "synonym_samples=1", "idiom_samples=1"]
    options = ["benchmark.target=fr", "context_samples=1", *sizes]
    natural = build("consistency", tmp_path / "natural", overrides=options)
    tokens = build("consistency", tmp_path / "tokens", overrides=[*options, "spacing=tokens"])
    assert check_benchmark(natural) == check_benchmark(tokens) == []
    for split in natural.splits:
        for one, other in zip(natural.read(split), tokens.read(split), strict=True):
            assert one.source.replace(" ", "") == other.source.replace(" ", "")
            assert (one.id, one.group, one.role) == (other.id, other.group, other.role)
    assert any(' "' in one.source for one in natural.read("overgeneralisation"))
    assert not any('said " ' in one.source for one in natural.read("overgeneralisation"))
