"""What a test names without importing it: a module in quotes, or something of the same name from elsewhere.

A test that starts a program, patches a function or loads a plugin names it as a string. That is less sure than an
import, and told apart from one.
"""

import posixpath
from collections.abc import Iterator, Sequence

from fieldguide import linear_regex as re
from fieldguide.source_code.imports import Import
from fieldguide.source_code.languages import language_of

QUOTED = "quoted"
ALONE = re.compile(r"""^\s*["']([\w./-]{3,200})["']""", re.MULTILINE)  # a line that begins with it: an argument
DOTTED = re.compile(r"""["'](\w+(?:[./]\w+){1,12})["']""")
MOST_NAMES = 1_000
MOST_ALIKE = 3  # files: a name that more have names none of them
MOST_PARTS = 5
SHORT = 4  # characters: such a name alone may mean anything
OF_FOLDER = frozenset(("__init__", "index", "mod"))


def names_in_quotes(text: str) -> list[Import]:
    """The strings of a text that may name a module, with their lines; a bare word only where a line begins with it."""
    found: dict[str, Import] = {}
    line, counted = 1, 0
    for match in sorted((*ALONE.finditer(text), *DOTTED.finditer(text)), key=lambda each: each.start(1)):
        line += text.count("\n", counted, match.start(1))
        counted = match.start(1)
        found.setdefault(match.group(1), Import(match.group(1), line, keyword=QUOTED))
        if len(found) >= MOST_NAMES:
            break
    return list(found.values())


class Tails:
    """The code files of a project by the ends of their paths, as others may name them."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._found: dict[str, list[str]] = {}
        for path in paths:
            if language_of(path) is not None:
                for name in _names_of(path):
                    held = self._found.setdefault(name, [])
                    if len(held) <= MOST_ALIKE:
                        held.append(path)

    def alike(self, each: Import) -> list[str]:
        """The files whose paths end as a name does, by the longest such end; none where many do."""
        for name in _spoken(each):
            for end in _telling_ends(name):
                found = self._found.get(end, [])
                if 0 < len(found) <= MOST_ALIKE:
                    return found
        return []


def _telling_ends(name: str) -> Iterator[str]:
    """The ends of a name, the longest first, each with its last part and without; none that may mean anything."""
    parts = [part for part in name.split("/") if part]
    for start in range(len(parts)):
        for end in (len(parts), len(parts) - 1):
            if start == 0 or end - start > 1 or len(parts[start]) > SHORT:
                yield "/".join(parts[start:end])


def _names_of(path: str) -> Iterator[str]:
    stem, _, _ = path.rpartition(".")
    parts = (stem or path).split("/")
    kept = parts[:-1] if parts[-1] in OF_FOLDER else parts
    for count in range(1, min(len(kept), MOST_PARTS) + 1):
        yield "/".join(kept[-count:])
    if kept is not parts:
        yield parts[-1]
    yield posixpath.basename(path)


def _spoken(each: Import) -> Iterator[str]:
    """A name as a path, in the ways in which it may be meant."""
    text = each.text.replace("::", "/").replace("\\", "/").strip("./")
    if each.keyword == "include":
        yield text
    elif "/" not in text:
        yield text.replace(".", "/")
    else:
        is_path = language_of(text) is not None
        yield text.rpartition(".")[0] if is_path and each.keyword == QUOTED else text
        if "." in text and not is_path:
            yield text.replace(".", "/")
    yield from each.names
