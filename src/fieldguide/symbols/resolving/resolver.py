"""What a name means at its place: by scopes, by imports, and by the type of what stands before it.

What is found so is certain. Nothing is guessed: an empty answer says that nobody can tell. Every loop is bounded, and
an expression that leads to itself leads nowhere.
"""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any

from fieldguide.source_code.languages import language_of
from fieldguide.symbols.facts import EVERYTHING, IMPORTED, TYPES, Imported, Reference
from fieldguide.symbols.resolving.classes import Classes
from fieldguide.symbols.resolving.expressions import Expressions
from fieldguide.symbols.resolving.own_way import OwnWay
from fieldguide.symbols.resolving.rules import Rules, rules_of
from fieldguide.symbols.resolving.values import FOREIGN, At, Value, each_once
from fieldguide.symbols.resolving.view import Shape, View
from fieldguide.symbols.resolving.visibility import visible_of

DEEPEST = 24
MOST_STEPS = 200_000


class Resolver:
    """Answers for one question; what it found out is kept that long."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.classes = Classes(self)
        self.expressions = Expressions(self)
        self._depth = 0
        self._steps = 0
        self._here = ""
        self._rules: dict[str, Rules] = {}
        self._own_ways: dict[Any, OwnWay] = {}
        self._exported: dict[tuple[str, str], Sequence[Value]] = {}
        self.member = self.classes.member
        self.own_members = self.classes.own
        self.bases = self.classes.bases
        self.evaluated = self.expressions.evaluated
        self.resolved = self.expressions.resolved
        self.typed = self.expressions.typed
        self.called = self.expressions.called

    def meant(self, path: str, each: Reference) -> Sequence[Value]:
        """What a use of a name means: definitions, something of others, or nothing where that can't be told."""
        self._here = path
        own_way = self.own_way(path)
        if own_way is not None:
            return own_way.meant(path, each)
        if not each.receiver:
            return self.named(path, each.name, each.within, each.line)
        if each.receiver.startswith("@") and each.receiver[1:].isdigit():
            return self.followed(path, int(each.receiver[1:]))
        values = self.evaluated(path, each.receiver, each.within, each.line)
        return each_once(found for value in values for found in self.member(value, each.name))

    def named(self, path: str, name: str, within: int, line: int = 0) -> Sequence[Value]:
        """What a bare name means at a place."""
        shape, rules = self.view.shape(path), self.rules(path)
        if shape is None:
            return []
        for scope in (*shape.chain(within), -1):
            is_class = scope >= 0 and shape.definitions[scope].kind in TYPES
            if is_class and not rules.shows_members(in_body=scope == within):
                continue
            found = visible_of(shape, shape.named(scope, name), line)
            if found:
                return self._things(shape, found)
            if is_class and rules.sees_members and (inherited := self._inherited(At(path, scope), name)):
                return inherited
        return self._shared(shape, name, rules)

    def followed(self, path: str, number: int) -> Sequence[Value]:
        """What an import of a file means."""
        shape = self.view.shape(path)
        if shape is None or not 0 <= number < len(shape.imports) or not self.may_go_on():
            return []
        each = shape.imports[number]
        with self.deeper():
            special = self.rules(path).imported
            found = special(self, path, each) if special else None
            return self._led(path, each) if found is None else found

    def _led(self, path: str, each: Imported) -> Sequence[Value]:
        """What an import means in most languages: a name of the file that it leads to, or that file."""
        leads = self.view.leads(path, each)
        if not leads:
            return [FOREIGN._replace(name=each.name or each.text)]
        if not each.name or each.name == EVERYTHING:
            return [Value(At(lead)) for lead in leads]
        return each_once(value for lead in leads for value in self.exported(lead, each.name))

    def exported(self, path: str, name: str) -> Sequence[Value]:
        """What a name of another file means: what is defined there, or what it imports itself."""
        key = (path, name)
        if key not in self._exported and self.may_go_on():
            self._exported[key] = []  # a name that leads to itself leads nowhere
            shape = self.view.shape(path)
            if shape is not None:
                with self.deeper():
                    own = shape.named(-1, name)
                    self._exported[key] = self._things(shape, own) if own else self._passed_on(shape, name)[0]
        return self._exported.get(key, [])

    def class_around(self, path: str, within: int) -> At | None:
        """The class that encloses a place."""
        shape = self.view.shape(path)
        for place in shape.chain(within) if shape else ():
            if shape and shape.definitions[place].kind in TYPES:
                return At(path, place)
        return None

    def own_way(self, path: str) -> OwnWay | None:
        """What answers for a language whose names lead in ways of their own."""
        make = self.rules(path).own_way
        if make is not None and make not in self._own_ways:
            self._own_ways[make] = make(self)
        return None if make is None else self._own_ways[make]

    def rules(self, path: str) -> Rules:
        """The rules of a file's language."""
        found = self._rules.get(path)
        if found is None:
            found = self._rules[path] = rules_of(language_of(path) or "")
        return found

    def rules_here(self) -> Rules:
        """The rules of the file that is asked about."""
        return self.rules(self._here)

    def may_go_on(self) -> bool:
        """Whether the question has neither gone too deep nor taken too long."""
        self._steps += 1
        return self._depth < DEEPEST and self._steps < MOST_STEPS

    @contextmanager
    def deeper(self) -> Generator[None]:
        """Count how deep answers are nested in each other."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def _inherited(self, at: At, name: str) -> Sequence[Value]:
        return [value for value in self.member(Value(at, is_object=True), name) if value.at is not None]

    def _shared(self, shape: Shape, name: str, rules: Rules) -> Sequence[Value]:
        """What a name means that the file itself does not define: by what shares its scope."""
        if rules.around and (found := rules.around(self, shape.path, name)):
            return found
        passed_on, is_open = self._passed_on(shape, name)
        if passed_on:
            return passed_on
        return [FOREIGN._replace(name=name)] if rules.is_closed and not is_open else []

    def _passed_on(self, shape: Shape, name: str) -> tuple[Sequence[Value], bool]:
        """What a name means by an import of everything; and whether one of those leads where nobody can look."""
        is_open = False
        for each in shape.imports:
            if each.name == EVERYTHING:
                leads = self.view.leads(shape.path, each)
                is_open = is_open or not leads
                for lead in leads:
                    if lead != shape.path and (found := self.exported(lead, name)):
                        return found, is_open
        return [], is_open

    def _things(self, shape: Shape, places: Iterable[int]) -> Sequence[Value]:
        found: list[Value] = []
        for place in places:
            definition = shape.definitions[place]
            if definition.kind == IMPORTED and definition.type.startswith("@"):
                found += self.followed(shape.path, int(definition.type[1:]))
            else:
                found.append(Value(At(shape.path, place)))
        return each_once(found)
