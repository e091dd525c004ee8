"""Which languages are read, and the one call that reads a text, in the guarded way that foreign text gets."""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from importlib import import_module
from typing import Any, cast

from fieldguide.source_code.parser_process import in_child
from fieldguide.source_code.parsing import MOST_PARSED, parsed
from fieldguide.symbols.facts import Facts, facts_of
from fieldguide.symbols.packing import Packed, pack
from fieldguide.symbols.reading.language import Language
from fieldguide.symbols.reading.walk import Walk

LONGEST_LINE = 10_000  # a place on a line costs as much time as the line has characters before it
MODULES = {
    "c": "c.declarations",
    "cpp": "c.classes",
    "csharp": "csharp.declarations",
    "go": "go.declarations",
    "java": "java.declarations",
    "javascript": "typescript",
    "kotlin": "kotlin.declarations",
    "php": "php.table",
    "python": "python.table",
    "ruby": "ruby",
    "rust": "rust.table",
    "svelte": "typescript",
    "tsx": "typescript",
    "typescript": "typescript",
    "vue": "typescript",
}
"""The module of this package whose `LANGUAGE` (or `TABLES[name]`, for several) or own `read` reads a language.

It is imported when a text of that language comes.
"""


def is_read(language: str | None) -> bool:
    """Whether texts of a language are read."""
    return language in MODULES


def read_facts(text: str, language: str) -> Facts:
    """What a text says; nothing of one that is too large, or that a parser could not take."""
    told = in_child(f"{__name__}:told_facts", text, language) if _is_fit(text, language) else None
    return facts_of(told) if told else Facts()


def read_packed(text: str, language: str) -> Packed:
    """The same as it is kept; packed in the parser process, so that little has to travel."""
    told = in_child(f"{__name__}:told_packed", text, language) if _is_fit(text, language) else None
    return Packed(b64decode(told[0]), b64decode(told[1]), told[2]) if told else pack(Facts())


def told_packed(text: str, language: str) -> Sequence[Any]:
    """That, as plain data. For a parser process."""
    packed = pack(facts_of(told)) if (told := told_facts(text, language)) else pack(Facts())
    return [b64encode(packed.shape).decode(), b64encode(packed.uses).decode(), packed.names]


def told_facts(text: str, language: str) -> Sequence[Any]:
    """That, as plain data. For a parser process."""
    module = import_module(f"{__package__}.{MODULES[language]}")
    if hasattr(module, "read"):
        return [list(map(list, each)) for each in module.read(text, language)]
    table = language_named(language)
    root = parsed(table.prepare(text) if table.prepare else text, table.grammar)
    return [] if root is None else [list(map(list, each)) for each in Walk(text, table).over(root)]


def language_named(name: str) -> Language:
    """The table of a language."""
    module = import_module(f"{__package__}.{MODULES[name]}")
    return cast("Language", module.TABLES[name] if hasattr(module, "TABLES") else module.LANGUAGE)


def _is_fit(text: str, language: str) -> bool:
    if not is_read(language) or len(text) > MOST_PARSED:
        return False
    return len(text) <= LONGEST_LINE or max(map(len, text.split("\n"))) <= LONGEST_LINE
