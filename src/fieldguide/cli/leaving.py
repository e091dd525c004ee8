"""How a command ends while threads of ours still work: at once, and without a word from the C++ below them.

Python ends such threads as it finalizes, wherever they are. In the midst of a C++ function (RE2, a parser) that aborts
the whole process, after all was said and done. So what must be written is written here, and the process leaves.
"""

import os
import sys
from contextlib import suppress


def leave(code: int, *, at_once: bool = False) -> None:
    """End the process with this code, if any thread is still at work, or `at_once`; else Python ends as ever."""
    threading = sys.modules.get("threading")
    others = (
        [] if threading is None else [each for each in threading.enumerate() if each is not threading.main_thread()]
    )
    if not (others or at_once) or not all(each.daemon for each in others):
        return
    atexit = sys.modules.get("atexit")
    if atexit is not None:
        getattr(atexit, "_run_exitfuncs")()  # noqa: B009  what others left to be done at the end
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # nobody reads any more, or there is no such stream
            stream.flush()
    os._exit(code)
