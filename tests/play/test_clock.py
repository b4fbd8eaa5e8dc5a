from __future__ import annotations

import time

from outplay.play.system import RealClock, VirtualClock


def test_setting_the_computers_time_does_not_touch_the_real_clock(monkeypatch):
    clock = RealClock()
    before = clock.now()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert before <= clock.now() < before + 60


def test_sleeping_takes_at_least_as_long_as_asked():
    clock = RealClock()
    before = clock.now()
    clock.sleep(0.01)
    assert clock.now() - before >= 0.009


def test_virtual_time_passes_only_when_somebody_waits():
    clock = VirtualClock(5.0)
    assert clock.now() == clock.now() == 5.0
    clock.sleep(0.5)
    assert clock.now() == 5.5
