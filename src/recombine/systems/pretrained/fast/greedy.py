"""Greedy generation for a batch: fixed memory, and on a GPU one captured graph per step."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from recombine.systems.neural.cuda_graph import captured
from recombine.systems.pretrained.fast.attention import (
    Unsupported,
    needs_library_attention,
    use_library_attention,
    use_plain_attention,
)
from recombine.systems.pretrained.fast.fused_layers import use_fused_norms
from recombine.systems.pretrained.generation import Continuation, before_end
from recombine.systems.pretrained.weights import Weights, end_ids

CHECK_EVERY = 8  # steps between looks at what is finished; each look waits for the device
_MEMORY_SHARE = 0.4  # of the GPU, for the shapes whose memory and graph are kept
_WARM_UP = 3  # eager steps before a capture, as the CUDA graph documentation asks
# Of the logits' spread. Half-precision kernels of different shape are up to .06 apart (SmolLM2 in
# bfloat16, library against library); one token misplaced or seen too early is .4 to 1.6, one left
# out in the middle as little as .1, which this limit lets pass.
_ROUNDING = 0.2
_EXACT = 1e-3


def fast_generation(
    weights: Weights, probes: Sequence[Sequence[int]], stops: Sequence[str]
) -> Greedy | str:
    """Return the fast generation of a model, switched to it, or why it cannot be used.

    The agreement probe: the logits after the probes, by the library and by the fast path.
    """
    model, device = weights.model, weights.device
    if needs_library_attention(model):
        return "this architecture attends to less than all that came before"
    stop_texts = _StopTexts(weights, stops)
    greedy = Greedy(
        model,
        device=device,
        end_ids=end_ids(weights),
        pad_id=weights.tokenizer.pad_token_id,
        suspects=stop_texts.suspects().to(device),
        stopped=stop_texts.reached,
        capture=False,
    )
    prompts = [list(tokens) for tokens in probes]
    expected = [_next_logits(model, prompt, device) for prompt in prompts]
    use_plain_attention(model)
    allowed = _ROUNDING if model.dtype.itemsize < 4 else _EXACT
    try:
        logits = greedy.first_logits(prompts)
    except (Unsupported, TypeError, AttributeError, RuntimeError, ValueError) as error:
        use_library_attention(model)
        return f"{type(error).__name__}: {error}".splitlines()[0]
    apart = max(_distance(plain, fast) for plain, fast in zip(expected, logits, strict=True))
    if apart >= allowed:
        use_library_attention(model)
        return f"logits differ by {apart:.2g} of their spread, {allowed} is rounding"
    greedy.capture = device.startswith("cuda")
    if greedy.capture:
        use_fused_norms(model)
    return greedy


def _next_logits(model: Any, prompt: list[int], device: str) -> Any:
    import torch

    with torch.inference_mode():
        return model(input_ids=torch.tensor([prompt], device=device)).logits[0, -1].float()


def _distance(expected: Any, found: Any) -> float:
    """Return how far two computations of the same logits are apart, in their own spread."""
    return float((expected - found).norm() / (expected - expected.mean()).norm())


class _StopTexts:
    """Texts that end a translation, looked for in the few sequences that may hold one."""

    def __init__(self, weights: Weights, stops: Sequence[str]) -> None:
        self.weights = weights
        self.stops = tuple(stops)

    def suspects(self) -> Any:
        """Return which tokens contain the first character of some stop text."""
        import torch

        size = self.weights.model.get_output_embeddings().weight.shape[0]
        marks = torch.zeros(size, dtype=torch.bool)
        firsts = {stop[0] for stop in self.stops if stop}
        vocabulary_size = min(size, len(self.weights.tokenizer))
        texts = self.weights.tokenizer.batch_decode([[token] for token in range(vocabulary_size)])
        for token, text in enumerate(texts):
            if any(first in text for first in firsts):
                marks[token] = True
        return marks

    def reached(self, tokens: list[list[int]]) -> list[bool]:
        """Return which of the sequences hold a stop text."""
        texts = self.weights.tokenizer.batch_decode(tokens, skip_special_tokens=True)
        return [any(stop in text.lstrip() for stop in self.stops) for text in texts]


class Greedy:
    """Generates the most probable token, again and again, for many prompts at once.

    The model must use `attention.attend`. `stopped` is asked every few steps which of the
    sequences that contain a token of `suspects` have reached a stop text.
    """

    def __init__(
        self,
        model: Any,
        *,
        device: str,
        end_ids: Sequence[int],
        pad_id: int,
        suspects: Any,
        stopped: Callable[[list[list[int]]], list[bool]],
        capture: bool,
    ) -> None:
        self.model = model
        self.device = device
        self.end_ids = list(end_ids)
        self.pad_id = pad_id
        self.suspects = suspects
        self.stopped = stopped
        self.capture = capture
        self.problem: str | None = None
        self._sessions: OrderedDict[tuple[int, int], _Session] = OrderedDict()
        self._memory = _kept_memory(device)

    @property
    def path(self) -> str:
        """How it is done, for the run's record."""
        if self.problem is not None:
            return f"fast ({self.problem})"
        return "fast with CUDA graphs" if self.capture else "fast"

    def generate(
        self, prompts: Sequence[Sequence[int]], limits: Sequence[int], *, leave: int = 0
    ) -> list[Continuation]:
        """Return the new tokens of every prompt, up to its end token or its limit.

        Once no more than `leave` sequences are still growing they are handed back unfinished, to
        be continued in better company: one runaway must not keep a whole batch waiting.
        """
        import torch

        rows = rounded_rows(len(prompts)) if self.capture else len(prompts)
        step = 64 if self.capture else 16
        needed = max(len(p) + limit for p, limit in zip(prompts, limits, strict=True))
        length = -(-needed // step) * step
        with torch.inference_mode(), _kernels():
            session = self._session(rows, length)
            session.begin(prompts, limits)
            for done in range(1, max(limits) + 1):
                session.advance()
                if done % CHECK_EVERY == 0 and self._growing(session, done) <= leave:
                    break
            return session.results(len(prompts), self.end_ids)

    def first_logits(self, prompts: Sequence[Sequence[int]]) -> Any:
        """Return the logits after every prompt, by the same path as `generate`."""
        import torch

        with torch.inference_mode(), _kernels():
            session = _Session(self, len(prompts), 16 * (max(map(len, prompts)) // 16 + 1))
            session.begin(prompts, [1] * len(prompts))
            return session.logits().float()

    def _growing(self, session: _Session, done: int) -> int:
        """Look at the stop texts, and return how many sequences still grow."""
        rows = session.suspected.logical_and(~session.finished).nonzero()[:, 0].tolist()
        if rows:
            texts = session.output[rows, :done].tolist()
            for row, stop in zip(rows, self.stopped(texts), strict=True):
                if stop:
                    session.finished[row] = True
        return session.rows - int(session.finished.sum())

    def _session(self, rows: int, length: int) -> _Session:
        key = (rows, length)
        if key in self._sessions:
            self._sessions.move_to_end(key)
            return self._sessions[key]
        # A shape's memory is known once it was used, so the newest one may go beyond the share.
        while sum(session.slots.bytes for session in self._sessions.values()) > self._memory:
            self._sessions.popitem(last=False)
        self._sessions[key] = _Session(self, rows, length)
        return self._sessions[key]


class _Session:
    """The memory of one batch shape, and the step that moves every row on by one token."""

    def __init__(self, owner: Greedy, rows: int, length: int) -> None:
        import torch

        self.owner = owner
        self.rows = rows
        self.length = length
        device = owner.device
        self.slots = SlotCache(rows, length).to(device)
        self.token = torch.zeros((rows, 1), dtype=torch.long, device=device)
        self.output = torch.zeros((rows, length), dtype=torch.long, device=device)
        self.finished = torch.ones(rows, dtype=torch.bool, device=device)
        self.suspected = torch.zeros(rows, dtype=torch.bool, device=device)
        self.limit = torch.zeros(rows, dtype=torch.long, device=device)
        self.count = torch.zeros(1, dtype=torch.long, device=device)
        self.places = torch.arange(length, device=device)[None, :]
        self.blank = torch.zeros((rows, length), dtype=owner.model.dtype, device=device)
        self.end_ids = torch.tensor(owner.end_ids, dtype=torch.long, device=device)
        self.graph: Any = None

    def begin(self, prompts: Sequence[Sequence[int]], limits: Sequence[int]) -> None:
        """Read the prompts into the slots; rows beyond them count as finished."""
        import torch

        lengths = [len(prompt) for prompt in prompts]
        width = -(-max(lengths) // 16) * 16
        width = min(width, self.length)
        table = torch.full((self.rows, width), self.owner.pad_id, dtype=torch.long)
        for row, prompt in enumerate(prompts):
            table[row, : len(prompt)] = torch.tensor(prompt, dtype=torch.long)
        blank = self.rows - len(prompts)
        last = torch.tensor([n - 1 for n in lengths] + [0] * blank, dtype=torch.long)
        self._fill(table.to(self.owner.device))
        self._reset(table, last, [*limits, *([0] * blank)])
        if self.owner.capture and self.graph is None:
            try:
                self._capture()
            except RuntimeError as error:
                # Slower, but right: this model does something a graph cannot hold.
                self.owner.capture, self.owner.problem = False, str(error).splitlines()[0]
                torch.cuda.synchronize()
            self._reset(table, last, [*limits, *([0] * blank)])

    def advance(self) -> None:
        """Move every row on by one token."""
        if self.graph is not None:
            self.graph.replay()
        else:
            self._step()

    def results(self, count: int, end_ids: Sequence[int]) -> list[Continuation]:
        """Return the tokens of the first `count` rows, without end tokens."""
        output, limits = self.output[:count].tolist(), self.limit[:count].tolist()
        finished = self.finished[:count].tolist()
        steps = int(self.count)
        continuations = []
        for row, limit, whole in zip(output, limits, finished, strict=True):
            continuations.append(Continuation(before_end(row[: min(steps, limit)], end_ids), whole))
        return continuations

    def _fill(self, table: Any) -> None:
        self.slots.filling = True
        self.owner.model(
            input_ids=table, past_key_values=self.slots, use_cache=True, logits_to_keep=1
        )
        self.slots.filling = False

    def _reset(self, table: Any, last: Any, limits: list[int]) -> None:
        import torch

        # The first step reads each prompt's last token once more: its keys are already there,
        # and its logits come out of the ordinary forward pass of the model.
        self.token.copy_(table.gather(1, last[:, None]))
        self.slots.position.copy_(last)
        self.limit.copy_(torch.tensor(limits, dtype=torch.long))
        self.finished.copy_(self.limit == 0)
        self.suspected.zero_()
        self.count.zero_()
        self.output.fill_(self.owner.pad_id)

    def logits(self) -> Any:
        """Return the logits of the next token of every row."""
        position = self.slots.position
        # Added to the scores as it is; a mask of yes and no would be converted in every layer.
        mask = self.blank.masked_fill(self.places > position[:, None], float("-inf"))
        return self.owner.model(
            input_ids=self.token,
            position_ids=position[:, None],
            attention_mask=mask[:, None, None, :],
            past_key_values=self.slots,
            use_cache=True,
            logits_to_keep=1,
        ).logits[:, -1]

    def _step(self) -> None:
        chosen = self.logits().argmax(-1)
        chosen = chosen.masked_fill(self.finished, self.owner.pad_id)
        self.output.index_copy_(1, self.count, chosen[:, None])
        self.count.add_(1)
        ended = (chosen[:, None] == self.end_ids[None, :]).any(1)
        self.suspected.logical_or_(self.owner.suspects[chosen] & ~self.finished)
        self.finished.logical_or_(ended | (self.count >= self.limit))
        self.token.copy_(chosen[:, None])
        self.slots.position.add_(1).clamp_(max=self.length - 1)

    def _capture(self) -> None:
        import torch

        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(_WARM_UP):
                self._step()
        torch.cuda.current_stream().wait_stream(side)
        with captured() as graph:
            self._step()
        self.graph = graph


def rounded_rows(count: int) -> int:
    """Return the next power of two, so that few shapes are captured."""
    return max(8, 1 << (count - 1).bit_length())


def _kept_memory(device: str) -> int:
    """Return how many bytes kept shapes may hold; without graphs there is nothing to keep."""
    if not device.startswith("cuda"):
        return 0
    import torch

    return int(torch.cuda.get_device_properties(device).total_memory * _MEMORY_SHARE)


@contextlib.contextmanager
def _kernels() -> Iterator[None]:
    """Leave out the kernels that plan anew for every shape."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    backends = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    with sdpa_kernel(backends):
        yield


class SlotCache:
    """Stands where Hugging Face models expect a cache; its memory never moves.

    Every row has its own next slot, so rows of unequal length need no padding between prompt and
    continuation, and the steps can be replayed from one captured CUDA graph.
    """

    is_compileable = False

    def __init__(self, rows: int, length: int) -> None:
        import torch

        self.rows = rows
        self.length = length
        self.position: Any = torch.zeros(rows, dtype=torch.long)
        self.filling = True
        self._keys: dict[int, Any] = {}
        self._values: dict[int, Any] = {}

    @property
    def bytes(self) -> int:
        """How much memory keys and values take."""
        held = [*self._keys.values(), *self._values.values()]
        return sum(tensor.numel() * tensor.element_size() for tensor in held)

    def to(self, device: str) -> SlotCache:
        """Move the positions; keys and values are made where the first ones come from."""
        self.position = self.position.to(device)
        return self

    def update(self, key: Any, value: Any, layer: int, *_: Any, **__: Any) -> tuple[Any, Any]:
        """Store new keys and values; return all that attention may look at."""
        if layer not in self._keys:
            shape = (self.rows, key.shape[1], self.length)
            self._keys[layer] = key.new_zeros((*shape, key.shape[3]))
            self._values[layer] = value.new_zeros((*shape, value.shape[3]))
        keys, values = self._keys[layer], self._values[layer]
        if self.filling:
            keys[:, :, : key.shape[2]] = key
            values[:, :, : value.shape[2]] = value
            return key, value
        slot = self.position.view(-1, 1, 1, 1)
        keys.scatter_(2, slot.expand(-1, key.shape[1], 1, key.shape[3]), key)
        values.scatter_(2, slot.expand(-1, value.shape[1], 1, value.shape[3]), value)
        return keys, values

    def get_seq_length(self, *_: Any) -> int:
        """Positions are always given explicitly, so nothing counts from here."""
        return 0
