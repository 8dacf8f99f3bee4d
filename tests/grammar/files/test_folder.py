"""Reading grammar folders: what is understood, and what is said about mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from grammar.small_grammar import SMALL, Write
from recombine.errors import GrammarError, Problems, RecombineError
from recombine.grammar import Constraints, Grammar, check_grammar, find_grammar, shipped_grammars
from recombine.grammar.files.folder import read_grammar, scan_grammar
from recombine.grammar.model import Feature, Glue, LiteralText, Ref, Symbol, TableCell


def problem(folder: Path) -> GrammarError:
    """The single problem of a folder."""
    _, problems = scan_grammar(folder)
    (found,) = problems
    return found


def test_rule_parts(write: Write) -> None:
    """Slots, categories, heads, weights and tags are read."""
    source = read_grammar(write())
    rule = source.abstract.rules["beside"]
    assert [part.slot for part in rule.parts] == ["N", "loc"]
    assert rule.parts[1].symbol == Symbol("NP")
    assert rule.head == 0
    assert rule.tags == ("pp",)
    assert source.abstract.rules["sleep_"].weight == 2
    assert source.abstract.rules["sleep_"].head == 0


def test_classes_and_empty_rules(write: Write) -> None:
    """Class filters and pure features are read."""
    text = SMALL["abstract.grammar"] + "past : Tense ->\nx : NP -> N<animate !big> Tense [0]\n"
    rules = read_grammar(write({"abstract.grammar": text})).abstract.rules
    assert rules["past"].parts == ()
    assert rules["x"].parts[0].symbol == Symbol("N", ("animate",), ("big",))
    assert rules["x"].weight == 0


def test_concrete_line(write: Write) -> None:
    """Keys, features, tables, glue and variants are read."""
    text = SMALL["en.grammar"].replace(
        "trans  = V2 obj", '%param n = sg pl\ntrans[n] = V2[x, n, obj.g] _t[n] + "a" | obj'
    )
    lines = read_grammar(write({"en.grammar": text})).languages["en"].lines
    line = lines["trans", "pl"]
    assert line.variants[0] == (
        Ref("V2", ("x", "pl", Feature("obj", "g"))),
        TableCell("_t", ("pl",)),
        Glue(),
        LiteralText("a"),
    )
    assert line.variants[1] == (Ref("obj", ("form",)),)


def test_continuation_and_comments(write: Write) -> None:
    """A line that begins with white space continues; # starts a comment."""
    text = SMALL["en.grammar"].replace("trans  = V2 obj", "trans = V2  # verb\n\n   obj # object")
    assert Grammar.load(write({"en.grammar": text})).parse("The cat saw the dog.", "en")


def test_several_lexicons_and_headers(write: Write) -> None:
    """Lexicons may be split over files and hold several tables."""
    folder = write(
        {
            "en.lexicon.tsv": "id\tform\ncat\tcat\ndog\tdog\nid\tnote\tform\nhouse\tx\thouse\n",
            "en.verbs.lexicon.tsv": "id\tform\nsee\tsaw\nsleep\tslept\n",
        }
    )
    assert Grammar.load(folder).parse("The house slept.", "en")


def test_edition_overlay(write: Write) -> None:
    """An edition replaces lines by rule and field, and cells by id."""
    folder = write(
        {
            "editions/old/en.grammar": 'def = "ye" N\n',
            "editions/old/en.lexicon.tsv": "id\tform\ncat\tcatte\n",
        }
    )
    tree = "decl(def(cat), sleep_(sleep))"
    base, old = Grammar.load(folder), Grammar.load(folder, edition="old")
    assert base.text(base.tree(tree), "en") == "The cat slept."
    assert old.text(old.tree(tree), "en") == "Ye catte slept."
    assert old.text(old.tree(tree), "ja") == "猫が眠った。"


def test_unknown_edition(write: Write) -> None:
    """An unknown edition names the close one."""
    folder = write({"editions/official/en.grammar": 'def = "ye" N\n'})
    with pytest.raises(GrammarError) as caught:
        Grammar.load(folder, edition="oficial")
    assert "did you mean 'official'" in str(caught.value.hint)


def test_unknown_name() -> None:
    """An unknown grammar names the close one."""
    with pytest.raises(GrammarError) as caught:
        find_grammar("toi")
    assert "toy" in str(caught.value.hint)
    assert "toy" in shipped_grammars()


def test_problems_come_together(write: Write) -> None:
    """Every mistake of every file is reported, each with its line."""
    folder = write(
        {
            "abstract.grammar": SMALL["abstract.grammar"] + "oops = x\nagain : NP N\n",
            "en.grammar": SMALL["en.grammar"] + "bad : X\n",
        }
    )
    _, problems = scan_grammar(folder)
    places = [(Path(p.where.path).name, p.where.line) for p in problems if p.where]
    assert places == [("abstract.grammar", 8), ("abstract.grammar", 9), ("en.grammar", 8)]


