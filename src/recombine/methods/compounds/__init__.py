"""Novel compounds of known atoms: what a report on them says."""
