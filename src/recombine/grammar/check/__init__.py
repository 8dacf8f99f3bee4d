"""Everything that is wrong with a grammar, found by folding over its compiled languages."""
