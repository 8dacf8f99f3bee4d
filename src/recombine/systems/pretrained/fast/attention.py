"""Attention without padding masks, for training and for decoding with fixed memory.

Sequences are padded on the right, so under causal attention no real token ever sees padding and
no mask is needed. That keeps the fused kernels usable and the work free of host
synchronisation, which a captured CUDA graph requires.
"""

from __future__ import annotations

from typing import Any

NAME = "recombine"
# What some architectures pass and plain attention must not ignore.
_UNSUPPORTED = ("softcap", "s_aux", "sliding_window", "position_bias", "sinks")


class Unsupported(Exception):
    """Raised for an architecture that needs more than plain causal attention."""


def use_plain_attention(model: Any) -> None:
    """Switch a Hugging Face model to `attend`.

    The name is registered as an attention function and not as a mask function; the library then
    leaves masks alone: none stays none and a four-dimensional one is passed through.
    """
    from transformers import AttentionInterface

    AttentionInterface.register(NAME, attend)
    for module in model.modules():
        config = getattr(module, "config", None)
        if config is not None and hasattr(config, "_attn_implementation"):
            config._attn_implementation = NAME


def use_library_attention(model: Any) -> None:
    """Switch back to the library's own attention."""
    for module in model.modules():
        config = getattr(module, "config", None)
        if config is not None and getattr(config, "_attn_implementation", None) == NAME:
            config._attn_implementation = "sdpa"


def needs_library_attention(model: Any) -> bool:
    """Say whether the architecture attends to less than everything before a token."""
    names = ("sliding_window", "attn_logit_softcapping", "attention_chunk_size")
    return any(getattr(model.config, name, None) for name in names)


def attend(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    dropout: float = 0.0,
    scaling: float | None = None,
    **options: Any,
) -> tuple[Any, None]:
    """Scaled dot-product attention of [batch, heads, length, size] tensors."""
    from torch.nn.functional import scaled_dot_product_attention

    for name in _UNSUPPORTED:
        if options.get(name) is not None:
            raise Unsupported(name)
    batch, heads, length, size = query.shape
    groups = heads // key.shape[1]
    if length == 1 and groups > 1:
        # One new token: the query heads that share a key head become its queries, so the cache
        # is read once and never repeated in memory.
        mixed = scaled_dot_product_attention(
            query.reshape(batch, heads // groups, groups, size),
            key,
            value,
            attn_mask=attention_mask,
            scale=scaling,
        ).reshape(batch, heads, 1, value.shape[-1])
    else:
        mixed = scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=attention_mask,
            dropout_p=dropout,
            is_causal=attention_mask is None and length > 1,
            scale=scaling,
            enable_gqa=groups > 1,
        )
    return mixed.transpose(1, 2).contiguous(), None
