"""Shows planned changes with secrets masked, asks, writes them, and reports."""

import argparse
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import unified_diff
from typing import Any, NamedTuple, cast

from fieldguide.cli.clients import editing
from fieldguide.cli.clients.changes import DIFFERS, PROBLEM, REMOVE, UPDATE, WORDS, SettingsChange
from fieldguide.cli.clients.settings_files import (
    ENTRY,
    InstallRecord,
    WrittenChange,
    decode_text,
    hash_content,
    remove_folders,
)
from fieldguide.cli.console.terminal import (
    BoldText,
    FaintText,
    Line,
    ask_to_confirm,
    can_be_asked,
    complain,
    remark,
    say,
    say_json,
)
from fieldguide.text.errors import Refusal
from fieldguide.text.secrets import MARK, mask_secret_values
from fieldguide.text.windows import cut_text

PLACES = ("env", "headers", "environment")
SHORTEST_BARE = 4  # a shorter value is masked only between its quotes
LONGEST_LINE = 300
SAYS = {
    "add": "added to",
    "update": "brought up to date in",
    "remove": "taken out of",
    "unchanged": "there already, in",
}


def mask_values(text: str, *, is_toml: bool) -> str:
    """The text with a mark for each value below `env` and `headers`, wherever it occurs; it keeps its lines.

    A password that somebody chose looks like any word, so no shape is asked for. Of a text that can't be parsed, or has
    such a value in an unusual spelling, nothing but its lines is left.
    """
    try:
        values = [*_list_secret_values(editing.read_all(text, is_toml=is_toml), is_secret=False)]
    except Refusal:
        return _mask(text)
    masked = text
    for value in sorted(values, key=lambda each: len(str(each)), reverse=True):
        spellings = [each for each in _list_spellings(value) if each in text]
        if not spellings and value:
            return _mask(text)
        for each in spellings:
            masked = masked.replace(each, _mask(each))
    return masked


def _mask(text: str) -> str:
    return MARK + "\n" * text.count("\n")


def _list_spellings(value: Any) -> list[str]:
    """How a value may be written in JSON and in TOML."""
    if not isinstance(value, str):
        return [json.dumps(value, default=str)]
    inner = dict.fromkeys([value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]])
    if len(value) >= SHORTEST_BARE:
        return [*inner]
    return [f"{quote}{each}{quote}" for each in inner for quote in "\"'"]


def _list_secret_values(value: Any, *, is_secret: bool) -> Iterator[Any]:
    """The scalars below `env`, `headers`, `http_headers` and the like."""
    if isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            folded = key.lower().replace("-", "_")
            is_place = folded in PLACES or folded.endswith(("_env", "headers"))
            yield from _list_secret_values(inner, is_secret=is_secret or is_place)
    elif isinstance(value, list):
        for inner in cast("Sequence[Any]", value):
            yield from _list_secret_values(inner, is_secret=is_secret)
    elif is_secret:
        yield value


def diff_change(change: SettingsChange) -> list[str]:
    """The change as a unified diff; what lets other servers in is masked, by its place and by its shape."""
    if not change.is_change and change.action != DIFFERS:
        return []
    shown = change.part.place.shown
    old = "/dev/null" if change.before is None else shown
    new = "/dev/null" if change.after is None else shown
    before = _list_lines(change, change.before)
    lines = unified_diff(before, _list_lines(change, change.after), old, new, lineterm="")
    return mask_secret_values("\n".join(lines)).split("\n")


def _list_lines(change: SettingsChange, content: bytes | None) -> list[str]:
    """The lines of a file as they may be printed."""
    try:
        text = decode_text(content)
    except Refusal:
        return []
    if change.part.place.path.endswith((".json", ".jsonc", ".toml")):
        text = mask_values(text, is_toml=change.part.is_toml)
    return text.replace("\r\n", "\n").splitlines()


def format_change(change: SettingsChange) -> Iterator[Line]:
    """What a person is told of a change."""
    part = change.part
    if change.reason:
        yield [BoldText(part.title), f"  {part.place.shown} {change.reason}"]
    else:
        verb = "are" if len(change.removed) > 1 else "is"
        yield [BoldText(part.title), f"  {_name_parts(change)} {verb} {SAYS[change.action]} {part.place.shown}"]
    lines = diff_change(change)
    for line in lines:
        shown = cut_text(line, LONGEST_LINE)
        yield shown if line[:1] in "+-" else [FaintText(shown)]
    for each in part.remarks if change.is_change and change.action != REMOVE else ():
        yield [FaintText(f"  {each}")]
    if lines:
        yield ""


def _name_parts(change: SettingsChange) -> str:
    parts = change.removed or (change.part,)
    return ", ".join(each.name if each.kind == ENTRY else WORDS[each.kind] for each in parts)


def change_to_json(change: SettingsChange, *, is_written: bool, backup: str | None) -> dict[str, Any]:
    """What a script is told of a change."""
    part = change.part
    told = {
        "client": part.client,
        "title": part.title,
        "file": part.place.path,
        "part": part.kind,
        "name": _name_parts(change) if change.removed else part.name,
        "action": change.action,
        "changed": is_written,
        "diff": "\n".join(diff_change(change)),
        "backup": backup,
        "remarks": [] if change.removed else [*part.remarks],
    }
    return {**told, "reason": f"{part.place.shown} {change.reason}"} if change.reason else told


DONE = 0
NOT_ALL = 1
NOT_ASKED = 3
EPILOG = """\
exit codes: 0 done, or nothing to do, also where no client is here; 1 a file was left as it is; 2 a wrong way to ask;
3 it was only shown: nobody was there to say yes, or somebody said no
"""


