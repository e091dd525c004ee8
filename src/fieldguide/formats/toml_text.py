"""TOML that somebody else wrote.

The library takes the square of the number of parts of a dotted key: measured, 49 ms for 2,000 parts and 663 ms for
8,000, which are 16 KB (`python -m benchmarks.parsers`). A key ends with its line, so a line has a limit.
"""

from typing import Any

from fieldguide.formats import Malformed

MOST_BYTES = 1 << 18
MOST_DOTS = 200


def read_toml(content: bytes, *, most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    """The tables of a text; Malformed for what is no TOML, or more of it than anybody writes."""
    import tomllib  # 15 ms; only who has such a file needs it

    if len(content) > most_bytes:
        raise Malformed(f"it has more than {most_bytes:,} bytes")
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.count(b".") > MOST_DOTS:
            raise Malformed(f"line {number} has more than {MOST_DOTS} dots", number)
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Malformed("it is not UTF-8") from error
    except RecursionError:
        raise Malformed("it is nested too deep") from None
    except ValueError as error:  # besides its own, that a number has too many digits
        raise Malformed(str(error)) from error
