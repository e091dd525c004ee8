"""Reads Markdown as far as the tests of the documentation need it: fenced blocks, links and headings."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent
NOT_OURS = {"node_modules", "results", "build", "dist"}
OPENING = re.compile(r"(\s*)(`{3,}|~{3,})(.*)")
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
PICTURE = re.compile(r"\b(?:src|srcset)=\"([^\"]+)\"")
REFERENCE = re.compile(r"^\s*\[[^\]]+\]:\s+<?([^\s>]+)>?", re.MULTILINE)
CODE = re.compile(r"(`+)(?:.|\n)+?\1")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: where its text begins, the words after its fence, and the text."""

    path: Path
    line: int
    info: str
    text: str

    @property
    def language(self) -> str:
        """The first word after the fence; empty where there is none."""
        return (self.info.split() or [""])[0]

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        return f"{self.path.relative_to(ROOT).as_posix()}:{self.line}"


def all_pages() -> list[Path]:
    """Every Markdown file of the repository, but for hidden folders, packages and `directive/`."""
    found: list[Path] = []
    for folder, names, files in os.walk(ROOT):
        names[:] = [name for name in names if not name.startswith(".") and name not in NOT_OURS]
        if Path(folder) == ROOT:
            names.remove("directive")
        found += [Path(folder, name) for name in files if name.endswith(".md")]
    return sorted(found)


def blocks_of(path: Path, text: str) -> Iterator[Block]:
    """The fenced blocks of a page, also those that are indented."""
    fence: re.Match[str] | None = None
    inside: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if fence is None:
            fence = OPENING.fullmatch(line)
            inside = []
        elif line.strip().startswith(fence[2]) and not line.strip().strip(fence[2][0]):
            yield Block(path, number - len(inside), fence[3].strip(), "".join(f"{each}\n" for each in inside))
            fence = None
        else:
            inside.append(line.removeprefix(fence[1]))
    if fence is not None:
        raise ValueError(f"{path}: a fenced block never ends")


def links_of(text: str) -> list[str]:
    """Where the links and the pictures of a page lead, but for those in code."""
    plain = CODE.sub("", without_blocks(text))
    return [*LINK.findall(plain), *REFERENCE.findall(plain), *PICTURE.findall(plain)]


def anchors_of(text: str) -> set[str]:
    """The anchors that a page's headings have."""
    titles = HEADING.findall(without_blocks(text))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def without_blocks(text: str) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^(\s*)(`{3,}|~{3,}).*\n(?:.*\n)*?\1\2`*~*\s*$", "", text, flags=re.MULTILINE)
