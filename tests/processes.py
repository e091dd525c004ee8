"""What other processes do, seen from a test."""

import os
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE_SECONDS = 30.0


def eventually(claim: Callable[[], bool]) -> bool:
    """Whether a claim about another process comes true."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not claim() and time.monotonic() < until:
        time.sleep(0.01)
    return claim()


def is_alive(process: int) -> bool:
    """Whether a process is there and more than a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


def is_running(*command: str) -> bool:
    """Whether any process was started with exactly this command."""
    wanted = "\0".join(command) + "\0"
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if Path(f"/proc/{name}/cmdline").read_text(encoding="utf-8", errors="replace") == wanted:
                return True
        except OSError:
            continue
    return False
