"""Compound translation error rate (CTER): is the novel compound translated, as one phrase?

Li et al. 2021 (CoGnition) count a compound as wrong when a word of it is missing or out of order.
`mode = "official"` gives the verdicts of their tool. The default also asks that the compound stays
one phrase, with nothing inside that references would not put there, and knows renderings that the
lexicon lacks. Lists and thresholds come from references; docs/how-to/compounds.md says what was
tuned on what. Every verdict explains itself.

Of running text nobody knows all words for an atom: its compounds have no reference, or one of
many. Where another word stands in an atom's place, or only function words tear a phrase apart, the
verdict is `unsure`, and the rate is a range. Where all sentences have references (CoGnition) it is
not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from recombine.benchmark import Example
from recombine.metrics.base import Metric, Missing, Observation, Scored
from recombine.metrics.compound.arrangement import Arrangement, arrange, between
from recombine.metrics.compound.learning import Knowledge, ReferenceText, category, learn
from recombine.metrics.compound.official import official_fault
from recombine.metrics.compound.output_words import HYPHENS, OutputWords
from recombine.metrics.compound.units import WHOLE, Atom, Units, find_all, is_mark
from recombine.statistics.aggregate import Kind

UNSURE = "unsure"
INSIDE_WORDS = HYPHENS + "'’"


def is_compound(example: Example) -> bool:
    """Return True for a sentence that embeds a compound with known atoms."""
    return bool(compound_of(example)) and any(focus.role != WHOLE for focus in example.focus)


def compound_of(example: Example) -> str:
    """Return the compound of an example: its tag, or the focus that is the whole compound."""
    whole = next((focus.text for focus in example.focus if focus.role == WHOLE), "")
    return str(example.tags.get("compound", whole))


def context_of(example: Example) -> str:
    """Return the sentence without its compound."""
    return " ".join(example.source.replace(compound_of(example), " ", 1).split())


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong with a compound's translation, and where it was found.

    `unsure`: it may be right in words that the lexicon lacks.
    """

    fault: str = ""  # "" correct; empty, missing, overlapping, misplaced, detached, bare, stranded
    atom: str = ""
    span: str = ""
    foreign: str = ""
    unsure: bool = False

    @property
    def correct(self) -> bool:
        """Whether nothing is wrong."""
        return not self.fault

    @property
    def wrong(self) -> bool:
        """Whether something surely is."""
        return bool(self.fault) and not self.unsure

    def detail(self) -> dict[str, Any]:
        """Return the verdict as plain data, empty fields left out."""
        named = {"atom": self.atom, "span": self.span, "foreign": self.foreign}
        if self.unsure:
            named = {"perhaps": self.fault, **named}
        kind = UNSURE if self.unsure else self.fault or "correct"
        return {"class": kind, **{k: v for k, v in named.items() if v}}


