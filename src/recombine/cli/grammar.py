"""Verbs for grammars: the linguist's loop of writing, looking and mending."""

from __future__ import annotations

import argparse
import difflib
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recombine.cli.talk import say
from recombine.errors import DataError, GrammarError, Problems, Where

if TYPE_CHECKING:
    from recombine.grammar import Grammar, Parse, Tree

MORE = 6  # words named of each list that could have come


def sample_verb(options: argparse.Namespace) -> int:
    """Print parallel sentences."""
    from recombine.grammar import Constraints, Grammar, review_rows, sample_rows
    from recombine.grammar.coverage import looks_complete, unsaid
    from recombine.grammar.drawing import draw_lines
    from recombine.grammar.variants.review import shown_variants, variant_rows
    from recombine.grammar.variants.wordings import wordings_of

    grammar = Grammar.load(options.grammar, edition=options.edition)
    languages = _languages(grammar, options.languages)
    if options.review and options.variants:
        rows = variant_rows(grammar, options.grammar, languages)
    elif options.review:
        rows = review_rows(grammar, languages)
    else:
        concretes = [grammar.concrete(language) for language in languages]
        left_out = unsaid(one for one in concretes if not looks_complete(one))
        if left_out:
            say(f"note: drawn without {len(left_out)} words and rules that a language does not say")
        wanted = Constraints(
            require=tuple(options.require),
            exclude=tuple(options.exclude),
            weights=dict.fromkeys(sorted(left_out), 0.0),
            select=not options.any_words,  # as in benchmarks
            no_repeat=None if options.any_words else languages[0],
        )
        rows = sample_rows(
            grammar, options.n, languages=languages, seed=options.seed, constraints=wanted
        )
        if left_out:
            rows = _drawn_of_unfinished(rows, languages)
    wordings = (
        {code: wordings_of(grammar, options.grammar, code) for code in languages}
        if options.variants and not options.review
        else {}
    )
    for row in rows:
        for code, words in wordings.items():
            others = shown_variants(grammar, words, grammar.tree(row["tree"]), options.seed)
            if others:
                row[f"{code}, also"] = list(others) if options.json else " | ".join(others)
        tree = row["tree"] if options.review and "tree" in row else row.pop("tree", "")
        if options.json:
            print(json.dumps({**row, "tree": tree} if options.trees else row, ensure_ascii=False))
        elif options.review:
            print("\t".join(str(value) for value in row.values()))
        else:
            print("\n".join(f"{key}\t{value}" for key, value in row.items()))
            if options.trees:
                drawn = draw_lines(grammar, grammar.tree(tree), languages, _width())
                print("\n".join(["", tree, *drawn]))
            print()
    return 0


