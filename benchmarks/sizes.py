"""What a whole index of a real repository costs: seconds, memory, and bytes in the state folder."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.process_usage import cpu_seconds, resident_bytes

FIELDGUIDE = Path(sys.executable).with_name("fieldguide")
LISTED = ("/usr/bin/env", "git", "ls-files", "-z")
LOOK_SECONDS = 0.1
MIB = 1024 * 1024


class Size(NamedTuple):
    """A repository, and what its index took and takes."""

    name: str
    files: int
    megabytes: float
    seconds: float
    cpu: float
    peak: float
    kept: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sizes", description=__doc__)
    parser.add_argument("--checkout", type=Path, nargs="+", required=True, help="git checkouts that are not indexed")
    options = parser.parse_args()
    print(report.describe_machine())
    heads = ["repository", "tracked files", "MB", "index, s", "CPU s", "peak MiB", "state folder, MiB"]
    rows = []
    for checkout in options.checkout:
        size = measured(checkout)
        rows.append([size.name, f"{size.files:,}", f"{size.megabytes:.1f}", f"{size.seconds:.1f}", f"{size.cpu:.1f}",
                     f"{size.peak:.0f}", f"{size.kept:.0f}"])  # fmt: skip
        print(" ".join(rows[-1]), file=sys.stderr)
    print(report.format_table(heads, rows))
    return 0


def measured(checkout: Path) -> Size:
    """Index a checkout into a state folder of its own, in a process of its own."""
    names = subprocess.run(LISTED, cwd=checkout, capture_output=True, check=True).stdout
    files = [checkout / os.fsdecode(name) for name in names.split(b"\0") if name]
    size = sum(path.lstat().st_size for path in files if path.is_file())
    with tempfile.TemporaryDirectory(prefix="fieldguide-sizes-") as state:
        began, cpu, peak = time.perf_counter(), 0.0, 0
        process = subprocess.Popen([FIELDGUIDE, "index", "--project", checkout], stdout=subprocess.DEVNULL,
                                   env={**os.environ, "FIELDGUIDE_STATE": state})  # fmt: skip
        while process.poll() is None:
            with suppress(OSError):  # it may end while we look
                cpu, peak = max(cpu, cpu_seconds(process.pid)), max(peak, resident_bytes(process.pid))
            time.sleep(LOOK_SECONDS)
        seconds = time.perf_counter() - began
        kept = sum(path.stat().st_size for path in Path(state).rglob("*") if path.is_file())
    return Size(checkout.name, len(files), size / 1e6, seconds, cpu, peak / MIB, kept / MIB)


if __name__ == "__main__":
    raise SystemExit(main())
