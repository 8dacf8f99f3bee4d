"""The grammar as one object: finding it, and that its parts agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from grammar.small_grammar import SMALL, Write
from recombine.errors import GrammarError
from recombine.grammar import Constraints, Grammar, find_grammar, shipped_grammars


def test_folder_of_a_shipped_name_does_not_hide_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder called toy wins over the shipped grammar only if it is a grammar."""
    monkeypatch.chdir(tmp_path)
    Path("toy").mkdir()
    assert find_grammar("toy").is_absolute()
    Path("toy", "abstract.grammar").write_text("%start S\n", encoding="utf-8")
    assert find_grammar("toy") == Path("toy")


def test_file_of_a_grammar_stands_for_its_folder(write: Write) -> None:
    """The path of abstract.grammar is as good as that of its folder."""
    folder = write()
    assert find_grammar(folder / "abstract.grammar") == folder
    with pytest.raises(GrammarError, match="no grammar"):
        find_grammar(folder / "en.grammar")
    assert "small" not in shipped_grammars()


def test_sentences_say_what_sample_draws(small: Grammar) -> None:
    """The fast path yields the trees of sample with the texts of realise."""
    trees = list(small.sample(20, seed=3, stream="x"))
    pairs = list(small.sentences(20, ["ja", "en"], seed=3, stream="x"))
    assert [tree for tree, _ in pairs] == trees
    for tree, (japanese, english) in pairs:
        assert japanese == small.realise(tree, "ja").text
        assert english == small.text(tree, "en")


def test_samplers_are_kept_per_constraints(small: Grammar) -> None:
    """Equal constraints share a sampler, different ones do not."""
    one = small.sampler(Constraints(depth={"pp": 1}))
    assert small.sampler(Constraints(depth={"pp": 1})) is one
    assert small.sampler(Constraints(depth={"pp": 2})) is not one


def test_violations_name_role_and_words(write: Write) -> None:
    """Words that do not go together are reported by name."""
    abstract = SMALL["abstract.grammar"] + "%select object : trans.V2 trans.obj\n"
    pairs = "role\tgovernor\tdependent\nobject\tsee\tdog\n"
    grammar = Grammar.load(write({"abstract.grammar": abstract, "abstract.pairs.tsv": pairs}))
    good, bad = (
        grammar.tree(f"decl(def(cat), trans(see, def({word})))") for word in ("dog", "house")
    )
    assert grammar.violations(good) == []
    assert grammar.violations(bad) == [("object", "see", "house")]
