"""Changes shown, asked about, written and told: the same way for installing and uninstalling."""

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from fieldguide.cli.installing.planning import DIFFERS, PROBLEM, REMOVE, UPDATE, Change
from fieldguide.cli.installing.record import Record, Written, digest
from fieldguide.cli.installing.settings_place import remove_folders
from fieldguide.cli.installing.showing import as_json, lines_of
from fieldguide.cli.terminal import complain, is_anybody_there, is_confirmed, remark, say, say_json
from fieldguide.errors import Refusal

DONE, NOT_ALL, NOT_ASKED = 0, 1, 3
EPILOG = """\
exit codes: 0 done, or nothing to do; 1 a file was left as it is, or no client is here; 2 a wrong way to ask; 3 it was
only shown: nobody was there to say yes, or somebody said no
"""


class Outcome(NamedTuple):
    """What became of a change."""

    change: Change
    is_written: bool = False
    backup: str | None = None


def add_ways(parser: argparse.ArgumentParser) -> None:
    """The flags by which both commands are told how to go about it."""
    parser.add_argument("--yes", action="store_true", help="write without asking, for scripts")
    parser.add_argument("--json", action="store_true", help="print it as JSON; it asks nothing, and writes with --yes")


def carry_out(changes: Sequence[Change], record: Record, arguments: Any, told: dict[str, Any]) -> int:
    """Show the changes, write them if that is wanted, and tell what was done."""
    if arguments.json:
        outcomes = _written(changes, record) if arguments.yes else [Outcome(each) for each in changes]
        rows = [as_json(each.change, is_written=each.is_written, backup=each.backup) for each in outcomes]
        say_json({**told, "changes": rows})
        return _code(outcomes, is_asked=arguments.yes or not changes)
    for change in changes:
        say(*lines_of(change))
    agreed = [*changes] if arguments.yes else _asked(changes)
    outcomes = _written(agreed, record)
    _tell(outcomes)
    return _code(outcomes, is_asked=bool(agreed) or not changes)


def _asked(changes: Sequence[Change]) -> list[Change]:
    """The changes that the person wants, and those that need no answer."""
    wanted = [each for each in changes if each.is_change]
    if not wanted:
        return [_replaced(each) for each in changes]
    if not is_anybody_there():
        remark("Nothing was written: nobody is here to ask. --yes writes it.")
        return []
    if not is_confirmed(f"Write {_number(len(wanted))}?"):
        remark("Nothing was written.")
        return []
    return [_replaced(each) for each in changes]


def _replaced(change: Change) -> Change:
    if change.action != DIFFERS or not is_confirmed(f"Replace {change.name} in {change.place.shown} all the same?"):
        return change
    return change._replace(action=UPDATE)


def _number(count: int) -> str:
    return "this change" if count == 1 else f"these {count} changes"


def _written(changes: Iterable[Change], record: Record) -> list[Outcome]:
    return [_apply(each, record) if each.is_change else Outcome(each) for each in changes]


def _apply(change: Change, record: Record) -> Outcome:
    do: Callable[[Change, Record], str | None] = _take_back if change.action == REMOVE else _put
    try:
        return Outcome(change, is_written=True, backup=do(change, record))
    except Refusal as error:
        return Outcome(change._replace(action=PROBLEM, reason=error.message))


def _put(change: Change, record: Record) -> str | None:
    real, after = change.place.real(), change.after or b""
    backup = None if change.before is None else record.back_up(real, change.before)
    folders = change.place.write(change.before, after)
    before = None if change.before is None else digest(change.before)
    record.add(
        Written(
            real, change.kind, change.client, change.name, change.value, before, digest(after), backup, folders,
            change.made,
        )
    )  # fmt: skip
    return backup


def _take_back(change: Change, record: Record) -> str | None:
    real, before, after = change.place.real(), change.before or b"", change.after
    mine = [each for each in record.of_file(real) if each.kind == change.kind and each.name in change.value]
    backup = None
    if after is None:
        change.place.remove(before)
        remove_folders(sorted({folder for each in mine for folder in each.folders}))
    else:
        is_as_it_was = digest(after) in {each.before for each in mine}
        backup = None if is_as_it_was else record.back_up(real, before)
        change.place.write(before, after)
    record.forget(mine)
    _drop_backups(record, mine, keeps=backup)
    return backup


def _drop_backups(record: Record, changes: Sequence[Written], *, keeps: str | None) -> None:
    """Remove copies that nobody needs any more: they may hold other servers' tokens."""
    needed = {keeps, *(each.backup for each in record.changes)}
    for path in {each.backup for each in changes} - needed:
        if path is not None:
            with suppress(OSError):
                os.unlink(path)


def _tell(outcomes: Sequence[Outcome]) -> None:
    for each in outcomes:
        shown = each.change.place.shown
        if each.is_written:
            kept = f"; what stood there is in {each.backup}" if each.backup else ""
            say(f"{'removed' if each.change.after is None else 'written'}  {shown}{kept}")
        elif each.change.action == PROBLEM:
            complain(f"{shown} {each.change.reason}")
    if any(each.is_written for each in outcomes):
        say("A client that is running reads this when it is started again.")


def _code(outcomes: Sequence[Outcome], *, is_asked: bool) -> int:
    if not is_asked and (not outcomes or any(each.change.is_change for each in outcomes)):
        return NOT_ASKED
    return NOT_ALL if any(each.change.action in (PROBLEM, DIFFERS) for each in outcomes) else DONE
