"""Limits of sizes, counts and rates, each of which a person can set."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from fieldguide.text.errors import Misconfiguration

MOST = 10**12


class Limits(NamedTuple):
    """The limits of one server. A person sets them under `[limits]`, or by `FIELDGUIDE_LIMIT_<NAME>`."""

    uri_characters: int = 8_192
    requests_in_flight: int = 1_000
    message_bytes: int = 10_000_000
    unread_megabytes: int = 64
    http_sessions: int = 200
    http_sessions_per_peer: int = 50
    http_request_megabytes: int = 4
    http_request_seconds: int = 30
    http_connections: int = 512
    http_unread_seconds: int = 30
    calls_at_once: int = 64
    calls_at_once_per_project: int = 32
    calls_at_once_per_user: int = 16
    calls_waiting: int = 1_000
    calls_waiting_per_user: int = 100
    calls_waiting_seconds: int = 10
    drain_notice_seconds: int = 2
    drain_seconds: int = 20
    rate_limited_users: int = 100_000
    collections: int = 200
    documents_per_collection: int = 100_000
    index_megabytes: int = 8_192
    fetched_megabytes: int = 256
    fetched_files: int = 100_000
    fetch_seconds: int = 900
    tasks_per_user: int = 100_000
    discoveries: int = 100_000
    journal_line_characters: int = 4_000
    answer_tokens: int = 20_000
    database_connections: int = 16
    open_projects: int = 64
    project_idle_seconds: int = 1_800
    project_fetch_seconds: int = 900
    project_fetch_interval_seconds: int = 60
    project_repository_megabytes: int = 4_096

    def told(self, name: str) -> str:
        """A limit as a refusal tells it, with the name of its setting."""
        return f"the limit is {getattr(self, name):,} ({name})"


def read_limits(table: Mapping[str, Any], environment: Mapping[str, str]) -> Limits:
    """The limits that a person's settings and environment name; the rest are as they come."""
    unknown = sorted(set(table) - set(Limits._fields))
    if unknown:
        raise Misconfiguration(f"There is no limit {unknown[0]!r}; the limits are {', '.join(Limits._fields)}.")
    named: dict[str, Any] = {**table}
    for name in Limits._fields:
        variable = f"FIELDGUIDE_LIMIT_{name.upper()}"
        if environment.get(variable):
            named[name] = environment[variable]
    return Limits(**{name: _number(name, value) for name, value in named.items()})


def _number(name: str, value: Any) -> int:
    text = str(value)
    if isinstance(value, bool) or not (text.isascii() and text.isdecimal()) or not 0 < int(text[:14]) <= MOST:
        raise Misconfiguration(f"The limit {name} must be a whole number above 0, not {text[:40]!r}.")
    return int(text)
