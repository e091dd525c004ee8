"""Scopes, exports and imports of scripts, prepared for looking up names."""

from collections.abc import Sequence
from functools import cached_property

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import COMMAND, EXPORTED, IMPORTED, ROUTE, SymbolDefinition
from fieldguide.code.symbols.resolvers.rules import DefinitionPlace, remember
from fieldguide.code.symbols.resolvers.view import NO_DEFINITION, FileShape, SymbolView
from fieldguide.files.kinds import language_of

LANGUAGES = frozenset(("javascript", "svelte", "tsx", "typescript", "vue"))
DEFAULT = "default"
WHOLE = "export="
MEMBERS = frozenset((facts.FIELD, facts.METHOD))
BETWEEN = frozenset((facts.FIELD, ROUTE, COMMAND, EXPORTED))
"""What may be declared among the parameters of a function and lies outside of it."""
NOT_OWN = frozenset((EXPORTED, IMPORTED, ROUTE, COMMAND))
"""What gives out something else than itself, or nothing."""
UNMERGED = facts.INNER | {IMPORTED, EXPORTED}
MOST_SCOPES = 50
MOST_EXPORTS = 12
"""How many modules a name is handed on through at most."""


class ScriptFile:
    """One file's definitions by parent and name."""

    def __init__(self, shape: FileShape) -> None:
        self.path = shape.path
        self.definitions = shape.definitions
        self.imports = shape.imports
        self.named = shape.named

    @remember(())
    def parameters(self, number: int) -> list[int]:
        """The parameters of a function, in their order."""
        found: list[int] = []
        for place in range(number + 1, len(self.definitions)):
            each = self.definitions[place]
            if each.parent < number and each.kind not in BETWEEN:
                break
            if each.parent == number and each.kind == facts.PARAMETER:
                found.append(place)
        return found

    @cached_property
    def nameless(self) -> dict[str, int]:
        """The functions without a name, by line and column."""
        return {f"{each.line}:{each.column}": n for n, each in enumerate(self.definitions) if not each.name}

    def lexical(self, within: int, name: str, line: int) -> list[int]:
        """What a bare name means at a place: the innermost definitions of that name that are seen there."""
        for _ in range(MOST_SCOPES):
            found = [each for each in self.named(within, name) if self._is_seen(each, line)]
            inner = [each for each in found if self.definitions[each].visible[0]]
            if inner:  # of variables that blocks in one another have, the innermost one
                spans = [self.definitions[each].visible for each in inner]
                return [min(zip(inner, spans, strict=True), key=lambda each: each[1][1] - each[1][0])[0]]
            if found or within < 0:
                return found
            within = self.definitions[within].parent
        return []

    def _is_seen(self, number: int, line: int) -> bool:
        each = self.definitions[number]
        if each.kind in MEMBERS or each.kind in (EXPORTED, ROUTE, COMMAND):
            return False
        if each.parent >= 0 and self.definitions[each.parent].kind == facts.ENUM and each.kind == "constant":
            return False
        first, last = each.visible
        return not first or first <= line <= last


