"""The operations between matrix products, in plain PyTorch.

kernels.py has the same ones as single GPU kernels; a Transformer is given one set
or the other and does not know which.
"""

from __future__ import annotations

from typing import Protocol

from torch import Tensor
from torch.nn import functional

from recombine.systems.seq2seq.attention import attend
from recombine.systems.seq2seq.layout import Grouped, Packed


class Operations(Protocol):
    """What lies between two matrix products."""

    def drop(self, x: Tensor, dropout: float) -> Tensor:
        """Return dropout(x)."""
        ...

    def add_norm(
        self, x: Tensor, h: Tensor, bias: Tensor | None, gain: Tensor, shift: Tensor, dropout: float
    ) -> tuple[Tensor, Tensor]:
        """Return y = x + dropout(h + bias) and the layer norm of y."""
        ...

    def activate(self, u: Tensor, bias: Tensor, dropout: float) -> Tensor:
        """Return dropout(relu(u + bias))."""
        ...

    def attend(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        layout: Grouped | Packed,
        heads: int,
        *,
        queries: str,
        keys: str,
        causal: bool,
        table: Tensor | None,
        dropout: float,
    ) -> Tensor:
        """Return the attention output, in rows."""
        ...


class PlainOperations:
    """Every operation as PyTorch offers it; runs anywhere."""

    def drop(self, x: Tensor, dropout: float) -> Tensor:
        """Return dropout(x)."""
        return functional.dropout(x, dropout)

    def add_norm(
        self, x: Tensor, h: Tensor, bias: Tensor | None, gain: Tensor, shift: Tensor, dropout: float
    ) -> tuple[Tensor, Tensor]:
        """Return y = x + dropout(h + bias) and the layer norm of y."""
        if bias is not None:
            h = h + bias
        if dropout:
            h = functional.dropout(h, dropout)
        y = x + h
        return y, functional.layer_norm(y, y.shape[-1:], gain, shift, NORM_EPSILON)

    def activate(self, u: Tensor, bias: Tensor, dropout: float) -> Tensor:
        """Return dropout(relu(u + bias))."""
        activated = functional.relu(u + bias)
        return functional.dropout(activated, dropout) if dropout else activated

    attend = staticmethod(attend)


NORM_EPSILON = 1e-6