@dataclass(kw_only=True)
class Compound(Metric):
    """Instance error rate: the share of sentences whose compound is not translated.

    `heads`: roles that govern the phrase and need not touch it. `interruptible`: heads whose
    phrase may be interrupted by words, not by punctuation (what modifies an object may attach to
    its verb). `fillers`: where to learn what may stand between atoms. `filler_share`: a unit in
    this share of an atom's translations may (2: in at least two). `order_share`: an order kept by
    this share of translations must be kept. `optional_share`: a head absent from this share of
    references is not required. `relaxation`: nor is one that the example's own reference lacks;
    where it has none, the reference of the sentence that its context was taken from decides.
    `own_fillers`: what the example's own reference puts inside the phrase may stand there.
    `closed`: the target language writes compounds as one word, which is cut where a rendering ends.
    `judgeable`: leave out sentences whose own reference is rejected, and count them: translators of
    running text are free, and no rule can tell there whether a system was free or wrong.
    `trust_lexicon`: a word that the lexicon lacks is wrong also where sentences lack references.
    """

    name: ClassVar[str] = "compound"
    kind: ClassVar[Kind] = "ratio"
    higher_is_better: ClassVar[bool] = False
    right_value: ClassVar[float] = 1.0
    missing: ClassVar[Missing] = "empty"
    undecided: ClassVar[int | None] = 2

    mode: Literal["default", "official"] = "default"
    heads: tuple[str, ...] = ("V", "P")
    interruptible: tuple[str, ...] = ("V",)
    synonyms: tuple[str, ...] = ("N", "V", "P", "ADJ")
    fillers: Literal["auto", "references", "hypotheses"] = "auto"
    filler_share: float = 0.01
    order_share: float = 0.95
    optional_share: float = 0.1
    relaxation: bool = True
    own_fillers: bool = True
    closed: bool = False
    judgeable: bool = False
    trust_lexicon: bool = False
    left_out: int = field(init=False, default=0)
    _units: Units = field(init=False, default_factory=Units, repr=False)
    _knowledge: Knowledge = field(init=False, default_factory=Knowledge, repr=False)
    _learned_from: str = field(init=False, default="", repr=False)
    _examples: list[Example] = field(init=False, default_factory=list, repr=False)
    _outputs: OutputWords = field(init=False, default_factory=OutputWords, repr=False)
    # Whether the reference of a context renders a head.
    _rendered: dict[tuple[str, str], bool] = field(init=False, default_factory=dict, repr=False)

    def key(self, example: Example) -> str | None:
        """Every sentence with a compound is one observation."""
        return example.id if is_compound(example) else None

    def observe(self, items: Sequence[Scored]) -> Observation | None:
        """Judge one translation."""
        example, hypothesis, _ = items[0]
        if self._is_beyond(example):
            return None
        verdict = self.judge(example, hypothesis)
        detail = {"compound": compound_of(example), **verdict.detail()}
        return Observation(
            key=example.id,
            ids=(example.id,),
            value=float(verdict.correct),
            stats=(float(verdict.wrong), 1.0, float(verdict.unsure)),
            detail=detail,
        )

    def _is_beyond(self, example: Example) -> bool:
        """Whether `judgeable` leaves a sentence out."""
        if not self.judgeable or not example.references:
            return False
        beyond = not self.judge(example, example.references[0], relaxation=False).correct
        self.left_out += beyond
        return beyond

    def judge(
        self, example: Example, hypothesis: str, *, relaxation: bool | None = None
    ) -> Verdict:
        """Return the verdict on one translation; `relaxation` overrides the option."""
        if self.mode == "official":
            atoms_only = [focus for focus in example.focus if focus.role != WHOLE]
            fault = official_fault(atoms_only, hypothesis)
            return Verdict(*fault) if fault else Verdict()
        units = self._units.encode(hypothesis)
        if not units:
            return Verdict("empty")
        atoms = tuple(map(self._knowledge.extend, self._units.atoms(example)))
        reference = self._units.encode(example.references[0]) if example.references else ""
        relaxed = self.relaxation if relaxation is None else relaxation
        missing = self._missing(example, atoms, units, reference if relaxed else "")
        doubt = self._doubts
        if missing is not None:
            unsure = doubt and self._has_stand_in(atoms, missing, units)
            return Verdict("missing", atom=missing.text, unsure=unsure)
        verdict = self._phrase(atoms, units, reference if self.own_fillers else "")
        unsure = doubt and self._may_be_right(example, atoms, units, verdict)
        return replace(verdict, foreign=self._units.decode(verdict.foreign), unsure=unsure)

    def _may_be_right(
        self, example: Example, atoms: Sequence[Atom], units: str, verdict: Verdict
    ) -> bool:
        """Whether a phrase whose atoms are all there may be one, though it does not look so.

        Other outputs are all there is to learn from: words in another order are surely no phrase
        only where a mark parts them. What stands far off may be of another phrase, and its own
        place be taken by a word that the lexicon lacks.
        """
        if verdict.fault == "misplaced":
            return not any(is_mark(unit) and unit not in INSIDE_WORDS for unit in verdict.span)
        if verdict.fault != "detached":
            return bool(verdict.fault)
        compound = compound_of(example)
        if not self._outputs.tell(verdict.foreign, compound):
            return True
        core = [atom for atom in atoms if atom.role not in self.heads and atom.accepted]
        for far in core:
            near = [atom for atom in core if atom is not far]
            arrangement = arrange(units, near, before=frozenset(), allowed=frozenset())
            if arrangement is None or self._outputs.tell(arrangement.foreign, compound):
                continue
            if self._outputs.stand_ins(arrangement, far, units):
                return True
        return False

    def _has_stand_in(self, atoms: Sequence[Atom], missing: Atom, units: str) -> bool:
        """Whether another word may render a missing atom.

        Of a head whatever stands before the phrase; of other atoms as many words, in or beside the
        rest of the phrase, that are no function words and render none of it.
        """
        rest = [a for a in atoms if a.role not in self.heads and a.accepted and _has(units, a)]
        arrangement = arrange(units, rest, before=frozenset())
        if arrangement is None:
            return True  # nothing shows where the phrase would be
        if missing.role in self.heads:
            return arrangement.start > 0 and not is_mark(units[arrangement.start - 1])
        lacking = [a for a in atoms if a.role not in self.heads and a.required]
        return self._outputs.stand_ins(arrangement, missing, units) >= sum(
            not _has(units, a) for a in lacking
        )

    def _missing(
        self, example: Example, atoms: Sequence[Atom], units: str, reference: str
    ) -> Atom | None:
        """Return the first atom that is not rendered, unless it is a head that may be left out."""
        for atom, listed in zip(atoms, self._units.atoms(example), strict=True):
            if not atom.required or _has(units, atom):
                continue
            if atom.role in self.heads and not self._asks_for(example, atom, listed, reference):
                continue
            return atom
        return None

    def _asks_for(self, example: Example, atom: Atom, listed: Atom, reference: str) -> bool:
        """Return whether a translation needs this head.

        Where the example has no reference, that of the sentence its context was taken from says so:
        "pleased with X" is "über X erfreut", but "a treaty with X" is "ein Vertrag mit X".
        """
        if self.relaxation and not example.references:
            rendered = self._rendered.get((context_of(example), atom.text))
            if rendered is not None:
                return rendered
        if (atom.text, atom.role) in self._knowledge.optional:
            return False
        return not reference or _has(reference, listed)

    def _phrase(self, atoms: Sequence[Atom], units: str, reference: str) -> Verdict:
        """Judge whether atoms that are all there make one phrase; what is foreign stays as units.

        What is not a head is the core. It is arranged as well as it can be (arrangement.py), and
        then asked, the gravest fault first: can every atom have a place of its own, are they in an
        order that translations keep, does something foreign stand between them, does something
        lack that must, and is a governed phrase left without what governs it.
        """
        core = tuple(a for a in atoms if a.role not in self.heads and a.accepted)
        if not core:
            return Verdict()
        kind = category(atoms, self.heads)
        before = self._knowledge.before.get(kind, frozenset())
        allowed = self._knowledge.allowed(tuple(atoms))
        heads = [
            span
            for atom in atoms
            if atom.role in self.heads and atom.accepted
            for span in find_all(units, atom.accepted)
        ]
        may_interrupt = bool(kind.intersection(self.interruptible))
        arrangement = arrange(
            units, core, before=before, allowed=allowed, bridges=heads if may_interrupt else ()
        )
        if (
            arrangement is not None
            and arrangement.foreign
            and not arrangement.misplaced
            and reference
        ):
            # Only now is the reference worth a look: most translations have nothing foreign.
            allowed |= self._inside(reference, core, before)
            arrangement = arrange(
                units, core, before=before, allowed=allowed, bridges=heads if may_interrupt else ()
            )
        if arrangement is None:
            return Verdict("overlapping", atom=_shortest(core).text)
        span = self._units.decode(units[arrangement.start : arrangement.end])
        if arrangement.misplaced:
            return Verdict("misplaced", atom=arrangement.misplaced[0].text, span=span)
        foreign = arrangement.foreign
        if may_interrupt:
            foreign = "".join(unit for unit in foreign if is_mark(unit))
        if foreign:
            return Verdict("detached", span=span, foreign=foreign)
        bare = None if may_interrupt else self._bare(units, arrangement)
        if bare is not None:
            return Verdict("bare", atom=bare.text, span=span)
        if kind and _is_stranded(units, arrangement, heads):
            # Some sentences allow it, and then their reference does it too.
            own = arrange(reference, core, before=before) if reference else None
            if own is None or not _is_stranded(reference, own, ()):
                return Verdict("stranded", span=span)
        return Verdict(span=span)

    def _inside(
        self, reference: str, core: Sequence[Atom], before: frozenset[tuple[str, str]]
    ) -> frozenset[str]:
        """Return what the reference itself puts between the atoms of the core."""
        if not reference:
            return frozenset()
        arrangement = arrange(reference, core, before=before)
        if arrangement is None or arrangement.misplaced:
            return frozenset()
        return frozenset(
            unit for unit in between(reference, arrangement.placed) if not is_mark(unit)
        )

    def _bare(self, units: str, arrangement: Arrangement) -> Atom | None:
        """Return an atom that stands right before the next, where something must come between."""
        for left, right in zip(arrangement.placed, arrangement.placed[1:], strict=False):
            start, end = left.span
            rendering = (left.atom.text, left.atom.role, units[start:end])
            if end == right.span[0] and rendering in self._knowledge.never_bare:
                return left.atom
        return None

    def prepare(self, items: Sequence[Scored]) -> None:
        """Learn from the references, and from the outputs of sentences that have none."""
        self._units, self._knowledge = Units(), Knowledge()
        self.left_out, self._rendered = 0, {}
        compounds = [item for item in items if is_compound(item.example)]
        self._examples = [item.example for item in compounds]
        if self.mode == "official":
            return
        if self.closed:
            self._units.open_compounds(self._examples)
        texts: list[ReferenceText] = []
        for example, hypothesis, _ in compounds:
            trusted = self.fillers == "references" or (
                self.fillers == "auto" and bool(example.references)
            )
            atoms, group, context = self._units.atoms(example), example.group or "", None
            for text in example.references if trusted else (hypothesis,):
                if units := self._units.encode(text):
                    context = context or context_of(example)
                    texts.append(ReferenceText(atoms, units, group, context, trusted))
        self._rendered = {
            (text.context, atom.text): _has(text.units, atom)
            for text in texts
            for atom in text.atoms
            if text.trusted and atom.role in self.heads
        }
        self._outputs = OutputWords()
        for example, hypothesis, _ in compounds:
            about = {compound_of(example), *(focus.text for focus in example.focus)}
            self._outputs.learn(self._units.encode(hypothesis), about)
        kinds = {"references" if text.trusted else "hypotheses" for text in texts}
        self._learned_from = "+".join(sorted(kinds, reverse=True))
        self._knowledge = learn(
            texts,
            heads=self.heads,
            filler_share=self.filler_share,
            order_share=self.order_share,
            optional_share=self.optional_share,
            synonym_roles=self.synonyms,
        )

    def floor(self) -> dict[str, Any]:
        """Return the error rate of the references, relaxation off; below it all is noise."""
        judged: list[tuple[str, bool]] = []
        for example in self._examples:
            if example.references:
                verdict = self.judge(example, example.references[0], relaxation=False)
                judged.append((example.group or example.id, verdict.correct))
        if not judged:
            return {}
        wrong = Counter(group for group, correct in judged if not correct)
        groups = {group for group, _ in judged}
        return {
            "instance": round(sum(wrong.values()) / len(judged), 6),
            "aggregate": round(len(wrong) / len(groups), 6),
            "references": len(judged),
        }

    def notes(self) -> dict[str, Any]:
        """Return the error rate of the references themselves, and what was learned."""
        decode = self._units.decode
        return {
            "floor": self.floor(),
            "learned_from": self._learned_from,
            "synonyms": {
                f"{text} ({role})": [decode(units) for units in renderings]
                for (text, role), renderings in self._knowledge.synonyms.items()
            },
            "optional_heads": sorted(text for text, _ in self._knowledge.optional),
            **({"left_out_by_their_reference": self.left_out} if self.judgeable else {}),
        }

    @property
    def _doubts(self) -> bool:
        """Whether there are sentences of which nobody knows all right words."""
        bare = any(not example.references for example in self._examples)
        return bare and self.mode == "default" and not self.trust_lexicon

    def _relaxed(self) -> str:
        if not self.relaxation:
            return "no"
        without = any(not example.references for example in self._examples)
        return "contexts" if without and self._rendered else "yes"

    def signature(self) -> str:
        """Return the settings that change verdicts."""
        if self.mode == "official":
            return f"{self.name}|mode:official|source:Li2021"
        return (
            f"{self.name}|mode:default|fillers:{self._learned_from or self.fillers}"
            f"@{self.filler_share:g}|order:{self.order_share:g}|optional:{self.optional_share:g}"
            f"|relaxation:{self._relaxed()}"
            f"|own-fillers:{'yes' if self.own_fillers else 'no'}"
            f"{'|closed:2' if self.closed else ''}"
            f"{'|judgeable:yes' if self.judgeable else ''}"
            f"{'|unsure:all' if self._doubts else ''}|version:2"
        )


