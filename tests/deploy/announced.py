"""Where a server says that it serves."""

import re
from typing import IO


def announced_port(told: IO[str]) -> str:
    """The port that a server tells when it is ready."""
    lines = []
    for line in told:
        lines.append(line)
        if found := re.search(r"http://[^/ ]*:(\d+)/mcp", line):
            return found.group(1)
    raise AssertionError(f"the server did not say where it serves:\n{''.join(lines)}")
