"""The line in front of long computations."""

from __future__ import annotations

import threading

import pytest

from dashboard.line import Line


def test_never_more_inside_than_places_and_first_come_first_served() -> None:
    line, order, most = Line(2), [], 0
    lock, entered = threading.Lock(), threading.Barrier(3)
    go_on = threading.Event()

    def work(name: int) -> None:
        nonlocal most
        with line.turn(lambda before: None):
            with lock:
                order.append(name)
                most = max(most, line.inside)
            if name < 2:
                entered.wait(10)
                go_on.wait(10)

    first = [threading.Thread(target=work, args=(name,)) for name in range(2)]
    for thread in first:
        thread.start()
    entered.wait(10)
    waiting: list[threading.Thread] = []
    for name in range(2, 8):
        told = threading.Event()

        def queue(name: int = name, told: threading.Event = told) -> None:
            with line.turn(lambda before: told.set()), lock:
                order.append(name)

        waiting.append(threading.Thread(target=queue))
        waiting[-1].start()
        assert told.wait(10)  # in the line before the next one comes
    go_on.set()
    for thread in first + waiting:
        thread.join(10)
    assert most == 2
    assert sorted(order[:2]) == [0, 1]
    assert order[2:] == list(range(2, 8))
    assert line.inside == 0


def test_whoever_waits_is_told_how_many_are_before_and_may_leave() -> None:
    line, seen = Line(1), []

    class LeavesError(Exception):
        pass

    def leave(before: int) -> None:
        seen.append(before)
        raise LeavesError

    with line.turn(print):
        with pytest.raises(LeavesError), line.turn(leave):
            raise AssertionError("nobody should get here")
        assert line.inside == 1
    assert seen == [1]
    with line.turn(leave):  # the place is free: nobody waits
        assert line.inside == 1


def test_a_place_is_given_back_when_the_work_fails() -> None:
    line = Line(1)
    with pytest.raises(ZeroDivisionError), line.turn(print):
        _ = 1 / 0
    with line.turn(print):
        pass
    assert line.inside == 0
