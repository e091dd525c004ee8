"""What a running process and its children have cost so far, from the Linux kernel's own books."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

BYTES_PER_KIB = 1024
# Fields of /proc/PID/stat after the parenthesised name: time of children already waited for, in clock ticks.
REAPED_USER_FIELD = 13
REAPED_SYSTEM_FIELD = 14
SCHEDULER_CLOCK = 2


def cpu_seconds(pid: int) -> float:
    """User and system time of the process, its threads and its children, living and ended."""
    return _sum_over_tree(pid, lambda member: _own_cpu_seconds(member) + _reaped_cpu_seconds(member))


def context_switches(pid: int) -> int:
    """How often the threads of the process and of its living children were taken off a processor and put on again."""
    return int(_sum_over_tree(pid, _own_context_switches))


def resident_bytes(pid: int) -> int:
    """VmRSS of the process and its living children."""
    return int(_sum_over_tree(pid, _own_resident_bytes))


def _sum_over_tree(pid: int, read: Callable[[int], float]) -> float:
    total = read(pid)
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        # A child or a thread may end while we look; what a child used is then in its parent's books.
        with suppress(OSError):
            total += sum(_sum_over_tree(int(child), read) for child in children.read_text().split())
    return total


def _own_cpu_seconds(pid: int) -> float:
    # The clock that clock_getcpuclockid(3) names: utime and stime of /proc/PID/stat in nanoseconds instead of
    # ticks of 10 ms, which are too coarse for a start of some 50 ms.
    return time.clock_gettime((~pid << 3) | SCHEDULER_CLOCK)


def _reaped_cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[REAPED_USER_FIELD]) + int(fields[REAPED_SYSTEM_FIELD])
    return ticks / os.sysconf("SC_CLK_TCK")


def _own_context_switches(pid: int) -> int:
    total = 0
    for status in Path(f"/proc/{pid}/task").glob("*/status"):
        with suppress(OSError):
            lines = status.read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if "ctxt_switches" in line)
    return total


def _own_resident_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * BYTES_PER_KIB
    return 0
