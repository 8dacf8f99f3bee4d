"""Tree -> text: forms of words, lines of rules, the spelling of a sentence."""
