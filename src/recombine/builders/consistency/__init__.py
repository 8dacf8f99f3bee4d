"""The same thing said in two ways: minimal pairs, synonyms, idioms (Dankers et al. 2022)."""
