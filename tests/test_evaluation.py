"""Evaluating one's own model in one call."""

from dataclasses import replace

import numpy as np
import pytest

import recombine
from recombine.errors import RecombineError, SystemFailure
from recombine.report.compare import compare
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import open_runs
from recombine.systems.base import Failure


def test_a_function_can_be_evaluated(small_benchmark):
    """Ten lines are enough; here it is one."""
    answers = {"A dog slept.": "Ein Hund schlief."}
    rows = recombine.evaluate(
        lambda sources: [answers.get(s, "?") for s in sources], small_benchmark, metrics=["exact"]
    )
    overall = rows[0]
    assert (overall.split, overall.metric, overall.n) == ("test", "exact", 3)
    assert overall.value == pytest.approx(100 / 3)
    assert overall.low < overall.value < overall.high


def test_a_system_that_loses_a_line_is_caught(small_benchmark):
    """Length is verified, not assumed."""
    with pytest.raises(SystemFailure, match="2 translations for 3"):
        recombine.evaluate(lambda sources: sources[1:], small_benchmark)


def test_failures_count_and_are_said(small_benchmark):
    """Half an evaluation is not a whole one: a sentence that fails is wrong, unless skipped."""

    def refuse(sources):
        return ["Ein Hund schlief." if "slept" in one else Failure("no") for one in sources]

    whole = recombine.evaluate(refuse, small_benchmark, metrics="exact")[0]
    assert (whole.value, whole.n, whole.of, whole.failed) == (pytest.approx(100 / 3), 3, 3, 2)
    part = recombine.evaluate(refuse, small_benchmark, metrics="exact", missing="skip")[0]
    assert (part.value, part.n, part.of, part.failed) == (100, 1, 3, 2)
    with pytest.raises(SystemFailure, match="none of 3 sentences"):
        recombine.evaluate(lambda sources: [Failure("no") for _ in sources], small_benchmark)


@pytest.mark.parametrize(
    ("translate", "told"),
    [
        (lambda sources: None, "returned NoneType instead of translations"),
        (lambda sources: [None for _ in sources], "returned NoneType instead of text"),
        (lambda sources: "one text", "returned str instead of translations"),
    ],
)
def test_what_is_no_translation_is_told(small_benchmark, translate, told):
    """A function that forgets to return is the most common mistake of all."""
    with pytest.raises(SystemFailure, match=told):
        recombine.evaluate(translate, small_benchmark, metrics="exact")


def test_every_public_name_resolves():
    """The lazy table of the package has no dead entry."""
    for name in recombine.__all__:
        assert getattr(recombine, name) is not None
    with pytest.raises(AttributeError):
        recombine.no_such_name  # noqa: B018 - the access is the test


@pytest.mark.parametrize("kind", [dict.fromkeys, set, frozenset])
def test_answers_without_an_order_are_refused(small_benchmark, kind):
    """A mapping would be scored as its keys, and a set in any order."""
    with pytest.raises(SystemFailure, match="instead of translations"):
        recombine.evaluate(kind, small_benchmark, metrics="exact")


def test_a_service_that_is_gone_is_given_up(small_benchmark):
    """Asking it for every other sentence would only take time; a plain function is asked."""

    class Gone:
        give_up_after = 2
        asked = 0

        def translate(self, sources):
            for _ in sources:
                self.asked += 1
                yield Failure("connection refused")

    gone = Gone()
    with pytest.raises(SystemFailure, match=r"2 sentences in a row .* connection refused"):
        recombine.evaluate(gone, small_benchmark, metrics="exact")
    assert gone.asked == 2


class Answers:
    """Says what it is told to."""

    def __init__(self, **said):
        self.said = {key.replace("_", " "): text for key, text in said.items()}

    def translate(self, sources):
        return [self.said.get(one.rstrip(".").lower(), "?") for one in sources]


