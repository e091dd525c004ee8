"""The smallest FastMCP server: one tool that does nothing, over stdio."""

from fastmcp import FastMCP

server = FastMCP("noop")


# A coroutine, because FastMCP sends plain functions to a thread, which costs more.
@server.tool
async def noop() -> dict[str, bool]:
    """Does nothing"""
    return {"ok": True}


if __name__ == "__main__":
    server.run(transport="stdio", show_banner=False)