@dataclass(kw_only=True)
class CompoundAggregate(Compound):
    """Aggregate error rate: the share of compounds that fail in at least one of their contexts.

    A compound of which some contexts have no translation is left out and counted in the notes.
    """

    name: ClassVar[str] = "compound_aggregate"

    incomplete: int = field(init=False, default=0)

    def key(self, example: Example) -> str | None:
        """Every compound is one observation."""
        return (example.group or example.id) if is_compound(example) else None

    def prepare(self, items: Sequence[Scored]) -> None:
        """Learn as `compound` does."""
        self.incomplete = 0
        super().prepare(items)

    def observe(self, items: Sequence[Scored]) -> Observation | None:
        """Judge all contexts of one compound."""
        expected = items[0].example.tags.get("contexts")
        if isinstance(expected, int) and len(items) < expected:
            self.incomplete += 1
            return None
        if any(self._is_beyond(item.example) for item in items):
            return None
        verdicts = [self.judge(example, hypothesis) for example, hypothesis, _ in items]
        wrong = [
            {"id": item.example.id, **verdict.detail()}
            for item, verdict in zip(items, verdicts, strict=True)
            if not verdict.correct
        ]
        surely = any(verdict.wrong for verdict in verdicts)
        detail = {
            "compound": compound_of(items[0].example),
            "contexts": len(items),
            "wrong": wrong,
        }
        return Observation(
            key=items[0].example.group or items[0].example.id,
            ids=tuple(item.example.id for item in items),
            value=float(not wrong),
            stats=(float(surely), 1.0, float(bool(wrong) and not surely)),
            detail=detail,
        )

    def notes(self) -> dict[str, Any]:
        """Return what `compound` notes, and how many compounds were incomplete."""
        return {**super().notes(), "incomplete_compounds": self.incomplete}


def _has(units: str, atom: Atom) -> bool:
    return any(rendering in units for rendering in atom.accepted)


def _shortest(atoms: Sequence[Atom]) -> Atom:
    return min(atoms, key=lambda atom: max(map(len, atom.accepted)))


def _is_stranded(units: str, arrangement: Arrangement, heads: Sequence[tuple[int, int]]) -> bool:
    """Return True where a governed phrase is a clause of its own, with no head in it."""
    starts = arrangement.start == 0 or is_mark(units[arrangement.start - 1])
    ends = arrangement.end == len(units) or is_mark(units[arrangement.end])
    if not (starts and ends):
        return False
    return not any(arrangement.start <= start and end <= arrangement.end for start, end in heads)
