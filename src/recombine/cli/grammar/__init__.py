"""Verbs for grammars: the linguist's loop of writing, looking and mending."""
