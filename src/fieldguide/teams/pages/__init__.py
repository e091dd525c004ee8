"""What the pages of a service keep: the key that seals the cookies of those who are signed in."""

from fieldguide.storage.port import Schema

SCHEMA = Schema("pages", "fieldguide.teams.pages", ("page_key",))
