"""What other processes do, seen from a test."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PATIENCE_SECONDS = 60.0
"""How long tests wait for what must come; a busy machine takes ten times as long as an idle one."""


def eventually(claim: Callable[[], bool], every: float = 0.01) -> bool:
    """Whether a claim about another process comes true; it is not asked again after that.

    A tool may be called 60 times a minute, so a claim that calls one is asked `every` 1.5 seconds.
    """
    until = time.monotonic() + PATIENCE_SECONDS
    while not claim():
        if time.monotonic() > until:
            return False
        time.sleep(every)
    return True


def is_alive(process: int) -> bool:
    """Whether a process is there and more than a zombie."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2][0] != "Z"
    return False


def is_running(*command: str) -> bool:
    """Whether a process of this test run's own was started with exactly this command.

    Other workers of the run start the same commands. Each has a state folder of its own, which its processes inherit.
    """
    wanted = "\0".join(command).encode() + b"\0"
    own = f"FIELDGUIDE_STATE={os.environ['FIELDGUIDE_STATE']}".encode()
    for name in filter(str.isdecimal, os.listdir("/proc")):
        process = Path("/proc", name)
        with suppress(OSError):
            is_wanted = process.joinpath("cmdline").read_bytes() == wanted
            if is_wanted and own in process.joinpath("environ").read_bytes().split(b"\0"):
                return True
    return False
