"""What the system says of this process: memory, processor time, open files; nothing where it says nothing."""

import os
import sys
import threading
import time
from contextlib import suppress

from fieldguide.server.web.operation.exposition import Exposition

STATUS, FILES = "/proc/self/status", "/proc/self/fd"
STARTED = time.time()
KILOBYTE = 1024


def tell_process(told: Exposition) -> None:
    """The families that every program has, under the names that monitors know."""
    import resource  # a system without it has no such server

    used = resource.getrusage(resource.RUSAGE_SELF)
    told.counter("process_cpu_seconds_total", "Processor time.", [({}, used.ru_utime + used.ru_stime)])
    told.gauge("process_start_time_seconds", "When the process began, since 1970.", [({}, round(STARTED, 3))])
    told.gauge("process_threads", "Threads of Python.", [({}, threading.active_count())])
    told.gauge("process_resident_memory_bytes", "Memory that is in use.", [({}, _memory(used.ru_maxrss))])
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    told.gauge("process_max_fds", "Files that may be open.", [({}, limit)])
    with suppress(OSError):
        told.gauge("process_open_fds", "Files that are open.", [({}, len(os.listdir(FILES)))])


def _memory(most: int) -> int:
    """The memory that is in use now; where the system does not say it, the most that ever was."""
    with suppress(OSError, StopIteration, ValueError), open(STATUS, encoding="ascii", errors="replace") as status:
        return int(next(line for line in status if line.startswith("VmRSS:")).split()[1]) * KILOBYTE
    return most if sys.platform == "darwin" else most * KILOBYTE
