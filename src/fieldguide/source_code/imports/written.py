"""An import as it is written in a source file, before anybody asks where it leads."""

from typing import NamedTuple


class Import(NamedTuple):
    """One thing that a source file imports."""

    text: str
    """The module, path or namespace as written: `a.b`, `./x`, `crate::a::B`, `vendor/x.h`."""
    line: int
    """Counted from 1."""
    is_relative: bool = False
    """Whether the text is meant from where the file lies."""
    keyword: str = "import"
    """The word that imports, where a language has several: `mod`, `use`, `require`, `static` …"""
    names: tuple[str, ...] = ()
    """What is taken out of it, where that may be a file of its own (Python's `from a import b`)."""
    scope: str = ""
    """The modules around it inside the file, `tests::unix` (Rust)."""
