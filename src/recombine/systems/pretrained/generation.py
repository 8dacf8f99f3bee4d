"""Generation: token sequences in, what a causal model writes after them out.

Here it is done by the library's own loop; `fast.greedy` gives the same tokens sooner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from recombine.systems.pretrained.weights import Weights, end_ids


class Continuation(NamedTuple):
    """New tokens, and whether the sequence came to its end."""

    tokens: list[int]
    whole: bool


class Generation(Protocol):
    """Continues token sequences with the most probable token, again and again."""

    @property
    def path(self) -> str:
        """How it is done, for the run's record."""

    def generate(
        self, prompts: Sequence[Sequence[int]], limits: Sequence[int], *, leave: int = 0
    ) -> list[Continuation]:
        """Return the new tokens of every prompt, up to its end token or its limit.

        Once no more than `leave` sequences are still growing they may be handed back unfinished.
        """


class LibraryGeneration:
    """The loop of Hugging Face's `generate`, with prompts padded on the left."""

    def __init__(self, weights: Weights, reason: str | None = None) -> None:
        self.weights = weights
        self.path = f"generate ({reason})" if reason else "generate"
        self._ends = end_ids(weights)

    def generate(
        self, prompts: Sequence[Sequence[int]], limits: Sequence[int], *, leave: int = 0
    ) -> list[Continuation]:
        """Return the new tokens of every prompt; all come to their end here."""
        import torch

        pad = self.weights.tokenizer.pad_token_id
        width = max(map(len, prompts))
        table = torch.tensor([[pad] * (width - len(p)) + list(p) for p in prompts])
        mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts])
        with torch.inference_mode():
            output = self.weights.model.generate(
                input_ids=table.to(self.weights.device),
                attention_mask=mask.to(self.weights.device),
                max_new_tokens=max(limits),
                do_sample=False,
                num_beams=1,
                eos_token_id=list(self._ends) or None,
                pad_token_id=pad,
            )[:, width:].tolist()
        return [
            Continuation(before_end(row[:limit], self._ends), True)
            for row, limit in zip(output, limits, strict=True)
        ]


def before_end(tokens: list[int], ends: Sequence[int]) -> list[int]:
    """Return the tokens before the first end token."""
    end = next((place for place, token in enumerate(tokens) if token in ends), None)
    return tokens if end is None else tokens[:end]
