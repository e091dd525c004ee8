"""`fieldguide team token`: makes, lists and revokes the tokens that people and programs show to a service."""

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime
from time import time
from typing import Any

from fieldguide.cli.console.options import read_service_settings
from fieldguide.cli.console.terminal import format_table, remark, say, say_json, say_result
from fieldguide.storage.database import Database
from fieldguide.team.audit import AuditedCommand, open_for_command
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
from fieldguide.team.registry import TOKENS_SCHEMA, check_principal
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import NotFound, shorten

NONE_YET = "No tokens. `fieldguide team token new NAME` makes one."
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
    revoke = actions.add_parser("revoke", help="end tokens at once")
    revoke.add_argument("which", nargs="+", metavar="ID|NAME", help="a token's id, or a name for all of its tokens")
    for action in (new, listing, revoke):
        action.add_argument("--database", metavar="URL", help="a postgresql:// address (default: SQLite)")
        action.add_argument("--json", action="store_true", help="print the outcome as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says; 1 where there is no such token."""
    actions = {"new": _new, "list": _list, "revoke": _revoke}
    settings = read_service_settings(arguments)
    command = None
    if arguments.action != "list":
        noted = {name: getattr(arguments, name, None) for name in ("name", "scopes", "expires")}
        noted["which"] = [which for which in getattr(arguments, "which", ()) if parse_token(which) is None]
        command = AuditedCommand(f"token {arguments.action}", noted)
    with open_for_command(settings, TOKENS_SCHEMA, remark, command) as database:
        return actions[arguments.action](database, arguments)


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
        f"It may {' and '.join(token.scopes)}, and {ends}. `fieldguide team token revoke {token.id}` ends it before.",
    )
    return 0


def _list(database: Database, arguments: argparse.Namespace) -> int:
    with database.reading() as transaction:
        tokens = TokenRepository(transaction).all()
    lines = format_table([HEADINGS, *map(_row, tokens)]) if tokens else [NONE_YET]
    say_result([_as_json(each) for each in tokens], lines, as_json=arguments.json)
    return 0


def _revoke(database: Database, arguments: argparse.Namespace) -> int:
    now = int(time())
    with database.writing() as transaction:
        repository = TokenRepository(transaction)
        tokens: dict[str, StoredToken] = {}
        for which in arguments.which:
            for token in _find_tokens(repository, which):
                tokens[token.id] = token
        for token in tokens.values():
            repository.revoke(token.id, now)
    rows = [_as_json(each._replace(revoked_at=each.revoked_at or now)) for each in tokens.values()]
    lines = [f"Revoked {each.id}, a token of {to_visible_line(each.principal)}." for each in tokens.values()]
    say_result(rows, lines, as_json=arguments.json)
    return 0


def _find_tokens(repository: TokenRepository, which: str) -> Sequence[StoredToken]:
    """The token with this id, or all tokens of a name; of a whole token, its id counts."""
    whole = parse_token(which)
    found = repository.find(which if whole is None else whole.id)
    if found is not None:
        return [found]
    tokens = repository.of(which)
    if not tokens:
        shown = "like this" if which.startswith(f"{PREFIX}_") else f"{shorten(which)!r}"
        raise NotFound(f"There is no token {shown}, by its id or its name. `fieldguide team token list` shows them.")
    return tokens


def _as_json(token: StoredToken) -> dict[str, Any]:
    return {
        "id": token.id,
        "name": token.principal,
        "scopes": list(token.scopes),
        "state": token.state(time()),
        "note": token.note,
        "created": _moment(token.created_at),
        "expires": _moment(token.expires_at),
        "revoked": _moment(token.revoked_at),
        "last_used": _moment(token.used_at),
    }


def _row(token: StoredToken) -> tuple[str, ...]:
    return (
        token.id,
        to_visible_line(token.principal),
        ",".join(token.scopes),
        token.state(time()),
        _day(token.created_at),
        _day(token.expires_at),
        _day(token.used_at),
        to_visible_line(token.note),
    )


def _moment(seconds: int | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _day(seconds: int | None) -> str:
    if seconds is None:
        return NEVER
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
