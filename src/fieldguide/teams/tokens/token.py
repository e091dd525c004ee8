"""A static token as it is kept, and when it ends."""

from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.errors import Misconfiguration, shortened
from fieldguide.spine.callers.principal import METRICS, READ, WRITE

NEVER = "never"
SPAN = re.compile(r"([0-9]{1,5})([hdw])")
UNIT_SECONDS = {"h": 3600, "d": 86_400, "w": 7 * 86_400}
LONGEST_SECONDS = 10 * 366 * 86_400
LONGEST_NOTE = 200
SCOPES = (READ, WRITE, METRICS)


class StoredToken(NamedTuple):
    """What is kept of a token: everything but the token. Times are seconds since 1970."""

    id: str
    digest: str
    principal: str
    scopes: tuple[str, ...]
    created_at: int
    note: str = ""
    expires_at: int | None = None
    revoked_at: int | None = None
    used_at: int | None = None

    def state(self, now: float) -> str:
        """`active`, `revoked` or `expired`."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"


def read_scopes(text: str) -> tuple[str, ...]:
    """The scopes of a new token; who may write may read, and who may read metrics need not read anything else."""
    named = {each.strip() for each in text.split(",") if each.strip()}
    unknown = sorted(named - set(SCOPES))
    if unknown or not named:
        raise Misconfiguration(f"The scopes are {', '.join(SCOPES)}, not {shortened(text)!r}.")
    wanted = named | {READ} if WRITE in named else named
    return tuple(each for each in SCOPES if each in wanted)


def read_span(text: str) -> int | None:
    """How many seconds a new token is good for, from `90d`, `12h` or `8w`; None for `never`."""
    if text == NEVER:
        return None
    found = SPAN.fullmatch(text)
    seconds = int(found.group(1)) * UNIT_SECONDS[found.group(2)] if found else 0
    if not 0 < seconds <= LONGEST_SECONDS:
        raise Misconfiguration(
            f"{shortened(text)!r} does not say when a token ends: write a number with h, d or w, such as 90d (at most "
            f"ten years), or {NEVER}."
        )
    return seconds


def checked_note(note: str) -> str:
    """A remark about a token, short and on one line."""
    if len(note) > LONGEST_NOTE or not note.isprintable():
        raise Misconfiguration(f"A note has at most {LONGEST_NOTE} characters, on one line.")
    return note
