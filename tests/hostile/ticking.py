"""A thread that ticks, and how long another one kept it from that."""

import threading
import time
from collections.abc import Callable

MOST_HELD_SECONDS = 0.25
TICK_SECONDS = 0.002
TRIES = 3


def holds_the_lock(work: Callable[[], object]) -> bool:
    """Whether some work keeps other threads from running for long.

    The work is done again where it seems to: what holds the lock holds it each time, a busy machine does not.
    """
    return all(longest_hold(work) > MOST_HELD_SECONDS for _ in range(TRIES))


def longest_hold(work: Callable[[], object]) -> float:
    """The most CPU time that this process spent between two ticks while some work was done on another thread.

    A thread that holds the interpreter's lock lets nobody tick; another process that has the processor does not count.
    """
    worker = threading.Thread(target=work, daemon=True)
    longest, before = 0.0, time.process_time()
    worker.start()
    while worker.is_alive():
        worker.join(TICK_SECONDS)
        now = time.process_time()
        longest, before = max(longest, now - before), now
    return longest
