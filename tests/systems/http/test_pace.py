"""The rate limit holds, and pauses grow, stay bounded and repeat."""

from __future__ import annotations

import pytest

from recombine.systems.http import pace as module
from recombine.systems.http.pace import Pace, delay


class Clock:
    """Time that goes on while somebody waits; it is the clock and the event of a halt in one."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.halted = False

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        self.now += 0 if self.halted else seconds
        return self.halted


@pytest.fixture
def clock(monkeypatch):
    """The module's clock."""
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def paced(clock: Clock, rate: float | None) -> Pace:
    """A pace that waits on this clock alone."""
    pace = Pace(rate)
    pace.halted = clock
    return pace


def test_turns_come_no_faster_than_the_rate(clock):
    """Ten turns at 200 a second take nine intervals, also after a rest."""
    pace = paced(clock, 200)
    for _ in range(2):
        began = clock.now
        for _ in range(10):
            pace.wait_turn()
        assert clock.now - began == pytest.approx(9 / 200)
        clock.now += 0.02


def test_a_late_turn_keeps_the_timetable(clock):
    """Who wakes up too late does not slow down those who come after."""
    pace = paced(clock, 100)
    began = clock.now
    for _ in range(10):
        pace.wait_turn()
        clock.now += 0.004
    pace.wait_turn()
    assert clock.now - began == pytest.approx(10 / 100)


def test_a_hold_stops_everybody(clock):
    """After a hold no turn comes before its end."""
    pace = paced(clock, None)
    pace.hold(0.1)
    pace.hold(0.05)
    began = clock.now
    pace.wait_turn()
    assert clock.now - began == pytest.approx(0.1)


def test_a_halt_ends_all_waiting(clock):
    """Stopping everything does not wait for pauses to end."""
    pace = paced(clock, 0.001)
    pace.wait_turn()
    began, clock.halted = clock.now, True
    pace.wait_turn()
    pace.sleep(60)
    assert clock.now == began


def test_delays_double_up_to_the_limit():
    """Pauses double, never exceed the limit, differ between requests and repeat exactly."""
    waits = [delay(n, base=1.0, limit=30.0, key="7") for n in range(12)]
    assert all(2.0**n / 2 <= wait <= min(30.0, 2.0**n) for n, wait in enumerate(waits[:5]))
    assert max(waits) <= 30.0
    assert waits == [delay(n, base=1.0, limit=30.0, key="7") for n in range(12)]
    assert waits[0] != delay(0, base=1.0, limit=30.0, key="8")
