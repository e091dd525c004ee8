"""Whether our readers see the outlines that the real parsers see, on real files, and how fast both are.

`--data` names folders with documents (checkouts of any projects); every file of a format that has a reference is read
twice. Equal means: as many headings, the same levels, lines and (where the parser keeps them) texts; sections end where
the next begins, so their ranges are equal too. A difference is listed with its reason, or as unexplained.

docutils, lxml and nbformat come with `make bench`; mandoc must be installed; Asciidoctor and remark are asked where
`--node` names a folder in which `npm install @asciidoctor/core unified remark-parse remark-mdx remark-frontmatter` was
done.
"""

import argparse
import gzip
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which
from typing import Protocol

from benchmarks.reference_readers import (
    Asciidoctor,
    Docutils,
    Lxml,
    Mandoc,
    Nbformat,
    NoReference,
    Outline,
    Reference,
    Remark,
)
from fieldguide.files.kinds import find_format
from fieldguide.prose.readers import detect_format, is_document, read_document
from fieldguide.text.windows import decode_document

FORMATS = ("rst", "asciidoc", "html", "notebook", "man", "mdx")
MOST_BYTES = 8 << 20
SHOWN = 5


class Parser(Protocol):
    """A real parser."""

    has_texts: bool

    def read(self, path: Path, text: str) -> Reference:
        """What it makes of a file."""
        ...

    def reason(self, text: str, ours: Outline, theirs: Outline) -> str | None:
        """Why it may see another outline."""
        ...


@dataclass(slots=True)
class Figures:
    """What came out for one format."""

    files: int = 0
    equal: int = 0
    headings: int = 0
    refused: int = 0
    characters: int = 0
    our_seconds: float = 0.0
    their_seconds: float = 0.0
    reasons: Counter[str] = field(default_factory=Counter[str])
    unexplained: list[str] = field(default_factory=list[str])

    def row(self, name: str) -> str:
        """One line for a person."""
        ours = self.characters / 1e6 / max(self.our_seconds, 1e-6)
        theirs = self.characters / 1e6 / max(self.their_seconds, 1e-6)
        return (
            f"{name:9} {self.files:6} files {self.headings:7} headings  equal {self.equal:6} "
            f"({self.equal / max(self.files, 1):.1%})  refused by them {self.refused}  "
            f"unexplained {len(self.unexplained):4}  "
            f"ours {ours:6.1f} MB/s, theirs {theirs:6.1f}"
        )


def main() -> None:
    """Compare, and print a line for each format, the reasons, and what is not explained."""
    arguments = _arguments()
    files = _files(arguments.data, arguments.limit)
    for name in arguments.format or FORMATS:
        parser = _parser(name, files[name], arguments.node)
        if parser is None or not files[name]:
            print(f"{name:9} {'no files' if parser else 'its reference is not installed'}")
            continue
        figures = compare(parser, files[name])
        print(figures.row(name))
        for reason, count in figures.reasons.most_common():
            print(f"    {count:5}  {reason}")
        for each in figures.unexplained[: arguments.shown]:
            print(f"           {each}")


def compare(parser: Parser, files: Sequence[Path]) -> Figures:
    """Both outlines of every file."""
    figures = Figures()
    for path in files:
        text = _text(path)
        name = path.name.removesuffix(".gz")
        started = time.process_time()
        read = read_document(name, text)
        figures.our_seconds += time.process_time() - started
        try:
            theirs = parser.read(path, text)
        except NoReference:
            figures.refused += 1
            continue
        ours: Outline = [(each.level, each.text if parser.has_texts else "", each.line) for each in read.headings]
        figures.files += 1
        figures.characters += len(text)
        figures.headings += len(theirs.outline)
        figures.their_seconds += theirs.seconds
        if ours == theirs.outline:
            figures.equal += 1
        elif (reason := parser.reason(text, ours, theirs.outline)) is not None:
            figures.reasons[reason] += 1
        else:
            odd = [each for each in (*ours, *theirs.outline) if (each in ours) != (each in theirs.outline)]
            figures.unexplained.append(f"{path}: {odd[:3]}")
    return figures


def _parser(name: str, files: Sequence[Path], node: Path | None) -> Parser | None:
    match name:
        case "rst":
            return Docutils()
        case "asciidoc":
            return Asciidoctor("asciidoctor_outline.mjs", node, files) if node else None
        case "mdx":
            return Remark("mdx_outline.mjs", node, files) if node else None
        case "html":
            return Lxml()
        case "notebook":
            return Nbformat()
        case _:
            return Mandoc() if which("mandoc") else None


def _files(folders: Sequence[Path], limit: int) -> dict[str, list[Path]]:
    """The files of each format, spread over the folders where there are more than the limit."""
    found: dict[str, list[Path]] = defaultdict(list)
    for folder in folders:
        for path in sorted(_documents(folder)):
            found[detect_format(path.name.removesuffix(".gz"), _text(path))].append(path)
    return defaultdict(list, {name: paths[:: len(paths) // limit + 1] for name, paths in found.items()})


def _documents(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        told = find_format(path.name.removesuffix(".gz"))
        if told in (*FORMATS, "text") and path.is_file() and not path.is_symlink():
            content = _content(path)
            if len(content) <= MOST_BYTES and (told != "man" or is_document(path.name.removesuffix(".gz"), content)):
                yield path


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def _text(path: Path) -> str:
    return decode_document(_content(path)).replace("\0", "")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="+", required=True, metavar="FOLDER")
    parser.add_argument("--format", action="append", choices=FORMATS)
    parser.add_argument("--node", type=Path, metavar="FOLDER")
    parser.add_argument("--limit", type=int, default=5_000, help="at most so many files of a format")
    parser.add_argument("--shown", type=int, default=SHOWN, help="so many unexplained differences")
    return parser.parse_args()


if __name__ == "__main__":
    main()
