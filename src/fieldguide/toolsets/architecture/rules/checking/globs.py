"""Globs for dotted names and import paths: `*` stands for anything, dots and slashes included."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from fieldguide import linear_regex as re
from fieldguide.globbing import matcher

PLAIN = re.compile(r"[^*?\[\]{}!]+")
SLASH = "\x1f"  # keeps a path from being matched name by name
MOST_NAMES = 1_000  # a text calls the same things again and again; a glob with holes takes 7 µs
CLIMBS = re.compile(r"(?:\.\./)+")
ONE_CLIMB = re.compile(r"\.\./\w")
WHOLE = ("/**", "/*", ".*")
ANYWHERE = ("**/", "*/", "*.")
OPENING_DOTS = re.compile(r"\.+(?=\w)")
SOURCE_ROOTS = re.compile(r"(?:@|~|#|src|app)/|\.{1,2}/")


@lru_cache(maxsize=2_000)
def name_matcher(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether some glob fits a whole name, such as a callee: `*.execute`, `new Date`."""
    return _matcher([_dotted(glob) for glob in globs])


@lru_cache(maxsize=2_000)
def import_matcher(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether some glob fits an import or one of the packages around it: `django.db` fits `django.db.models` too."""
    written = _matcher([wider for glob in globs for wider in _wider(_dotted(glob))])
    rooted = _matcher([wider for glob in globs if _is_rooted(glob) for wider in _wider(_dotted(glob))])
    climbing = _matcher([wider for glob in globs if ONE_CLIMB.match(glob) for wider in _wider(_dotted(glob))])

    def matches(name: str) -> bool:
        if any(map(written, _enclosing(_dotted(name).removeprefix("node:")))):
            return True
        if name.startswith("../") and any(map(climbing, _enclosing(CLIMBS.sub("../", name, count=1)))):
            return True
        bare = _from_root(name)
        return bare != name and any(map(rooted, _enclosing(bare)))

    return matches


@lru_cache(maxsize=2_000)
def go_import_matcher(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """The same for Go, whose own library has packages beside each other: `log` does not fit `log/slog`."""
    below = import_matcher(tuple(glob for glob in globs if glob.endswith("*")))
    alone = import_matcher(tuple(glob for glob in globs if not glob.endswith("*")))

    def matches(name: str) -> bool:
        first, _, rest = name.partition("/")
        return below(name) or (alone(name) and not (rest and alone(first)))

    return matches


def _matcher(globs: Sequence[str]) -> Callable[[str], bool]:
    plain = frozenset(glob for glob in globs if PLAIN.fullmatch(glob))
    others = [glob.replace("/", SLASH) for glob in globs if glob not in plain]
    fits = lru_cache(MOST_NAMES)(matcher(others)) if others else None
    return lambda name: name in plain or (fits is not None and fits(name.replace("/", SLASH)))


def _dotted(name: str) -> str:
    return name.replace("::", ".").replace("->", ".").replace("\\", ".")


def _wider(glob: str) -> Iterator[str]:
    """The glob, and what it means without its `/*` or `.*` at the end and its `**/` or `*.` at the beginning."""
    inner = next((glob.removesuffix(end) for end in WHOLE if glob.endswith(end) and glob != end), glob)
    for each in dict.fromkeys((glob, inner)):
        yield each
        for start in ANYWHERE:
            if each.startswith(start) and len(each) > len(start):
                yield each.removeprefix(start)
                break


def _is_rooted(glob: str) -> bool:
    """Whether a glob speaks of folders of the project; a plain name such as `requests` is a package from outside."""
    return "*" in glob


def _from_root(name: str) -> str:
    """An import as it would be written from the root of the sources: `@/domain/x` or `..domain.x` without its start."""
    bare = name
    while root := SOURCE_ROOTS.match(bare):
        bare = bare[root.end() :]
    return _dotted(OPENING_DOTS.sub("", bare, count=1) if bare.startswith(".") else bare)


def _enclosing(name: str) -> Iterator[str]:
    yield name
    for place in range(len(name) - 1, 0, -1):
        if name[place] in "./" and name[place - 1] not in "./":
            yield name[:place]
