"""The chains of the audit log: every row of a writer has a number and a hash over itself and the row before it.

Each process that writes has a chain of its own, so replicas need not agree on anything. A row that was changed, or
taken out from between others, breaks the chain that it was in.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from fieldguide.spine.oversight.audit import AuditRecord

FIELDS = (*(name for name in AuditRecord._fields if name != "user"), "username")


class Head(NamedTuple):
    """How far a writer's chain goes: the number and the hash of its last row; 0 and nothing before the first."""

    writer: str
    number: int = 0
    hash: str = ""


def linked(head: Head, records: Iterable[AuditRecord]) -> Iterator[dict[str, Any]]:
    """The rows of these records, in the chain that goes on from `head`."""
    for record in records:
        row: dict[str, Any] = {**record._asdict(), "username": record.user}
        del row["user"]
        head = Head(head.writer, head.number + 1, link(head, row))
        yield {**row, **head._asdict()}


def link(before: Head, row: Mapping[str, Any]) -> str:
    """The hash of the row that follows."""
    told = json.dumps([before.hash, before.writer, before.number + 1, *(row[name] for name in FIELDS)])
    return hashlib.sha256(told.encode()).hexdigest()
