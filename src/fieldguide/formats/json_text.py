"""JSON that somebody else wrote, as what JSON can say again."""

import json
from math import isfinite
from typing import Any

from fieldguide.formats import Malformed

MOST_BYTES = 1 << 20
MOST_DIGITS = 400


def read_json(content: bytes | str, *, most_bytes: int = MOST_BYTES) -> Any:
    """The value of a text; Malformed for one that is too long, nested too deep, or holds what is no number."""
    if len(content) > most_bytes:
        raise Malformed(f"it has more than {most_bytes:,} bytes")
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        return json.loads(text, parse_int=_whole, parse_float=_number, parse_constant=_refuse)
    except Malformed:
        raise
    except UnicodeDecodeError as error:
        raise Malformed("it is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise Malformed(str(error), error.lineno) from error
    except RecursionError:
        raise Malformed("it is nested too deep") from None


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise Malformed(f"a number has more than {MOST_DIGITS} digits")
    return int(digits)


def _number(written: str) -> float:
    number = float(written)
    if not isfinite(number):
        raise Malformed("a number is larger than any computer's")
    return number


def _refuse(written: str) -> None:
    raise Malformed(f"{written} is no value of JSON")