@pytest.fixture
def pair(small_benchmark):
    """Two systems on three sentences: one gets one right, the other two."""
    one = Answers(a_dog_slept="Ein Hund schlief.")
    two = Answers(a_dog_slept="Ein Hund schlief.", the_cat_ran="Die Katze lief.")
    metrics = ["exact", "chrf"]
    return (
        recombine.evaluate(one, small_benchmark, metrics=metrics, name="one"),
        recombine.evaluate(two, small_benchmark, metrics=metrics, name="two"),
    )


def test_what_was_said_and_seen_is_kept(pair):
    """A second look needs no second run."""
    one, _ = pair
    assert sorted(one.hypotheses.values()) == ["?", "?", "Ein Hund schlief."]
    assert [len(table.keys) for table in one.observations] == [3, 3]


def test_the_faults_are_shown_with_their_sentences(pair):
    """Examples are chosen by verdict, metric and tag."""
    one, two = pair
    wrong = one.examples(wrong=True)
    assert [(x.source, x.hypothesis, x.right) for x in wrong] == [
        ("The king saw a queen.", "?", False),
        ("The cat ran.", "?", False),
    ]
    assert [x.source for x in two.examples(wrong=False, metric="chrf", n=1)] == ["A dog slept."]
    assert len(one.examples(pattern="test")) == 3
    assert one.examples(pattern="other") == []
    assert "The king saw a queen." in str(wrong)
    assert "<table" in wrong._repr_html_()
    assert list(wrong.to_pandas()["hypothesis"]) == ["?", "?"]
    with pytest.raises(RecombineError, match="no score is of the metric 'bleu'"):
        one.examples(metric="bleu")


def test_the_table_is_text_a_page_and_a_frame(pair):
    """One table, wherever it is looked at; every score says of how many it is."""
    one, _ = pair
    assert "33.3 (6.1 to 79.2)" in str(one.table())
    assert str(one) == str(one.table())
    assert "n=3" in one._repr_html_()
    frame = one.table().to_pandas()
    assert list(frame["metric"]) == ["exact", "chrf"]
    assert frame["score"][0] == pytest.approx(100 / 3)
    by_length = one.table("length")
    assert by_length.columns == ("split", "length", "n", "exact", "chrf")
    with pytest.raises(RecombineError, match="no score has the tag 'lenght'"):
        one.table("lenght")


def test_a_frame_has_a_row_for_each_sentence(pair):
    """Texts, tags and a column of values for each metric."""
    frame = pair[1].to_pandas()
    assert list(frame["exact"]) == [0, 1, 1]
    assert list(frame["pattern"]) == ["test"] * 3
    assert frame["chrf"][2] == pytest.approx(100)


def test_a_sentence_of_several_pairs_has_the_mean_of_its_verdicts(pair):
    """The last verdict on a base sentence is not the one on all its pairs."""
    one, _ = pair
    exact, chrf = one.observations
    first, second, third = exact.ids
    ((voice, values),) = exact.values.items()
    changed = replace(
        exact,
        ids=((*first, *second), (*first, *second), third),
        values={voice: np.array([0.0, 1.0, values[2]])},
    )
    result = replace(one, observations=(changed, chrf))
    assert list(result.to_pandas()["exact"]) == [0.5, 0.5, values[2]]


def test_paired_tests_take_two_evaluations(pair, small_benchmark):
    """The same numbers as a report on both; other sentences cannot be compared."""
    one, two = pair
    table = one.compare(two)
    first = dict(zip(table.columns, table.rows[0], strict=True))
    assert (first["first"], first["second"], first["n"]) == ("one", "two", 3)
    back = dict(zip(table.columns, two.compare(one).rows[0], strict=True))
    assert (back["first"], back["second"]) == ("one", "two")  # better minus other
    assert first["difference"].value == pytest.approx(100 / 3)
    assert first["better"] == "undecided"
    assert len(one.compare(two, metric="chrf", slices=True).rows) == 3
    assert [row[:2] for row in one.compare(one, metric="exact").rows] == [("one-2", "one")]
    other = recombine.score(small_benchmark, two.hypotheses, "exact", name="three")
    assert len(one.compare(two, other, metric="exact").rows) == 3
    with pytest.raises(RecombineError, match="No other evaluation"):
        one.compare()


