"""Causal language models as translation systems: LoRA fine-tuning and prompting."""

from recombine.systems.pretrained.causal import Llm

__all__ = ["Llm"]
