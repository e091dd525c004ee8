"""The aliases that a tsconfig.json or jsconfig.json gives to the files around it: `paths`, `baseUrl`, `rootDirs`."""

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fieldguide.source_code.imports.json_text import read_object, sequence, table
from fieldguide.source_code.imports.places import below, climbed, joined
from fieldguide.source_code.imports.project import ProjectFiles

NAMES = ("tsconfig.json", "jsconfig.json")
MAX_CONFIGS = 20


@dataclass(frozen=True, slots=True)
class Aliases:
    """What names mean below one configuration; folders are relative to the project's root."""

    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
    base: str | None = None
    roots: tuple[str, ...] = ()

    def places(self, written: str) -> Iterator[str]:
        """Where a name that is not relative may be, the most specific alias first, then below `baseUrl`."""
        fitting = [(pattern, targets) for pattern, targets in self.paths if _fits(pattern, written)]
        for pattern, targets in sorted(fitting, key=_by_length):
            before, star, after = pattern.partition("*")
            middle = written[len(before) : len(written) - len(after)] if star else ""
            yield from (target.replace("*", middle, 1) for target in targets)
        if self.base is not None:
            place = joined(self.base, written)
            if place:
                yield place

    def merged(self, folder: str, written: str) -> Iterator[str]:
        """Where a relative name may be when `rootDirs` lays several folders over each other."""
        for root in self.roots:
            if folder == root or folder.startswith(f"{root}/"):
                inside = folder[len(root) :].lstrip("/")
                places = (joined(below(other, inside), written) for other in self.roots if other != root)
                yield from (place for place in places if place)


def read_aliases(folder: str, files: ProjectFiles) -> Aliases:
    """The aliases that hold in a folder: those of the nearest configuration above it that has any."""
    for above in climbed(folder):
        for name in NAMES:
            path = below(above, name)
            if files.exists(path):
                found = _remembered(path, files)
                if found.paths or found.base is not None or found.roots:
                    return found
    return Aliases()


def _remembered(path: str, files: ProjectFiles) -> Aliases:
    """A configuration, read once by a look at the project that remembers."""
    known: dict[str, Aliases] = getattr(files, "remembered", {})
    if path not in known:
        known[path] = _gathered(path, files)
    return known[path]


def _by_length(alias: tuple[str, tuple[str, ...]]) -> tuple[bool, int]:
    return ("*" in alias[0], -len(alias[0].partition("*")[0]))


def _fits(pattern: str, written: str) -> bool:
    before, star, after = pattern.partition("*")
    if not star:
        return pattern == written
    return len(written) >= len(before) + len(after) and written.startswith(before) and written.endswith(after)


def _gathered(path: str, files: ProjectFiles) -> Aliases:
    """One configuration with what it extends, and with those it references when it has no aliases of its own."""
    waiting, seen = [path], list[str]()
    found = Aliases()
    while waiting and len(seen) < MAX_CONFIGS:
        current = waiting.pop(0)
        if current in seen:
            continue
        seen.append(current)
        config = read_object(files.read(current))
        found = _merged(found, _own(config, posixpath.dirname(current), posixpath.dirname(path)))
        names = sequence(config.get("extends")) or [config.get("extends")]
        waiting[:0] = _config_paths(current, names, files)
        if not found.paths and found.base is None:
            named = [table(each).get("path") for each in sequence(config.get("references"))]
            waiting += _config_paths(current, named, files)
    return found


def _merged(first: Aliases, second: Aliases) -> Aliases:
    base = first.base if first.base is not None else second.base
    return Aliases(first.paths or second.paths, base, first.roots or second.roots)


def _own(config: dict[str, Any], folder: str, asked: str) -> Aliases:
    options = table(config.get("compilerOptions"))
    written = options.get("baseUrl")
    base = _placed(folder, asked, written) if isinstance(written, str) else None
    start = folder if base is None else base
    aliases = tuple(
        (pattern, tuple(place for target in sequence(targets) if (place := _placed(start, asked, target)) is not None))
        for pattern, targets in table(options.get("paths")).items()
    )
    roots = [_placed(folder, asked, each) for each in sequence(options.get("rootDirs"))]
    return Aliases(aliases, base, tuple(each for each in roots if each is not None))


def _placed(folder: str, asked: str, written: Any) -> str | None:
    if not isinstance(written, str):
        return None
    if written.startswith("${configDir}"):
        return joined(asked, written.removeprefix("${configDir}").lstrip("/"))
    return joined(folder, written)


def _config_paths(current: str, names: Iterable[Any], files: ProjectFiles) -> list[str]:
    return [path for name in names if (path := _config_path(current, name, files))]


def _config_path(current: str, name: Any, files: ProjectFiles) -> str | None:
    """The file that `extends` or a reference means; one in an installed package is none of ours."""
    if not isinstance(name, str) or not name:
        return None
    place = joined(posixpath.dirname(current), name)
    if place is None or not name.startswith("."):
        return None
    tried = (place, f"{place}.json", below(place, NAMES[0]))
    return next((path for path in tried if path and files.exists(path)), None)
