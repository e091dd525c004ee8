"""How long a tool may take: ten seconds unless it says otherwise, never more than thirty."""

import asyncio
from types import TracebackType

from fieldguide.errors import ToolTimeout

DEFAULT_SECONDS = 10.0
MAX_SECONDS = 30.0


def allowed_seconds(asked: float | None) -> float:
    """The limit that holds for a tool that asks for so many seconds."""
    return DEFAULT_SECONDS if asked is None else min(asked, MAX_SECONDS)


class time_limit:  # noqa: N801  it reads as a statement: `async with time_limit(...)`
    """End the block with ToolTimeout when the tool's time is over."""

    __slots__ = ("_seconds", "_timeout", "_tool")

    def __init__(self, tool: str, asked: float | None) -> None:
        self._tool = tool
        self._seconds = allowed_seconds(asked)

    async def __aenter__(self) -> None:
        self._timeout = asyncio.timeout(self._seconds)
        await self._timeout.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError as expired:
            text = f"The tool {self._tool} took longer than {self._seconds:g} seconds."
            raise ToolTimeout(text, seconds=self._seconds) from expired
