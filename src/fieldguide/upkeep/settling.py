"""What comes after a pass: made from the index, which may be asked already."""

from collections.abc import Callable

from fieldguide.upkeep.tended import Passed


def settle(passed: Passed | None, title: str, tell: Callable[[str], None]) -> None:
    """Make what is derived from the index; where that fails, the index is none the worse, and it is told."""
    try:
        if passed is not None and passed.afterwards is not None:
            passed.afterwards()
    except Exception as error:  # noqa: BLE001  the border of a thread
        tell(f"{title}: what is derived from it could not be made: {error}")
