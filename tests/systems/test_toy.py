"""Toy systems do what can be predicted by hand."""

import pytest

from recombine.benchmark import Benchmark
from recombine.errors import ConfigError, DataError
from recombine.systems.toy import Copy, Dictionary, NoisyOracle


def test_copy_copies():
    """Nothing else."""
    assert list(Copy().translate(["a b"])) == ["a b"]


def test_the_dictionary_replaces_known_words(tmp_path):
    """Case is tried as given, then lowered; unknown words stay."""
    path = tmp_path / "d.tsv"
    path.write_text("# words\nthe\tder\ndog\tHund\n", encoding="utf-8")
    assert list(Dictionary(path=path).translate(["The dog ran"])) == ["der Hund ran"]


def test_a_bad_dictionary_line_is_named(tmp_path):
    """file:line."""
    path = tmp_path / "d.tsv"
    path.write_text("dog Hund\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        Dictionary(path=path)
    assert caught.value.where is not None
    assert caught.value.where.line == 1


@pytest.mark.parametrize(("noise", "right"), [(0.0, 3), (1.0, 0)])
def test_the_oracle_is_right_as_often_as_told(small_benchmark, noise, right):
    """Noise 0 is perfect, noise 1 is always wrong."""
    examples = Benchmark.open(small_benchmark).read("test")
    system = NoisyOracle(benchmark=small_benchmark, noise=noise)
    answers = system.translate([e.source for e in examples])
    assert sum(a == e.references[0] for a, e in zip(answers, examples, strict=True)) == right


def test_noise_outside_zero_and_one_is_refused(small_benchmark):
    """A share is a share."""
    with pytest.raises(ConfigError):
        NoisyOracle(benchmark=small_benchmark, noise=2)
