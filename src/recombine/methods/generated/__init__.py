"""Known words in unseen structures: what a report on them says."""
