"""Constituency brackets, Penn Treebank style, as parsed sentences.

Phrases are found in dependency trees; brackets are turned into one with head rules (a short form of
Collins 1999, appendix A) and the ClearNLP relations that the phrase finder knows. One tree a line;
function tags ("NP-SBJ") and traces are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from recombine.corpus.conllu import ParsedSentence
from recombine.errors import DataError, Where
from recombine.files import read_lines

_PIECE = re.compile(r"\(|\)|[^\s()]+")
TRACE = "-NONE-"
ESCAPED = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "``": '"', "''": '"', "\\/": "/",
}  # fmt: skip
# Label of a phrase -> labels of its head child, the first found wins; True: from the right.
HEADS: dict[str, tuple[bool, tuple[str, ...]]] = {
    "NP": (True, ("NN", "NX", "NP", "PRP", "CD", "JJ", "DT")),
    "PP": (False, ("IN", "TO", "VBG", "PP")),
    "VP": (False, ("VP", "VB", "MD", "TO", "NN", "JJ")),
    "S": (False, ("VP", "S", "NP")),
    "SINV": (False, ("VP", "S", "NP")),
    "SQ": (False, ("VP", "VB", "MD")),
    "SBAR": (False, ("S", "SQ", "SINV", "SBAR", "VP")),
    "SBARQ": (False, ("SQ", "S", "SINV", "VP")),
    "ADJP": (True, ("JJ", "VB", "RB")),
    "ADVP": (True, ("RB", "IN")),
}
# (phrase, child) -> relation of the child's head word; labels match by their beginning.
RELATIONS: tuple[tuple[str, str, str], ...] = (
    ("NP", "DT", "det"), ("NP", "PRP$", "poss"), ("NP", "JJ", "amod"), ("NP", "ADJP", "amod"),
    ("NP", "NN", "compound"), ("NP", "CD", "nummod"), ("NP", "PP", "prep"), ("NP", "SBAR", "relcl"),
    ("NP", "VP", "acl"), ("NP", "NP", "appos"), ("S", "NP", "nsubj"), ("S", "PP", "prep"),
    ("VP", "NP", "dobj"), ("VP", "PP", "prep"), ("VP", "MD", "aux"), ("VP", "VB", "aux"),
    ("VP", "TO", "aux"), ("VP", "S", "xcomp"), ("VP", "VP", "xcomp"), ("PP", "NP", "pobj"),
    ("SBAR", "IN", "mark"),
)  # fmt: skip
# Nouns behind these are predicates, not objects.
COPULAS = frozenset({"be", "am", "is", "are", "was", "were", "been", "being", "'s", "'m", "'re"})


@dataclass
class BracketNode:
    """A phrase with children, or a word with its tag."""

    label: str
    word: str = ""
    children: list[BracketNode] = field(default_factory=list)
    place: int = -1


def read_brackets(path: Path, texts: Iterator[str] | None = None) -> Iterator[ParsedSentence]:
    """Yield the sentences of a file of brackets; `texts` are the same sentences as written."""
    for number, line in read_lines(path):
        if not line.strip():
            continue
        where = Where(str(path), number, text=line)
        root = parse_brackets(line, where)
        words = number_words(root)
        if not words:
            raise DataError("a tree without words", where)
        forms = [ESCAPED.get(word.word, word.word) for word in words]
        text = " ".join(forms)
        if texts is not None:
            written = next(texts, None)
            if written is None:
                raise DataError("more trees than the corpus has sentences", where)
            text = written
        heads = [0] * len(words)
        relations = ["root"] * len(words)
        attach(root, heads, relations)
        lemmas = [lemma_of(word) for word in words]
        yield ParsedSentence(text, lemmas, relations, heads, forms=forms, line=number)
    if texts is not None and next(texts, None) is not None:
        raise DataError("fewer trees than the corpus has sentences", Where(str(path)))


def parse_brackets(text: str, where: Where) -> BracketNode:
    """Return the tree of one line; faults say what is unbalanced."""
    stack = [BracketNode("")]
    pieces = _PIECE.findall(text)
    opened = False
    for piece in pieces:
        if piece == "(":
            node = BracketNode("")
            stack[-1].children.append(node)
            stack.append(node)
            opened = True
        elif piece == ")":
            if len(stack) == 1:
                raise DataError("a bracket closes that was not opened", where)
            stack.pop()
            opened = False
        elif opened:
            stack[-1].label, opened = plain_label(piece), False
        elif len(stack) > 1 and not stack[-1].children and not stack[-1].word:
            stack[-1].word = piece
        else:
            raise DataError(f"'{piece}' is neither a label nor the word of a tag", where)
    if len(stack) > 1:
        raise DataError(f"brackets not closed: {len(stack) - 1}", where)
    root = stack[0]
    while len(root.children) == 1 and not root.label:
        root = root.children[0]
    return prune(root)


def plain_label(label: str) -> str:
    """Return a label without function tags and indices: "NP-SBJ-1" is "NP"."""
    return label if label.startswith("-") else re.split(r"[-=|]", label)[0]


def prune(node: BracketNode) -> BracketNode:
    """Drop traces, and the phrases that they leave empty."""
    node.children = [
        child
        for child in map(prune, node.children)
        if child.children or (child.word and child.label != TRACE)
    ]
    return node


def number_words(root: BracketNode) -> list[BracketNode]:
    """Return the words from left to right, each with its place."""
    words: list[BracketNode] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.word:
            node.place = len(words)
            words.append(node)
        stack += reversed(node.children)
    return words


def attach(node: BracketNode, heads: list[int], relations: list[str]) -> int:
    """Fill in head (1-based) and relation of every word below; return the node's head word."""
    if node.word:
        return node.place
    inner = [attach(child, heads, relations) for child in node.children]
    chosen = head_child(node)
    head = inner[chosen]
    coordinated = False
    for place, (child, word) in enumerate(zip(node.children, inner, strict=True)):
        if place == chosen:
            continue
        heads[word] = head + 1
        relations[word] = relation_of(node, child, node.children[chosen])
        coordinated |= child.label == "CC"
        if coordinated and place > chosen and child.label == node.children[chosen].label:
            relations[word] = "conj"
    return head


