"""Device: where a model computes, and in which numbers."""

from __future__ import annotations

import pytest

from recombine.errors import ConfigError

torch = pytest.importorskip("torch")

from recombine.systems.neural.device import choose_device, choose_dtype  # noqa: E402


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
