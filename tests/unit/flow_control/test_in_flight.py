"""The counters."""

from __future__ import annotations

from localplane.apiserver.flow_control import Counter, InFlight


def test_the_limits_are_kubernetes_own() -> None:
    in_flight = InFlight()
    assert (in_flight.reads.limit, in_flight.mutations.limit) == (400, 200)


def test_a_counter_lets_in_as_many_as_its_limit() -> None:
    counter = Counter(2)
    assert [counter.try_enter() for _ in range(3)] == [True, True, False]
    counter.leave()
    assert counter.try_enter()


def test_the_high_water_mark_is_since_the_last_look() -> None:
    counter = Counter(10)
    for _ in range(3):
        counter.try_enter()
    for _ in range(2):
        counter.leave()
    assert [counter.take_highest(), counter.take_highest()] == [3, 1]
