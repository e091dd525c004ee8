"""The word to stop, for threads that wait for the kernel: an event that can be polled beside other descriptors."""

import os
import threading


class Stop(threading.Event):
    """An event that also makes a descriptor readable, for good, once it is set."""

    def __init__(self) -> None:
        super().__init__()
        self._reader, self._writer = os.pipe()

    def fileno(self) -> int:
        """What becomes readable."""
        return self._reader

    def set(self) -> None:
        """Tell everybody to stop."""
        if not self.is_set():
            super().set()
            os.write(self._writer, b"\0")

    def close(self) -> None:
        """Give the descriptors back; nobody may wait any more."""
        os.close(self._reader)
        os.close(self._writer)
