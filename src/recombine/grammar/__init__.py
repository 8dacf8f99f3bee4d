"""Grammar as data: sample, realise and parse synchronous grammars in any language.

    grammar = Grammar.load("toy")                        # a shipped name or the path of a folder
    grammar = Grammar.load("sget", edition="official")
    for tree in grammar.sample(5, seed=1, stream="train", constraints=Constraints(depth={"cp": 2})):
        grammar.text(tree, "ja")                         # canonical text, fast
        grammar.realise(tree, "en")                      # Realisation: text, tokens, spans
    for tree, (en, ja) in grammar.sentences(5, ["en", "ja"], seed=1, stream="train"): ...
    parse = grammar.parse("The cat slept.", "en")        # Parse: tree, trees(), count, failure
    Pattern.parse("decl.subj >> beside").matches(tree)
    grammar.admits(tree, constraints); grammar.violations(tree)
    check_grammar("path") -> list[RecombineError]        # everything that is wrong, at once
    note_conflicts(grammar) -> list[str]                 # directions with ambiguous sources
    sample_rows(grammar, 5, seed=1, patterns=["rc_obj"])  # dicts: tree and one text per language
    review_rows(grammar)                                 # every word form, every construction once

The files are described in docs/how-to/grammar-format.md.
"""

from recombine.grammar.check.conflicts import check_conflicts, note_conflicts
from recombine.grammar.check.grammar_check import check_grammar
from recombine.grammar.files.folder import find_grammar, shipped_grammars
from recombine.grammar.grammar import Grammar
from recombine.grammar.parsing.parser import Parse, ParseFailure
from recombine.grammar.pattern import Pattern
from recombine.grammar.realise.realiser import Realisation, Span
from recombine.grammar.review import review_rows, sample_rows
from recombine.grammar.sampling.constraints import Constraints
from recombine.grammar.sampling.sampler import Sampler
from recombine.grammar.tree import Tree

__all__ = [
    "Constraints",
    "Grammar",
    "Parse",
    "ParseFailure",
    "Pattern",
    "Realisation",
    "Sampler",
    "Span",
    "Tree",
    "check_conflicts",
    "check_grammar",
    "find_grammar",
    "note_conflicts",
    "review_rows",
    "sample_rows",
    "shipped_grammars",
]
