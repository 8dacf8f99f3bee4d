"""Causal language models as translation systems: LoRA fine-tuning and prompting."""

from recombine.systems.llm.system import Llm

__all__ = ["Llm"]
