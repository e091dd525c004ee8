"""JSON web tokens of an identity provider: only what is signed with one of its keys, in date, and from it.

The header is an attacker's until the signature holds: it chooses one of the provider's own keys by name, and nothing
else. An address or a key in it (`jku`, `x5u`, `jwk`) is not looked at, and whom it is for (`aud`) is compared where the
request is known.
"""

from collections.abc import Callable, Iterable, Mapping
from time import time
from typing import Any, cast

from fieldguide.server.web.identity.key_set import KeySet
from fieldguide.server.web.principals import Verified, vouched
from fieldguide.spine.callers.principal import Principal

MOST_AUDIENCES, MOST_SCOPES = 20, 200
LONGEST_USER = 255
LONGEST_KEY_ID = 256
KINDS = ("jwt", "at+jwt", "application/at+jwt", "application/jwt")
REQUIRED = ["exp", "iss", "sub", "aud"]
BROKEN = (ValueError, TypeError, OverflowError, RecursionError)


class WebTokens:
    """Verifies JWTs by the keys of their issuer."""

    def __init__(self, keys: KeySet, *, issuer: str, skew_seconds: int, clock: Callable[[], float] = time) -> None:
        self._keys = keys
        self._issuer = issuer
        self._skew = skew_seconds
        self._clock = clock

    async def verify_token(self, token: str) -> Verified | None:
        """What a good token claims; None for any other."""
        header = _header(token)
        if header is None:
            return None
        key = await self._keys.find(header.get("kid"), header["alg"])
        claims = None if key is None else self._claims(token, key, header["alg"])
        return None if claims is None else self._vouched(claims)

    def _claims(self, token: str, key: Any, algorithm: str) -> dict[str, Any] | None:
        """The claims of a token whose signature, dates and issuer hold."""
        import jwt

        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                issuer=self._issuer,
                leeway=self._skew,
                options={"require": REQUIRED, "verify_aud": False},
            )
        except (jwt.PyJWTError, *BROKEN):
            return None
        return claims if claims.get("iss") == self._issuer else None

    def _vouched(self, claims: Mapping[str, Any]) -> Verified | None:
        user, audiences, scopes = claims.get("sub"), _audiences(claims.get("aud")), _scopes(claims)
        is_bound = "cnf" in claims  # to a key of its bearer's, which we can't ask for
        if not _is_name(user) or audiences is None or is_bound:
            return None
        ends = float(claims["exp"]) + self._skew
        named = claims.get("jti")
        principal = Principal(str(user), scopes, self._issuer, ends, named[:64] if isinstance(named, str) else "")
        return vouched(principal, audiences)


def _header(token: str) -> Mapping[str, Any] | None:
    """The header of a token, as far as it names a way of signing that we take."""
    import jwt

    from fieldguide.server.web.identity.key_set import ALGORITHMS

    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, *BROKEN):
        return None
    kind, named = header.get("typ", "jwt"), header.get("kid")
    is_known = header.get("alg") in ALGORITHMS and isinstance(kind, str) and kind.lower() in KINDS
    is_named = named is None or (isinstance(named, str) and len(named) <= LONGEST_KEY_ID)
    return header if is_known and is_named and "crit" not in header and "b64" not in header else None


def _is_name(user: Any) -> bool:
    return isinstance(user, str) and 0 < len(user) <= LONGEST_USER and user.isprintable() and user == user.strip()


def _audiences(claimed: Any) -> list[str] | None:
    """Whom a token is for; None where it does not say it as it should."""
    named = list(cast("Iterable[Any]", claimed)) if isinstance(claimed, list) else [claimed]
    is_plain = 0 < len(named) <= MOST_AUDIENCES and all(isinstance(each, str) and each for each in named)
    return named if is_plain else None


def _scopes(claims: Mapping[str, Any]) -> frozenset[str]:
    """The scopes of a token: `scope` with blanks between them, or `scp`, as some providers write it."""
    claimed = claims.get("scope", claims.get("scp"))
    listed: Any = claimed.split(" ") if isinstance(claimed, str) else claimed
    named = list(cast("Iterable[Any]", listed)) if isinstance(listed, list) else []
    return frozenset(each for each in named[:MOST_SCOPES] if isinstance(each, str) and each)
