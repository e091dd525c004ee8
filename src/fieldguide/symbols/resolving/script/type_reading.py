"""What types of a script stand for, read in their own words."""

from typing import TYPE_CHECKING

from fieldguide.symbols.facts import ALIAS, CLASS, ENUM, INTERFACE, LOCAL
from fieldguide.symbols.resolving.script import foreign
from fieldguide.symbols.resolving.script.kinds_of_types import (
    OWN,
    Foreign,
    FunctionType,
    Given,
    Narrowed,
    Object,
    Type,
    Types,
    few,
)
from fieldguide.symbols.resolving.script.type_text import QUOTES, arrow, branches, closing, generic, split
from fieldguide.symbols.resolving.values import At

if TYPE_CHECKING:
    from fieldguide.symbols.resolving.script.evaluating import Evaluator

NARROWING = frozenset(("Omit", "Pick"))


class TypeReader:
    """Reads types for an evaluator."""

    def __init__(self, evaluator: "Evaluator") -> None:
        self._evaluator = evaluator
        self._scripts = evaluator.scripts

    def read(self, scope: At, line: int, text: str, given: Given = ()) -> Types:
        """What a type in its own words stands for, as a value of it."""
        if not text or not self._evaluator.may_go_on():
            return ()
        self._evaluator.depth += 1
        try:
            found: list[Type] = []
            outcomes = branches(text)
            function = arrow(text)
            if function and not outcomes:
                return (FunctionType(*function, scope, given),)
            for part in outcomes or split(text, "|&"):
                found += self._one_type(scope, line, part, given)
            return few(found)
        finally:
            self._evaluator.depth -= 1

    def _one_type(self, scope: At, line: int, text: str, given: Given) -> Types:
        if _is_joined(text):
            return self.read(scope, line, text, given)
        for word in ("readonly ", "unique ", "infer "):
            text = text.removeprefix(word)
        if text.startswith("typeof "):
            return self._evaluator.value(scope, line, text[7:].strip(), given)
        if text.endswith("]") and not text.startswith("["):
            return self._indexed(scope, line, text, given)
        if text.startswith("(") and closing(text) == len(text) - 1:
            return self.read(scope, line, text[1:-1], given)
        if text.startswith(("[", "{")):
            return self._spelled_out(scope, line, text, given)
        return (Object(scope, given),) if text == OWN else self._named_type(scope, line, text, given)

    def _spelled_out(self, scope: At, line: int, text: str, given: Given) -> Types:
        """`[A, B]` and `{[key: string]: A}`."""
        if text[0] == "[":
            parts = [self._labelled(each) for each in split(text[1:-1], ",")]
            return (Foreign("Tuple", tuple(self.read(scope, line, each, given) for each in parts)),)
        inside = split(text[1:-1], ":")
        return (Foreign("Index", (self.read(scope, line, inside[-1].rstrip(";,} "), given),)),) if inside else ()

    def _labelled(self, text: str) -> str:
        head, colon, rest = text.partition(":")
        text = rest.strip() if colon and head.rstrip("?").strip().isidentifier() else text
        return text.removeprefix("...").rstrip("?")

    def _indexed(self, scope: At, line: int, text: str, given: Given) -> Types:
        """`T[]`, `T["name"]` and `T[number]`."""
        start = _last_bracket(text)
        whole, index = text[:start].strip(), text[start + 1 : -1].strip()
        types = self.read(scope, line, whole, given)
        if not index:
            return (Foreign("Array", (types,)),)
        if index[0] in "'\"":
            return few([found for each in types for found in self._evaluator.members.types(each, index[1:-1])])
        return few([found for each in types for found in self._evaluator.calls.element(each, "")])

    def _named_type(self, scope: At, line: int, text: str, given: Given) -> Types:
        name, parts = generic(text)
        if name in dict(given) and not parts:
            return dict(given)[name]
        if name == "this":
            return self._evaluator.around(scope, given, is_super=False)
        places = self._meant(scope, line, name)
        if not places and name in NARROWING and len(parts) == 2:
            return self._narrowed(name, scope, line, parts, given)
        arguments = tuple(self.read(scope, line, each, given) for each in parts)
        if places:
            return self._of_types(places, arguments)
        return self._foreign_type(self._evaluator.foreign_name(scope, line, name), arguments)

    def _meant(self, scope: At, line: int, name: str) -> list[At]:
        """What the name of a type means, with the namespaces before it."""
        head, _, rest = name.partition(".")
        if head.startswith("@"):
            places = self._scripts.imported(scope.path, int(head[1:]))
        else:
            places = self._scripts.look_up(scope.path, scope.place, head, line)
        for member in rest.split(".") if rest else ():
            places = [found for place in places for found in self._inside(place, member)]
        return places

    def _narrowed(self, name: str, scope: At, line: int, parts: list[str], given: Given) -> Types:
        """`Omit<T, "a" | "b">` and `Pick<…>`; all of it where the names are not written out."""
        whole = self.read(scope, line, parts[0], given)
        written = split(parts[1], "|")
        if not whole or any(each[0] not in QUOTES for each in written):
            return whole
        return (Narrowed(whole, frozenset(each[1:-1] for each in written), is_only=name == "Pick"),)

    def _inside(self, place: At, name: str) -> list[At]:
        if place.place < 0:
            return self._scripts.exported(place.path, name)
        return self._evaluator.members.own(place, name)

    def _foreign_type(self, name: str, arguments: tuple[Types, ...]) -> Types:
        if not arguments:
            return (Foreign(name),)
        calls, first = self._evaluator.calls, arguments[0]
        if name in foreign.SAME:
            return first
        if name in ("ReturnType", "InstanceType"):
            return few([found for each in first for found in calls.called(each)])
        if name == "Parameters":
            return (Foreign("Tuple", tuple(calls.parameter(each, n) for each in first for n in range(4))),)
        return (Foreign(name, arguments),)

    def _of_types(self, places: list[At], arguments: tuple[Types, ...]) -> Types:
        return few([found for place in places for found in self._of_type(place, arguments)])

    def _of_type(self, place: At, arguments: tuple[Types, ...]) -> Types:
        """An object of what is defined at a place."""
        each = self._scripts.definition(place)
        if each is None:
            return ()
        given = self._evaluator.calls.given(each.type, arguments, ())
        if each.kind == ALIAS:
            return self._evaluator.told(place, each.line, each.type, given)
        if each.kind in (CLASS, INTERFACE, ENUM):
            return (Object(place, given),)
        if each.kind == LOCAL:  # a type parameter: what it must be
            return self._evaluator.told(place, each.line, each.type, ())
        enum = self._scripts.enum_of(place)
        return (Object(enum),) if enum else ()


def _is_joined(text: str) -> bool:
    """Whether a type is a function's, or made of several."""
    return bool(branches(text) or arrow(text)) or (text[0] != "(" and len(split(text, "|&")) > 1)


def _last_bracket(text: str) -> int:
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += (text[position] == "]") - (text[position] == "[")
        if not depth:
            return position
    return 0
