"""Static tokens: hashed, with an expiry, shown once."""

from fieldguide.storage.port import Schema

SCHEMA = Schema("tokens", "fieldguide.teams.tokens", ("access_token",))
