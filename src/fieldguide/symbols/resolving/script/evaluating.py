"""Of what type a value of a script is: declared, made, returned, held or expected.

Every loop is bounded, and a type that leads to itself leads nowhere.
"""

from fieldguide.symbols.facts import (
    ALIAS,
    CALLABLE,
    CLASS,
    ENUM,
    EXPORTED,
    FIELD,
    IMPORTED,
    INTERFACE,
    METHOD,
    MODULE,
    PARAMETER,
)
from fieldguide.symbols.resolving.script.calls import Calls, Site
from fieldguide.symbols.resolving.script.files import Scripts
from fieldguide.symbols.resolving.script.kinds_of_types import OWN, Foreign, Given, Itself, Object, Type, Types, few
from fieldguide.symbols.resolving.script.members import Members
from fieldguide.symbols.resolving.script.paths import Step, cut
from fieldguide.symbols.resolving.script.type_reading import TypeReader
from fieldguide.symbols.resolving.script.type_text import split
from fieldguide.symbols.resolving.values import At

DEEPEST = 22
MOST_STEPS = 200_000


class Evaluator:
    """Answers about the scripts of one project; what it found out is kept as long as it lives."""

    def __init__(self, scripts: Scripts, *, knows_packages: bool = False) -> None:
        self.scripts = scripts
        self._knows_packages = knows_packages
        """Whether what packages give under some names is taken for what it usually is: no text here tells it."""
        self.depth = 0
        self._steps = 0
        self._known: dict[tuple[At, Given], Types] = {}
        self.members = Members(self)
        self.calls = Calls(self)
        self.types = TypeReader(self)

    def value(self, scope: At, line: int, expression: str, given: Given = ()) -> Types:
        """What an expression stands for at a place."""
        if not self.may_go_on():
            return ()
        self.depth += 1
        try:
            head, steps = cut(expression)
            types = self._head(scope, line, head, given)
            arguments: tuple[Types, ...] = ()
            for step in steps:
                if step.sign == "<":
                    arguments = tuple(self.types.read(scope, line, each, given) for each in split(step.text, ","))
                    continue
                types = few(self._step(types, step, arguments, Site(scope, line, given)))
                arguments = ()
                if not types:
                    return ()
            return types
        finally:
            self.depth -= 1

    def _head(self, scope: At, line: int, head: str, given: Given) -> Types:
        if head.startswith("(:"):
            return self.types.read(scope, line, head[2:-1], given)
        if head.startswith("@"):
            found = self.scripts.imported(scope.path, int(head[1:]))
            return self.all_held(found) if found else (Foreign(),)
        if head == OWN:
            return (Object(scope, given),)
        if head.startswith("#"):
            return self._nameless(scope.path, head[1:], given)
        if head in ("self", "super()"):
            return self.around(scope, given, is_super=head != "self")
        return self._named(scope, line, head, given)

    def _nameless(self, path: str, where: str, given: Given) -> Types:
        place = self.scripts.nameless(path, where)
        each = self.scripts.definition(place) if place else None
        if place is None or each is None:
            return ()
        return self.held(place, given) if each.kind == PARAMETER else (Itself(place, given),)

    def _named(self, scope: At, line: int, head: str, given: Given) -> Types:
        found = self.scripts.look_up(scope.path, scope.place, head, line)
        if found:
            return self.all_held(found, given)
        return (Foreign(self.foreign_name(scope, line, head)),) if self.is_foreign(scope, line, head) else ()

    def foreign_name(self, scope: At, line: int, name: str) -> str:
        """The name of something of others; empty for that of a package, unless packages are known."""
        file = self.scripts.file(scope.path)
        is_imported = file is not None and bool(file.lexical(scope.place, name.partition(".")[0], line))
        return name if self._knows_packages or not is_imported else ""

    def is_foreign(self, scope: At, line: int, name: str) -> bool:
        """Whether a bare name is the language's or of a package: nothing here defines it."""
        file = self.scripts.file(scope.path)
        if file is None:
            return False
        found = file.lexical(scope.place, name, line)
        return not found or any(
            file.definitions[each].kind == IMPORTED and self.scripts.leads_outside(scope.path, each) for each in found
        )

    def around(self, scope: At, given: Given, *, is_super: bool) -> Types:
        """What `this` is at a place: an object of the class around it, or of the object that a method is in."""
        file = self.scripts.file(scope.path)
        number, owner = scope.place, -1
        while file is not None and number >= 0:
            each = file.definitions[number]
            for declared in file.named(number, "this"):
                return self.held(At(scope.path, declared), given)
            if each.kind in (CLASS, INTERFACE):
                own = Object(At(scope.path, number), given)
                return self.members.bases(own) if is_super else (own,)
            if each.kind in (METHOD, FIELD) and owner < 0:
                owner = each.parent
            number = each.parent
        return (Object(At(scope.path, owner)),) if owner >= 0 else ()

    def _step(self, types: Types, step: Step, arguments: tuple[Types, ...], site: Site) -> list[Type]:
        found: list[Type] = []
        for each in types:
            if step.sign == ".":
                found += self.members.types(each, step.text)
            elif step.sign == "(":
                found += self.calls.called_with(each, step.text, arguments, site)
            elif step.sign == "[":
                found += self.calls.element(each, step.text)
            elif step.sign == "~":
                found += self.calls.parameter(each, int(step.text or 0), arguments)
            elif step.sign == "+":
                found.append(Foreign("Array", ((each,),)))
        return found

    def all_held(self, places: list[At], given: Given = ()) -> Types:
        """What several definitions hold."""
        return few([found for place in places for found in self.held(place, given)])

    def held(self, place: At, given: Given = ()) -> Types:
        """What a definition stands for as a value."""
        each = self.scripts.definition(place)
        if each is None or each.kind in (CLASS, ENUM, MODULE, *CALLABLE):
            return (Itself(place, given),)
        key = (place, given)
        if key not in self._known:
            self._known[key] = ()  # a type that leads to itself leads nowhere
            if not self.may_go_on():
                del self._known[key]
                return ()
            self._known[key] = self._held(place, given)
        return self._known[key]

    def _held(self, place: At, given: Given) -> Types:
        each = self.scripts.definition(place)
        if each is None:
            return ()
        if each.kind in (IMPORTED, EXPORTED):
            followed = [found for found in self.scripts.followed(place) if found != place]
            if followed:
                return self.all_held(followed)
        if each.kind == IMPORTED:
            return (Foreign(each.name if self._knows_packages else ""),)
        if each.kind in (INTERFACE, ALIAS):
            return ()
        enum = self.scripts.enum_of(place)
        return (Object(enum),) if enum else self.told(place, each.line, each.type, given)

    def told(self, place: At, line: int, told: str, given: Given) -> Types:
        """What the type of a definition says, behind the names of its type parameters."""
        if told.startswith("<"):
            told = told[told.index(">") + 1 :]
        if told.startswith(":"):
            return self.types.read(place, line, told[1:], given)
        return self.value(place, line, told[1:], given) if told.startswith("=") else ()

    def may_go_on(self) -> bool:
        """Count a step, and tell whether there may be another."""
        self._steps += 1
        return self.depth < DEEPEST and self._steps < MOST_STEPS