def test_the_numbers_of_a_comparison_are_those_of_the_report(pair, tmp_path):
    """Whether observations are at hand or read from files."""
    one, two = pair
    one.save(tmp_path / "run")
    two.save(tmp_path / "run")
    for metric in ("exact", "chrf"):
        (found,) = compare([tmp_path / "run"], metric, "test")
        ((*_, span, p_value, _),) = one.compare(two, metric=metric).rows
        assert (span.value, span.low, span.high) == (
            found.overall.value, found.overall.low, found.overall.high,
        )  # fmt: skip
        assert p_value == f"{found.p_adjusted:.4f}"
    with pytest.raises(RecombineError, match="is there already"):
        one.save(tmp_path / "run")


def test_a_report_is_one_call(pair, tmp_path):
    """On one evaluation or several, with what a run would have in it."""
    one, two = pair
    options = ReportOptions(figures=())
    paths = one.report(tmp_path / "report", two, options=options)
    text = paths.markdown.read_text(encoding="utf-8")
    assert "one" in text
    assert "two" in text
    assert paths.html.is_file()
    assert one.report(tmp_path / "twice", one, options=options).html.is_file()


def test_a_report_calls_systems_by_their_names(pair, tmp_path):
    """In any script, with spaces; two of one name are told apart."""
    one, two = (replace(one, name=name) for one, name in zip(pair, ("我們", "他們"), strict=True))
    options = ReportOptions(figures=())
    text = one.report(tmp_path / "report", two, options=options).markdown.read_text("utf-8")
    assert {"我們", "他們"} <= {
        row.split("|")[1].strip() for row in text.splitlines() if "|" in row
    }
    one, two = replace(one, name="a b"), replace(two, name="a b")
    text = one.report(tmp_path / "alike", two, options=options).markdown.read_text("utf-8")
    assert {"a b", "a b-2"} <= {
        row.split("|")[1].strip() for row in text.splitlines() if "|" in row
    }


def test_a_table_by_tag_says_of_how_many_each_metric_is(pair):
    """Where metrics could not judge the same sentences, n is no single number."""
    one, _ = pair
    scores = tuple(
        replace(score, n=1) if score.metric == "chrf" and score.tag == "length" else score
        for score in one.scores
    )
    vars(one)["scores"] = scores
    assert one.table("length").rows[0][2] == "1 to 2"


def test_a_file_of_hypotheses_is_scored(small_benchmark, tmp_path):
    """Plain lines in the order of the split; the file names the system."""
    path = tmp_path / "ours.txt"
    path.write_text("Der König sah eine Königin.\nEin Hund schlief.\n?\n", encoding="utf-8")
    found = recombine.score(small_benchmark, path, "exact")
    assert (found.name, found[0].system) == ("ours", "ours")
    assert found[0].value == pytest.approx(200 / 3)
    with pytest.raises(RecombineError, match="nothing to score"):
        recombine.score(small_benchmark, path, "partial")


def test_a_sample_is_said_to_be_one(small_benchmark, tmp_path):
    """A report on a part of a split must not read like one on the whole."""
    part = recombine.evaluate(Answers(), small_benchmark, metrics="exact", sample=2)
    assert part[0].n == 2
    part.save(tmp_path / "run")
    assert "sample of 2 examples" in open_runs([tmp_path / "run"]).notes[0]


def test_benchmarks_and_grammars_show_themselves(small_benchmark):
    """A cell of a notebook that ends in one shows what it is."""
    benchmark = recombine.Benchmark.open(small_benchmark)
    assert repr(benchmark) == "<Benchmark small 1, en -> de: train 2, test 3>"
    assert "Der König sah eine Königin." in benchmark._repr_html_()
    grammar = recombine.Grammar.load("toy")
    assert repr(grammar).startswith("<Grammar toy: ")
    assert f"{len(grammar.abstract.words)} words" in repr(grammar)
    assert "<td>" in grammar._repr_html_()


def test_types_are_shipped(repository):
    """Type checkers of users read the annotations only where py.typed lies beside them."""
    assert (repository / "src" / "recombine" / "py.typed").is_file()
