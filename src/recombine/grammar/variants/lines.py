"""Lines of variants and the trees that they are about."""

from __future__ import annotations

from collections.abc import Iterator

from recombine.errors import GrammarError
from recombine.grammar.compiled import CompiledLanguage
from recombine.grammar.model import Feature, Ref, TableCell
from recombine.grammar.tree import Tree
from recombine.grammar.variants.files import Variants


def construction_slots(tree: Tree, node: int, chain: tuple[str, ...]) -> list[int] | None:
    """The nodes that fill the slots of a chain of rules at a node; None where it does not hold.

    Between two rules of a chain there may be rules of one part.
    """
    inventory, codes, positions = tree.inventory, tree.codes, tree.positions
    labels = inventory.labels
    if labels[codes[node]] != chain[0]:
        return None
    slots: dict[str, int] = {}
    for name in (*chain[1:], None):
        rule = inventory.rule(codes[node])
        following = -1
        for part, child in zip(rule.parts, positions[node], strict=True):
            slots.setdefault(part.slot, child)
            reached = child
            while name is not None and labels[codes[reached]] != name:
                if len(positions[reached]) != 1:
                    break
                reached = positions[reached][0]
            else:
                following = reached if name is not None else -1
        if name is not None and following < 0:
            return None
        node = following
    return list(slots.values())


def line_problems(own: CompiledLanguage, variants: Variants) -> Iterator[GrammarError]:
    """Lines that name what there is not."""
    inventory = own.inventory
    rules = {rule.name: rule for rule in inventory.rules}
    tables = {*own.tables, *(row.id for row in variants.rows if row.id.startswith("_"))}
    for line in variants.lines:
        unknown = [name for name in line.chain if name not in rules]
        if unknown:
            yield GrammarError(f"there is no rule '{unknown[0]}'", line.where)
            continue
        slots = {part.slot for name in line.chain for part in rules[name].parts}
        for piece in (piece for pieces in line.variants for piece in pieces):
            named = [piece.slot] if isinstance(piece, Ref) else []
            if isinstance(piece, Ref | TableCell):
                named += [key.slot for key in piece.keys if isinstance(key, Feature)]
            for slot in named:
                if slot not in slots:
                    hint = f"it has: {', '.join(sorted(slots))}"
                    message = f"{'/'.join(line.chain)} has no slot '{slot}'"
                    yield GrammarError(message, line.where, hint)
            if isinstance(piece, TableCell) and piece.table not in tables:
                yield GrammarError(f"there is no table '{piece.table}'", line.where)
