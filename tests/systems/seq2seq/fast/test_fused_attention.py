"""Fused attention: tiles for all lengths, and the loss and every gradient of plain PyTorch."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from recombine.systems.seq2seq.batch import PackedRows


def attention(layout: Any, **given: Any) -> Any:
    """Return self-attention of the target."""
    from recombine.systems.seq2seq.fast.fused_attention import FusedAttention

    shape: dict[str, Any] = {
        "heads": 2, "queries": "target", "keys": "target", "causal": True, "counts": (),
        "dropout": 0.0, "site": 1, "streams": (), "aside": None,
    }  # fmt: skip
    return FusedAttention(layout, **{**shape, **given})


def layout() -> PackedRows:
    """Two sentences of 3 and 5 source and 4 and 1 target pieces."""
    starts, lengths = (torch.tensor([0, 3]), torch.tensor([0, 4])), ([3, 5], [4, 1])
    sides = zip(starts, map(torch.tensor, lengths), strict=True)
    return PackedRows(*(tensor for side in sides for tensor in side), 5, 4, (8, 5))


def test_a_tile_without_sentences_is_not_launched(importable_kernels: None) -> None:
    """Each tile has the sentences longer than its lower edge; without counts it has all."""
    some = attention(layout(), counts=(9, 4, 0, 0))
    assert some.tiles() == [(0, 16, 9), (16, 32, 4)]
    assert some.kept() == 32
    every = attention(layout())
    assert every.tiles() == [(0, 16, 2), (16, 32, 2), (32, 64, 2), (64, 128, 2)]
    assert every.kept() == 128


def test_a_short_table_fills_the_columns_that_a_tile_needs(importable_kernels: None) -> None:
    """A product of 64 rows and 16 columns reads memory that is not its own on a GPU."""
    from recombine.systems.seq2seq.fast.fused_attention import _constants

    table = torch.zeros(2 * 6 + 1, 32)
    offsets = {
        block: _constants(attention(layout()), 32, block // 2, block, table)["OFFSETS"]
        for block in (16, 32, 64, 128)
    }
    assert offsets == {16: 16, 32: 16, 64: 32, 128: 16}


def test_queries_and_keys_have_their_own_side(importable_kernels: None) -> None:
    """Cross-attention goes from the target to the source."""
    found = attention(layout(), keys="source", causal=False).sides()
    assert [one.tolist() for one in found] == [[0, 4], [4, 1], [0, 3], [3, 5]]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize(("positions", "clip"), [("relative", 6), ("relative", 20), ("none", 6)])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_kernels_agree_with_plain_pytorch(positions: str, clip: int, norm: str) -> None:
    """In float32, for sentences of every tile size, dropout keeping everything."""
    from systems.seq2seq.kernel_agreement import transformer_error

    from recombine.systems.seq2seq.fast.fused_operations import FusedOperations
    from recombine.systems.seq2seq.fast.side_stream import Aside

    seed = torch.zeros(1, dtype=torch.int64, device="cuda")
    operations = FusedOperations(seed, keep_all=True, aside=Aside(seed.device))
    lengths = [120, 70, 40, 33, 20, 17, 15, 9, 3, 1, 0]
    assert transformer_error(operations, lengths, positions, norm, clip) <= 1e-4


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("triton") is None,
    reason="needs Triton, whose interpreter runs kernels on a CPU: make test-kernels",
)
def test_interpreted_kernels_agree_with_plain_pytorch() -> None:
    """The same without a GPU, and an LSTM's cells: in Triton's interpreter, in its own process."""
    script = Path(__file__).with_name("kernel_agreement.py")
    environment = {**os.environ, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    errors = json.loads(done.stdout)
    assert len(errors) == 5
    assert max(errors.values()) < 1e-5, errors
