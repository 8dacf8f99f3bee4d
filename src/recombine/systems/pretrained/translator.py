"""From sources to texts: prompts, batches of like length, limits, stops, and the order again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from recombine.progress import progress
from recombine.systems.answer import AnswerCleaner
from recombine.systems.base import Failure
from recombine.systems.neural.windows import decode_in_windows, window_of
from recombine.systems.pretrained.chat import ChatPrompt
from recombine.systems.pretrained.prompt import Prompt, cut_at_stop
from recombine.systems.pretrained.seam import choose_generation
from recombine.systems.pretrained.weights import Weights

_GPU_ROWS, _CPU_ROWS = 1024, 16
_MEMORY_SHARE = 0.06  # of the GPU, for the keys and values of one batch shape
_TYPICAL_LENGTH = 256
SHORT_SOURCE = 4
_PROBES = ("a", "The cat saw the dog and the old king that slept.")


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
    tokens: list[int] = field(default_factory=list)


class PromptTranslator:
    """Translates sources with a causal language model."""

    def __init__(
        self,
        weights: Weights,
        prompt: Prompt | ChatPrompt,
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
        self.rows = rows or self._default_rows()
        self.cleaner = AnswerCleaner()
        probes = prompt.encode(weights.tokenizer, _PROBES)
        self.generation = choose_generation(weights, probes, stops, fast=decoder == "fast")

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        """Yield translations in order, window by window of batches of like length."""
        return decode_in_windows(
            sources,
            window_of(self.rows, self.weights.device),
            encode=lambda part: self.prompt.encode(self.weights.tokenizer, part),
            too_long=self._too_long,
            decode=self._decode,
        )

    @property
    def _room(self) -> int:
        return getattr(self.weights.model.config, "max_position_embeddings", None) or 1 << 30

    def _too_long(self, prompt: list[int]) -> str:
        few = len(prompt) < self._room
        return "" if few else f"the prompt has {len(prompt)} tokens, the model {self._room}"

    def _decode(self, prompts: Mapping[int, list[int]], sources: Sequence[str]) -> dict[int, str]:
        texts: dict[int, str] = {}
        tokenized = self.weights.tokenizer(list(sources), add_special_tokens=False)["input_ids"]
        waiting = []
        for place, prompt in prompts.items():
            most = min(self.limits.of(len(tokenized[place])), self._room - len(prompt))
            waiting.append(_Growing(place, prompt, most))
        waiting.sort(key=lambda growing: (-growing.left, -len(growing.prompt), growing.place))
        leave = self.rows // 8
        # Nothing is given back before the window is done, and the first may be finished last.
        with progress("decode", len(waiting)) as bar:
            while waiting:
                unfinished: list[_Growing] = []
                for start in range(0, len(waiting), self.rows):
                    batch = waiting[start : start + self.rows]
                    more = self._advance(batch, leave)
                    bar.advance(len(batch) - len(more))
                    unfinished += more
                for growing in waiting:
                    if growing.left == 0:
                        texts[growing.place] = self._text(growing.tokens, sources[growing.place])
                waiting = unfinished
        return texts

    def _advance(self, batch: list[_Growing], leave: int) -> list[_Growing]:
        """Generate for a batch; return the sequences that want to go on in another one."""
        # A small batch is not worth breaking up.
        leave = leave if len(batch) > 4 * leave else 0
        prompts = [growing.prompt + growing.tokens for growing in batch]
        continuations = self.generation.generate(
            prompts, [growing.left for growing in batch], leave=leave
        )
        for growing, new in zip(batch, continuations, strict=True):
            growing.tokens += new.tokens
            growing.left = 0 if new.whole else growing.left - len(new.tokens)
        return [growing for growing in batch if growing.left > 0]

    def _text(self, tokens: list[int], source: str) -> str:
        text = self.weights.tokenizer.decode(tokens, skip_special_tokens=True)
        if isinstance(self.prompt, ChatPrompt):
            text = self.cleaner.clean(text, source)
        return cut_at_stop(text, self.stops)

    @property
    def _on_gpu(self) -> bool:
        return self.weights.device.startswith("cuda")

    def _default_rows(self) -> int:
        if not self._on_gpu:
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
