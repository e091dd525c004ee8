"""Lists the languages whose symbols are read, and reads a text in a parser process."""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from fieldguide.code.parsing import MOST_PARSED, parse_tree
from fieldguide.code.symbols.facts import PackedFacts, SymbolFacts, pack, restore_facts
from fieldguide.code.symbols.readers.table import LanguageTable
from fieldguide.code.symbols.readers.walk import SyntaxWalk
from fieldguide.files.parser_process import run_in_child

LONGEST_LINE = 10_000  # a place on a line costs as much time as the line has characters before it
MODULES = {
    "c": "c",
    "cpp": "cpp",
    "csharp": "csharp",
    "go": "go",
    "java": "java",
    "javascript": "typescript",
    "kotlin": "kotlin",
    "php": "php",
    "python": "python",
    "ruby": "ruby",
    "rust": "rust",
    "svelte": "typescript",
    "tsx": "typescript",
    "typescript": "typescript",
    "vue": "typescript",
}
"""The module of this package whose `LANGUAGE` or own `read` reads a language.

It is imported when a text of that language comes.
"""


def is_read(language: str | None) -> bool:
    """Whether texts of a language are read."""
    return language in MODULES


def read_facts(text: str, language: str) -> SymbolFacts:
    """What a text says; nothing of one that is too large, or that a parser could not take."""
    told = run_in_child(f"{__name__}:parse_facts", text, language) if _is_fit(text, language) else None
    return restore_facts(told) if told else SymbolFacts()


def read_packed(text: str, language: str) -> PackedFacts:
    """The same as it is kept; packed in the parser process, so that little has to travel."""
    told = run_in_child(f"{__name__}:parse_packed", text, language) if _is_fit(text, language) else None
    return PackedFacts(b64decode(told[0]), b64decode(told[1]), told[2]) if told else pack(SymbolFacts())


def parse_packed(text: str, language: str) -> Sequence[Any]:
    """That, as plain data. For a parser process."""
    packed = pack(restore_facts(told)) if (told := parse_facts(text, language)) else pack(SymbolFacts())
    return [b64encode(packed.shape).decode(), b64encode(packed.uses).decode(), packed.names]


def parse_facts(text: str, language: str) -> Sequence[Any]:
    """That, as plain data. For a parser process."""
    module = import_module(f"{__package__}.{MODULES[language]}")
    if hasattr(module, "read"):
        return [list(map(list, each)) for each in module.read(text, language)]
    table: LanguageTable = module.LANGUAGE
    root = parse_tree(table.prepare(text) if table.prepare else text, table.grammar)
    return [] if root is None else [list(map(list, each)) for each in SyntaxWalk(text, table).over(root)]


def _is_fit(text: str, language: str) -> bool:
    if not is_read(language) or len(text) > MOST_PARSED:
        return False
    return len(text) <= LONGEST_LINE or max(map(len, text.split("\n"))) <= LONGEST_LINE
