"""The process that started us: when it is gone, nobody is left to serve."""

import asyncio
import os

CHECK_SECONDS = 1.0


async def parent_gone() -> None:
    """Come back when the parent has ended: by the kernel's word where there is one, else by looking.

    A parent outside of our process namespace has the number 0, and one that is init never ends.
    """
    parent = os.getppid()
    if parent <= 1:
        await asyncio.get_running_loop().create_future()
    try:
        descriptor = os.pidfd_open(parent)
    except (AttributeError, OSError):  # no such call here
        while os.getppid() == parent:
            await asyncio.sleep(CHECK_SECONDS)
        return
    try:
        if os.getppid() == parent:  # it was still the same when we opened it
            await _readable(descriptor)
    finally:
        os.close(descriptor)


async def _readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(descriptor, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(descriptor)
