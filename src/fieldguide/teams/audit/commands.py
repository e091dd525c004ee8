"""Commands that change who may do what: they are in the audit log of the service too."""

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, cast

from fieldguide.config import Settings
from fieldguide.places import login_name
from fieldguide.spine.oversight.audit import LONGEST_USER, AuditRecord, told_name
from fieldguide.teams.audit.log import AuditWriter
from fieldguide.teams.audit.opening import open_audit

LONGEST_VALUE = 200
MOST_VALUES = 20


def note_command(settings: Settings, command: str, told: Mapping[str, Any], project: str = "") -> None:
    """Keep who ran a command of the service, and what it was about: names and rights, never a token."""
    if settings.audit is False:
        return
    database = open_audit(settings, lambda sentence: None)
    about = {name: _told(value) for name, value in told.items() if value not in (None, [], False)}
    record = AuditRecord(
        project=told_name(project),
        user=told_name(login_name() or "", LONGEST_USER),
        action="command",
        name=command,
        effect="write",
        outcome="ok",
        arguments=json.dumps(about, separators=(",", ":")),
    )
    try:
        writer = AuditWriter(database, settings.limits)
        writer.note(record)
        writer.close_or_fail()
    finally:
        database.close()


def _told(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_told(each) for each in islice(cast("Sequence[Any]", value), MOST_VALUES)]
    return value if isinstance(value, bool | int) else told_name(str(value), LONGEST_VALUE)
