"""Names as people write them: `Class.method`, `package.module.Name`, `Type::new`, `Class#method`."""

import posixpath

from fieldguide import linear_regex as re
from fieldguide.symbols.resolving.view import Shape

APART = re.compile(r"::|->|[.#/\\:]")
OF_FOLDER = frozenset(("__init__", "index", "mod", "lib", "main"))


def last_part(name: str) -> str:
    """The name itself, without what encloses it."""
    parts = [part for part in APART.split(name.removesuffix("()")) if part]
    return parts[-1] if parts else name


def fits_name(shape: Shape, place: int, name: str) -> bool:
    """Whether a definition is meant by a name with what encloses it: types, and then folders and the file."""
    wanted = [part for part in APART.split(name.removesuffix("()")) if part]
    around = [shape.definitions[each].name for each in shape.chain(place)]
    for part in around:
        if wanted and wanted[-1] == part:
            wanted.pop()
        elif not wanted:
            return True
    return not wanted or _ends(shape.path, wanted)


def _ends(path: str, wanted: list[str]) -> bool:
    """Whether a file's path ends with these parts; the last may stand for the folder of a file such as `index`."""
    folder, base = posixpath.split(path)
    stem = base.partition(".")[0]
    parts = [part for part in folder.split("/") if part]
    whole = parts if stem in OF_FOLDER else [*parts, stem]
    return any(each[-len(wanted) :] == wanted for each in (whole, parts, [*parts, stem]))
