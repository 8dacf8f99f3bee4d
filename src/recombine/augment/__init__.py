"""Train pairs -> more train pairs: what was learnt from training alone, put together anew."""

from recombine.augment.options import AugmentOptions, Recombined
from recombine.augment.options import TrainingPair as Pair
from recombine.augment.recombiner import Recombiner, Review

__all__ = ["AugmentOptions", "Pair", "Recombined", "Recombiner", "Review"]
