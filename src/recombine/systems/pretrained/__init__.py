"""Models that somebody else trained: causal language models (`causal`) and encoder-decoders
(`seq2seq`), as they are, prompted or fine-tuned.

A causal model translates in three steps: `prompt` puts text around a source, `generation` continues
its tokens, `translator` makes batches of it and cuts the answers. `training` is the loop of
fine-tuning. `fast/` does the same sooner where `seam` finds that it fits.
"""

from recombine.systems.pretrained.causal import Llm

__all__ = ["Llm"]
