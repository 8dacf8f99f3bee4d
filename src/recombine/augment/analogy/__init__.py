"""Proportional analogy: forms of words, and sentences made of sentences.

finds : found = passes : passed, and Liam found it. : Who found it? Both are learnt in two languages
at once.
"""
