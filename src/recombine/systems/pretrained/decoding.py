"""From prompts to texts: length bucketing, batches, stops, and the order of the sources."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from recombine.systems.base import Failure
from recombine.systems.pretrained.fast.attention import (
    Unsupported,
    needs_library_attention,
    use_library_attention,
    use_plain_attention,
)
from recombine.systems.pretrained.fast.fused_layers import use_fused_norms
from recombine.systems.pretrained.fast.generation import GeneratedBatch, Greedy
from recombine.systems.pretrained.prompt import Prompt, cut_at_stop
from recombine.systems.pretrained.weights import Weights, end_ids

_WINDOW = 16  # batches sorted by length together, and so held back until all are done
_GPU_ROWS = 1024
_CPU_ROWS = 32
_MEMORY_SHARE = 0.06  # of the GPU, for the keys and values of one batch shape
_TYPICAL_LENGTH = 256
SHORT_SOURCE = 4
# Of the logits' spread. Half-precision kernels of different shape are up to .06 apart (SmolLM2 in
# bfloat16, library against library); one token misplaced or seen too early is .4 to 1.6, one left
# out in the middle as little as .1, which this limit lets pass.
_ROUNDING = 0.2
_EXACT = 1e-3


@dataclass(frozen=True, kw_only=True)
class DecodingLimits:
    """How many new tokens a sequence may get: a fixed number, or by its source's length."""

    fixed: int | None
    growth: float
    extra: int = 16

    def of(self, source_tokens: int) -> int:
        """Return the limit for a source of so many tokens."""
        if self.fixed is not None:
            return self.fixed
        return int(self.growth * (source_tokens + SHORT_SOURCE)) + self.extra


def growth_of(source_tokens: int, answer_tokens: int) -> float:
    """Return how much longer an answer is than its source, short sources counting a little more.

    Without that a one-word source with a long translation would allow every long source a
    translation many times its length, and a sentence that never ends would use all of it.
    """
    return answer_tokens / (source_tokens + SHORT_SOURCE)


@dataclass
class _Growing:
    """One sequence on its way: its prompt, what was made so far and how much more there may be."""

    place: int
    prompt: list[int]
    left: int
    made: list[int] = field(default_factory=list)


