"""A server that notes which functions of ours it enters: `python -m benchmarks.walk_tracer FILE COMMAND …`.

SIGUSR1 begins a walk, SIGUSR2 ends it and writes the steps of each thread to the file.
"""

import json
import os
import signal
import sys
import threading
from importlib.metadata import entry_points
from types import FrameType
from typing import Any

import fieldguide

OURS = os.path.dirname(fieldguide.__file__) + os.sep


class Tracer:
    """Notes each entry into a function of ours; coming back into a coroutine or a generator is no new entry."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._is_walking = False
        self._entered: set[FrameType] = set()
        self._steps: dict[str, list[tuple[str, str, int, str]]] = {}

    def begin(self, *_: object) -> None:
        """Forget everything, and note what comes."""
        self._entered = set()
        self._steps = {}
        self._is_walking = True
        with open(f"{self._path}.begun", "w", encoding="utf-8"):
            pass  # tells who sent the signal that it has arrived

    def end(self, *_: object) -> None:
        """Write what was noted."""
        self._is_walking = False
        with open(f"{self._path}.new", "w", encoding="utf-8") as file:
            json.dump(self._steps, file)
        os.replace(f"{self._path}.new", self._path)

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """What the interpreter calls at every entry and exit."""
        if not self._is_walking or event != "call" or not frame.f_code.co_filename.startswith(OURS):
            return
        name = frame.f_code.co_name
        if frame in self._entered or (name.startswith("<") and name != "<lambda>"):
            return
        self._entered.add(frame)
        callers = _ours_above(frame)
        step = (_module(frame), frame.f_code.co_qualname, len(callers), callers[0] if callers else "")
        self._steps.setdefault(threading.current_thread().name, []).append(step)


def _ours_above(frame: FrameType) -> list[str]:
    found: list[str] = []
    above = frame.f_back
    while above is not None:
        if above.f_code.co_filename.startswith(OURS):
            found.append(_module(above))
        above = above.f_back
    return found


def _module(frame: FrameType) -> str:
    path = frame.f_code.co_filename.removeprefix(OURS).removesuffix(".py").removesuffix(f"{os.sep}__init__")
    return path.replace(os.sep, ".")


if __name__ == "__main__":
    [command] = entry_points(group="console_scripts", name="fieldguide")
    run_command = command.load()
    tracer = Tracer(sys.argv[1])
    signal.signal(signal.SIGUSR1, tracer.begin)
    signal.signal(signal.SIGUSR2, tracer.end)
    threading.setprofile(tracer.note)
    sys.setprofile(tracer.note)
    sys.exit(run_command(sys.argv[2:]))
