"""Device: where a model computes, in which numbers, and learning behind narrow ones."""

from __future__ import annotations

import pytest

from recombine.errors import ConfigError

torch = pytest.importorskip("torch")

from recombine.systems.device import (  # noqa: E402
    choose_device,
    choose_dtype,
    follow,
    gather_gradients,
    master_of,
)


def test_the_number_format_is_chosen_unless_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU that has bfloat16 computes in it; what only emulates it, and a CPU, in float32."""
    cpu, gpu = torch.device("cpu"), torch.device("cuda")
    for has in (True, False):
        monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda has=has, **_: has)
        assert choose_dtype("auto", gpu) == (torch.bfloat16 if has else torch.float32)
        assert choose_dtype("auto", cpu) == torch.float32
        assert choose_dtype("bfloat16", cpu) == torch.bfloat16
        assert choose_dtype("float32", gpu) == torch.float32


def test_a_device_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """In words, before anything is loaded onto it."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device("auto") == torch.device("cpu")
    with pytest.raises(ConfigError, match="torch sees no GPU"):
        choose_device("cuda:3")
    with pytest.raises(ConfigError, match="unknown device 'gpu'"):
        choose_device("gpu")


def test_only_narrow_weights_have_masters() -> None:
    """Gradients go to the master and the copy follows; a float32 weight is its own master."""
    narrow = torch.nn.Parameter(torch.tensor([1.0, 2.0], dtype=torch.bfloat16))
    unused = torch.nn.Parameter(torch.tensor([4.0], dtype=torch.bfloat16))
    wide = torch.nn.Parameter(torch.tensor([3.0]))
    copies = [narrow, unused, wide]
    masters = master_of(copies)
    assert masters[2] is wide
    assert [master.dtype for master in masters] == [torch.float32] * 3
    narrow.grad, wide.grad = torch.ones(2, dtype=torch.bfloat16), torch.tensor([5.0])
    gather_gradients(masters, copies)
    assert [master.grad.tolist() for master in masters] == [[1.0, 1.0], [0.0], [5.0]]
    with torch.no_grad():
        masters[0] += 0.5
    follow(copies, masters)
    assert narrow.tolist() == [1.5, 2.5]
    assert wide.tolist() == [3.0]
