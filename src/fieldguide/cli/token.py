"""`fieldguide token`: the tokens that people and programs show to a service; each is shown once, when it is made."""

import argparse
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from time import time
from typing import Any

from fieldguide.cli.options import read_service_settings
from fieldguide.cli.terminal import GAP, count_columns, fit_to_columns, remark, say, say_json
from fieldguide.storage.database import Database
from fieldguide.team.audit import note_command
from fieldguide.team.identity import (
    NEVER,
    PREFIX,
    StoredToken,
    TokenRepository,
    check_note,
    make_token,
    parse_scopes,
    parse_span,
    parse_token,
)
from fieldguide.team.registry import TOKENS_SCHEMA, check_principal, open_service_database
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import NotFound, shorten

NONE_YET = "No tokens. `fieldguide token new NAME` makes one."
HEADINGS = ("id", "name", "scopes", "state", "created", "ends", "last used", "note")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`new`, `list` or `revoke`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    new = actions.add_parser("new", help="make a token and show it, once")
    new.add_argument("name", metavar="NAME", help="whose it is: the user that requests with it are made for")
    new.add_argument(
        "--scopes", metavar="A,B", default="read,write", help="read, or read,write (the default); metrics for a monitor"
    )
    new.add_argument("--expires", metavar="SPAN", default="90d", help="when it ends: 12h, 90d (the default), 8w, never")
    new.add_argument("--note", metavar="TEXT", default="", help="what it is for, such as a machine's name")
    listing = actions.add_parser("list", help="show which tokens there are, and never the tokens")
    revoke = actions.add_parser("revoke", help="end tokens at once, on every replica")
    revoke.add_argument("which", nargs="+", metavar="ID|NAME", help="a token's id, or a name for all of its tokens")
    for action in (new, listing, revoke):
        action.add_argument("--database", metavar="URL", help="a postgresql:// address (default: SQLite)")
        action.add_argument("--json", action="store_true", help="print the outcome as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says; 1 where there is no such token."""
    actions = {"new": _new, "list": _list, "revoke": _revoke}
    with _opened(arguments) as database:
        code = actions[arguments.action](database, arguments)
    if arguments.action == "list":
        return code
    told = {name: getattr(arguments, name, None) for name in ("name", "scopes", "expires")}
    told["which"] = [which for which in getattr(arguments, "which", ()) if parse_token(which) is None]
    note_command(read_service_settings(arguments), f"token {arguments.action}", told)
    return code


@contextmanager
def _opened(arguments: argparse.Namespace) -> Generator[Database]:
    database = open_service_database(read_service_settings(arguments), [TOKENS_SCHEMA], remark)
    try:
        yield database
    finally:
        database.close()


def _new(database: Database, arguments: argparse.Namespace) -> int:
    now = int(time())
    span = parse_span(arguments.expires)
    text = make_token()
    parts = parse_token(text)
    assert parts is not None  # noqa: S101  it was made a line above
    token = StoredToken(
        *parts,
        check_principal(arguments.name),
        parse_scopes(arguments.scopes),
        now,
        note=check_note(arguments.note),
        expires_at=None if span is None else now + span,
    )
    with database.writing() as transaction:
        TokenRepository(transaction).add(token)
    if arguments.json:
        say_json({"token": text, **_as_json(token)})
        return 0
    say(text)
    ends = "never ends" if token.expires_at is None else f"ends at {_moment(token.expires_at)}"
    remark(
        f"This is the token of {to_visible_line(token.principal)}. It is shown this once; only its hash is kept.",
        f"It may {' and '.join(token.scopes)}, and {ends}. `fieldguide token revoke {token.id}` ends it before.",
    )
    return 0


def _list(database: Database, arguments: argparse.Namespace) -> int:
    with database.reading() as transaction:
        tokens = TokenRepository(transaction).all()
    if arguments.json:
        say_json([_as_json(each) for each in tokens])
    else:
        say(*(_table(tokens) if tokens else [NONE_YET]))
    return 0


def _revoke(database: Database, arguments: argparse.Namespace) -> int:
    now = int(time())
    with database.writing() as transaction:
        repository = TokenRepository(transaction)
        found = {token.id: token for which in arguments.which for token in _named(repository, which)}
        for token in found.values():
            repository.revoke(token.id, now)
    if arguments.json:
        ended = [token if token.revoked_at else token._replace(revoked_at=now) for token in found.values()]
        say_json([_as_json(each) for each in ended])
    else:
        say(*(f"Revoked {each.id}, a token of {to_visible_line(each.principal)}." for each in found.values()))
    return 0


def _named(repository: TokenRepository, which: str) -> Sequence[StoredToken]:
    """The token with this id, or those of the principal of this name; a whole token is taken for its id."""
    whole = parse_token(which)
    found = repository.find(which if whole is None else whole.id)
    tokens = [found] if found is not None else repository.of(which)
    if not tokens:
        told = "like this" if which.startswith(f"{PREFIX}_") else f"{shorten(which)!r}"
        raise NotFound(f"There is no token {told}, by its id or its name. `fieldguide token list` shows them.")
    return tokens


def _as_json(token: StoredToken) -> dict[str, Any]:
    return {
        "id": token.id,
        "name": token.principal,
        "scopes": list(token.scopes),
        "state": token.state(time()),
        "note": token.note,
        "created": _moment(token.created_at),
        "expires": None if token.expires_at is None else _moment(token.expires_at),
        "revoked": None if token.revoked_at is None else _moment(token.revoked_at),
        "last_used": None if token.used_at is None else _moment(token.used_at),
    }


def _table(tokens: Sequence[StoredToken]) -> list[str]:
    rows = [HEADINGS, *(_row(each) for each in tokens)]
    widths = [max(count_columns(row[at]) for row in rows) for at in range(len(HEADINGS))]
    return [GAP.join(map(fit_to_columns, row, widths)).rstrip() for row in rows]


def _row(token: StoredToken) -> tuple[str, ...]:
    ends = NEVER if token.expires_at is None else _day(token.expires_at)
    used = NEVER if token.used_at is None else _day(token.used_at)
    scopes = ",".join(token.scopes)
    name = to_visible_line(token.principal)
    state = token.state(time())
    return (token.id, name, scopes, state, _day(token.created_at), ends, used, to_visible_line(token.note))


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _day(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