def test_languages_are_read_when_asked_for(write: Write) -> None:
    """A language that is not asked for is named and not read: its mistakes stop nobody else."""
    folder = write({"ja.grammar": SMALL["ja.grammar"] + "bad : X\nworse : X\n"})
    grammar = Grammar.load(folder)
    assert grammar.languages == ("en", "ja")
    assert grammar.parse("The cat saw the dog.", "en")
    with pytest.raises(Problems) as caught:
        grammar.concrete("ja")
    assert len(caught.value.problems) == 2


MISTAKES = [
    ("abstract.grammar", "x → NP N", "arrow"),
    ("abstract.grammar", "x : NP → N", "arrow"),
    ("abstract.grammar", "x = N", "abstract grammar"),
    ("abstract.grammar", "NP -> N", "no name"),
    ("abstract.grammar", "x : NP -> N | V2", "alternatives"),
    ("abstract.grammar", 'x : NP -> "the" N', "literal"),
    ("abstract.grammar", "x : NP -> N [-1]", "negative"),
    ("abstract.grammar", "x : NP -> N [50%]", "percentage"),
    ("abstract.grammar", "x : NP -> N [3", "not closed"),
    ("abstract.grammar", "x : NP -> N {a", "not closed"),
    ("abstract.grammar", "x : NP -> N N", "two slots named 'N'"),
    ("abstract.grammar", "x : NP -> *N *V2", "two heads"),
    ("abstract.grammar", "%begin S", "unknown directive"),
    ("abstract.grammar", "def : NP -> N", "defined twice"),
    ("abstract.grammar", "%prefer high {pp}", "cannot prefer"),
    ("en.grammar", "x : NP -> N", "abstract grammar"),
    ("en.grammar", "x -> N", "arrow"),
    ("en.grammar", "x = 'the' N", "single quotes"),
    ("en.grammar", "x = “the” N", "typographic"),
    ("en.grammar", 'x = "the N', "not closed"),
    ("en.grammar", 'x = "the " N', "edge of a literal"),
    ("en.grammar", 'x = N ".\t"', "edge of a literal"),
    ("en.grammar", "x = N[]", "no key"),
    ("en.grammar", "x = N[a", "not closed"),
    ("en.grammar", "x = N;", "semicolon"),
    ("en.grammar", "x = ", "empty alternative"),
    ("en.grammar", "x = N.*", "on the left"),
    ("en.grammar", "x = + ", "alone"),
    ("en.grammar", 'def = "a" N', "given twice"),
    ("ja.grammar", "%post shout", "unknown finishing touch"),
    ("en.grammar", "%param n = a b\nx = N[n]", "not on the left"),
]


@pytest.mark.parametrize(("name", "line", "words"), MISTAKES)
def test_mistakes_in_words(write: Write, name: str, line: str, words: str) -> None:
    """The usual mistakes are named, with file, line and the text for the caret."""
    error = problem(write({name: SMALL[name] + line + "\n"}))
    assert words in error.message
    assert error.where is not None
    assert error.where.path.endswith(name)
    assert error.where.line is not None
    assert error.where.line > SMALL[name].count("\n")
    assert error.where.text


TABLES = [
    ("abstract.lexicon.tsv", "cat\tN\n", "header"),
    ("abstract.lexicon.tsv", "id\tcat\tcolour\ncat\tN\tred\n", "unknown column 'colour'"),
    ("abstract.lexicon.tsv", "id\tcat\ncat\n", "no category"),
    ("abstract.lexicon.tsv", "id\tcat\tweight\ncat\tN\theavy\n", "not a weight"),
    ("abstract.lexicon.tsv", "id\tcat\nc t\tN\n", "cannot be a word id"),
    ("abstract.lexicon.tsv", "id\tcat\ncat\tN\ncat\tN\n", "defined twice"),
    ("en.lexicon.tsv", "id\tform\ncat\ta\tb\n", "3 cells"),
    ("en.lexicon.tsv", "id\tform\ncat\ta\ncat\ta\n", "listed twice"),
    ("en.lexicon.tsv", "id\tform\tform\ncat\ta\tb\n", "occurs twice"),
    ("en.paradigms.tsv", "class\tpast\na\ted\n", "not an ending"),
]


@pytest.mark.parametrize(("name", "text", "words"), TABLES)
def test_table_mistakes(write: Write, name: str, text: str, words: str) -> None:
    """Broken tables are reported with their line."""
    error = problem(write({name: text}))
    assert words in error.message
    assert error.where is not None
    assert error.where.line is not None


def test_bytes_that_are_not_text(write: Write) -> None:
    """A file in another encoding is reported with the line."""
    folder = write()
    (folder / "en.lexicon.tsv").write_bytes("id\tform\ncat\tKätzchen\n".encode("latin-1"))
    error = problem(folder)
    assert "UTF-8" in error.message
    assert error.where is not None
    assert error.where.line == 2


