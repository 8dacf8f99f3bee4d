"""The protocol is what the built-in metrics implement."""

from recombine.metrics.base import Metric
from recombine.metrics.exact import Exact


def test_a_metric_is_recognised_by_its_methods():
    """No base class is needed."""
    assert isinstance(Exact(), Metric)
    assert not isinstance(object(), Metric)
