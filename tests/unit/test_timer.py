"""The timer: what it calls, and who wins when a function is cancelled at the moment it is due."""

import threading

from fieldguide.spine import workers
from fieldguide.spine.workers import Timer


def test_functions_are_called_in_the_order_in_which_they_are_due(monkeypatch):
    called: list[str] = []
    done = threading.Event()
    timer = Timer()

    with monkeypatch.context() as long_ago:
        long_ago.setattr(workers, "monotonic", lambda: -100.0)
        timer.after(0.06, done.set)
        timer.after(0.03, lambda: called.append("second"))
        timer.after(0.0, lambda: called.append("first"))
    timer.after(0.0, lambda: None)  # wakes it

    assert done.wait(30)
    assert called == ["first", "second"]


def test_what_is_cancelled_in_time_is_not_called():
    called: list[str] = []
    is_held, may_go_on, done = threading.Event(), threading.Event(), threading.Event()
    timer = Timer()

    def hold() -> None:
        is_held.set()
        may_go_on.wait(30)

    timer.after(0.0, hold)
    assert is_held.wait(30)
    number = timer.after(0.0, lambda: called.append("cancelled"))
    assert timer.cancel(number) is True
    timer.after(0.0, done.set)
    may_go_on.set()

    assert done.wait(30)
    assert called == []


def test_whoever_cancels_too_late_is_told_even_before_the_function_has_run():
    """A thread that loses its turn to read must know it, though the next reader has not begun yet."""
    gates = [threading.Event(), threading.Event()]
    is_held = [threading.Event(), threading.Event()]
    has_run = threading.Event()
    timer = Timer()

    def hold(number: int) -> None:
        is_held[number].set()
        gates[number].wait(30)

    timer.after(0.0, lambda: hold(0))
    assert is_held[0].wait(30)
    timer.after(0.0, lambda: hold(1))
    late = timer.after(0.0, has_run.set)
    gates[0].set()
    assert is_held[1].wait(30)

    assert not has_run.is_set()
    assert timer.cancel(late) is False
    gates[1].set()
    assert has_run.wait(30)


def test_a_function_that_fails_is_told_and_ends_no_other(monkeypatch):
    told: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", told.append)
    done = threading.Event()
    timer = Timer()

    def fail() -> None:
        raise ZeroDivisionError

    timer.after(0.0, fail)
    timer.after(0.02, done.set)

    assert done.wait(30)
    assert [each.exc_type for each in told] == [ZeroDivisionError]
