"""Shows planned changes with secrets masked, asks, writes them, and reports.

A password that somebody chose looks like any word, so no shape is asked for. Names stay, and so does every line.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from fieldguide.cli.clients import toml_editing
from fieldguide.cli.clients.changes import DIFFERS, PROBLEM, REMOVE, UPDATE, WORDS, SettingsChange, decode_text
from fieldguide.cli.clients.json_editing import JsonText
from fieldguide.cli.clients.settings_files import (
    ENTRY,
    HOOKS,
    InstallRecord,
    WrittenChange,
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


def mask_values(text: str, *, is_toml: bool) -> str:
    """The text with a mark for each value below `env` and `headers`; a value over several lines keeps its lines.

    Of a text that can't be understood nothing but its lines is left.
    """
    try:
        spans = [*(_toml_spans(text) if is_toml else _json_spans(text))]
    except (Refusal, IndexError, ValueError):
        spans = [(0, len(text))]
    pieces: list[str] = []
    kept = 0
    for start, end in spans:
        pieces += (text[kept:start], MARK, "\n" * text.count("\n", start, end))
        kept = end
    return "".join((*pieces, text[kept:]))


def is_secret_key(key: str) -> bool:
    """Whether values below a key are for programs to get in with: `env`, `headers`, `http_headers` and the like."""
    folded = key.lower().replace("-", "_")
    return folded in PLACES or folded.endswith(("_env", "_headers", "headers"))


def _json_spans(text: str) -> Iterator[tuple[int, int]]:
    """The values below such keys in JSON, with comments or without; of a string what is between its quotes."""
    document = JsonText(text)
    waiting = [] if document.is_blank else [(each, False) for each in reversed(document.root().listed)]
    while waiting:
        member, is_below = waiting.pop()
        is_hidden = is_below or is_secret_key(member.key)
        first = text[member.value]
        if first in "{[":
            waiting += [(each, is_hidden) for each in reversed(document.members(member.value).listed)]
        elif is_hidden:
            quotes = int(first == '"')
            yield member.value + quotes, member.end - quotes


def _toml_spans(text: str) -> Iterator[tuple[int, int]]:
    """The values below such keys in TOML, to the end of their line, where a comment may say more of them."""
    for statement in toml_editing.parse_statements(text):
        if not statement.is_header and any(map(is_secret_key, statement.path)):
            yield statement.value, len(text[: toml_editing.find_line_end(text, statement.end)].rstrip("\r\n"))


AROUND = 3
LONGEST_LINE = 300
SAYS = {
    "add": "added to",
    "update": "brought up to date in",
    "remove": "taken out of",
    "unchanged": "there already, in",
}


def diff_change(change: SettingsChange) -> list[str]:
    """The change as a unified diff of one part; what lets other servers in is masked, by its place and by its shape."""
    if not change.is_change and change.action != "differs":
        return []
    before = _lines(change.before)
    after = _lines(change.after)
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1
    body = _format_hunk(_shown(change, change.before), _shown(change, change.after), first, last)
    old = "/dev/null" if change.before is None else change.place.shown
    new = "/dev/null" if change.after is None else change.place.shown
    return mask_secret_values("\n".join([f"--- {old}", f"+++ {new}", *body])).split("\n")


def format_change(change: SettingsChange) -> Iterator[Line]:
    """What a person is told of a change."""
    what = _name_part(change)
    if change.reason:
        yield [BoldText(change.title), f"  {change.place.shown} {change.reason}"]
    else:
        yield [BoldText(change.title), f"  {what} {_say_action(change)} {change.place.shown}"]
    told = diff_change(change)
    for line in told:
        shown = cut_text(line, LONGEST_LINE)
        yield shown if line[:1] in "+-" else [FaintText(shown)]
    for each in change.remarks if change.is_change else ():
        yield [FaintText(f"  {each}")]
    if told:
        yield ""


def _name_part(change: SettingsChange) -> str:
    return change.name if change.kind == ENTRY or change.action == REMOVE else WORDS[change.kind]


def _say_action(change: SettingsChange) -> str:
    is_many = len(change.value) > 1 if change.action == REMOVE else change.kind == HOOKS
    return f"{'are' if is_many else 'is'} {SAYS[change.action]}"


def change_to_json(change: SettingsChange, *, is_written: bool, backup: str | None) -> dict[str, Any]:
    """What a script is told of a change."""
    told = {
        "client": change.client or None,
        "title": change.title,
        "file": change.place.path,
        "part": change.kind,
        "name": change.name,
        "action": change.action,
        "changed": is_written,
        "diff": "\n".join(diff_change(change)),
        "backup": backup,
        "remarks": [*change.remarks],
    }
    return {**told, "reason": f"{change.place.shown} {change.reason}"} if change.reason else told


def _shown(change: SettingsChange, content: bytes | None) -> list[str]:
    """The lines of a file as they may be printed: as many as it has."""
    if not change.place.path.endswith((".json", ".jsonc", ".toml")):
        return _lines(content)
    return _lines(content, is_toml=change.place.path.endswith(".toml"), is_masked=True)


def _lines(content: bytes | None, *, is_toml: bool = False, is_masked: bool = False) -> list[str]:
    try:
        text = decode_text(content)
    except Refusal:
        return []
    if is_masked:
        text = mask_values(text, is_toml=is_toml)
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    elif content is not None:
        lines[-1] += "\n\\ No newline at end of file"
    return [each.removesuffix("\r") for each in lines]


def _format_hunk(before: Sequence[str], after: Sequence[str], first: int, last: int) -> Iterator[str]:
    start = max(0, first - AROUND)
    end_before = len(before) - last
    end_after = len(after) - last
    below = before[end_before : end_before + AROUND]
    old = end_before + len(below) - start
    new = end_after + len(below) - start
    yield f"@@ -{_range(start, old)} +{_range(start, new)} @@"
    for mark, lines in (
        (" ", before[start:first]),
        ("-", before[first:end_before]),
        ("+", after[first:end_after]),
        (" ", below),
    ):
        yield from map(mark.__add__, lines)


def _range(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"


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
    if change.action != DIFFERS or not ask_to_confirm(
        f"Replace {_name_part(change)} in {change.place.shown} all the same?"
    ):
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
    do: Callable[[SettingsChange, InstallRecord], str | None] = _take_back if change.action == REMOVE else _put
    try:
        return ChangeOutcome(change, is_written=True, backup=do(change, record))
    except Refusal as error:
        return ChangeOutcome(change._replace(action=PROBLEM, reason=error.message))


def _put(change: SettingsChange, record: InstallRecord) -> str | None:
    real = change.place.real()
    after = change.after or b""
    backup = None if change.before is None else record.back_up(real, change.before)
    folders = change.place.write(change.before, after)
    before = None if change.before is None else hash_content(change.before)
    record.add(
        WrittenChange(
            real, change.kind, change.client, change.name, change.value, before, hash_content(after), backup, folders,
            change.made,
        )
    )  # fmt: skip
    return backup


def _take_back(change: SettingsChange, record: InstallRecord) -> str | None:
    real = change.place.real()
    before = change.before or b""
    after = change.after
    mine = [each for each in record.of_file(real) if [each.kind, each.name] in change.value]
    backup = None
    if after is None:
        change.place.remove(before)
    else:
        is_as_it_was = hash_content(after) in {each.before for each in mine}
        backup = None if is_as_it_was else record.back_up(real, before)
        change.place.write(before, after)
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
        shown = each.change.place.shown
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
