"""Other ways to say it: variants as data, what is said by them, and a grammar widened by them."""