_PIECES = st.sampled_from(
    [
        "%start",
        "%zipf",
        "%select",
        "%mend",
        "%param",
        "%post",
        "%join",
        "S",
        "NP",
        "N",
        "def",
        ":",
        "->",
        "=",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        ">>",
        "*",
        ".",
        ",",
        "+",
        "|",
        "!",
        '"the"',
        '"',
        "1.4",
        "99999999999",
        "\n",
        "\n ",
        "\t",
        " ",
        "#",
        "_t",
        "猫",
        "\u2028",
        "\x00",
        "é",
        "else",
        "direct",
        "deep",
        "form",
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    name=st.sampled_from([*SMALL, "en.paradigms.tsv", "abstract.pairs.tsv"]),
    position=st.floats(0, 1),
    noise=st.lists(_PIECES, max_size=12).map(" ".join) | st.text(max_size=20),
    keep=st.booleans(),
)
@example(name="ja.grammar", position=0.3359375, noise="\t", keep=True)
@example(name="en.lexicon.tsv", position=0.546875, noise="\x00", keep=True)
def test_fuzzed_files(
    name: str, position: float, noise: str, keep: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A damaged grammar works or is reported with a line; it never crashes or hangs."""
    folder = tmp_path_factory.mktemp("fuzz")
    for file, text in SMALL.items():
        (folder / file).write_text(text, encoding="utf-8")
    text = SMALL.get(name, "class\tpast\nv\t>ed\n")
    cut = int(position * len(text))
    damaged = text[:cut] + noise + (text[cut:] if keep else "")
    (folder / name).write_text(damaged, encoding="utf-8", errors="surrogatepass", newline="")
    problems = check_grammar(folder)
    try:
        grammar = Grammar.load(folder)
        for tree in grammar.sample(3, constraints=Constraints(select=True)):
            for language in grammar.languages:
                text = grammar.realise(tree, language).text
                if not problems:
                    found = grammar.parse(text, language).tree
                    assert found is not None
                    assert grammar.text(found, language) == text
    except RecombineError:
        pass  # said in words: that is all we ask
    for found in problems:
        assert found.message
        if found.where is not None and found.where.path.endswith((".grammar", ".tsv")):
            assert found.where.line is None or found.where.line >= 1


def test_a_folder_extends_a_grammar(tmp_path: Path) -> None:
    """What is extended is read first: new files add a language, a rule, a word and a pair."""
    folder = tmp_path / "mine"
    folder.mkdir()
    rule = "%extends sget\nnot_act : S -> subj:Agent *VU [0] {negation}\n"
    (folder / "abstract.grammar").write_text(rule, encoding="utf-8")
    (folder / "en.grammar").write_text('not_act.* = subj.* "did not" VU\n', encoding="utf-8")
    (folder / "ja.grammar").write_text('not_act.* = subj "が" VU.past\n', encoding="utf-8")
    (folder / "abstract.pairs.tsv").write_text(
        "role\tgovernor\tdependent\nobject\teat_tr\tbook\n", encoding="utf-8"
    )
    others = tuple(
        f"{code}:" for code in Grammar.load("sget").languages if code not in ("en", "ja")
    )
    assert [one for one in check_grammar(folder) if not one.message.startswith(others)] == []
    grammar, base = Grammar.load(folder), Grammar.load("sget")
    assert (grammar.name, grammar.languages) == ("mine", base.languages)
    tree = grammar.tree("tell(not_act(agent_name(Liam), smile))")
    assert grammar.text(tree, "en") == "Liam did not smile."
    assert len(grammar.abstract.pairs) >= len(base.abstract.pairs)
    assert tuple(grammar.abstract.pairs[-1][:3]) == ("object", "eat_tr", "book")
    assert Grammar.load(folder, "official").edition == "official"
    with pytest.raises(GrammarError, match="no edition 'offical'"):
        Grammar.load(folder, "offical")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("%extends sgett\n", "%extends: no grammar 'sgett'"),
        ('%extends "../mine"\n', "extends itself"),
        ("%extends\n%start S\n", "expected a grammar"),
    ],
)
def test_what_cannot_be_extended_has_a_place(tmp_path: Path, text: str, said: str) -> None:
    """A wrong %extends line is reported with its file and line."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "abstract.grammar").write_text("# mine\n" + text, encoding="utf-8")
    problem = check_grammar(folder)[0]
    assert said in problem.message
    assert str(problem.where).endswith("abstract.grammar:2")


def test_problems_of_an_edition_say_which(write: Write) -> None:
    """An error that only an edition has is placed in its files and says where to write."""
    rule = "sit : VP -> V1\n"
    problems = check_grammar(write({"editions/late/abstract.grammar": rule}))
    assert [p.message for p in problems] == [
        "en: no line 'sit', needed by 'decl' (en.grammar:3)",
        "ja: no line 'sit', needed by 'decl' (ja.grammar:3)",
    ]
    assert str(problems[0].where).endswith("late/abstract.grammar:1")
    assert problems[0].hint == "add to late/en.grammar: sit = ..."