def head_child(node: BracketNode) -> int:
    """Return which child holds the head word."""
    from_right, wanted = HEADS.get(node.label, (False, ()))
    labels = [child.label for child in node.children]
    # The first of two coordinated phrases is the head.
    if "CC" in labels:
        before = [n for n in range(labels.index("CC")) if labels[n] == node.label]
        if before:
            return before[0]
    order = range(len(labels) - 1, -1, -1) if from_right else range(len(labels))
    for label in wanted:
        # An earlier noun phrase is the head of one with a postmodifier: "[the dog] [at home]".
        places = range(len(labels)) if label == "NP" else order
        for place in places:
            if labels[place].startswith(label):
                return place
    return next((n for n in order if node.children[n].children or labels[n].isalpha()), 0)


def relation_of(parent: BracketNode, child: BracketNode, head: BracketNode) -> str:
    """Return the relation of a child that is not the head."""
    form = ESCAPED.get(child.word, child.word)
    if form and not any(letter.isalnum() for letter in form):
        return "punct"
    if child.label == "CC":
        return "cc"
    for phrase, label, relation in RELATIONS:
        if parent.label.startswith(phrase) and child.label.startswith(label):
            if relation == "dobj" and head.word.lower() in COPULAS:
                return "attr"
            return relation
    return "advmod" if child.label.startswith(("RB", "ADVP")) else "dep"


def lemma_of(word: BracketNode) -> str:
    """Return the form; a plural noun has another lemma, known or not ("_")."""
    form = ESCAPED.get(word.word, word.word)
    if word.label in ("NNS", "NNPS"):
        singular = form.lower().removesuffix("s")
        return singular if singular != form.lower() else "_"
    return form.lower()


def texts_of(path: Path) -> Iterator[str]:
    """Yield the lines of the corpus beside the brackets."""
    for _, line in read_lines(path):
        if line.strip():
            yield line.strip()
