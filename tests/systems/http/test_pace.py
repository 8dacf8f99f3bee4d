"""The rate limit holds, and pauses grow, stay bounded and repeat."""

from __future__ import annotations

import time

from recombine.systems.http.pace import Pace, delay


def test_turns_come_no_faster_than_the_rate():
    """Ten turns at 200 a second take at least nine intervals, also after a rest."""
    pace = Pace(200)
    for _ in range(2):
        began = time.monotonic()
        for _ in range(10):
            pace.wait_turn()
        assert time.monotonic() - began >= 9 / 200 * 0.999
        time.sleep(0.02)


def test_a_hold_stops_everybody():
    """After a hold no turn comes before its end."""
    pace = Pace(None)
    pace.hold(0.1)
    began = time.monotonic()
    pace.wait_turn()
    assert time.monotonic() - began >= 0.09


def test_a_halt_ends_all_waiting():
    """Stopping everything does not wait for pauses to end."""
    pace = Pace(0.001)
    pace.wait_turn()
    pace.halted.set()
    began = time.monotonic()
    pace.wait_turn()
    pace.sleep(60)
    assert time.monotonic() - began < 5


def test_delays_double_up_to_the_limit():
    """Pauses double, never exceed the limit, differ between requests and repeat exactly."""
    waits = [delay(n, base=1.0, limit=30.0, key="7") for n in range(12)]
    assert all(2.0**n / 2 <= wait <= min(30.0, 2.0**n) for n, wait in enumerate(waits[:5]))
    assert max(waits) <= 30.0
    assert waits == [delay(n, base=1.0, limit=30.0, key="7") for n in range(12)]
    assert waits[0] != delay(0, base=1.0, limit=30.0, key="8")
