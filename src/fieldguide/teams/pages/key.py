"""The key of the pages of a service: made once, the same for every replica."""

import secrets

from fieldguide.storage.port import Database

KEY_BYTES = 32
READ = "SELECT secret FROM page_key WHERE one = 1"
MAKE = "INSERT INTO page_key (one, secret) VALUES (1, :secret) ON CONFLICT (one) DO NOTHING"


def page_key(database: Database) -> bytes:
    """The key; of several replicas that make one at once, the first counts for all."""
    with database.reading() as transaction:
        row = transaction.fetch_one(READ, {})
    if row is None:
        with database.writing() as transaction:
            transaction.execute(MAKE, {"secret": secrets.token_hex(KEY_BYTES)})
            row = transaction.fetch_one(READ, {})
    return bytes.fromhex(str(row["secret"])) if row is not None else b""
