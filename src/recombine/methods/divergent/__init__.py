"""Known words in other combinations: what a report on them says."""
