"""What a token looks like: a prefix that scanners know, a name that is no secret, a random secret, a checksum.

Only the SHA-256 of the secret is kept. A slow hash, as for passwords, would add nothing: the secret has 238 random
bits, so there is no list of likely ones to try, and every request would pay for it.
"""

import hmac
import secrets
from hashlib import sha256
from typing import NamedTuple

from fieldguide.secret_shapes import DIGITS, checksum, has_checksum

PREFIX = "fgt"
ID_CHARACTERS, SECRET_CHARACTERS, CHECKED_CHARACTERS = 12, 40, 6
IN_AN_ID = frozenset(DIGITS[:10] + DIGITS[36:])


class ShownToken(NamedTuple):
    """A token as its bearer shows it: its id, and the digest of its secret."""

    id: str
    digest: str

    def fits(self, digest: str) -> bool:
        """Whether this is the digest of the token's secret; how long it takes to say tells nothing."""
        return hmac.compare_digest(self.digest, digest)


def new_token() -> str:
    """A token that nobody has had."""
    named = "".join(secrets.choice(sorted(IN_AN_ID)) for _ in range(ID_CHARACTERS))
    secret = "".join(secrets.choice(DIGITS) for _ in range(SECRET_CHARACTERS))
    return f"{PREFIX}_{named}_{secret}{checksum(secret)}"


def read_token(text: str) -> ShownToken | None:
    """The parts of a token; None for what can't be one of ours, and need not be looked up."""
    prefix, _, rest = text.partition("_")
    named, _, secret = rest.partition("_")
    is_named = len(named) == ID_CHARACTERS and set(named) <= IN_AN_ID
    is_long = len(secret) == SECRET_CHARACTERS + CHECKED_CHARACTERS and set(secret) <= set(DIGITS)
    if prefix != PREFIX or not is_named or not is_long or not has_checksum(text):
        return None
    return ShownToken(named, sha256(secret.encode()).hexdigest())
