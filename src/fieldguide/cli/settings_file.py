"""One setting changed in the person's own file, with everything else in it as it was: comments, order, line ends."""

import json
import os
import shutil
import tomllib
from typing import Any

from fieldguide import linear_regex as re
from fieldguide.errors import Misconfiguration, Refusal
from fieldguide.places import PRIVATE_FILE, PRIVATE_FOLDER

TABLE = re.compile(r"\s*\[")
VALUE = r"""(?P<before>\s*{key}\s*=\s*)(?P<value>"[^"\\]*"|'[^']*')(?P<after>\s*(?:#.*)?)"""


def write_setting(path: str, *, table: str, key: str, value: str) -> None:
    """Set `key` in `[table]` to a text; a file that can't be changed safely is left alone, and the way out told."""
    wanted = f"{key} = {json.dumps(value, ensure_ascii=False)} under [{table}]"
    target = os.path.realpath(path)  # the person's own file may be a link to wherever they keep such files
    before = _read(target)
    after = changed(before, table=table, key=key, value=value)
    if after is None:
        raise Refusal(f"{path} is written in a way that can't be changed safely: write {wanted} yourself.")
    os.makedirs(os.path.dirname(target), mode=PRIVATE_FOLDER, exist_ok=True)
    _replace(target, after)


def changed(text: str, *, table: str, key: str, value: str) -> str | None:
    """The text with the setting in it; None where the result would not be exactly that one change."""
    before = tomllib.loads(text)
    lines = text.splitlines(keepends=True)
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    setting = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    start = _line_of_table(lines, table)
    if start is None:
        gap = end if text and not text.endswith(("\n\n", "\r\n\r\n")) else ""
        gap = end + gap if text and not text.endswith("\n") else gap
        after = f"{text}{gap}[{table}]{end}{setting}{end}"
    else:
        after = "".join(_with_setting(lines, start, setting, key=key, end=end))
    try:
        is_right = tomllib.loads(after) == _expected(before, table, key, value)
    except tomllib.TOMLDecodeError:
        return None
    return after if is_right else None


def _with_setting(lines: list[str], table: int, setting: str, *, key: str, end: str) -> list[str]:
    pattern = re.compile(VALUE.format(key=re.escape(key)))
    for number in range(table + 1, len(lines)):
        if TABLE.match(lines[number]):
            break
        said = lines[number].rstrip("\r\n")
        match = pattern.fullmatch(said)
        if match:
            kept_end = lines[number][len(said) :]
            value = setting.partition(" = ")[2]
            return [*lines[:number], f"{match['before']}{value}{match['after']}{kept_end}", *lines[number + 1 :]]
    header = lines[table] if lines[table].endswith("\n") else lines[table] + end
    return [*lines[:table], header, f"{setting}{end}", *lines[table + 1 :]]


def _line_of_table(lines: list[str], table: str) -> int | None:
    header = re.compile(rf"\s*\[\s*{re.escape(table)}\s*\]\s*(?:#.*)?\s*")
    return next((number for number, line in enumerate(lines) if header.fullmatch(line)), None)


def _expected(before: dict[str, Any], table: str, key: str, value: str) -> dict[str, Any]:
    section = before.get(table, {})
    return {**before, table: {**section, key: value}} if isinstance(section, dict) else {}


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        tomllib.loads(text)
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise Misconfiguration(f"{path} can't be read: {error}.") from error
    return text


def _replace(path: str, text: str) -> None:
    """Write a file whole or not at all, with the permissions that it had."""
    draft = f"{path}.new"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(draft, flags, PRIVATE_FILE), "w", encoding="utf-8", newline="") as file:
        file.write(text)
    if os.path.exists(path):
        shutil.copymode(path, draft)
    os.replace(draft, path)