def _drawn_of_unfinished(
    rows: Iterator[dict[str, Any]], languages: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Say of languages without a whole sentence that they have none, not that weights are wrong."""
    try:
        yield from rows
    except GrammarError:
        raise GrammarError(
            f"no whole sentence can be said yet in {' and '.join(languages)}",
            hint="recombine check GRAMMAR says what is missing; --languages CODE draws from others",
        ) from None


def parse_verb(options: argparse.Namespace) -> int:
    """Print the analyses of sentences."""
    from recombine.grammar import Grammar

    grammar = Grammar.load(options.grammar, edition=options.edition)
    languages = _languages(grammar, options.languages)
    grammar.parser(options.language)
    failures = []
    drawn = 0
    for where, text in _sentences(options.text):
        parse = grammar.parse(text, options.language)
        trees = list(parse.trees(None if options.all else options.n))
        if options.json:
            print(json.dumps(_parse_row(grammar, parse, trees, languages), ensure_ascii=False))
        for number, tree in enumerate(trees, start=1):
            if not options.json:
                _print_reading(grammar, tree, languages, f"{number} of {parse.count}")
            drawn += _draw(grammar, tree, languages, options.svg, drawn)
        if not trees:
            failures.append(_unread(grammar, options.language, parse, where))
    if failures:
        raise failures[0] if len(failures) == 1 else Problems(failures)
    return 0


def tree_verb(options: argparse.Namespace) -> int:
    """Draw trees that are given as rule(child, word)."""
    from recombine.grammar import Grammar

    grammar = Grammar.load(options.grammar, edition=options.edition)
    languages = _languages(grammar, options.languages)
    if options.tree and options.tree[0] in grammar.languages:
        hint = f"recombine parse {options.grammar} {options.tree[0]} '...' draws sentences"
        raise DataError(f"'{options.tree[0]}' is a language, no tree", hint=hint)
    for number, (_, text) in enumerate(_sentences(options.tree)):
        if " " in text and "(" not in text:
            hint = f"recombine parse {options.grammar} LANGUAGE '...' draws sentences"
            raise DataError(f"'{text}' is a sentence, no tree such as rule(child, word)", hint=hint)
        tree = grammar.tree(text)
        if options.json:
            print(json.dumps(_tree_row(grammar, tree, languages), ensure_ascii=False))
        else:
            _print_reading(grammar, tree, languages)
        _draw(grammar, tree, languages, options.svg, number)
    return 0


def new_language_verb(options: argparse.Namespace) -> int:
    """Write the stub of a language."""
    from recombine.grammar.new_language import new_language

    folder = options.out or Path(f"{Path(options.grammar).name}-{options.code}")
    needed = None
    if options.recipe:
        needed = _needs_of(options.recipe, options.grammar)
    for path in new_language(options.grammar, options.code, folder, options.like, needed):
        print(path)
    partial = " --partial" if options.recipe else ""
    say(f"fill the cells and take away the # of the lines; then: recombine check {folder}{partial}")
    if options.recipe:
        say(
            f"and: recombine build {options.recipe} -o grammar={folder} "
            f"-o benchmark.target={options.code} -o partial=true --out DIR"
        )
    return 0


def _needs_of(recipe: str, grammar: str) -> frozenset[str]:
    """The rules and words that a recipe can draw from a grammar."""
    from recombine.builders.generated.builder import Generated
    from recombine.builders.recipe import read_recipe

    builder = read_recipe(recipe, [f"grammar={grammar}"]).builder
    if not isinstance(builder, Generated):
        raise DataError(f"'{recipe}' draws from no grammar", hint="recombine list recipes")
    return builder.needs()


def nonce_verb(options: argparse.Namespace) -> int:
    """Write a grammar of invented words."""
    from recombine.grammar.nonce import write_nonce

    name = Path(options.grammar).name
    folder = options.out or Path(f"{name}-nonce-{options.seed}")
    categories = tuple(options.categories.split(",")) if options.categories else ()
    nonce = write_nonce(options.grammar, options.seed, folder, categories)
    print(folder)
    for language, rows in nonce.forms.items():
        lists = ", ".join(nonce.lists[language]) or "no word list here"
        say(f"{language}: {len(rows)} words invented, none of them in the lexicons ({lists})")
    if nonce.missing:
        say(
            f"note: no word list for {', '.join(nonce.missing)}: an invented word may be a real one"
            " (Debian: wamerican, wspanish, wngerman; Japanese: recombine[ja])"
        )
    if nonce.kept:
        say(f"kept as they are, without a form of their own: {', '.join(nonce.kept)}")
    if options.build:
        from recombine.builders.recipe import build, read_recipe

        overrides = [f"grammar={folder}", *options.overrides]
        benchmark = build(read_recipe(options.build, overrides), folder / "benchmark")
        print(benchmark.path)
    return 0


def explore_verb(options: argparse.Namespace) -> int:
    """Write a grammar as a page."""
    from recombine.files import write_text
    from recombine.grammar import Grammar
    from recombine.grammar.explore import explore_page

    grammar = Grammar.load(options.grammar, edition=options.edition)
    path = options.out or Path(f"{grammar.name}.html")
    write_text(path, explore_page(grammar))
    print(path)
    return 0


def _languages(grammar: Grammar, given: str | None) -> tuple[str, ...]:
    chosen = tuple(given.split(",")) if given else grammar.languages
    for language in chosen:
        grammar.concrete(language)  # an unknown one is refused before anything is printed
    return chosen


def _sentences(given: Sequence[str]) -> Iterator[tuple[Where, str]]:
    """What was given, or the lines of standard input; empty lines are no sentences."""
    lines = given or (line.rstrip("\n") for line in sys.stdin)
    name = "sentence" if given else "standard input"
    for number, text in enumerate(lines, start=1):
        if text.strip():
            yield Where(name, number, 1, text.strip()), text.strip()


def _print_reading(grammar: Grammar, tree: Tree, languages: Sequence[str], of: str = "") -> None:
    from recombine.grammar.drawing import draw_lines

    print(f"meaning{f' {of}' if of else ''}: {tree}")
    for language in languages:
        print(f"{language}\t{grammar.text(tree, language)}")
    print("\n".join(["", *draw_lines(grammar, tree, languages, _width()), ""]))


def _width() -> int | None:
    """The columns of the terminal; a file has as many as it needs."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _tree_row(grammar: Grammar, tree: Tree, languages: Sequence[str]) -> dict[str, Any]:
    said = {language: grammar.realise(tree, language) for language in languages}
    return {
        "tree": str(tree),
        **{language: one.text for language, one in said.items()},
        "nodes": [
            {"label": label, **{language: one.piece(node) for language, one in said.items()}}
            for node, label in enumerate(tree.labels())
        ],
    }


def _parse_row(
    grammar: Grammar, parse: Parse, trees: Sequence[Tree], languages: Sequence[str]
) -> dict[str, Any]:
    row: dict[str, Any] = {"text": parse.text, "count": parse.count}
    row["readings"] = [_tree_row(grammar, tree, languages) for tree in trees]
    if parse.failure is not None:
        row["failure"] = {"message": parse.failure.message, "offset": parse.failure.offset}
    return row


def _draw(
    grammar: Grammar, tree: Tree, languages: Sequence[str], path: Path | None, before: int
) -> bool:
    """Write a picture; a second one gets a number."""
    from recombine.files import write_text
    from recombine.grammar.drawing import draw_svg

    if path is None:
        return False
    name = path.with_stem(f"{path.stem}-{before + 1}") if before else path
    write_text(name, draw_svg(grammar, tree, languages))
    say(f"{name}: drawn")
    return True


def _unread(grammar: Grammar, language: str, parse: Parse, where: Where) -> DataError:
    """Where a sentence stopped being one, and what could have come there."""
    failure = parse.failure
    assert failure is not None
    place = where._replace(column=failure.offset + 1, width=max(1, len(failure.found)))
    lines = []
    read = parse.text[: failure.offset].strip()
    if failure.unknown:
        known = grammar.parser(language).cfg.entries
        close = difflib.get_close_matches(failure.found.rstrip(".?!,"), known, n=1)
        lines += [f"did you mean '{close[0]}'?"] if close else []
    if read:
        lines.append(f"read so far: {read}")
    literals = [name for name in failure.expected if name.startswith('"')]
    if failure.expected:
        lines.append(f"could have come: {' '.join(literals)}".rstrip())
    for name in failure.expected:
        if name not in literals:
            words = grammar.parser(language).words_of(failure, name)
            shown = ", ".join(words[:MORE]) + (", ..." if len(words) > MORE else "")
            lines.append(f"  {name}: {shown}")
    what = f"unknown word '{failure.found}'" if failure.unknown else f"unexpected '{failure.found}'"
    what = what if failure.found else "the sentence ends too early"
    if not failure.terminals and not failure.unknown:
        what = failure.message
    return DataError(f"no sentence of '{language}': {what}", place, "\n".join(lines) or None)
