"""Invented words for a grammar: a benchmark of them is one that no model can have seen.

Every noun, name and verb gets an invented form in each language, in that language's script
(letters.py). It ends as a regular word of the same category and gender does (the *donor*), whose
changes of form it then takes (inflection.py): *dowalk, dowalked*; モネる, モネった. Senses that
shared a form share the invented one. None is a word of the lexicons of the grammar, nor of the word
lists that the machine carries; the certificate says which these were (folder.py).
"""
