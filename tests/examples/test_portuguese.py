"""The language of examples/portuguese: a tenth of SGET, written outside the package."""

from __future__ import annotations

from pathlib import Path

from recombine.grammar import Grammar
from recombine.grammar.coverage import coverage
from recombine.metrics.meaning.metric import MeaningMatch

SENTENCES = {
    "The girl beside a car was given the book.": "À menina ao lado de um carro foi dado o livro.",
    "Liam was evaluated by the mother.": "Liam foi avaliado pela mãe.",
    "A child knew the teacher that a horse gave a flower to.": (
        "Uma criança conhecia o professor a quem um cavalo deu uma flor."
    ),
    "Who found a small new red plant in the garden?": (
        "Quem encontrou uma planta vermelha nova pequena no jardim?"
    ),
    "Emma answers that Noah needed to jump.": "Emma responde que Noah precisou pular.",
}


def test_portuguese_says_what_english_says(repository: Path) -> None:
    """All rules and ninety words, both ways."""
    grammar = Grammar.load(repository / "examples" / "portuguese" / "sget-pt")
    for english, portuguese in SENTENCES.items():
        assert grammar.text(grammar.parse(english, "en").require_tree(), "pt") == portuguese
        assert grammar.text(grammar.parse(portuguese, "pt").require_tree(), "en") == english
    found = coverage(grammar.concrete("pt"))
    assert found.describe() == "pt says 90 of 833 (10%) words and 206 of 206 (100%) rules"


def test_other_ways_to_say_it_mean_the_same(repository: Path) -> None:
    """As an engine said them: "em" for on, "para" for a recipient, a dancer who is a woman."""
    metric = MeaningMatch(
        grammar=str(repository / "examples" / "portuguese" / "sget-pt"),
        source_language="en",
        target_language="pt",
        workers=1,
    )
    asked = [
        ("Liam said that the book on the road was changed by a child.",
         ("Liam disse que o livro sobre a estrada foi mudado por uma criança.",),
         "Liam disse que o livro na estrada foi mudado por uma criança."),
        ("A mother wanted to send a book to a dancer.",
         ("Uma mãe queria enviar um livro a um dançarino.",),
         "Uma mãe queria enviar um livro para uma dançarina."),
        ("A mother wanted to send a book to a dancer.",
         ("Uma mãe queria enviar um livro a um dançarino.",),
         "Uma mãe queria enviar um jogo para uma dançarina."),
    ]  # fmt: skip
    verdicts = [verdict["class"] for verdict in metric.judge_block(asked) if verdict]
    assert verdicts == ["same", "same", "different"]
