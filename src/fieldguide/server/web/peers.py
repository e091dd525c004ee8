"""Whose program is at the other end of a connection within this machine, where the system tells.

A browser sends a cookie to every port of a machine. Whoever serves another port may get to see ours, and could show it
here: so a cookie counts only when it comes from a program of the user whose server this is.
"""

import os
import socket

from starlette.types import Scope

TABLES = {socket.AF_INET: "/proc/net/tcp", socket.AF_INET6: "/proc/net/tcp6"}
UID_FIELD = 4  # behind the two addresses
ROOT = 0  # forwards connections for others, as WSL does; and may read all files anyway


def is_another_users(scope: Scope) -> bool:
    """Whether a request comes from a program of another user; where nobody tells, it does not."""
    client, server = scope.get("client"), scope.get("server")
    if not client or not server or not server[1]:
        return False
    return owner(client, server) not in (None, ROOT, os.geteuid())


def owner(client: tuple[str, int], server: tuple[str, int]) -> int | None:
    """The user whose socket talks to ours; None where the system does not say."""
    family = socket.AF_INET6 if ":" in client[0] else socket.AF_INET
    try:
        with open(TABLES[family], encoding="ascii") as table:
            text = table.read()
        pair = f": {_written(family, client)} {_written(family, server)} "
    except OSError:
        return None
    fields = text.partition(pair)[2].partition("\n")[0].split()
    return int(fields[UID_FIELD]) if len(fields) > UID_FIELD and fields[UID_FIELD].isdecimal() else None


def _written(family: socket.AddressFamily, address: tuple[str, int]) -> str:
    """An address as the table writes it: words of four bytes, each backwards, and the port."""
    packed = socket.inet_pton(family, address[0])
    words = (packed[at : at + 4][::-1].hex().upper() for at in range(0, len(packed), 4))
    return f"{''.join(words)}:{address[1]:04X}"
