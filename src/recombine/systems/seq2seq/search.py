"""Search: greedy and beam decoding with a cache, in batches sorted by length.

In float32 the translations do not depend on the batch size. Batched arithmetic rounds differently
from one shape to another, which can only matter where two choices are nearly tied; a sentence that
meets such a tie is decoded again in float64, where the two choices are apart.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from recombine.errors import SystemFailure
from recombine.systems.base import Failure
from recombine.systems.neural.windows import decode_in_windows
from recombine.systems.seq2seq.options import Options
from recombine.systems.seq2seq.vocabulary import BEGIN, END, PAD, Vocabulary

# Two choices closer than this may change places with the batch shape: float32 logits of a few
# tens of units carry rounding errors near 1e-5.
TIE = 1e-3
BEAM_TIE = 1e-4
# Pieces of all beams that a batch may cache; 12 layers of width 512 in float32 need 24 KB each.
CACHED_PIECES = 600_000


@dataclass
class Decoder:
    """A trained model ready to translate."""

    model: Any
    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    options: Options
    device: torch.device
    referee: Any = None  # the same model in float64, made when first needed

    @property
    def batch(self) -> int:
        """How many sentences are decoded at a time."""
        return self.options.decode_batch or (4096 if self.device.type == "cuda" else 512)

    def translate(self, sources: Sequence[str], *, exact: bool = True) -> Iterator[str | Failure]:
        """Yield one translation per source, in order; `exact` settles near-ties in float64."""
        return decode_in_windows(
            sources,
            max(self.batch * 16, 4096),
            encode=self._encode,
            too_long=self._too_long,
            decode=partial(self._window, exact=exact),
        )

    def _encode(self, sources: Sequence[str]) -> list[list[int]]:
        return [[*pieces, END] for pieces in self.source_vocabulary.encode(sources)]

    def _too_long(self, pieces: list[int]) -> str:
        most = self.options.max_length
        if getattr(self.options, "positions", None) != "learned" or len(pieces) <= most:
            return ""
        return f"the source has {len(pieces)} pieces, learned positions end at {most}"

    def _window(
        self, encoded: Mapping[int, list[int]], _: Sequence[str], *, exact: bool
    ) -> dict[int, str]:
        texts: dict[int, str] = {}
        tied: list[int] = []
        for chunk in self._chunks(encoded, encoded):
            outputs, near = self._decode(self.model, [encoded[number] for number in chunk])
            for number, output, is_near in zip(chunk, outputs, near, strict=True):
                texts[number] = self.target_vocabulary.decode(output)
                if is_near:
                    tied.append(number)
        if exact and tied and self.options.decode_precision == "float32":
            if self.referee is None:
                self.referee = copy.deepcopy(self.model).double()
            for chunk in self._chunks(tied, encoded):
                outputs, _near = self._decode(self.referee, [encoded[number] for number in chunk])
                for number, output in zip(chunk, outputs, strict=True):
                    texts[number] = self.target_vocabulary.decode(output)
        return texts

    def _chunks(
        self, numbers: Iterable[int], encoded: Mapping[int, list[int]]
    ) -> Iterator[list[int]]:
        """Cut sentences (in order of length) into batches whose caches fit in memory."""
        chunk: list[int] = []
        for number in sorted(numbers, key=lambda number: (len(encoded[number]), number)):
            room = len(encoded[number]) * (1 + self.options.max_output_ratio)
            pieces = (len(chunk) + 1) * self.options.beam * (room + self.options.max_output_extra)
            if chunk and (len(chunk) == self.batch or pieces > CACHED_PIECES):
                yield chunk
                chunk = []
            chunk.append(number)
        if chunk:
            yield chunk

    def _decode(self, model: Any, sources: list[list[int]]) -> tuple[list[list[int]], list[bool]]:
        """Decode a batch; where memory runs out, decode it in halves."""
        try:
            return self._decode_at_once(model, sources)
        except torch.OutOfMemoryError as error:
            if len(sources) == 1:
                raise SystemFailure(
                    f"out of memory decoding one sentence of {len(sources[0])} pieces",
                    hint="lower beam or max_output_ratio",
                ) from error
        torch.cuda.empty_cache()
        half = len(sources) // 2
        first, second = (self._decode(model, part) for part in (sources[:half], sources[half:]))
        return first[0] + second[0], first[1] + second[1]

    @torch.inference_mode()
    def _decode_at_once(
        self, model: Any, sources: list[list[int]]
    ) -> tuple[list[list[int]], list[bool]]:
        longest = max(len(pieces) for pieces in sources)
        padded = torch.full((len(sources), longest), PAD, dtype=torch.int64)
        for row, pieces in enumerate(sources):
            padded[row, : len(pieces)] = torch.tensor(pieces)
        lengths = torch.tensor([len(pieces) for pieces in sources])
        # Each sentence has its own limit: a longer neighbour in the batch must not matter.
        limits = (lengths * self.options.max_output_ratio).long() + self.options.max_output_extra
        if getattr(self.options, "positions", None) == "learned":
            limits = limits.clamp(max=self.options.max_length)
        padded, lengths, limits = (value.to(self.device) for value in (padded, lengths, limits))
        if self.options.beam == 1:
            return greedy(model, padded, lengths, limits)
        width, penalty = self.options.beam, self.options.length_penalty
        return beam(model, padded, lengths, limits, width, penalty)


def greedy(
    model: Any, sources: Tensor, lengths: Tensor, limits: Tensor
) -> tuple[list[list[int]], list[bool]]:
    """Return the piece numbers of each sentence and whether it met a near-tie."""
    count = len(sources)
    longest = int(limits.max())
    cache = model.start(sources, lengths, longest)
    output = torch.full((count, longest), PAD, dtype=torch.int64, device=sources.device)
    margin = torch.full((count,), torch.inf, dtype=torch.float64, device=sources.device)
    active = torch.arange(count, device=sources.device)
    pieces = torch.full((count,), BEGIN, dtype=torch.int64, device=sources.device)
    finished = torch.zeros(count, dtype=torch.bool, device=sources.device)
    for position in range(longest):
        best, choice = model.step(cache, pieces, position).topk(2, dim=-1)
        gap = (best[:, 0] - best[:, 1]).double().masked_fill(finished, torch.inf)
        margin[active] = torch.minimum(margin[active], gap)
        pieces = choice[:, 0].masked_fill(finished, PAD)
        output[active, position] = pieces
        finished = finished | (pieces == END) | (limits[active] <= position + 1)
        # Looking at a flag on the GPU stalls it, so look seldom there.
        if sources.device.type == "cuda" and position % 4 != 3:
            continue
        going = int((~finished).sum())
        if going == 0:
            break
        if going <= len(active) * 0.6:
            keep = (~finished).nonzero()[:, 0]
            cache, active = cache.select(keep), active[keep]
            pieces, finished = pieces[keep], finished[keep]
    return _until_end(output.tolist()), (margin < TIE).tolist()


def beam(
    model: Any, sources: Tensor, lengths: Tensor, limits: Tensor, width: int, penalty: float
) -> tuple[list[list[int]], list[bool]]:
    """Beam search; finished hypotheses compare by log-probability / length ** penalty.

    A sentence is done at its length limit, or when no open hypothesis can still beat the best ended
    one. (fairseq stops once `width` have ended, which can cut off the best.)
    """
    count, device = len(sources), sources.device
    longest = int(limits.max())
    beams = torch.arange(count, device=device).repeat_interleave(width)
    cache = model.start(sources, lengths, longest).select(beams)
    pieces = torch.full((count * width,), BEGIN, dtype=torch.int64, device=device)
    history = torch.full((count, width, longest), PAD, dtype=torch.int64, device=device)
    scores: Tensor | None = None
    ended = torch.full((count, width), -torch.inf, dtype=torch.float64, device=device)
    ended_pieces = history.clone()
    margin = torch.full((count,), torch.inf, dtype=torch.float64, device=device)
    done = torch.zeros(count, dtype=torch.bool, device=device)
    base = torch.arange(count, device=device)[:, None] * width
    for position in range(longest):
        logits = model.step(cache, pieces, position)
        steps = logits.double().log_softmax(-1).unflatten(0, (count, width))
        if scores is None:
            scores = torch.full((count, width), -torch.inf, dtype=torch.float64, device=device)
            scores[:, 0] = 0  # all beams are alike at first: keep one
        size = steps.shape[-1]
        total = (scores[:, :, None] + steps).flatten(1)
        best, flat = total.topk(min(2 * width + 1, total.shape[1]), dim=-1)
        gap = (best[:, :-1] - best[:, 1:]).nan_to_num(nan=torch.inf).amin(-1)
        margin = torch.minimum(margin, gap.masked_fill(done, torch.inf))
        best, flat = best[:, : 2 * width], flat[:, : 2 * width]
        origin, piece = flat // size, flat % size
        grown = history.gather(1, origin[:, :, None].expand(-1, -1, longest)).clone()
        grown[:, :, position] = piece
        last = (limits <= position + 1)[:, None]
        closing = ((piece == END) | last) & ~done[:, None]
        # Only what ends within the first `width` candidates counts as ended.
        closing[:, width:] = False
        value = (best / (position + 1) ** penalty).masked_fill(~closing, -torch.inf)
        merged = torch.cat((ended, value), dim=1)
        ended, kept = merged.topk(width, dim=1)
        every = torch.cat((ended_pieces, grown), dim=1)
        ended_pieces = every.gather(1, kept[:, :, None].expand(-1, -1, longest))
        alive = best.masked_fill(piece == END, -torch.inf)
        scores, kept = alive.topk(width, dim=1)
        # Log-probabilities only fall, so dividing by the greatest length bounds what can come.
        bound = scores[:, 0] / limits.double() ** penalty
        done = done | last[:, 0] | (ended[:, 0] >= bound)
        if bool(done.all()):
            break
        origin, piece = origin.gather(1, kept), piece.gather(1, kept)
        history = grown.gather(1, kept[:, :, None].expand(-1, -1, longest))
        cache.reorder((base + origin).flatten(), position + 1)
        pieces = piece.flatten()
    gap = (ended[:, 0] - ended[:, 1]).nan_to_num(nan=torch.inf) if width > 1 else margin
    near = torch.minimum(margin, gap) < BEAM_TIE
    return _until_end(ended_pieces[:, 0].tolist()), near.tolist()


def _until_end(rows: list[list[int]]) -> list[list[int]]:
    outputs = []
    for row in rows:
        stop = next((at for at, piece in enumerate(row) if piece in (END, PAD)), len(row))
        outputs.append(row[:stop])
    return outputs
