"""The versions of the official SDK that the HTTP server was tested with: it uses parts that have no public door."""

from fieldguide.errors import Misconfiguration

TESTED = "2.3"


def check_sdk(installed: str) -> None:
    """Raise Misconfiguration for an SDK of another minor version, which may have moved those parts."""
    if installed.split(".")[:2] != TESTED.split("."):
        raise Misconfiguration(
            f"`fieldguide serve --http` was tested with the package mcp {TESTED}, and mcp {installed} is installed. "
            f"Install `mcp=={TESTED}.*`, or a newer fieldguide. Over stdio it serves with any."
        )
