"""Speed of the grammar engine beside NLTK and a plain recursive sampler, measured in one run.

    python benchmarks/grammar.py [--grammar sget] [--pairs 30000] [--parses 6000] [--budget 6]

CPU seconds of this process, one core. "cold" starts with empty caches, "warm" repeats with other
sentences. The peers get the same grammar: the plain sampler walks it with random.choices and says
both languages by recursion; NLTK gets it as a PCFG, and its parser gets ready-made tokens.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator

from recombine.grammar import Constraints, Grammar, Tree
from recombine.grammar.model import Glue, LiteralText, Ref, Symbol, TableCell
from recombine.grammar.sampling.product import weigh, word_weights

REQUIRED = {  # what the project asks for: at least, and aim
    "sample": (30_000, 100_000),
    "parse": (2_000, 20_000),
}


def rate(action: Callable[[], int]) -> float:
    """Things done per CPU second."""
    start = time.process_time()
    count = action()
    return count / max(time.process_time() - start, 1e-9)


class PlainSampler:
    """What one would write first: recursion, random.choices, string concatenation."""

    def __init__(self, grammar: Grammar, languages: tuple[str, ...]) -> None:
        self.inventory = grammar.inventory
        self.languages = [grammar.concrete(language) for language in languages]
        self.random = random.Random(1)
        self.weights = weigh(self.inventory, Constraints())
        self.options: dict[Symbol, tuple[list[int], list[float]]] = {}

    def draw(self, symbol: Symbol) -> tuple[int, list[object]]:
        """A tree as (code, children)."""
        if symbol not in self.options:
            if self.inventory.is_lexical(symbol):
                words = word_weights(self.inventory, symbol, self.weights, Constraints())
                self.options[symbol] = (list(words), list(words.values()))
            else:
                codes = [c for c in self.inventory.choices(symbol) if self.weights[c]]
                self.options[symbol] = (codes, [self.weights[c] or 0.0 for c in codes])
        codes, weights = self.options[symbol]
        code = self.random.choices(codes, weights)[0]
        if self.inventory.is_word(code):
            return code, []
        return code, [self.draw(part.symbol) for part in self.inventory.rule(code).parts]

    def say(self, concrete: object, tree: tuple[int, list[object]], field: str) -> str:
        """A field of a tree, joined naively."""
        code, children = tree
        if self.inventory.is_word(code):
            return str(concrete.word_forms(code).get(field, ("",))[0])  # type: ignore[attr-defined]
        text, glue = "", True
        for piece in (concrete.line(code, field) or [()])[0]:  # type: ignore[attr-defined]
            if isinstance(piece, Glue):
                glue = True
                continue
            if isinstance(piece, LiteralText):
                part = piece.text
            else:
                keys = []
                for key in piece.keys:
                    if isinstance(key, str):
                        keys.append(key)
                    else:
                        slot = self.inventory.rule(code).slot(key.slot)
                        keys.append(self.say(concrete, children[slot], key.field))
                if isinstance(piece, Ref):
                    slot = self.inventory.rule(code).slot(piece.slot)
                    part = self.say(concrete, children[slot], ".".join(keys))
                else:
                    assert isinstance(piece, TableCell)
                    part = concrete.tables[piece.table][".".join(keys)][0]  # type: ignore[attr-defined]
            if part:
                join = concrete.language.join  # type: ignore[attr-defined]
                text += part if glue or not text else join + part
                glue = False
        return text

    def run(self, budget: float) -> int:
        """Sample and say pairs for some CPU seconds."""
        start, count = time.process_time(), 0
        root = Symbol(self.inventory.abstract.start[0])
        while time.process_time() - start < budget:
            tree = self.draw(root)
            for concrete in self.languages:
                self.say(concrete, tree, concrete.language.root)
            count += 1
        return count


def nltk_grammar(grammar: Grammar, language: str) -> object:
    """The productions of a language as an NLTK PCFG, alternatives equally likely."""
    import nltk

    source = grammar.parser(language).cfg
    right: dict[int, list[tuple[object, ...]]] = {}
    names = [nltk.Nonterminal(f"n{number}") for number in range(len(source.names))]
    for text, entry in source.entries.items():
        for terminal in entry.words:
            right.setdefault(terminal, []).append((text,))
    for production in source.productions:
        body = tuple(names[symbol] for symbol in production.right)
        right.setdefault(production.left, []).append(body)
    root = nltk.Nonterminal("ROOT")
    rules = [
        nltk.ProbabilisticProduction(root, [names[r]], prob=1 / len(source.roots))
        for r in source.roots
    ]
    for left, bodies in right.items():
        distinct = list(dict.fromkeys(bodies))
        rules.extend(
            nltk.ProbabilisticProduction(names[left], body, prob=1 / len(distinct))
            for body in distinct
        )
    return nltk.PCFG(root, rules)


def nltk_parse(grammar: Grammar, language: str, trees: list[Tree], budget: float) -> float:
    """Sentences per second of NLTK's Viterbi parser on ready-made tokens."""
    import nltk

    parser = nltk.ViterbiParser(nltk_grammar(grammar, language))

    def action() -> int:
        start, count = time.process_time(), 0
        for tree in trees:
            tokens = [token.text for token in grammar.realise(tree, language).tokens]
            tokens[0] = (
                tokens[0] if parser.grammar()._lexical_index.get(tokens[0]) else tokens[0].lower()
            )
            list(parser.parse(tokens))
            count += 1
            if time.process_time() - start > budget:
                break
        return count

    return rate(action)


