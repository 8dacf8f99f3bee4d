"""Train pairs -> more train pairs: what was learnt from training alone, put together anew.

The chapter is callable: `recombine.augment(pairs)` is `recombine.augment.methods.augment(pairs)`.
"""

import sys
from types import ModuleType
from typing import Any

from recombine.augment.options import AugmentOptions, Recombined, Review
from recombine.augment.options import TrainingPair as Pair
from recombine.augment.recombiner import Recombiner

__all__ = ["AugmentOptions", "Pair", "Recombined", "Recombiner", "Review"]


class _Chapter(ModuleType):
    # A chapter and the function that it is about share one name in the public API.
    def __call__(self, *pairs: Any, **options: Any) -> list[Recombined]:
        from recombine.augment.methods import augment

        return augment(*pairs, **options)


sys.modules[__name__].__class__ = _Chapter