class Decoding:
    """Translates sources with a causal language model."""

    def __init__(
        self,
        weights: Weights,
        prompt: Prompt,
        *,
        stops: Sequence[str],
        limits: DecodingLimits,
        rows: int,
        decoder: str,
    ) -> None:
        self.weights = weights
        self.prompt = prompt
        self.stops = tuple(stops)
        self.limits = limits
        self.ends = end_ids(weights)
        self.rows = rows or self._default_rows()
        self._greedy: Greedy | None = None
        self._reason: str | None = None
        if decoder == "fast":
            self._prepare()
            if self._greedy is None:
                # Never silently: it may be ten times slower.
                warnings.warn(
                    f"decoding with the library's `generate`: {self._reason}", stacklevel=2
                )

    @property
    def path(self) -> str:
        """Which decoder runs, for the run's record."""
        if self._greedy is None:
            return f"generate ({self._reason})" if self._reason else "generate"
        if self._greedy.problem is not None:
            return f"fast ({self._greedy.problem})"
        return "fast with CUDA graphs" if self._greedy.capture else "fast"

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        """Yield translations in order, window by window of batches of like length."""
        window = self.rows * _WINDOW
        for start in range(0, len(sources), window):
            yield from self._window(sources[start : start + window])

    def _window(self, sources: Sequence[str]) -> list[str | Failure]:
        tokenizer = self.weights.tokenizer
        prompts = tokenizer([self.prompt.render(source) for source in sources])["input_ids"]
        sizes = [
            len(one) for one in tokenizer(list(sources), add_special_tokens=False)["input_ids"]
        ]
        room = getattr(self.weights.model.config, "max_position_embeddings", None) or 1 << 30
        results: list[str | Failure] = [""] * len(sources)
        waiting = []
        for place, (prompt, size) in enumerate(zip(prompts, sizes, strict=True)):
            if len(prompt) >= room:
                reason = f"the prompt has {len(prompt)} tokens, the model {room}"
                results[place] = Failure(reason, final=True)
            else:
                waiting.append(
                    _Growing(place, prompt, min(self.limits.of(size), room - len(prompt)))
                )
        waiting.sort(key=lambda one: (-one.left, -len(one.prompt), one.place))
        leave = self.rows // 8
        while waiting:
            unfinished: list[_Growing] = []
            for start in range(0, len(waiting), self.rows):
                batch = waiting[start : start + self.rows]
                unfinished += self._advance(batch, leave)
            for one in waiting:
                if one.left == 0:
                    results[one.place] = self._text(one.made)
            waiting = unfinished
        return results

    def _advance(self, batch: list[_Growing], leave: int) -> list[_Growing]:
        """Generate for a batch; return the sequences that want to go on in another one."""
        prompts = [one.prompt + one.made for one in batch]
        limits = [one.left for one in batch]
        if self._greedy is None:
            made = [GeneratedBatch(one, True) for one in self._library_generate(prompts, limits)]
        else:
            # A small batch is not worth breaking up.
            leave = leave if len(batch) > 4 * leave else 0
            made = self._greedy.generate(prompts, limits, leave=leave)
        for one, new in zip(batch, made, strict=True):
            one.made += new.tokens
            one.left = 0 if new.whole else one.left - len(new.tokens)
        return [one for one in batch if one.left > 0]

    def _text(self, tokens: list[int]) -> str:
        text = self.weights.tokenizer.decode(tokens, skip_special_tokens=True)
        return cut_at_stop(text, self.stops)

    def _library_generate(self, prompts: list[list[int]], limits: list[int]) -> list[list[int]]:
        """Generate with the library's own loop, padded on the left."""
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
                eos_token_id=list(self.ends) or None,
                pad_token_id=pad,
            )[:, width:].tolist()
        found = []
        for row, limit in zip(output, limits, strict=True):
            tokens = row[:limit]
            end = next((place for place, one in enumerate(tokens) if one in self.ends), None)
            found.append(tokens if end is None else tokens[:end])
        return found

    def _prepare(self) -> None:
        """Switch to the fast path if this architecture gives the same answers on it."""
        model, device = self.weights.model, self.weights.device
        if needs_library_attention(model):
            self._reason = "this architecture attends to less than all that came before"
            return
        suspects = self._suspects().to(device)
        greedy = Greedy(
            model,
            device=device,
            end_ids=self.ends,
            pad_id=self.weights.tokenizer.pad_token_id,
            suspects=suspects,
            stopped=self._stopped,
            capture=False,
        )
        samples = ["a", "The cat saw the dog and the old king that slept."]
        prompts = [self.weights.tokenizer(self.prompt.render(one))["input_ids"] for one in samples]
        expected = [_next_logits(model, prompt, device) for prompt in prompts]
        use_plain_attention(model)
        allowed = _ROUNDING if model.dtype.itemsize < 4 else _EXACT
        try:
            found = greedy.first_logits(prompts)
        except (Unsupported, TypeError, AttributeError, RuntimeError, ValueError) as error:
            self._reason = f"{type(error).__name__}: {error}".splitlines()[0]
        else:
            apart = max(_distance(one, two) for one, two in zip(expected, found, strict=True))
            if apart < allowed:
                greedy.capture = device.startswith("cuda")
                if greedy.capture:
                    use_fused_norms(model)
                self._greedy = greedy
                return
            self._reason = f"logits differ by {apart:.2g} of their spread, {allowed} is rounding"
        use_library_attention(model)

    def _suspects(self) -> Any:
        """Return which tokens contain the first character of some stop text."""
        import torch

        size = self.weights.model.get_output_embeddings().weight.shape[0]
        marks = torch.zeros(size, dtype=torch.bool)
        firsts = {stop[0] for stop in self.stops if stop}
        known = min(size, len(self.weights.tokenizer))
        texts = self.weights.tokenizer.batch_decode([[token] for token in range(known)])
        for token, text in enumerate(texts):
            if any(first in text for first in firsts):
                marks[token] = True
        return marks

    def _stopped(self, tokens: list[list[int]]) -> list[bool]:
        texts = self.weights.tokenizer.batch_decode(tokens, skip_special_tokens=True)
        return [any(stop in text.lstrip() for stop in self.stops) for text in texts]

    def _default_rows(self) -> int:
        if not self.weights.device.startswith("cuda"):
            return _CPU_ROWS
        import torch

        config = self.weights.model.config
        heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
        size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        per_row = 2 * config.num_hidden_layers * heads * size * _TYPICAL_LENGTH
        per_row *= self.weights.model.dtype.itemsize
        memory = torch.cuda.get_device_properties(0).total_memory * _MEMORY_SHARE
        rows = min(_GPU_ROWS, max(8, int(memory // per_row)))
        return 1 << (rows.bit_length() - 1)


def _next_logits(model: Any, prompt: list[int], device: str) -> Any:
    import torch

    with torch.inference_mode():
        return model(input_ids=torch.tensor([prompt], device=device)).logits[0, -1].float()


def _distance(expected: Any, found: Any) -> float:
    """Return how far two computations of the same logits are apart, in their own spread."""
    return float((expected - found).norm() / (expected - expected.mean()).norm())
