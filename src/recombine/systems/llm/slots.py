"""Fixed memory for the keys and values of a batch of sequences under generation."""

from __future__ import annotations

from typing import Any


class Slots:
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
        return sum(one.numel() * one.element_size() for one in held)

    def to(self, device: str) -> Slots:
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