class Scripts:
    """The scripts of a project, and what they give to each other."""

    def __init__(self, view: SymbolView) -> None:
        self.view = view
        self._files: dict[str, ScriptFile | None] = {}
        self._exported: dict[tuple[str, str], list[DefinitionPlace]] = {}

    def file(self, path: str) -> ScriptFile | None:
        """A file, if it is a script of the project."""
        if path not in self._files:
            shape = self.view.shape(path) if language_of(path) in LANGUAGES else None
            self._files[path] = None if shape is None else ScriptFile(shape)
        return self._files[path]

    def _lead(self, path: str, number: int) -> Sequence[str]:
        """The files that an import of a file leads to."""
        file = self.file(path)
        if file is None or not 0 <= number < len(file.imports):
            return ()
        return self.view.leads(path, file.imports[number], of_module=True)

    def definition(self, place: DefinitionPlace) -> SymbolDefinition:
        """What is defined at a place; one without name and kind for a module as a whole."""
        file = self.file(place.path)
        return file.definitions[place.place] if file and place.place >= 0 else NO_DEFINITION

    def enum_of(self, place: DefinitionPlace) -> DefinitionPlace | None:
        """The enumeration that something is one of."""
        parent = DefinitionPlace(place.path, self.definition(place).parent)
        return parent if self.definition(parent).kind == facts.ENUM else None

    def nameless(self, path: str, where: str) -> DefinitionPlace | None:
        """The function without a name at a line and column of a file."""
        file = self.file(path)
        number = file.nameless.get(where) if file else None
        return None if number is None else DefinitionPlace(path, number)

    def look_up(self, path: str, within: int, name: str, line: int) -> list[DefinitionPlace]:
        """What a bare name means, whatever file that is in."""
        file = self.file(path)
        if file is None:
            return []
        return [
            place
            for number in file.lexical(within, name, line)
            for place in self.followed(DefinitionPlace(path, number))
        ]

    def followed(self, place: DefinitionPlace, depth: int = 0) -> list[DefinitionPlace]:
        """What an import or an export stands for; anything else stands for itself."""
        each = self.definition(place)
        if each.kind not in (IMPORTED, EXPORTED) or depth > MOST_EXPORTS:
            return [place]
        if each.type.startswith("@"):
            return self.imported(place.path, int(each.type[1:]), depth + 1)
        name = each.type[1:]
        if each.type.startswith("=") and name.isidentifier():
            file = self.file(place.path)
            inside = file.lexical(-1, name, each.line) if file else []
            return [
                found for number in inside for found in self.followed(DefinitionPlace(place.path, number), depth + 1)
            ]
        return [place]

    def imported(self, path: str, number: int, depth: int = 0) -> list[DefinitionPlace]:
        """What one import of a file takes."""
        file = self.file(path)
        if file is None or number >= len(file.imports) or depth > MOST_EXPORTS:
            return []
        name = file.imports[number].name
        found: list[DefinitionPlace] = []
        for target in self._lead(path, number):
            if self.file(target) is None:
                continue
            if name == facts.EVERYTHING:
                found.append(DefinitionPlace(target, -1))
            else:
                found += self.exported(target, name, depth + 1) or (
                    [DefinitionPlace(target, -1)] if name == WHOLE else []
                )
        return found

    def leads_outside(self, path: str, told: str) -> bool:
        """Whether what an import of a file takes is of a package, or of a file that is not here."""
        return told.startswith("@") and not any(self.file(each) for each in self._lead(path, int(told[1:])))

    def exported(self, path: str, name: str, depth: int = 0) -> list[DefinitionPlace]:
        """What a module gives out under a name, through as many modules as hand it on."""
        file = self.file(path)
        if file is None or depth > MOST_EXPORTS:
            return []
        if (path, name) not in self._exported:
            self._exported[path, name] = []  # a name that leads to itself leads nowhere
            places = [(DefinitionPlace(path, each), file.definitions[each].kind) for each in file.named(-1, name)]
            given = [found for at, kind in places if kind == EXPORTED for found in self.followed(at, depth)]
            given = given or [at for at, kind in places if kind not in NOT_OWN]
            self._exported[path, name] = given or self._handed_on(file, name, depth)
        return self._exported[path, name]

    def _handed_on(self, file: ScriptFile, name: str, depth: int) -> list[DefinitionPlace]:
        found: list[DefinitionPlace] = []
        for each in file.named(-1, WHOLE):
            for member in file.named(each, name):
                found += self.followed(DefinitionPlace(file.path, member), depth)
            if name == DEFAULT:
                found += self.followed(DefinitionPlace(file.path, each), depth)
        if name == DEFAULT:
            return found
        for each in file.named(-1, facts.EVERYTHING):
            told = file.definitions[each].type
            for target in self._lead(file.path, int(told[1:])) if told.startswith("@") else ():
                found += self.exported(target, name, depth + 1)
            if found:
                break
        return found

    def merged(self, place: DefinitionPlace) -> list[DefinitionPlace]:
        """A definition with all that are declared again under its name beside it."""
        each = self.definition(place)
        file = self.file(place.path)
        if file is None or each.kind in facts.INNER or not each.name:
            return [place]
        same = [n for n in file.named(each.parent, each.name) if file.definitions[n].kind not in UNMERGED]
        if each.kind in MEMBERS and len(same) > 1:  # those of the class itself, or those of its objects
            same = [number for number in same if is_static(file.definitions[number]) == is_static(each)]
        return [DefinitionPlace(place.path, number) for number in same] or [place]


def is_static(each: SymbolDefinition) -> bool:
    """Whether a member belongs to the class itself."""
    return "static" in each.signature.partition("(")[0].split()
