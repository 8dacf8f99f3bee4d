"""The protocol is what the built-in metrics implement."""

import math

import numpy as np

from recombine.metrics.base import Metric, percent_right, share_of_judged
from recombine.metrics.exact import Exact


def test_a_metric_is_recognised_by_its_methods():
    """No base class is needed."""
    assert isinstance(Exact(), Metric)
    assert not isinstance(object(), Metric)


def test_verdicts_are_averaged():
    """What could not be judged has no part in a share; nothing judged is no score."""
    assert percent_right(np.array([[1.0], [0.0], [0.0], [1.0]])) == 50
    assert percent_right(np.empty((0, 1))) == 0
    assert share_of_judged(np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])) == 0.5
    assert math.isnan(share_of_judged(np.empty((0, 2))))
