"""Short sentences of frequent words, and what the filter removed."""

from __future__ import annotations

from recombine.builders.compounds.filter import filter_corpus, statistics_table, token_places
from recombine.corpus.conllu import ParsedSentence


def parsed(text, words=None, target="ein satz", forms=None):
    """Return a sentence with a flat tree."""
    words = words or text.lower().replace(".", " .").split()
    heads = [0] + [1] * (len(words) - 1)
    return ParsedSentence(
        text, words, ["dep"] * len(words), heads, forms=forms, translations={"de": target}
    )


def keep(*sentences, **options):
    """Filter with small limits."""
    limits = {"shortest": 2, "longest": 6, "longest_target": 9, "vocabulary": 100, **options}
    return filter_corpus(sentences, "de", **limits)


def test_reasons_are_counted():
    """Length, translation, duplicates, parse, vocabulary."""
    found = keep(
        parsed("a b."),
        parsed("a b."),
        parsed("a b c d e f g h."),
        parsed("a c.", target=""),
        parsed("a c.", words=["a", "c", "x", "y"]),
    )
    assert len(found.pairs) == 1
    assert found.removed == {
        "duplicate source": 1,
        "length": 1,
        "no translation": 1,
        "tokens of text and parse differ": 1,
        "vocabulary": 0,
    }


def test_untranslated_pairs_leave():
    """A copy of the source teaches nothing."""
    assert keep(parsed("a b c.", target="a b c.")).removed["not translated"] == 1


def test_rare_words_leave():
    """Only sentences whose words are all among the most frequent stay."""
    found = keep(parsed("a b."), parsed("b a."), parsed("a z."), vocabulary=3)
    assert [pair.source for pair in found.pairs] == ["a b.", "b a."]
    assert found.removed["vocabulary"] == 1


def test_tokens_are_found_in_the_text():
    """Clitics, abbreviations and numbers as parsers cut them."""
    text = "They can't see Mr. X's 3.5 dogs, I cannot."
    words = ["They", "ca", "n't", "see", "Mr", ".", "X", "'s", "3.5", "dogs", ",", "I", "can"]
    words += ["not", "."]
    places = token_places(parsed(text, words))
    assert [text[start:end] for start, end in places] == words


def test_given_forms_win():
    """A corpus that brings its forms needs no guess."""
    sentence = parsed("ab c", ["ab", "c"], forms=["ab", "c"])
    assert token_places(sentence) == [(0, 2), (3, 4)]
    assert token_places(parsed("ab c", ["x", "y"], forms=["x", "y"])) is None


def test_statistics_have_two_stages():
    """Before and after, as in the paper's appendix."""
    found = keep(parsed("a b."), parsed("a b c d e f g h."))
    before, after = found.statistics
    assert (before["pairs"], after["pairs"]) == ("2", "1")
    assert after["mean_source"] == "3.00"
    assert len(list(statistics_table(found.statistics))) == 3
