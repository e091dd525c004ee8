"""Keeps how many files of each language, documents and decisions an index holds, in a small file beside it.

A start reads that file in place of the index. It holds numbers and names of languages from a table of ours, never a
word of the project, so the sentence made from it can't carry one.
"""

import json
import os
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide.files.file_system import PRIVATE_FILE, replace_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fieldguide.search.engine import SearchEngine

FILE = "inventory.json"
MOST_BYTES = 8 << 10
MOST_NUMBER = 10**9
MOST_LANGUAGES = 2
CODE = "code"
DOCUMENTS = "documents"
DECISIONS = "decisions"
ARCHITECTURE = "architecture"
ADR = "adr"
# fmt: off
LANGUAGES = {
    "c": "C", "cpp": "C++", "csharp": "C#", "dart": "Dart", "elixir": "Elixir", "go": "Go", "haskell": "Haskell",
    "java": "Java", "javascript": "JavaScript", "kotlin": "Kotlin", "lua": "Lua", "perl": "Perl", "php": "PHP",
    "python": "Python", "r": "R", "ruby": "Ruby", "rust": "Rust", "scala": "Scala", "shell": "shell",
    "solidity": "Solidity", "sql": "SQL", "swift": "Swift", "tsx": "TypeScript", "typescript": "TypeScript",
    "vue": "Vue", "zig": "Zig",
}
# fmt: on
OTHER = "other languages"


class Inventory(NamedTuple):
    """How many files of each language, documents and decisions an index holds."""

    code: "Mapping[str, int]"
    documents: int
    decisions: int

    def describe(self) -> str:
        """The counts in a few words: "412 files of Go, 31 documents, no decisions"."""
        ordered = sorted(self.code.items(), key=lambda pair: (pair[0] == OTHER, -pair[1], pair[0]))
        told: list[str] = []
        for language, number in ordered[:MOST_LANGUAGES]:
            told.append(f"{number} of {language}" if told else f"{_count(number, 'file')} of {language}")
        rest = sum(number for _, number in ordered[MOST_LANGUAGES:])
        if rest:
            told.append(_count(rest, "other"))
        told = told or ["no code"]
        return ", ".join([*told, _count(self.documents, "document"), _count(self.decisions, "decision")])


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def write_inventory(engine: "SearchEngine") -> None:
    """Write what an index holds beside it, once its code is indexed; one that is in no file of its own has none."""
    if engine.file is None:
        return
    from fieldguide.files.kinds import language_of

    code: Counter[str] = Counter()
    with engine.database.reading() as transaction:
        store = engine.store(transaction)
        sources = store.sources(CODE)
        if not sources or not all(source.is_synced for source in sources):
            return
        for source in sources:
            code.update(LANGUAGES.get(language_of(name) or "", OTHER) for name in store.names(source.id))
        documents = sum(source.documents for source in store.sources(DOCUMENTS))
        decisions = sum(source.documents for source in store.sources(ARCHITECTURE) if source.name == ADR)
    held = Inventory(code, documents, decisions)
    folder = os.path.dirname(engine.file())
    if read_inventory(folder) != held:
        with replace_file(os.path.join(folder, FILE), PRIVATE_FILE) as file:
            file.write(json.dumps({CODE: dict(code), DOCUMENTS: documents, DECISIONS: decisions}).encode())


def read_inventory(folder: str) -> Inventory | None:
    """What the index in a state folder holds; None where that is not known, or what the file says is no such thing."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        with open(os.path.join(folder, FILE), "rb") as file:
            said = cast("dict[str, Any]", json.loads(file.read(MOST_BYTES)))
        known = {*LANGUAGES.values(), OTHER}
        code = {name: _read_number(number) for name, number in said[CODE].items() if name in known}
        return Inventory(code, _read_number(said[DOCUMENTS]), _read_number(said[DECISIONS]))
    return None


def _read_number(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MOST_NUMBER:
        raise ValueError("not a count")
    return value
