"""The baseline of an old code base: violations that were there when a check began, so that only new ones fail.

A violation is known by its rule, its file and what stands on its line: code that moves stays known, and code that is
changed is judged again. The file is JSON with one line for each, in order, so that it is read and merged with ease.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

from fieldguide.cli.checked.violations import Outcome, Violation
from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Misconfiguration, Refusal
from fieldguide.formats import Malformed
from fieldguide.formats.json_text import read_json
from fieldguide.project_writing import write_into

VERSION = 1
LARGEST_BYTES = 1 << 24
ABOUT = "Violations that `fieldguide check --baseline` leaves out. `--write-baseline` writes this file again."


class Key(NamedTuple):
    """What a violation is known by."""

    rule: str
    path: str
    line_hash: str


def read_baseline(project: ConfinedFolder, path: str) -> Counter[Key]:
    """How often each violation is known; told where the file is not there or not ours."""
    try:
        content = project.read(path, limit_bytes=LARGEST_BYTES)
    except Refusal as error:
        raise Misconfiguration(
            f"The baseline {path!r} can't be read. {error.message}. `--write-baseline` writes one."
        ) from error
    try:
        given = read_json(content, most_bytes=LARGEST_BYTES)
    except Malformed as error:
        raise Misconfiguration(f"The baseline {path!r} is no JSON: {error.reason}.") from error
    return Counter(_keys(given, path))


def write_baseline(project: ConfinedFolder, path: str, violations: Iterable[Violation]) -> int:
    """Put a baseline into the project, in place of the one that is there; how many violations it has."""
    known = Counter(map(_key, violations))
    lines = [
        json.dumps({**key._asdict(), **({"count": count} if count > 1 else {})}, ensure_ascii=False)
        for key, count in sorted(known.items(), key=lambda each: (each[0].path, each[0].rule, each[0].line_hash))
    ]
    listed = ",\n    ".join(lines)
    body = f"[\n    {listed}\n  ]" if lines else "[]"
    text = f'{{\n  "about": {json.dumps(ABOUT)},\n  "version": {VERSION},\n  "violations": {body}\n}}\n'
    write_into(project.root, path, text, replaces=True)
    return known.total()


def without_known(outcome: Outcome, baseline: Counter[Key], is_looked_at: Callable[[Key], bool]) -> Outcome:
    """What is new beside a baseline, and how much of it is gone; of what was not looked at nobody knows."""
    left = Counter(baseline)
    fresh: list[Violation] = []
    known: list[Violation] = []
    for violation in outcome.violations:
        key = _key(violation)
        (known if left[key] > 0 else fresh).append(violation)
        left[key] -= 1
    gone = sum(count for key, count in left.items() if count > 0 and is_looked_at(key))
    return replace(outcome, violations=tuple(fresh), known=tuple(known), gone=gone)


def _key(violation: Violation) -> Key:
    return Key(violation.rule.id, violation.path, violation.line_hash)


def _keys(given: Any, path: str) -> dict[Key, int]:
    whole = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    entries: Any = whole.get("violations") if whole.get("version") == VERSION else None
    if not isinstance(entries, list) or not all(map(_is_entry, cast("Sequence[Any]", entries))):
        raise Misconfiguration(f"{path!r} is no baseline of version {VERSION}. `--write-baseline` writes one.")
    known = cast("list[dict[str, Any]]", entries)
    return {Key(each["rule"], each["path"], each["line_hash"]): each.get("count", 1) for each in known}


def _is_entry(entry: Any) -> bool:
    given = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    return isinstance(given.get("count", 1), int) and all(isinstance(given.get(name), str) for name in Key._fields)
