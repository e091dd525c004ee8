"""The facts of scripts, ready for looking names up: scopes, exports and imports."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from fieldguide.symbols.facts import EVERYTHING, FIELD, IMPORTED, INNER, METHOD, MODULE, Definition, Imported

EXPORT = "export"
DEFAULT, WHOLE = "default", "export="
ENUM = "enum"
MEMBERS = frozenset((FIELD, METHOD))
MOST_SCOPES = 50
MOST_EXPORTS = 12
"""How many modules a name is handed on through at most."""


class Place(NamedTuple):
    """A definition, by its file and its number there; -1 for the file as a module."""

    path: str
    number: int


class ScriptFile:
    """One file's definitions by parent and name."""

    def __init__(self, path: str, definitions: Sequence[Definition], imports: Sequence[Imported]) -> None:
        self.path = path
        self.definitions = definitions
        self.imports = imports
        self.below: dict[int, list[int]] = {}
        self.named: dict[tuple[int, str], list[int]] = {}
        self.nameless: dict[str, int] = {}
        for number, each in enumerate(definitions):
            self.below.setdefault(each.parent, []).append(number)
            self.named.setdefault((each.parent, each.name), []).append(number)
            if not each.name:
                self.nameless.setdefault(f"{each.line}:{each.column}", number)

    def lexical(self, within: int, name: str, line: int) -> list[int]:
        """What a bare name means at a place: the innermost definitions of that name that are seen there."""
        for _ in range(MOST_SCOPES):
            found = [each for each in self.named.get((within, name), ()) if self._is_seen(each, line)]
            if found:
                return self._narrowest(found)
            if within < 0:
                return []
            within = self.definitions[within].parent
        return []

    def _is_seen(self, number: int, line: int) -> bool:
        each = self.definitions[number]
        if each.kind in MEMBERS or each.kind in (EXPORT, "route", "command"):
            return False
        if each.parent >= 0 and self.definitions[each.parent].kind == ENUM and each.kind == "constant":
            return False
        first, last = each.visible
        return not first or first <= line <= last

    def _narrowest(self, found: list[int]) -> list[int]:
        """Of variables that blocks in one another have, the innermost one."""
        inner = [each for each in found if self.definitions[each].visible[0]]
        if not inner:
            return found
        return [min(inner, key=lambda each: self.definitions[each].visible[1] - self.definitions[each].visible[0])]

    def is_inner(self, number: int) -> bool:
        """Whether a definition is a parameter or a variable of a function."""
        return self.definitions[number].kind in INNER


class Scripts:
    """The scripts of a project, and what they give to each other."""

    def __init__(
        self,
        shape: Callable[[str], tuple[Sequence[Definition], Sequence[Imported]] | None],
        lead: Callable[[str, int], Sequence[str]],
    ) -> None:
        self._shape = shape
        self._lead = lead
        self._files: dict[str, ScriptFile | None] = {}

    def file(self, path: str) -> ScriptFile | None:
        """A file, if it is a script of the project."""
        if path not in self._files:
            shape = self._shape(path)
            self._files[path] = None if shape is None else ScriptFile(path, *shape)
        return self._files[path]

    def definition(self, place: Place) -> Definition | None:
        """What is defined at a place; nothing for a module as a whole."""
        file = self.file(place.path)
        return file.definitions[place.number] if file and place.number >= 0 else None

    def nameless(self, path: str, where: str) -> Place | None:
        """The function without a name at a line and column of a file."""
        file = self.file(path)
        number = file.nameless.get(where) if file else None
        return None if number is None else Place(path, number)

    def look_up(self, path: str, within: int, name: str, line: int) -> list[Place]:
        """What a bare name means, whatever file that is in."""
        file = self.file(path)
        if file is None:
            return []
        return [
            place for number in file.lexical(within, name, line) for place in self.followed(Place(path, number))
        ]

    def followed(self, place: Place, depth: int = 0) -> list[Place]:
        """What an import or an export stands for; anything else stands for itself."""
        each = self.definition(place)
        if each is None or each.kind not in (IMPORTED, EXPORT) or depth > MOST_EXPORTS:
            return [place]
        if each.type.startswith("@"):
            return self.imported(place.path, int(each.type[1:]), depth + 1)
        name = each.type[1:]
        if each.type.startswith("=") and name.isidentifier():
            file = self.file(place.path)
            inside = file.lexical(-1, name, each.line) if file else []
            return [found for number in inside for found in self.followed(Place(place.path, number), depth + 1)]
        return [place]

    def imported(self, path: str, number: int, depth: int = 0) -> list[Place]:
        """What one import of a file takes."""
        file = self.file(path)
        if file is None or number >= len(file.imports) or depth > MOST_EXPORTS:
            return []
        name = file.imports[number].name
        found: list[Place] = []
        for target in self._lead(path, number):
            if self.file(target) is None:
                continue
            if name == EVERYTHING:
                found.append(Place(target, -1))
            else:
                found += self.exported(target, name, depth + 1) or ([Place(target, -1)] if name == WHOLE else [])
        return found

    def leads_outside(self, path: str, number: int) -> bool:
        """Whether what an import's definition takes is of a package, or of a file that is not here."""
        file = self.file(path)
        told = file.definitions[number].type if file else ""
        return told.startswith("@") and not any(self.file(each) for each in self._lead(path, int(told[1:])))

    def exported(self, path: str, name: str, depth: int = 0) -> list[Place]:
        """What a module gives out under a name, through as many modules as hand it on."""
        file = self.file(path)
        if file is None or depth > MOST_EXPORTS:
            return []
        given = [each for each in file.named.get((-1, name), ()) if file.definitions[each].kind == EXPORT]
        own = [
            each
            for each in file.named.get((-1, name), ())
            if file.definitions[each].kind not in (EXPORT, IMPORTED, "route", "command")
        ]
        found = [place for each in given for place in self.followed(Place(path, each), depth)]
        if found or own:
            return found or [Place(path, each) for each in own]
        return self._handed_on(file, name, depth)

    def _handed_on(self, file: ScriptFile, name: str, depth: int) -> list[Place]:
        found: list[Place] = []
        for each in file.named.get((-1, WHOLE), ()):
            for member in file.named.get((each, name), ()):
                found += self.followed(Place(file.path, member), depth)
            if name == DEFAULT:
                found += self.followed(Place(file.path, each), depth)
        if name == DEFAULT:
            return found
        for each in file.named.get((-1, EVERYTHING), ()):
            told = file.definitions[each].type
            for target in self._lead(file.path, int(told[1:])) if told.startswith("@") else ():
                found += self.exported(target, name, depth + 1)
            if found:
                break
        return found

    def merged(self, place: Place) -> list[Place]:
        """A definition with all that are declared again under its name beside it."""
        each, file = self.definition(place), self.file(place.path)
        if each is None or file is None or each.kind in INNER or not each.name:
            return [place]
        kinds = (IMPORTED, EXPORT, *INNER)
        same = [n for n in file.named.get((each.parent, each.name), ()) if file.definitions[n].kind not in kinds]
        return [Place(place.path, number) for number in same] or [place]


__all__ = ["DEFAULT", "EXPORT", "MODULE", "WHOLE", "Place", "ScriptFile", "Scripts"]
