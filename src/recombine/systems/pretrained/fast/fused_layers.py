"""Fewer and smaller kernels for the same sums: LoRA in the model's type, fused norms.

Each replacement is checked against the original on random input when it is made, and left out
where the architecture computes something else.
"""

from __future__ import annotations

from types import MethodType
from typing import Any


def use_lean_adapters(adapted: Any) -> int:
    """Compute LoRA layers in the type of their input; return how many were changed.

    peft lifts the whole input of an adapter to float32 because the adapter is kept in float32.
    Casting the two small matrices down instead, as autocast does, moves a fraction of the bytes.
    """
    changed = 0
    for module in adapted.modules():
        if _is_plain_lora(module):
            module.forward = MethodType(_lora_forward, module)
            changed += 1
    return changed


def use_fused_norms(model: Any) -> int:
    """Compute RMS norms with torch's fused function; return how many were changed."""
    changed = 0
    for module in model.modules():
        if type(module).__name__.endswith("RMSNorm") and _is_plain_norm(module):
            module.forward = MethodType(_norm_forward, module)
            changed += 1
    return changed


def _is_plain_lora(module: Any) -> bool:
    import torch

    return (
        isinstance(getattr(module, "base_layer", None), torch.nn.Linear)
        and len(getattr(module, "lora_A", ())) == 1
        and not getattr(module, "lora_variant", {})
        and not getattr(module, "merged", False)
    )


def _lora_forward(module: Any, x: Any, *_: Any, **__: Any) -> Any:
    from torch.nn.functional import linear

    (name,) = module.lora_A
    down = module.lora_A[name].weight.to(x.dtype)
    up = module.lora_B[name].weight.to(x.dtype)
    small = linear(module.lora_dropout[name](x), down) * module.scaling[name]
    return module.base_layer(x) + linear(small, up)


def _is_plain_norm(module: Any) -> bool:
    import torch

    weight = getattr(module, "weight", None)
    if weight is None or not hasattr(module, "variance_epsilon"):
        return False
    sample = torch.linspace(-2, 3, weight.numel(), device=weight.device, dtype=weight.dtype)
    with torch.no_grad():
        expected, actual = module(sample[None]), _norm_forward(module, sample[None])
        # One step of the type: the two round at different places.
        step = torch.finfo(weight.dtype).eps * expected.abs().clamp(min=1e-3)
        return bool(((expected - actual).abs() <= 2 * step).all())


def _norm_forward(module: Any, x: Any) -> Any:
    from torch.nn.functional import rms_norm

    return rms_norm(x, (x.shape[-1],), module.weight, module.variance_epsilon)
