"""What surrounds a hostile repository: places that nothing may touch, and a port that nothing may call.

The places are watched by the kernel (inotify, where there is one), so that an open, a read, a write or a removal is
seen whoever does it: Python, SQLite, ripgrep or git.
"""

import ctypes
import os
import select
import socket
import struct
import sys
import threading
from pathlib import Path

CANARY = "CANARY-51c0ffee-must-not-be-seen"
EVENT = struct.Struct("iIII")
# access, modify, attributes, open, moves, create, delete
WATCHED = 0x1 | 0x2 | 0x4 | 0x20 | 0x40 | 0x80 | 0x100 | 0x200
NAMES = {0x1: "read", 0x2: "written", 0x4: "changed", 0x20: "opened", 0x40: "moved", 0x80: "moved in", 0x100: "made"}


class World:
    """A person's home with things of theirs in it, a folder elsewhere, and a server that should never be called."""

    def __init__(self, folder: Path) -> None:
        self.home, self.outside = folder / "home", folder / "outside"
        self.repository = folder / "clone"
        self.victim = self.home / "thesis.md"
        (self.home / ".local" / "state").mkdir(parents=True)
        self.repository.mkdir()
        for path in (self.victim, self.home / ".ssh" / "id_ed25519", self.outside / "docs" / "diary.md"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# Private\n\n{CANARY}\n")
        self.listener = Listener()
        self._before = self._bytes()
        self._watch = Watch([self.home, self.home / ".ssh", self.outside, self.outside / "docs"])

    @property
    def state(self) -> Path:
        """Where Fieldguide keeps things for this person."""
        return self.home / ".local" / "state" / "fieldguide"

    def environment(self) -> dict[str, str]:
        """The environment of this person's programs, with a password that a database would love to have."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        usual = dict.fromkeys(("FIELDGUIDE_STATE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"), "")
        return {**kept, **usual, "HOME": str(self.home), "PGPASSWORD": CANARY, "PGCONNECT_TIMEOUT": "2"}

    def harm(self) -> list[str]:
        """Everything that was done to the places around the repository; nothing, if all is well."""
        touched = self._watch.events()
        called = ["somebody connected"] * self.listener.connections()
        kept = [str(path) for path in self.state.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]
        lost = [] if self._bytes() == self._before else ["something was changed or removed"]
        return [*touched, *called, *(f"{path} holds what it must not" for path in kept), *lost]

    def close(self) -> None:
        self.listener.close()
        self._watch.close()

    def _bytes(self) -> dict[str, bytes]:
        folders = (self.home / ".ssh", self.outside, self.home)
        files = {path for folder in folders for path in folder.glob("*") if path.is_file()}
        return {str(path): path.read_bytes() for path in sorted(files | set(self.outside.rglob("*.md")))}


class Listener:
    """A port on loopback that counts who connects."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._count = 0
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def connections(self) -> int:
        return self._count

    def close(self) -> None:
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._count += 1
            connection.close()


class Watch:
    """Tells what happened in some folders since it began; nothing on systems without inotify."""

    def __init__(self, folders: list[Path]) -> None:
        self._folders: dict[int, Path] = {}
        self._descriptor = -1
        if sys.platform != "linux":
            return
        library = ctypes.CDLL(None, use_errno=True)
        self._descriptor = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        for folder in folders:
            number = library.inotify_add_watch(self._descriptor, os.fsencode(folder), WATCHED)
            assert number > 0, "the folder can't be watched"
            self._folders[number] = folder

    def events(self) -> list[str]:
        """What was done there, in words; listing a folder is no harm, looking into a file is."""
        told: set[str] = set()
        while self._descriptor >= 0 and select.select([self._descriptor], [], [], 0.05)[0]:
            data = os.read(self._descriptor, 1 << 16)
            place = 0
            while place < len(data):
                number, mask, _, length = EVENT.unpack_from(data, place)
                name = data[place + EVENT.size : place + EVENT.size + length].rstrip(b"\0").decode()
                place += EVENT.size + length
                if name and not mask & 0x40000000:
                    told |= {f"{self._folders[number] / name} was {word}" for bit, word in NAMES.items() if mask & bit}
        return sorted(told)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
