"""What a translation system is: sources in, translations out, same length, same order.

A system is any class with `translate`; one that learns adds `train` and `load`. Everything else
is optional: `Hooks` lists it all, with what is done where a class says nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MethodType
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

from recombine.benchmark import TRAINING_SPLITS, Example
from recombine.errors import RecombineError, SystemFailure

# What a system was trained on: the training split of the benchmark that it is run on, its control,
# text that nobody here knows, or no text at all (rules). A report words its findings by it.
UNKNOWN, NOTHING = "unknown", "nothing"
TRAINED_ON = (*TRAINING_SPLITS, UNKNOWN, NOTHING)
_NEVER_WORKED = 3  # lost sentences after which a system that never translated any is given up


@dataclass(frozen=True)
class Failure:
    """Stands in place of one translation that could not be had; the others go on.

    `final`: asking for this sentence again would fail again, so nobody does. Otherwise it is lost
    for now (no answer, a broken program), and the next run tries it again.
    """

    reason: str
    final: bool = False


class TrainingsFailed(SystemFailure):
    """Some of several trainings failed, known by their model's folder; the others are done."""

    def __init__(self, failures: Mapping[Path, RecombineError], of: int) -> None:
        self.failures = dict(failures)
        first, rest = next(iter(self.failures.values())), of - len(self.failures)
        others = f"; the other {rest} are trained, drop what failed to use them" if rest else ""
        different = dict.fromkeys(str(error) for error in self.failures.values())
        super().__init__("; ".join(different), hint=f"{first.hint or 'see above'}{others}")


@dataclass(frozen=True)
class TrainingData:
    """What a trainable system may see."""

    train: Sequence[Example]
    dev: Sequence[Example]
    source: str
    target: str


@runtime_checkable
class System(Protocol):
    """Options are the dataclass fields of the implementing class; no base class is needed."""

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        """Yield one translation per source, in order, as they are produced."""
        ...


@runtime_checkable
class TrainableSystem(System, Protocol):
    """A system that learns from the benchmark's training split."""

    def train(self, data: TrainingData, model_dir: Path, seed: int) -> None:
        """Train into `model_dir`, going on from what an interrupted call left there."""
        ...

    def load(self, model_dir: Path) -> Self:
        """Return the trained system, ready to translate.

        A system with `checkpoints` takes `checkpoint=NAME` as well.
        """
        ...


class Hooks:
    """Everything else a system may have, each with its default; `hook` reads one of a system.

    A class may define any of them by name, as an attribute, a property or an option.
    """

    uses_seed: bool | None = None
    """Does another seed give another system? It is run once for each seed then, otherwise once.
    None: if it is trainable, yes."""

    learns: bool = True
    """Does a system that can be trained learn with these options? Otherwise it translates as it
    is, and no training split is asked for."""

    give_up_after: int | None = None
    """So many sentences lost in a row stop the system (3 where it never translated any). None:
    every sentence is tried; right for what costs nothing to ask and does not go away."""

    source_language: str | None = ""
    target_language: str | None = ""
    """None asks for the benchmark's language to be filled in."""

    decoding_options: ClassVar[tuple[str, ...]] = ()
    """Names of options that a trained model does not depend on."""

    idle_options: ClassVar[tuple[str, ...]] = ()
    """Names of options on which no translation depends: how much may be spent, and how fast."""

    trained_on: str | None = None
    """One of TRAINED_ON. None: the split that it is trained on here; where it does not learn here,
    nobody knows. An experiment may say it of any system that does not learn here."""

    pretrained: ClassVar[bool] = False
    """It had learned from other text before it came here; reports name its track so."""

    train_many: Any = None
    """``train_many(data, {seed: model_dir})`` trains several seeds at once; where some of them fail
    it raises `TrainingsFailed`."""

    def checkpoints(self, model_dir: Path) -> Sequence[str]:
        """Names that `load` accepts as `checkpoint`."""
        return ()

    def depends_on(self) -> Sequence[Path]:
        """Files that its translations depend on: once they say something else, so may it."""
        return ()

    def outputs(self, split: str, seed: int, checkpoint: str | None = None) -> Path | None:
        """The file in which the translations of a split are already; None: they are asked for."""
        return None

    def outside(self) -> Mapping[str, str]:
        """What it runs or asks besides Python: {"runs": a command line} or {"asks": an address}."""
        return {}

    def describe(self) -> Mapping[str, Any]:
        """Versions, device, what was used: kept in run.json."""
        return {}

    def recall(self, described: Mapping[str, Any]) -> None:
        """Hear what `describe` said in the run before this one, of which this is the rest."""

    def close(self) -> None:
        """Let go of programs, connections and memory."""


def hook(system: Any, name: str) -> Any:
    """Return an optional attribute or method of a system, or its default in `Hooks`."""
    default = getattr(Hooks, name)  # a name that is not declared there is a mistake of ours
    if hasattr(system, name):
        return getattr(system, name)
    return MethodType(default, system) if callable(default) else default


def is_trainable(system: Any) -> bool:
    """Return True for a system that learns before it translates."""
    return hasattr(system, "train") and bool(hook(system, "learns"))


def uses_seed(system: Any) -> bool:
    """Return True when the system is another one with another seed."""
    declared = hook(system, "uses_seed")
    return is_trainable(system) if declared is None else bool(declared)


def answers(
    system: System, sources: Sequence[str], *, worked: bool = False
) -> Iterator[str | Failure]:
    """Yield exactly one answer per source; raise where the system breaks that promise.

    A system that loses sentence after sentence is given up: the rest would only take time, or
    money. Sentences refused for good do not count once any was translated (`worked`): whoever
    refuses one is there to translate the next.
    """
    limit = hook(system, "give_up_after")
    lost = refused = count = 0
    with contextlib.ExitStack() as stack:
        given = system.translate(list(sources)) if sources else iter(())
        if hasattr(given, "close"):
            stack.callback(given.close)
        for answer in given:
            if count == len(sources):
                raise SystemFailure(
                    f"the system returned more than {len(sources)} translations",
                    hint=f"the first one too many: {answer!r}"[:200],
                )
            if not isinstance(answer, (str, Failure)):
                raise SystemFailure(
                    f"the system returned {type(answer).__name__} instead of text "
                    f"for sentence {count + 1}: {sources[count]!r}",
                    hint="a sentence that cannot be translated is a recombine.systems.base.Failure",
                )
            yield answer
            count += 1
            if isinstance(answer, str):
                if sources[count - 1].strip():
                    lost = refused = 0
                    worked = True
                continue
            lost = 0 if answer.final else lost + 1
            refused += 1
            if limit is not None and (
                lost >= (limit if worked else min(limit, _NEVER_WORKED))
                or (refused >= limit and not worked)
            ):
                raise SystemFailure(
                    f"{refused if answer.final else lost} sentences in a row could not be "
                    f"translated; the last: {answer.reason}",
                    hint="a run keeps what was translated before; run it again to continue",
                )
    if count < len(sources):
        raise SystemFailure(
            f"the system returned {count} translations for {len(sources)} sentences; "
            f"the first without one: {sources[count]!r}"
        )


def one_line(text: str) -> str:
    """Return text without line breaks: a hypothesis is one line."""
    return text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")
