"""A grammar of invented words as a folder that extends the real one, with glossary and proof."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recombine.errors import ConfigError
from recombine.files import write_text
from recombine.grammar.files.folder import find_grammar, shipped_grammars
from recombine.grammar.grammar import Grammar
from recombine.grammar.model import FORM
from recombine.grammar.nonce.words import Nonce, invent
from recombine.grammar.variants.files import FOLDER


def write_nonce(name: str, seed: int, folder: Path, categories: Sequence[str] = ()) -> Nonce:
    """Write a grammar of invented words: a folder that extends the grammar, with a glossary."""
    if folder.exists():
        raise ConfigError(f"{folder} exists", hint="choose another --out, or remove it")
    grammar = Grammar.load(name)
    nonce = invent(grammar, seed, categories)
    place = find_grammar(name).resolve()
    base = name if name in shipped_grammars() else f'"{place.as_posix()}"'
    if base != name and place.parent == folder.resolve().parent:
        base = f'"../{place.name}"'
    write_text(folder / "abstract.grammar", f"%extends {base}\n")
    # Synonyms of the real words are no way to say the invented ones.
    write_text(folder / FOLDER / "abstract.grammar", "%alone\n")
    for language, rows in nonce.forms.items():
        fields = list(dict.fromkeys(field for row in rows.values() for field in row))
        lines = ["\t".join(["id", "class", *fields])]
        for word, row in rows.items():  # "": the endings are written out, so no class is left
            lines.append("\t".join([word, '""', *(row.get(field, "") for field in fields)]))
        write_text(folder / f"{language}.nonce.lexicon.tsv", "\n".join(lines) + "\n")
    write_text(folder / "glossary.csv", _glossary(grammar, nonce))
    certificate: dict[str, Any] = {
        "grammar": grammar.name,
        "seed": seed,
        "invented": {language: len(rows) for language, rows in nonce.forms.items()},
        "kept": list(nonce.kept),
        # Of every text that an invented word can say in a sentence: none is a form of a word of
        # the grammar that was replaced.
        "texts_compared": {language: proof.texts for language, proof in nonce.proof.items()},
        "real_forms_found": {language: len(proof.real) for language, proof in nonce.proof.items()},
        # No sentence lost one of its words, either.
        "silent_words": {language: len(proof.silent) for language, proof in nonce.proof.items()},
        "none_is_in": {
            language: ["the lexicons of the grammar", *names]
            for language, names in nonce.lists.items()
        },
        "no_word_list_for": list(nonce.missing),
    }
    text = json.dumps(certificate, ensure_ascii=False, indent=2)
    write_text(folder / "nonce.json", text + "\n")
    return nonce


def _glossary(grammar: Grammar, nonce: Nonce) -> str:
    """One row a word: its category and its invented form in each language, for prompts."""
    languages = list(nonce.forms)
    words = list(next(iter(nonce.forms.values()), {}))
    rows = [",".join(["category", *languages])]
    seen: dict[str, None] = {}
    for word in words:
        category = grammar.abstract.words[word].category
        row = ",".join([category, *(nonce.forms[language][word][FORM] for language in languages)])
        if row not in seen:
            seen[row] = None
            rows.append(row)
    return "\n".join(rows) + "\n"
