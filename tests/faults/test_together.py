"""Two at once: a lock that says who holds it, or both are right; never a mixed result."""

from __future__ import annotations

import random
import shutil
import time

import pytest

from faults.inputs import contents, difference, write_inputs

# First command, second command, what is compared, and what is done before.
PAIRS = {
    "two builds": ("build recipe.toml --out made", "build recipe.toml --out made", ()),
    "two builds of other seeds": (
        "build recipe.toml --out made --force",
        "build recipe.toml --out made --seed 2 --force",
        (),
    ),
    "two augmentations": (
        "augment benchmark -n 150 --out made",
        "augment benchmark -n 150 --out made",
        (),
    ),
    "two runs": ("run all.toml", "run all.toml", ()),
    "a run and a report": (
        "run all.toml --force",
        "report runs/all --out made",
        ("run all.toml",),
    ),
    "two reports": (
        "report runs/command --out made",
        "report runs/command --out made",
        ("translate command.toml", "score command.toml"),
    ),
    "two scorings": (
        "score command.toml --force",
        "score command.toml --force",
        ("translate command.toml",),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_two_at_once(name, tmp_path, warm, survive, request):
    """Both end well or one says who is at work; what is there is the result of one of them."""
    first, second, before = PAIRS[name]
    clean = tmp_path / "clean"
    write_inputs(clean)
    for one in before:
        assert warm.run(one.split(), clean).code == 0
    # What each would have made alone, and one after the other.
    expected = []
    for number, order in enumerate(((first,), (second,), (first, second), (second, first))):
        place = tmp_path / f"expected-{number}"
        shutil.copytree(clean, place)
        for one in order:
            warm.run(one.split(), place)
        expected.append(_results(place))
    draw = random.Random(f"{name} 27")
    for number in range(max(2, request.config.getoption("--moments") // 3)):
        place = tmp_path / f"both-{number}"
        shutil.copytree(clean, place)
        one = warm.start(first.split(), place)
        time.sleep(draw.random() * (0.0, 0.3, 1.0)[number % 3])
        other = warm.start(second.split(), place)
        ends = [warm.end(one), warm.end(other)]
        wrong = "".join(_wrong_end(end) for end in ends)
        if all(end.code for end in ends):
            wrong += f"neither worked: {ends}"
        found = _results(place)
        if found not in expected:
            wrong += f"mixed: {min((difference(found, one) for one in expected), key=len)}"
        survive("two at once", name, wrong)
        shutil.rmtree(place)


def _wrong_end(end):
    if end.code and "is in use by" in end.err:
        return "" if "hint:" in end.err and "Traceback" not in end.err else end.err
    # A report may also say that what it reads is being made again.
    stale = end.code == 2 and "hint:" in end.err and "Traceback" not in end.err
    return "" if stale else end.fault(0)


def _results(place):
    """What was made; translations that --force sets aside count what was there before."""
    return {name: text for name, text in contents(place).items() if ".old-" not in name}
