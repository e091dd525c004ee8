"""Shows planned changes with secrets masked, asks, writes them, and reports.

A password that somebody chose looks like any word, so no shape is asked for. Names stay, and so does every line.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from fieldguide.cli.clients.changes import DIFFERS, PROBLEM, REMOVE, UPDATE, WORDS, SettingsChange, decode_text
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
TRIPLE = ('"""', "'''")


def mask_values(text: str, *, is_toml: bool) -> str:
    """The text with a mark for each value below `env` and `headers`; a value over several lines keeps its lines."""
    spans = _toml_spans(text) if is_toml else _json_spans(text)
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
    """The values below such keys in JSON, with comments or without; a text that is none is read as far as it goes."""
    depth = 0
    hidden_from: int | None = None  # the depth of the bracket that opened such a place
    key = ""
    is_value = False  # behind a colon, or in an array
    arrays: list[bool] = []
    at = 0
    while at < len(text):
        letter = text[at]
        if letter == '"':
            end = _end_of_string(text, at)
            is_in_place = hidden_from is not None and (is_value or (bool(arrays) and arrays[-1]))
            if is_in_place or (is_value and is_secret_key(key)):
                yield at + 1, max(end - 1, at + 1)
            else:
                key = text[at + 1 : end - 1]
            at = end
            continue
        if text.startswith(("//", "/*"), at):
            end = text.find("\n" if text[at + 1] == "/" else "*/", at + 2)
            at = len(text) if end < 0 else end + (0 if text[end] == "\n" else 2)
            continue
        if letter in "{[":
            depth += 1
            arrays.append(letter == "[")
            if hidden_from is None and is_value and is_secret_key(key):
                hidden_from = depth
            is_value = False
        elif letter in "}]":
            if hidden_from == depth:
                hidden_from = None
            depth -= 1
            if arrays:
                arrays.pop()
            is_value = False
        elif letter == ":":
            is_value = True
        elif letter == ",":
            is_value = False
        elif not letter.isspace() and hidden_from is not None and (is_value or (arrays and arrays[-1])):
            end = at
            while end < len(text) and text[end] not in ',}] \t\r\n"':
                end += 1
            yield at, max(end, at + 1)
            at = max(end, at + 1)
            continue
        at += 1


def _end_of_string(text: str, start: int) -> int:
    """Behind the closing quote of a JSON string; the end of its line where there is none."""
    at = start + 1
    while at < len(text) and text[at] not in '"\n':
        at += 2 if text[at] == "\\" else 1
    return min(at + 1, len(text)) if at < len(text) and text[at] == '"' else min(at, len(text))


def _toml_spans(text: str) -> Iterator[tuple[int, int]]:
    """The values below such keys in TOML: in a table of that name, an inline one, or behind a dotted key."""
    is_hidden = False
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        bare = line.strip()
        if bare.startswith("["):
            is_hidden = any(map(is_secret_key, _key_parts(bare.strip("[]").partition("]")[0])))
        elif bare and not bare.startswith("#") and "=" in line:
            equals = _equals(line)
            value = at + equals + 1
            end = max(end, _end_of_toml_value(text, value))
            if is_hidden or any(map(is_secret_key, _key_parts(line[:equals]))):
                start = value + (len(text[value:end]) - len(text[value:end].lstrip()))
                if start < end:
                    yield start, end
        at = end + 1


def _equals(line: str) -> int:
    """Where the value of a line begins: at the first `=` outside of quotes."""
    quote = ""
    for at, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter == "=":
            return at
    return line.index("=")


def _key_parts(written: str) -> list[str]:
    return [part.strip().strip("\"'") for part in written.split(".")]


def _end_of_toml_value(text: str, start: int) -> int:
    """The end of the line on which a value ends: a string in three quotes and an array may take several."""
    depth = 0
    at = start
    while at < len(text):
        letter = text[at]
        if text.startswith(TRIPLE, at):
            close = text.find(text[at : at + 3], at + 3)
            at = len(text) if close < 0 else close + 3
            continue
        if letter in "\"'":
            at += 1
            while at < len(text) and text[at] not in (letter, "\n"):
                at += 2 if text[at] == "\\" and letter == '"' else 1
            at += at < len(text) and text[at] == letter
            continue
        if letter == "#":
            newline = text.find("\n", at)
            at = len(text) if newline < 0 else newline
            continue
        if letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        elif letter == "\n" and depth <= 0:
            return at
        at += 1
    return len(text)


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
exit codes: 0 done, or nothing to do; 1 a file was left as it is, or no client is here; 2 a wrong way to ask; 3 it was
only shown: nobody was there to say yes, or somebody said no
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
