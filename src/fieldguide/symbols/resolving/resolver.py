"""What a name means at its place: by scopes, by imports, and by the type of what stands before it.

What is found so is certain. Nothing is guessed: an empty answer says that nobody can tell. Every loop is bounded, and
an expression that leads to itself leads nowhere.
"""

from collections.abc import Iterable, Sequence

from fieldguide.source_code.languages import language_of
from fieldguide.symbols.facts import CALLABLE, EVERYTHING, IMPORTED, TYPES, UNKNOWN, Definition, Reference
from fieldguide.symbols.resolving.rules import Rules, rules_of
from fieldguide.symbols.resolving.values import FOREIGN, At, Value, alternatives_of, arguments_of, steps_of
from fieldguide.symbols.resolving.view import Shape, View

DEEPEST = 24
MOST_CLASSES = 40
MOST_VALUES = 8
MOST_STEPS = 200_000
CLASSES = TYPES


class Resolver:
    """Answers for one question; what it found out is kept that long."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._depth = 0
        self._steps = 0
        self._typed: dict[At, Sequence[Value]] = {}
        self._exported: dict[tuple[str, str], Sequence[Value]] = {}
        self._members: dict[tuple[At, str], Sequence[Value]] = {}

    def meant(self, path: str, each: Reference) -> Sequence[Value]:
        """What a use of a name means: definitions, something of others, or nothing where that can't be told."""
        if not each.receiver:
            return self.named(path, each.name, each.within, each.line)
        if each.receiver.startswith("@"):
            return self.followed(path, int(each.receiver[1:]))
        values = self.evaluated(path, each.receiver, each.within, each.line)
        return _each_once(found for value in values for found in self.member(value, each.name))

    def named(self, path: str, name: str, within: int, line: int = 0) -> Sequence[Value]:
        """What a bare name means at a place."""
        shape, rules = self.view.shape(path), self.rules(path)
        if shape is None:
            return []
        for scope in (*shape.chain(within), -1):
            is_class = scope >= 0 and shape.definitions[scope].kind in CLASSES
            if is_class and scope != within and not rules.sees_members:
                continue
            found = _visible(shape, shape.named(scope, name), line)
            if found:
                return self._things(shape, found)
            if is_class and rules.sees_members and (inherited := self._inherited(At(path, scope), name)):
                return inherited
        return self._shared(shape, name, rules)

    def _inherited(self, at: At, name: str) -> Sequence[Value]:
        return [value for value in self.member(Value(at, is_object=True), name) if value.at is not None]

    def _shared(self, shape: Shape, name: str, rules: Rules) -> Sequence[Value]:
        """What a name means that the file itself does not define: by what shares its scope."""
        if rules.around and (found := rules.around(self, shape.path, name)):
            return found
        is_open = False
        for each in shape.imports:
            if each.name == EVERYTHING:
                leads = self.view.leads(shape.path, each)
                is_open = is_open or not leads
                for lead in leads:
                    if lead != shape.path and (found := self.exported(lead, name)):
                        return found
        return [FOREIGN._replace(name=name)] if rules.is_closed and not is_open else []

    def followed(self, path: str, number: int) -> Sequence[Value]:
        """What an import of a file means."""
        shape = self.view.shape(path)
        if shape is None or not 0 <= number < len(shape.imports) or not self._may_go_on():
            return []
        each = shape.imports[number]
        with _Deeper(self):
            special = self.rules(path).imported
            found = special(self, path, each) if special else None
            if found is not None:
                return found
            leads = self.view.leads(path, each)
            if not leads:
                return [FOREIGN._replace(name=each.name or each.text)]
            if not each.name or each.name == EVERYTHING:
                return [Value(At(lead)) for lead in leads]
            return _each_once(value for lead in leads for value in self.exported(lead, each.name))

    def exported(self, path: str, name: str) -> Sequence[Value]:
        """What a name of another file means: what is defined there, or what it imports itself."""
        key = (path, name)
        if key not in self._exported and self._may_go_on():
            self._exported[key] = []  # a name that leads to itself leads nowhere
            shape = self.view.shape(path)
            if shape is not None:
                with _Deeper(self):
                    own = shape.named(-1, name)
                    self._exported[key] = self._things(shape, own) if own else self._passed_on(shape, name)
        return self._exported.get(key, [])

    def _passed_on(self, shape: Shape, name: str) -> Sequence[Value]:
        for each in shape.imports:
            if each.name == EVERYTHING:
                for lead in self.view.leads(shape.path, each):
                    if lead != shape.path and (found := self.exported(lead, name)):
                        return found
        return []

    def evaluated(self, path: str, expression: str, within: int, line: int = 0) -> Sequence[Value]:
        """What an expression stands for at a place."""
        if not self._may_go_on():
            return []
        with _Deeper(self):
            found: list[Value] = []
            for each in alternatives_of(expression):
                found += self._path(path, steps_of(each), within, line)
            return _each_once(found)

    def _path(self, path: str, steps: Sequence[str], within: int, line: int) -> Sequence[Value]:
        if not steps or steps[0] == UNKNOWN:
            return []
        values, rest = self._first(path, steps, within, line)
        for step in rest:
            values = _each_once(found for value in values for found in self._step(path, value, step, within, line))
            if not values:
                return []
        return _each_once(found for value in values for found in self.resolved(value))

    def _first(self, path: str, steps: Sequence[str], within: int, line: int) -> tuple[Sequence[Value], Sequence[str]]:
        first = steps[0]
        if first in ("self", "super") or first in self.rules(path).self_types:
            owner = self.class_around(path, within)
            if owner is None:
                return self.named(path, first, within, line), steps[1:]
            if first == "super":
                bases = [Value(base, is_object=True) for base in self.bases(owner) if base is not None]
                return bases or [FOREIGN], steps[2:] if steps[1:2] == ("()",) else steps[1:]
            return [Value(owner, is_object=first == "self")], steps[1:]
        if first.startswith("@"):
            return self.followed(path, int(first[1:])), steps[1:]
        return self.named(path, first, within, line), steps[1:]

    def _step(self, path: str, value: Value, step: str, within: int, line: int) -> Sequence[Value]:
        found: list[Value] = []
        if step.startswith("<"):
            given = tuple(tuple(self.evaluated(path, each, within, line)) for each in arguments_of(step))
            return [value._replace(arguments=given)]
        for each in self.resolved(value):
            if step == "()":
                found += self.called(each)
            elif step == "[]":
                found += self.element(each)
            else:
                found += self.member(each, step)
        return found

    def resolved(self, value: Value) -> Sequence[Value]:
        """A value; for something that holds one, what that is."""
        if value.at is None or value.is_object or value.at.place < 0:
            return [value]
        definition = self.view.definition(*value.at)
        if definition is None:
            return []
        if definition.kind in CALLABLE or (definition.kind in CLASSES and not definition.type):
            return [value]
        return self._of_owner(self.typed(value.at), value.owner)

    def _of_owner(self, values: Sequence[Value], owner: At | None) -> Sequence[Value]:
        return values

    def typed(self, at: At) -> Sequence[Value]:
        """What the type of a definition says that it holds, or returns when it is called."""
        if at not in self._typed and self._may_go_on():
            self._typed[at] = []  # a type that leads to itself leads nowhere
            definition = self.view.definition(*at)
            if definition is not None and definition.type:
                with _Deeper(self):
                    self._typed[at] = self._told(at, definition)
        return self._typed.get(at, [])

    def _told(self, at: At, definition: Definition) -> Sequence[Value]:
        sign, expression = definition.type[0], definition.type[1:]
        if sign == "@":
            return self.followed(at.path, int(expression))
        values = self.evaluated(at.path, expression, definition.scope, definition.line)
        if sign == "=" or definition.kind in CLASSES:
            return values
        return [value if value.at is None else self._object(value) for value in values]

    def _object(self, value: Value) -> Value:
        return value._replace(is_object=True)

    def called(self, value: Value) -> Sequence[Value]:
        """What calling a value gives."""
        if value.at is None:
            return [value]
        if value.is_object:
            names = self.rules(value.at.path).call_members
            return [found for name in names for each in self.member(value, name) for found in self.called(each)]
        definition = self.view.definition(*value.at)
        if definition is None:
            return []
        if definition.kind in CLASSES:
            return [value._replace(is_object=True)]
        found = self.typed(value.at)
        return [self._own(each, value.owner) for each in found]

    def _own(self, value: Value, owner: At | None) -> Value:
        """What a method says is the object itself is of the class that it was asked of."""
        if owner is None or value.at is None or not value.is_object or value.at == owner:
            return value
        return value

    def element(self, value: Value) -> Sequence[Value]:
        """What an element of a value is."""
        if value.arguments:
            return [self._object(each) if each.at else each for each in value.arguments[-1]]
        if value.at is None:
            return [value]
        if not value.is_object:
            return [value]
        found: list[Value] = []
        for name in self.rules(value.at.path).element_members:
            for each in self.member(value, name):
                returned = self.called(each)
                found += [inner for one in returned for inner in (self.element(one) if one.arguments else [one])]
            if found:
                break
        return found

    def member(self, value: Value, name: str) -> Sequence[Value]:
        """What a name means that is taken out of a value."""
        if value.at is None:
            return self._of_others(value, name)
        if value.at.place < 0:
            return self._module_member(value.at.path, name)
        definition = self.view.definition(*value.at)
        if definition is None or definition.kind in CALLABLE:
            return [FOREIGN] if definition else []
        if definition.kind not in CLASSES:
            held = [each for each in self.resolved(value) if each != value]
            return [found for each in held for found in self.member(each, name)]
        if value.arguments and (found := self._of_others(value, name, is_ours=True)):
            return found
        return [each._replace(owner=value.at) for each in self._inherits(value.at, name)]

    def _of_others(self, value: Value, name: str, *, is_ours: bool = False) -> Sequence[Value]:
        """What collections of others give of what they hold."""
        if value.arguments:
            for rules in (rules_of("python"),):
                if name in rules.elements:
                    return [Value(FOREIGN.at, arguments=value.arguments[-1:], name="()")]
                if name in rules.wholes:
                    return [value]
        return [] if is_ours else [FOREIGN]

    def _module_member(self, path: str, name: str) -> Sequence[Value]:
        found = self.exported(path, name)
        special = self.rules(path).module_member
        return found or (special(self, path, name) if special else [])

    def _inherits(self, at: At, name: str) -> Sequence[Value]:
        """A member of a class: its own, or the nearest of those that it inherits from."""
        key = (at, name)
        if key not in self._members and self._may_go_on():
            self._members[key] = []
            with _Deeper(self):
                self._members[key] = self._found_member(at, name)
        return self._members.get(key, [])

    def _found_member(self, at: At, name: str) -> Sequence[Value]:
        pending, seen, is_open = [at], {at}, False
        while pending and len(seen) <= MOST_CLASSES:
            each = pending.pop(0)
            own = self.own_members(each, name)
            if own:
                return [Value(found) for found in own]
            for base in self.bases(each):
                is_open = is_open or base is None
                if base is not None and base not in seen:
                    seen.add(base)
                    pending.append(base)
        return [FOREIGN] if is_open else []

    def own_members(self, at: At, name: str) -> list[At]:
        """The members of a name that a class has itself."""
        shape, special = self.view.shape(at.path), self.rules(at.path).members
        own = [At(at.path, place) for place in shape.named(at.place, name)] if shape else []
        return own + [each for each in (special(self, at, name) if special else ()) if each not in own]

    def bases(self, at: At) -> list[At | None]:
        """The classes that a class inherits from; None for each that is of others or can't be told."""
        definition = self.view.definition(*at)
        if definition is None:
            return []
        found: list[At | None] = []
        for base in definition.bases:
            values = self.evaluated(at.path, base, definition.parent, definition.line)
            found += [value.at for value in values if value.at != at] or [None]
        special = self.rules(at.path).bases
        return found + list(special(self, at) if special else ())

    def class_around(self, path: str, within: int) -> At | None:
        """The class that encloses a place."""
        shape = self.view.shape(path)
        for place in shape.chain(within) if shape else ():
            if shape and shape.definitions[place].kind in CLASSES:
                return At(path, place)
        return None

    def rules(self, path: str) -> Rules:
        """The rules of a file's language."""
        return rules_of(language_of(path) or "")

    def _things(self, shape: Shape, places: Iterable[int]) -> Sequence[Value]:
        found: list[Value] = []
        for place in places:
            definition = shape.definitions[place]
            if definition.kind == IMPORTED:
                found += self.followed(shape.path, int(definition.type[1:]))
            else:
                found.append(Value(At(shape.path, place)))
        return _each_once(found)

    def _may_go_on(self) -> bool:
        self._steps += 1
        return self._depth < DEEPEST and self._steps < MOST_STEPS


class _Deeper:
    """Counts how deep the answers of a resolver are nested."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    def __enter__(self) -> None:
        self._resolver._depth += 1

    def __exit__(self, *problem: object) -> None:
        self._resolver._depth -= 1


def _visible(shape: Shape, places: Sequence[int], line: int) -> list[int]:
    """Those definitions that are seen on a line; the narrowest where several are."""
    seen = [p for p in places if not shape.definitions[p].visible[0] or _covers(shape.definitions[p], line)]
    narrow = [p for p in seen if shape.definitions[p].visible[0]]
    return narrow or seen


def _covers(definition: Definition, line: int) -> bool:
    return not line or definition.visible[0] <= line <= definition.visible[1]


def _each_once(values: Iterable[Value]) -> Sequence[Value]:
    found: dict[Value, None] = {}
    for value in values:
        found[value] = None
        if len(found) >= MOST_VALUES:
            break
    return list(found)
