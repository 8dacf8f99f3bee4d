"""Kernels: a good hash, each its formula, and whole models with the gradients of plain PyTorch."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from recombine.systems.seq2seq.operations import NORM_EPSILON

NEEDS_GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
SEED = (5 << 40) + 3
RATE = 0.25
Mask = Callable[..., Any]


@pytest.fixture
def mask(numpy_kernels: ModuleType, compiled: type[np.ndarray]) -> Mask:
    """A function that says in numpy which elements dropout keeps."""

    def kept(size: int, *, rate: float = RATE, site: int = 1, seed: int = SEED) -> Any:
        numbers = [np.array(one, dtype=np.int64).view(compiled) for one in ([seed], [site])]
        index = np.arange(size).view(compiled)
        return np.asarray(numpy_kernels.kept(*numbers, index, int(rate * (1 << 24))))

    return kept


def test_every_bit_of_the_hash_depends_on_every_bit(numpy_kernels: ModuleType) -> None:
    """Flipping one input bit flips each output bit half of the time; no two inputs collide."""
    x = np.arange(1 << 14, dtype=np.uint32) * np.uint32(2_654_435_761)
    hashed = numpy_kernels.mixed(x)
    assert len(np.unique(hashed)) == len(x)
    places = np.arange(32, dtype=np.uint32)
    for bit in range(32):
        flipped = hashed ^ numpy_kernels.mixed(x ^ np.uint32(1 << bit))
        share = (flipped[:, None] >> places & 1).mean(0)
        assert np.abs(share - 0.5).max() < 0.03, bit


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5])
def test_dropout_keeps_its_share(mask: Mask, rate: float) -> None:
    """A rate of p drops a share p, and a rate of zero nothing."""
    keep = mask(100_000, rate=rate)
    assert keep.mean() == pytest.approx(1 - rate, abs=0.005 if rate else 0)


@pytest.mark.parametrize("other", [{"site": 2}, {"seed": SEED + 1}, {"seed": SEED + (1 << 40)}])
def test_masks_of_other_places_are_independent(mask: Mask, other: dict[str, int]) -> None:
    """Another place in the network, or another step in either half of the seed: another mask."""
    one, two = mask(100_000), mask(100_000, **other)
    assert (one & two).mean() == pytest.approx((1 - RATE) ** 2, abs=0.01)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("window", [2, 5, 7])
def test_weights_are_summed_by_offset(numpy_kernels: ModuleType, window: int, causal: bool) -> None:
    """Every weight lands at its clipped offset: Shaw et al. 2018, equation 5."""
    block = 8
    highest = 0 if causal else window
    weights = np.random.default_rng(1).random((block, block))
    if causal:
        weights = np.tril(weights)
    place = np.arange(block)
    offsets = np.arange(16)[None, :]  # a power of two, more than there are
    found = numpy_kernels.by_offset(
        weights, place[:, None], place[None, :], offsets, window, highest, block
    )
    expected = np.zeros((block, 16))
    for query in range(block):
        for key in range(query + 1 if causal else block):
            offset = int(np.clip(key - query, -window, window)) + window
            expected[query, offset] += weights[query, key]
    np.testing.assert_allclose(found, expected)


@pytest.mark.gpu
@NEEDS_GPU
def test_the_gpu_draws_the_mask_of_the_formula(mask: Mask) -> None:
    """Dropout, forwards and backwards, keeps exactly what the hash in numpy keeps."""
    from recombine.systems.seq2seq.fast.fused_operations import FusedOperations

    operations = FusedOperations(torch.tensor([SEED], device="cuda"))
    x = torch.ones(70, 50, device="cuda", requires_grad=True)
    dropped = operations.drop(x, RATE)
    keep = torch.from_numpy(mask(3500)).view(70, 50).to("cuda")
    torch.testing.assert_close(dropped, keep / (1 - RATE))
    (gradient,) = torch.autograd.grad(dropped.sum(), x)
    torch.testing.assert_close(gradient, keep / (1 - RATE))


@pytest.mark.gpu
@NEEDS_GPU
def test_norms_and_activations_are_plain_pytorch_s(mask: Mask) -> None:
    """Under the same mask, values and all gradients agree with plain PyTorch in float32."""
    from recombine.systems.seq2seq.fast.fused_operations import FusedOperations

    torch.manual_seed(1)
    rows, width = 37, 48
    x, h = torch.randn(2, rows, width, device="cuda").unbind()
    bias, gain, shift = torch.randn(3, width, device="cuda").unbind()
    inputs = [one.clone().requires_grad_() for one in (x, h, bias, gain, shift)]
    x, h, bias, gain, shift = inputs
    scales = [
        torch.from_numpy(mask(rows * width, site=site)).view(rows, width).to("cuda") / (1 - RATE)
        for site in (1, 2)
    ]
    operations = FusedOperations(torch.tensor([SEED], device="cuda"))
    y, n = operations.add_norm(x, h, bias, gain, shift, RATE)
    found = [y, n, operations.activate(n, bias, RATE)]
    y = x + (h + bias) * scales[0]
    n = functional.layer_norm(y, (width,), gain, shift, NORM_EPSILON)
    expected = [y, n, torch.relu(n + bias) * scales[1]]
    probes = [torch.randn_like(one) for one in expected]
    for mine, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)
    gradients = [
        torch.autograd.grad(
            sum((one * probe).sum() for one, probe in zip(outputs, probes, strict=True)), inputs
        )
        for outputs in (found, expected)
    ]
    for mine, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-3, atol=1e-4)


def test_the_tangent_holds_at_both_ends(numpy_cell_kernels: ModuleType) -> None:
    """It is made of an exponential, which overflows long before the tangent is 1."""
    x = np.array([-1e4, -100, -3, -1e-3, 0, 1e-3, 3, 100, 1e4], dtype=np.float32)
    with np.errstate(over="ignore"):
        assert numpy_cell_kernels.tanh(x) == pytest.approx(np.tanh(x), abs=1e-6)


@pytest.mark.gpu
@NEEDS_GPU
@pytest.mark.parametrize(
    ("positions", "clip"), [("relative", 6), ("relative", 20), ("none", 6), ("rope", 6)]
)
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_transformer_s_kernels_agree_with_plain_pytorch(
    positions: str, clip: int, norm: str
) -> None:
    """In float32, for sentences of every tile size, dropout keeping everything."""
    from recombine.systems.seq2seq.fast.fused_operations import FusedOperations
    from recombine.systems.seq2seq.fast.side_stream import Aside
    from systems.seq2seq.fast.kernel_agreement import transformer_error

    seed = torch.zeros(1, dtype=torch.int64, device="cuda")
    operations = FusedOperations(seed, keep_all=True, aside=Aside(seed.device))
    lengths = [120, 70, 40, 33, 20, 17, 15, 9, 3, 1, 0]
    assert transformer_error(operations, lengths, positions, norm, clip) <= 1e-4


@pytest.mark.gpu
@NEEDS_GPU
def test_an_lstm_s_kernels_agree_with_plain_pytorch() -> None:
    """In float32, with real masks between the layers, and a whole model."""
    from recombine.systems.seq2seq.fast.fused_operations import FusedOperations
    from systems.seq2seq.fast.kernel_agreement import lstm_error, recurrence_error

    seed = torch.zeros(1, dtype=torch.int64, device="cuda")
    lengths = [40, 18, 15, 9, 1, 0]
    assert recurrence_error(seed.device, lengths, 4) <= 1e-4
    for feeding in (False, True):
        assert lstm_error(FusedOperations(seed, keep_all=True), lengths, feeding) <= 1e-4


@pytest.mark.gpu
@NEEDS_GPU
@pytest.mark.parametrize("size", [30, 5000])
def test_the_loss_of_twins_agrees_with_plain_pytorch(size: int) -> None:
    """Cross-entropy and divergence in one kernel, for vocabularies of one block and of several."""
    from systems.seq2seq.fast.kernel_agreement import twin_loss_error

    assert twin_loss_error(torch.device("cuda"), size) <= 1e-4


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
    assert len(errors) == 8
    assert max(errors.values()) < 1e-5, errors
