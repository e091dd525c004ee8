"""What the guide's tools refuse that their short schemas let pass."""

from collections.abc import Mapping
from typing import Any

from fieldguide.errors import InvalidArguments

ASKED = ("task", "query", "path", "citation")


def check_said(arguments: Mapping[str, Any]) -> None:
    """Refuse a question without a word in it."""
    for name in ASKED:
        said = arguments.get(name)
        if isinstance(said, str) and not said.strip():
            raise InvalidArguments(f"The {name} is empty; say something.", argument=name)