def nltk_generate(grammar: Grammar, language: str, count: int) -> float:
    """Sentences per second of NLTK's generate (it enumerates; it cannot sample)."""
    from nltk.parse.generate import generate

    pcfg = nltk_grammar(grammar, language)
    return rate(lambda: sum(1 for _ in generate(pcfg, depth=9, n=count)))


def line(name: str, value: float, note: str = "") -> None:
    """Print one measurement."""
    print(f"  {name:<44}{value:>12,.0f} /s   {note}")


def sentences(grammar: Grammar, language: str, count: int, stream: str) -> Iterator[str]:
    """Sampled sentences of one language."""
    for _, (text,) in grammar.sentences(count, (language,), stream=stream):
        yield text


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--grammar", default="sget")
    options.add_argument("--languages", default="en,ja")
    options.add_argument("--pairs", type=int, default=30_000)
    options.add_argument("--parses", type=int, default=6_000)
    options.add_argument("--budget", type=float, default=6.0, help="CPU seconds per peer")
    arguments = options.parse_args()
    languages = tuple(arguments.languages.split(","))
    grammar = Grammar.load(arguments.grammar)
    words, rules = len(grammar.abstract.words), len(grammar.abstract.rules)
    print(f"grammar {grammar.name}: {rules} rules, {words} words, {'-'.join(languages)}")

    print("sample and realise pairs")
    count = arguments.pairs
    grammar.sampler()
    cold = rate(lambda: sum(1 for _ in grammar.sentences(count, languages, stream="cold")))
    warm = rate(lambda: sum(1 for _ in grammar.sentences(count, languages, stream="warm")))
    need, aim = REQUIRED["sample"]
    line("ours, cold", cold, f"needed {need:,}, aim {aim:,}")
    line("ours, warm", warm)
    trees = rate(lambda: sum(1 for _ in grammar.sampler().draw_codes(count, stream="trees")))
    line("ours, trees only", trees)
    plain = rate(lambda: PlainSampler(grammar, languages).run(arguments.budget))
    line("plain recursive random.choices", plain, f"ours is {warm / plain:.1f} times as fast")
    nltk = nltk_generate(grammar, languages[0], 3000)
    line("NLTK generate", nltk, "one language; lists neighbours in order, cannot sample")

    print("a required pattern that 1 tree in many shows")
    for rule in _rare(grammar):
        wanted = Constraints(require=(rule,))
        sampler = grammar.sampler(wanted)
        made = rate(lambda wanted=wanted: sum(1 for _ in grammar.sample(3000, constraints=wanted)))
        line(
            f"{rule}: 1 in {1 / sampler.acceptance:,.0f}",
            made,
            f"{trees / made:.1f} times a plain tree",
        )

    for language in languages:
        print(f"parse {language}")
        grammar.parser(language)
        texts = list(sentences(grammar, language, arguments.parses, "parse"))
        others = list(sentences(grammar, language, arguments.parses, "parse again"))
        cold = rate(
            lambda t=texts, c=language: sum(grammar.parse(x, c).tree is not None for x in t)
        )
        warm = rate(
            lambda t=others, c=language: sum(grammar.parse(x, c).tree is not None for x in t)
        )
        need, aim = REQUIRED["parse"]
        line("ours, cold", cold, f"needed {need:,}, aim {aim:,}")
        line("ours, warm, other sentences", warm)
        drawn = list(grammar.sample(200, stream="nltk"))
        peer = nltk_parse(grammar, language, drawn, arguments.budget)
        line("NLTK Viterbi, tokens given", peer, f"ours is {warm / peer:,.0f} times as fast")


def _rare(grammar: Grammar) -> list[str]:
    """Up to three rules, from common to rare."""
    shares: dict[str, float] = {}
    for rule in grammar.inventory.rules:
        if rule.weight:
            try:
                shares[rule.name] = grammar.sampler(Constraints(require=(rule.name,))).acceptance
            except Exception:  # a rule of another start category
                continue
    ordered = sorted(shares, key=lambda name: -shares[name])
    return [ordered[len(ordered) // 2], ordered[-2], ordered[-1]] if len(ordered) > 3 else ordered


if __name__ == "__main__":
    main()
