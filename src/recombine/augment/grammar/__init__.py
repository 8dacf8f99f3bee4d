"""A synchronous grammar learnt from aligned pairs, for any two languages with a segmenter."""
