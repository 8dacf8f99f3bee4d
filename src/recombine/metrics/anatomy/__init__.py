"""What happened to the meaning of a sentence: error anatomy by parsing the hypothesis."""
