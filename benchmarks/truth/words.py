"""The floor: every line of a language's files that has the name as a word, as grep would give it."""

import re
from pathlib import Path

from benchmarks.truth.checkouts import tracked_files
from benchmarks.truth.judging import Case, Given, Line

WORD = re.compile(r"[^\W\d]\w*")
MOST_FILE_BYTES = 1 << 20


class Words:
    """The lines of a checkout by the words in them."""

    def __init__(self, checkout: Path, suffixes: tuple[str, ...]) -> None:
        self._lines: dict[str, set[Line]] = {}
        for name in tracked_files(checkout):
            path = checkout / name
            if name.endswith(suffixes) and path.is_file() and path.stat().st_size <= MOST_FILE_BYTES:
                self._take(name, path.read_text(encoding="utf-8", errors="replace"))

    def references(self, case: Case) -> Given:
        return Given(frozenset(self._lines.get(case.name, ())) - {(case.path, case.line)})

    def _take(self, name: str, text: str) -> None:
        for number, line in enumerate(text.split("\n"), 1):
            for word in WORD.findall(line):
                self._lines.setdefault(word, set()).add((name, number))
