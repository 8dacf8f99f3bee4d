"""The text around a source: what a causal language model is asked to continue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recombine.errors import ConfigError
from recombine.systems.base import one_line

# Kumon et al. 2024 fine-tune and prompt Llama 2 with "### Input: ... ### Output:".
PAPER_PROMPT = "### Input: {source} ### Output:"


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A template with ``{source}``, an instruction before it, and worked examples between."""

    template: str = PAPER_PROMPT
    instruction: str = ""
    shots: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if "{source}" not in self.template:
            raise ConfigError("'prompt' must contain {source}")

    def render(self, source: str) -> str:
        """Return the prompt for one source; the translation is what follows it."""
        parts = [self.instruction] if self.instruction else []
        parts += [self._one(shot) + render_answer(answer) for shot, answer in self.shots]
        return "\n".join([*parts, self._one(source)])

    def encode(self, tokenizer: Any, sources: Sequence[str]) -> list[list[int]]:
        """Return the tokens of the prompts for these sources."""
        return [list(tokens) for tokens in tokenizer([*map(self.render, sources)])["input_ids"]]

    def _one(self, source: str) -> str:
        # Not str.format: a source may contain braces.
        return self.template.replace("{source}", one_line(source))


def render_answer(target: str) -> str:
    """Return the text that follows a prompt in training and in worked examples."""
    return " " + one_line(target)


def cut_at_stop(text: str, stops: Sequence[str]) -> str:
    """Return the text before the first stop, without surrounding white space."""
    # White space first: a model that begins with a line break has not finished yet.
    text = text.lstrip()
    ends = [place for place in (text.find(stop) for stop in stops) if place >= 0]
    return one_line(text[: min(ends)] if ends else text).strip()
