"""Novel compounds of known atoms, put into known contexts (Li et al. 2021)."""
