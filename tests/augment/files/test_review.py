"""What was learned can be read, as text and as a page."""

from __future__ import annotations

from recombine.augment.files.review import review_page, review_text
from recombine.augment.options import Review

REVIEW = Review(
    classes=[
        {"name": "class 1", "members": ["dog|Hund"], "support": 3},
        {"name": "class 2", "members": [f"w{n}|<v{n}>" for n in range(20)], "support": 900},
    ],
    rules=[{"name": "phrase: the N | den N1", "support": 5, "examples": ["the dog"]}],
)


def test_text_has_everything_with_its_support_the_most_supported_first():
    """One line each; long lists say how many more there are."""
    lines = list(review_text(REVIEW))
    assert lines[0].startswith("Classes (2)")
    assert lines[1].startswith("  class 2  [support 900]  20 members: w0|<v0>")
    assert lines[1].endswith("8 more")
    assert lines[2] == "  class 1  [support 3]  1 members: dog|Hund"
    assert "  phrase: the N | den N1  [support 5]  examples: the dog" in lines


def test_the_page_needs_nothing_else_and_escapes_what_was_learned():
    """No script, nothing fetched, every member of every class."""
    page = review_page(REVIEW, "mine & yours")
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "mine &amp; yours" in page
    assert "w19|&lt;v19&gt;" in page
    assert "None was learned." in review_page(Review(REVIEW.classes, []), "mine")


def test_the_page_marks_the_places_that_other_words_fill():
    """A rule is a sentence with blanks; a long class folds."""
    page = review_page(Review(REVIEW.classes, [{"name": "X1 _2. | X1_2", "support": 5}]), "mine")
    assert '<span class="blank">X1</span>' in page
    many = [{"name": "class 1", "members": [f"w{n}" for n in range(30)], "support": 1}]
    page = review_page(Review(many, []), "mine")
    assert "<summary>6 more</summary>" in page
