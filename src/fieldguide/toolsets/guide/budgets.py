"""How many tokens an answer of the guide may have: what its caller says, within bounds that a list need not repeat."""

from collections.abc import Mapping
from typing import Any

from fieldguide.errors import InvalidArguments
from fieldguide.spine.schemas import whole_number

LEAST, MOST = 200, 50_000
ASKED = ("task", "citation", "path", "of")


def budget() -> dict[str, Any]:
    """The schema of a budget; what it usually is need not be said in a list that everybody pays for."""
    return whole_number()


def check_asked(arguments: Mapping[str, Any]) -> None:
    """Refuse a blank question, and a budget that no answer can keep or no model can read."""
    for name, value in arguments.items():
        if name in ASKED and isinstance(value, str) and not value.strip():
            raise InvalidArguments(f"The {name} is blank.")
    given = arguments.get("budget")
    if isinstance(given, int) and not LEAST <= given <= MOST:
        raise InvalidArguments(f"The budget must be from {LEAST} to {MOST:,} tokens.", budget=given)
