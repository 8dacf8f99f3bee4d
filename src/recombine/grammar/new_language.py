"""The stub of a new language: every line and every row it needs, to be filled in.

Nothing in a stub is said yet: its lines are comments and its cells are empty. Beside each stands
how another language says it, with a sentence, so that whoever writes the language need not look
anything up.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from recombine.errors import ConfigError, GrammarError
from recombine.files import write_text
from recombine.grammar.coverage import coverage
from recombine.grammar.files.folder import find_grammar, shipped_grammars
from recombine.grammar.files.write import format_line, format_rule
from recombine.grammar.grammar import Grammar
from recombine.grammar.model import FORM, Rule
from recombine.grammar.review import example_tree
from recombine.grammar.sampling.constraints import Constraints
from recombine.grammar.tree import Tree

FAMILY = 4  # rules from which on a common line is worth its %each
DRAWN = 3_000  # sentences among which examples of words are looked for
_SENSIBLE = Constraints(select=True)

_HEAD = """\
# How '{code}' says each rule of '{name}'. Take away the # of a line, put the slots in your order
# and your words in quotes; `recombine check {folder}` says what is left to do.
# Lines that another language says alike stand once, with %each: split them where yours does not.
# The notation: docs/how-to/grammar-format.md
%join " "
%post sentence_case
"""


def new_language(
    name: str,
    code: str,
    folder: Path,
    like: str = "",
    needed: Collection[str] | None = None,
) -> list[Path]:
    """Write the stub of a language beside a grammar, or what a language of it still lacks.

    A new folder extends the grammar; where the grammar is that folder, files are added to it.
    `like` is the language shown beside each line: English, or the grammar's first, if not given.
    With `needed`, words and rules beyond these are left out.
    """
    if not re.fullmatch(r"[A-Za-z][\w-]*", code) or code == "abstract":
        raise ConfigError(f"'{code}' cannot name a language", hint="a code such as it or pt-BR")
    grammar = Grammar.load(name)
    others = [other for other in grammar.languages if other != code]
    model = like or ("en" if "en" in others else next(iter(others), ""))
    if model not in others:
        known = ", ".join(others) or "none"
        raise ConfigError(f"'{name}' has no language '{model}' to show", hint=f"it has: {known}")
    place = find_grammar(name)
    goes_on = folder.is_dir() and folder.resolve() == place.resolve()
    if code in grammar.languages and not goes_on:
        raise ConfigError(
            f"'{name}' has the language '{code}' already",
            hint=f"write the rest of it: recombine new-language {name} {code} --out {place}",
        )
    is_there = folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))
    if is_there and not goes_on:
        raise ConfigError(f"{folder} exists", hint="choose another --out, or remove it")
    stub = _Stub(grammar, code, model, needed)
    files = dict(stub.files(folder.name, extra=".todo" if code in grammar.languages else ""))
    if not goes_on:
        base = name if name in shipped_grammars() else f'"{_way(folder, place)}"'
        files = {"abstract.grammar": f"%extends {base}\n", **files}
    taken = [folder / file for file in files if (folder / file).exists()]
    if taken:
        raise ConfigError(f"{taken[0]} exists", hint="fill it in, or rename it, first")
    for file, text in files.items():
        write_text(folder / file, text)
    return [folder / file for file in files]


def _way(folder: Path, place: Path) -> str:
    """How a folder is seen from another: beside it where that is so, else in full."""
    same = folder.resolve().parent == place.resolve().parent
    return f"../{place.resolve().name}" if same else place.resolve().as_posix()


def _with_slots(body: str, names: Mapping[str, str]) -> str:
    """The right side of a line with other names of slots; literals stay as they are."""
    return re.sub(
        r'"[^"]*"|(?<![.\w])[A-Za-z_][\w-]*', lambda match: names.get(match[0], match[0]), body
    )


class _Stub:
    def __init__(
        self, grammar: Grammar, code: str, model: str, needed: Collection[str] | None
    ) -> None:
        self.grammar = grammar
        self.code = code
        self.model = model
        inventory = grammar.inventory
        self.rules = [rule.name for rule in inventory.rules]
        self.words = [word.id for word in inventory.words]
        if code in grammar.languages:
            found = coverage(grammar.concrete(code))
            rows = grammar.source.languages[code].rows
            self.rules = list(found.missing_rules)
            self.words = [word for word in found.missing_words if word not in rows]
        if needed is not None:
            self.rules = [name for name in self.rules if name in needed]
            self.words = [word for word in self.words if word in needed]
        self.examples = self._examples()

    def files(self, folder: str, extra: str) -> Iterator[tuple[str, str]]:
        if self.rules:
            head = _HEAD.format(code=self.code, name=self.grammar.name, folder=folder)
            lines = [head if not extra else "", *self._lines()]
            yield f"{self.code}{extra}.grammar", "\n".join(lines).lstrip("\n")
        asked = self._fields()
        for category, codes in self.grammar.inventory.words_of.items():
            labels = [self.grammar.inventory.labels[code] for code in codes]
            wanted = [label for label in labels if label in set(self.words)]
            if wanted:
                table = self._table(wanted, asked.get(category, [FORM]))
                yield f"{self.code}{extra}.{category}.lexicon.tsv", table

    def _lines(self) -> Iterator[str]:
        """Per rule: what it is, a sentence, and the lines of the other language as comments.

        Rules that the other language says alike are one family: a line with `%each` for all.
        """
        families: dict[tuple[str, ...], list[str]] = {}
        for name in self.rules:
            families.setdefault(self._shape(name), []).append(name)
        of_rule = {name: family for family in families.values() for name in family}
        written: set[str] = set()
        for name in self.rules:
            if name in written:
                continue
            family = of_rule[name] if len(of_rule[name]) >= FAMILY else [name]
            written.update(family)
            for member in family:
                yield f"# {format_rule(self.grammar.abstract.rules[member])}"
            tree = example_tree(self.grammar, name)
            if tree is not None:
                rule = self.grammar.abstract.rules[name]
                yield f"#   {self.model}: {self._marked(tree, rule)}"
            lines = self._model_lines(name) or [f"{name} = "]
            if len(family) > 1:
                yield from self._family_lines(family, lines)
            else:
                yield from (f"#{line}" for line in lines)
            yield ""

    def _family_lines(self, family: list[str], lines: list[str]) -> Iterator[str]:
        """One line for several rules, with a variable for each slot whose name differs."""
        first = self._slots(family[0])
        columns = zip(*map(self._slots, family), strict=True)
        varying = [place for place, names in enumerate(columns) if len(set(names)) > 1]
        rows = [[name, *(self._slots(name)[place] for place in varying)] for name in family]
        name = family[0]
        variables = [f"like_{name}", *(f"slot{n}_{name}" for n, _ in enumerate(varying, 1))]
        values = " | ".join(map(" ".join, rows)) if varying else " ".join(family)
        yield f"#%each {' '.join(variables)} = {values}"
        names = {first[place]: f"${{{variables[1 + n]}}}" for n, place in enumerate(varying)}
        for line in lines:
            left, _, right = line.partition(" = ")
            field = left.removeprefix(family[0])
            yield f"#${{{variables[0]}}}{field} = {_with_slots(right, names)}"

    def _model_lines(self, rule: str) -> list[str]:
        lines = self.grammar.source.languages[self.model].lines
        return [format_line(line) for (of, _), line in lines.items() if of == rule]

    def _slots(self, rule: str) -> tuple[str, ...]:
        return tuple(part.slot for part in self.grammar.abstract.rules[rule].parts)

    def _shape(self, name: str) -> tuple[str, ...]:
        """The model's lines without the name of the rule and numbers in slots: one shape, alike.

        A rule that the other language does not say is like no other.
        """
        # Thing_1_2 and Thing_2_3 are slots of one kind, a noun and a verb are not.
        slots = {slot: re.sub(r"[_\d].*", "", slot) for slot in self._slots(name)}
        shape = [str(len(slots))]
        for line in self._model_lines(name):
            left, _, right = line.partition(" = ")
            shape += [left.removeprefix(name), _with_slots(right, slots)]
        return tuple(shape) if len(shape) > 1 else (name,)

    def _marked(self, tree: Tree, rule: Rule) -> str:
        """The sentence, with what the rule says in brackets."""
        said = self.grammar.realise(tree, self.model)
        span = said.span(tree.labels().index(rule.name))
        if span is None or span == (0, len(said.text)):
            return said.text
        start, end = span
        return f"{said.text[:start]}[{said.text[start:end]}]{said.text[end:]}"

    def _fields(self) -> dict[str, list[str]]:
        """Per category: the columns that the other language needs, as a first guess."""
        found: dict[str, dict[str, None]] = {}
        for code, field in self.grammar.parser(self.model).cfg.word_fields():
            found.setdefault(self.grammar.inventory.category(code), {FORM: None})[field] = None
        for category, features in self.grammar.concrete(self.model).features.items():
            found.setdefault(category, {FORM: None}).update(dict.fromkeys(features))
        return {category: list(fields) for category, fields in found.items()}

    def _table(self, words: list[str], fields: list[str]) -> str:
        concrete, inventory = self.grammar.concrete(self.model), self.grammar.inventory
        rows = ["\t".join(["id", *fields, "class", "note"])]
        for word in words:
            forms = concrete.word_forms(inventory.code(word))
            gloss = inventory.word(inventory.code(word)).gloss
            form = next(iter(forms.get(FORM, ()) or next(iter(forms.values()), ("",))))
            note = "; ".join(
                part
                for part in (
                    f"{self.model}: {form}",
                    gloss,
                    " ".join(inventory.word(inventory.code(word)).classes),
                    self.examples.get(word, ""),
                )
                if part
            )
            rows.append("\t".join([word, *([""] * len(fields)), "", note]))
        return "\n".join(rows) + "\n"

    def _examples(self) -> dict[str, str]:
        """A short sentence for every word: drawn, or drawn with a word of its kind in its place."""
        inventory = self.grammar.inventory
        shortest: dict[int, tuple[Tree, int]] = {}  # word -> a tree and the node where it stands
        try:
            trees = sorted(
                self.grammar.sample(DRAWN, stream="examples", constraints=_SENSIBLE), key=len
            )
        except GrammarError:
            return {}
        for tree in trees:
            for node, code in enumerate(tree.codes):
                if code >= inventory.first_word:
                    shortest.setdefault(code, (tree, node))
        kinds: dict[tuple[str, tuple[str, ...]], tuple[Tree, int]] = {}
        for code, found in shortest.items():
            word = inventory.word(code)
            for kind in ((word.category, word.classes), (word.category, ())):
                kinds.setdefault(kind, found)
        texts: dict[str, str] = {}
        for code in range(inventory.first_word, len(inventory.labels)):
            word = inventory.word(code)
            like = kinds.get((word.category, word.classes)) or kinds.get((word.category, ()))
            if code in shortest:
                texts[word.id] = self.grammar.text(shortest[code][0], self.model)
            elif like is not None:
                tree, node = like
                codes = (*tree.codes[:node], code, *tree.codes[node + 1 :])
                texts[word.id] = self.grammar.text(Tree(inventory, codes), self.model)
        return texts
