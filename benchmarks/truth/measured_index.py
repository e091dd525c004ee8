"""An index of a checkout, made by the product in a process of its own: what it takes, and where it lies."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.process_usage import cpu_seconds, resident_bytes

LOOK_SECONDS = 0.05
MOST_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Indexed:
    """Wall clock and processor time of `fieldguide index`, and the most memory that its processes had together."""

    seconds: float
    cpu_seconds: float
    peak_mebibytes: float


def index(checkout: Path, state: Path) -> Indexed:
    """Index everything of a checkout from nothing into a state folder."""
    began = time.monotonic()
    command = [sys.executable, "-m", "fieldguide", "index", "--project", str(checkout)]
    environment = {**os.environ, "FIELDGUIDE_STATE": str(state)}
    peak = used = 0.0
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            if time.monotonic() - began > MOST_SECONDS:
                process.kill()
                raise SystemExit(f"{checkout.name} was not indexed within {MOST_SECONDS:.0f} s.")
            try:
                peak, used = max(peak, resident_bytes(process.pid)), max(used, cpu_seconds(process.pid))
            except OSError:  # it has ended meanwhile
                break
            time.sleep(LOOK_SECONDS)
    return Indexed(time.monotonic() - began, used, peak / (1 << 20))
