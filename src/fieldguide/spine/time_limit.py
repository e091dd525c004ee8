"""How long a tool may take: ten seconds unless it says otherwise, never more than thirty."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fieldguide.errors import ToolTimeout

DEFAULT_SECONDS = 10.0
MAX_SECONDS = 30.0


def allowed_seconds(asked: float | None) -> float:
    """The limit that holds for a tool that asks for so many seconds."""
    return DEFAULT_SECONDS if asked is None else min(asked, MAX_SECONDS)


@asynccontextmanager
async def time_limit(tool: str, asked: float | None) -> AsyncIterator[None]:
    """End the block with ToolTimeout when the tool's time is over."""
    seconds = allowed_seconds(asked)
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise ToolTimeout(f"The tool {tool} took longer than {seconds:g} seconds.", seconds=seconds) from error
