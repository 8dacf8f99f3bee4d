"""What the documentation of version 0.1 named is still there, or says where it is."""

from __future__ import annotations

import importlib
import re

import pytest

from recombine.moved import MOVED


@pytest.mark.parametrize("name", MOVED)
def test_a_module_that_moved_says_where_it_is(name):
    """The message names a module that can be imported."""
    with pytest.raises(ModuleNotFoundError, match=f"{re.escape(name)} is now ") as caught:
        importlib.import_module(name)
    for module in re.findall(r"recombine\.[a-z_.]+[a-z]", MOVED[name]):
        assert importlib.import_module(module)
    assert caught.value.name == name


def test_other_modules_are_just_not_there():
    """Nobody is sent anywhere for a typo."""
    with pytest.raises(ModuleNotFoundError, match="No module named"):
        importlib.import_module("recombine.costs")


def test_the_stages_are_names_of_their_chapter():
    """`from recombine.experiment import score_run`, as in docs/python-api.md of 0.1."""
    from recombine.experiment import read_experiment, score_run, train, trainings, translate

    for one in (read_experiment, score_run, train, trainings, translate):
        assert callable(one)


def test_a_class_that_moved_says_where_it_is():
    """Builders of 0.1 imported `Draft` from the benchmark's module."""
    with pytest.raises(ImportError, match=r"is now recombine\.draft\.Draft"):
        from recombine.benchmark import Draft  # noqa: F401
    assert not hasattr(importlib.import_module("recombine.benchmark"), "Drafts")
