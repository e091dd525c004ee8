"""Scopes, exports and imports of scripts, prepared for looking up names."""

from collections.abc import Sequence

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import COMMAND, EXPORTED, IMPORTED, ROUTE, SymbolDefinition
from fieldguide.code.symbols.resolvers.values import DefinitionPlace, remember
from fieldguide.code.symbols.resolvers.view import NO_DEFINITION, FileShape, SymbolView, covers
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
MOST_EXPORTS = 12
"""How many modules a name is handed on through at most."""


class Scripts:
    """The scripts of a project, and what they give to each other."""

    def __init__(self, view: SymbolView) -> None:
        self.view = view
        self._exported: dict[tuple[str, str], list[DefinitionPlace]] = {}

    @remember(None)
    def file(self, path: str) -> FileShape:
        """What a script of the project defines and imports; nothing of any other file."""
        return self.view.shape(path if language_of(path) in LANGUAGES else "")

    @remember(())
    def parameters(self, function: DefinitionPlace) -> list[DefinitionPlace]:
        """The parameters of a function, in their order."""
        found: list[DefinitionPlace] = []
        definitions = self.file(function.path).definitions
        for place in range(function.place + 1, len(definitions)):
            each = definitions[place]
            if each.parent < function.place and each.kind not in BETWEEN:
                break
            if each.parent == function.place and each.kind == facts.PARAMETER:
                found.append(DefinitionPlace(function.path, place))
        return found

    def lexical(self, path: str, within: int, name: str, line: int) -> list[DefinitionPlace]:
        """What a bare name means at a place: the innermost definitions of that name that are seen there."""
        file = self.file(path)
        for scope in (*file.chain(within), -1):
            found = [each for each in self.view.named(DefinitionPlace(path, scope), name) if self._is_seen(each, line)]
            spans = {each: self.definition(each).visible for each in found}
            inner = [each for each in found if spans[each][0]]
            if inner:  # of variables that blocks in one another have, the innermost one
                return [min(inner, key=lambda each: spans[each][1] - spans[each][0])]
            if found:
                return found
        return []

    def _is_seen(self, place: DefinitionPlace, line: int) -> bool:
        each = self.definition(place)
        if each.kind in MEMBERS or each.kind in (EXPORTED, ROUTE, COMMAND):
            return False
        return covers(each, line) and not (each.kind == facts.CONSTANT and self.enum_of(place))

    def _lead(self, path: str, number: int) -> Sequence[str]:
        """The files that an import of a file leads to."""
        imports = self.file(path).imports
        return self.view.leads(path, imports[number], of_module=True) if 0 <= number < len(imports) else ()

    def definition(self, place: DefinitionPlace) -> SymbolDefinition:
        """What is defined at a place; one without name and kind for a module as a whole."""
        definitions = self.file(place.path).definitions
        return definitions[place.place] if 0 <= place.place < len(definitions) else NO_DEFINITION

    def enum_of(self, place: DefinitionPlace) -> DefinitionPlace | None:
        """The enumeration that something is one of."""
        parent = DefinitionPlace(place.path, self.definition(place).parent)
        return parent if self.definition(parent).kind == facts.ENUM else None

    def nameless(self, path: str, where: str) -> DefinitionPlace | None:
        """The function without a name at a line and column of a file."""
        number = self._nameless(path).get(where)
        return None if number is None else DefinitionPlace(path, number)

    @remember(None)
    def _nameless(self, path: str) -> dict[str, int]:
        definitions = self.file(path).definitions
        return {f"{each.line}:{each.column}": n for n, each in enumerate(definitions) if not each.name}

    def look_up(self, path: str, within: int, name: str, line: int) -> list[DefinitionPlace]:
        """What a bare name means, whatever file that is in."""
        return [place for each in self.lexical(path, within, name, line) for place in self.followed(each)]

    def followed(self, place: DefinitionPlace, depth: int = 0) -> list[DefinitionPlace]:
        """What an import or an export stands for; anything else stands for itself."""
        each = self.definition(place)
        if each.kind not in (IMPORTED, EXPORTED) or depth > MOST_EXPORTS:
            return [place]
        if each.type.startswith("@"):
            return self.imported(place.path, int(each.type[1:]), depth + 1)
        name = each.type[1:]
        if each.type.startswith("=") and name.isidentifier():
            inside = self.lexical(place.path, -1, name, each.line)
            return [found for one in inside for found in self.followed(one, depth + 1)]
        return [place]

    def imported(self, path: str, number: int, depth: int = 0) -> list[DefinitionPlace]:
        """What one import of a file takes."""
        if number >= len(self.file(path).imports) or depth > MOST_EXPORTS:
            return []
        name = self.file(path).imports[number].name
        found: list[DefinitionPlace] = []
        for target in filter(self._is_script, self._lead(path, number)):
            given = self.exported(target, name, depth + 1) if name != facts.EVERYTHING else []
            found += given or ([DefinitionPlace(target)] if name in (facts.EVERYTHING, WHOLE) else [])
        return found

    def _is_script(self, path: str) -> bool:
        return language_of(path) in LANGUAGES and self.view.file(path) is not None

    def leads_outside(self, path: str, told: str) -> bool:
        """Whether what an import of a file takes is of a package, or of a file that is not here."""
        return told.startswith("@") and not any(map(self._is_script, self._lead(path, int(told[1:]))))

    def exported(self, path: str, name: str, depth: int = 0) -> list[DefinitionPlace]:
        """What a module gives out under a name, through as many modules as hand it on."""
        file = self.file(path)
        if depth > MOST_EXPORTS:
            return []
        if (path, name) not in self._exported:
            self._exported[path, name] = []  # a name that leads to itself leads nowhere
            places = [(DefinitionPlace(path, each), file.definitions[each].kind) for each in file.named(-1, name)]
            given = [found for at, kind in places if kind == EXPORTED for found in self.followed(at, depth)]
            given = given or [at for at, kind in places if kind not in NOT_OWN]
            self._exported[path, name] = given or self._handed_on(file, name, depth)
        return self._exported[path, name]

    def _handed_on(self, file: FileShape, name: str, depth: int) -> list[DefinitionPlace]:
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
        if each.kind in facts.INNER or not each.name:
            return [place]
        beside = self.view.named(DefinitionPlace(place.path, each.parent), each.name)
        same = [other for other in beside if self.definition(other).kind not in UNMERGED]
        if each.kind in MEMBERS and len(same) > 1:  # those of the class itself, or those of its objects
            same = [other for other in same if is_static(self.definition(other)) == is_static(each)]
        return same or [place]


def is_static(each: SymbolDefinition) -> bool:
    """Whether a member belongs to the class itself."""
    return "static" in each.signature.partition("(")[0].split()