class ChangeOutcome(NamedTuple):
    """What became of a change."""

    change: SettingsChange
    is_written: bool = False
    backup: str | None = None


def add_writing_options(parser: argparse.ArgumentParser) -> None:
    """The flags by which both commands are told how to go about it."""
    parser.add_argument("--yes", action="store_true", help="write without asking, for scripts")
    parser.add_argument("--dry-run", action="store_true", help="show the changes, and write nothing")
    parser.add_argument("--json", action="store_true", help="print it as JSON; it asks nothing, and writes with --yes")


def carry_out(changes: Sequence[SettingsChange], record: InstallRecord, arguments: Any, told: dict[str, Any]) -> int:
    """Show the changes, write them if that is wanted, and tell what was done."""
    is_dry = arguments.dry_run
    if arguments.json:
        is_written = arguments.yes and not is_dry
        outcomes = _write(changes, record) if is_written else [ChangeOutcome(each) for each in changes]
        rows = [change_to_json(each.change, is_written=each.is_written, backup=each.backup) for each in outcomes]
        say_json({**told, "changes": rows})
        return _code(outcomes, is_asked=arguments.yes or is_dry or not changes)
    for change in changes:
        say(*format_change(change))
    if is_dry:
        return _code([ChangeOutcome(each) for each in changes], is_asked=True)
    agreed = [*changes] if arguments.yes else _ask(changes)
    outcomes = _write(agreed, record)
    _report(outcomes)
    return _code(outcomes, is_asked=bool(agreed) or not changes)


def _ask(changes: Sequence[SettingsChange]) -> list[SettingsChange]:
    """The changes that the person wants, and those that need no answer."""
    wanted = [each for each in changes if each.is_change]
    if not wanted:
        return [_replaced(each) for each in changes]
    if not can_be_asked():
        remark("Nothing was written: nobody is here to ask. --yes writes it.")
        return []
    what = "this change" if len(wanted) == 1 else f"these {len(wanted)} changes"
    if not ask_to_confirm(f"Write {what}?"):
        remark("Nothing was written.")
        return []
    return [_replaced(each) for each in changes]


def _replaced(change: SettingsChange) -> SettingsChange:
    question = f"Replace {_name_parts(change)} in {change.part.place.shown} all the same?"
    if change.action != DIFFERS or not ask_to_confirm(question):
        return change
    return change._replace(action=UPDATE)


def _write(changes: Iterable[SettingsChange], record: InstallRecord) -> list[ChangeOutcome]:
    before = _made_folders(record)
    outcomes = [_apply(each, record) if each.is_change else ChangeOutcome(each) for each in changes]
    remove_folders(sorted(before - _made_folders(record)))  # at the end: a folder may have held several files
    return outcomes


def _made_folders(record: InstallRecord) -> set[str]:
    return {folder for each in record.changes for folder in each.folders}


def _apply(change: SettingsChange, record: InstallRecord) -> ChangeOutcome:
    try:
        backup = _take_back(change, record) if change.action == REMOVE else _put(change, record)
        return ChangeOutcome(change, is_written=True, backup=backup)
    except Refusal as error:
        return ChangeOutcome(change._replace(action=PROBLEM, reason=error.message))


def _put(change: SettingsChange, record: InstallRecord) -> str | None:
    part = change.part
    real = part.place.real()
    after = change.after or b""
    backup = None if change.before is None else record.back_up(real, change.before)
    folders = part.place.write(change.before, after)
    before = None if change.before is None else hash_content(change.before)
    record.add(
        WrittenChange(
            real, part.kind, part.client, part.name, part.value, before, hash_content(after), backup, folders,
            change.made,
        )
    )  # fmt: skip
    return backup


def _take_back(change: SettingsChange, record: InstallRecord) -> str | None:
    place = change.part.place
    real = place.real()
    before = change.before or b""
    after = change.after
    removed = [(each.kind, each.name) for each in change.removed]
    mine = [each for each in record.of_file(real) if (each.kind, each.name) in removed]
    backup = None
    if after is None:
        place.remove(before)
    else:
        is_as_it_was = hash_content(after) in {each.before for each in mine}
        backup = None if is_as_it_was else record.back_up(real, before)
        place.write(before, after)
    record.forget(mine)
    _drop_backups(record, mine, keeps=backup)
    return backup


def _drop_backups(record: InstallRecord, changes: Sequence[WrittenChange], *, keeps: str | None) -> None:
    """Remove copies that nobody needs any more: they may hold other servers' tokens."""
    needed = {keeps, *(each.backup for each in record.changes)}
    for path in {each.backup for each in changes} - needed:
        if path is not None:
            with suppress(OSError):
                os.unlink(path)


def _report(outcomes: Sequence[ChangeOutcome]) -> None:
    for each in outcomes:
        shown = each.change.part.place.shown
        if each.is_written:
            kept = f"; what stood there is in {each.backup}" if each.backup else ""
            say(f"{'removed' if each.change.after is None else 'written'}  {shown}{kept}")
        elif each.change.action == PROBLEM:
            complain(f"{shown} {each.change.reason}")
    if any(each.is_written for each in outcomes):
        say("A client that is running reads this when it is started again.")


def _code(outcomes: Sequence[ChangeOutcome], *, is_asked: bool) -> int:
    if not is_asked and (not outcomes or any(each.change.is_change for each in outcomes)):
        return NOT_ASKED
    return NOT_ALL if any(each.change.action in (PROBLEM, DIFFERS) for each in outcomes) else DONE
