"""Resolves a name at its place by scopes, imports, class members and the type of the expression before it.

What is found so is certain. Nothing is guessed: an empty answer says that nobody can tell. Every loop is bounded, and
an expression that leads to itself leads nowhere.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import SymbolDefinition, SymbolReference
from fieldguide.code.symbols.resolvers.rules import LanguageResolver, LanguageRules, load_rules
from fieldguide.code.symbols.resolvers.values import (
    FOREIGN,
    BoundedSearch,
    DefinitionPlace,
    ResolvedValue,
    as_objects,
    deduplicate,
    remember,
    split_alternatives,
    split_arguments,
    split_expression_steps,
    walk_nearest_first,
)
from fieldguide.code.symbols.resolvers.view import FileShape, SymbolView, filter_visible
from fieldguide.files.kinds import language_of

SELF = "self"
SUPER = "super"
MOST_CLASSES = 40


class SymbolResolver(BoundedSearch):
    """Answers for one question; what it found out is kept that long."""

    def __init__(self, view: SymbolView) -> None:
        self.view = view
        self.remembered: dict[Any, Any] = {}
        """What the rules of a language found out."""
        self._here = ""
        self._own_ways: dict[Any, LanguageResolver] = {}

    def has_run_out(self) -> bool:
        """Whether it, or what answers for a language, took so many steps that later answers lack something."""
        return super().has_run_out() or any(each.has_run_out() for each in self._own_ways.values())

    def meant(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
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
        return deduplicate(found for value in values for found in self.member(value, each.name))

    def named(self, path: str, name: str, within: int, line: int = 0) -> Sequence[ResolvedValue]:
        """What a bare name means at a place."""
        shape = self.view.shape(path)
        rules = self.rules(path)
        for scope in (*shape.chain(within), -1):
            is_class = scope >= 0 and shape.definitions[scope].kind in facts.TYPES
            if is_class and not (rules.body_sees_members if scope == within else rules.sees_members):
                continue
            found = filter_visible(shape, shape.named(scope, name), line)
            if found:
                return self._things(shape, found)
            if is_class and rules.sees_members:
                owner = ResolvedValue(DefinitionPlace(path, scope), is_object=True)
                inherited = [value for value in self.member(owner, name) if value.at is not None]
                if inherited:
                    return inherited
        if rules.around and (shared := rules.around(self, path, name)):
            return shared
        passed_on, is_open = self._passed_on(shape, name)
        return passed_on or ([FOREIGN._replace(name=name)] if rules.is_closed and not is_open else [])

    def followed(self, path: str, number: int) -> Sequence[ResolvedValue]:
        """What an import of a file means."""
        shape = self.view.shape(path)
        if not 0 <= number < len(shape.imports) or not self.may_go_on():
            return []
        each = shape.imports[number]
        with self.deeper():
            special = self.rules(path).imported
            found = special(self, path, each) if special else None
            if found is not None:
                return found
            leads = self.view.leads(path, each)
            if not leads:
                return [FOREIGN._replace(name=each.name or each.text)]
            if not each.name or each.name == facts.EVERYTHING:
                return [ResolvedValue(DefinitionPlace(lead)) for lead in leads]
            return deduplicate(value for lead in leads for value in self.exported(lead, each.name))

    @remember((), is_bounded=True)
    def exported(self, path: str, name: str) -> Sequence[ResolvedValue]:
        """What a name of another file means: what is defined there, or what it imports itself."""
        shape = self.view.shape(path)
        own = shape.named(-1, name)
        return self._things(shape, own) if own else self._passed_on(shape, name)[0]

    def class_around(self, path: str, within: int) -> DefinitionPlace | None:
        """The class that encloses a place."""
        return self.view.around(path, within, facts.TYPES)

    def own_way(self, path: str) -> LanguageResolver | None:
        """What answers for a language whose names lead in ways of their own."""
        make = self.rules(path).own_way
        if make is not None and make not in self._own_ways:
            self._own_ways[make] = make(self)
        return None if make is None else self._own_ways[make]

    @remember(None)
    def rules(self, path: str) -> LanguageRules:
        """The rules of a file's language."""
        return load_rules(language_of(path) or "")

    def rules_here(self) -> LanguageRules:
        """The rules of the file that is asked about."""
        return self.rules(self._here)

    def _passed_on(self, shape: FileShape, name: str) -> tuple[Sequence[ResolvedValue], bool]:
        """What a name means by an import of everything; and whether one of those leads where nobody can look."""
        is_open = False
        for each in shape.imports:
            if each.name == facts.EVERYTHING:
                leads = self.view.leads(shape.path, each)
                is_open = is_open or not leads
                for lead in leads:
                    if lead != shape.path and (found := self.exported(lead, name)):
                        return found, is_open
        return [], is_open

    def _things(self, shape: FileShape, places: Iterable[int]) -> Sequence[ResolvedValue]:
        found: list[ResolvedValue] = []
        for place in places:
            definition = shape.definitions[place]
            if definition.kind == facts.IMPORTED and definition.type.startswith("@"):
                found += self.followed(shape.path, int(definition.type[1:]))
            else:
                found.append(ResolvedValue(DefinitionPlace(shape.path, place)))
        return deduplicate(found)

    def member(self, value: ResolvedValue, name: str) -> Sequence[ResolvedValue]:
        """What a name means that is taken out of a value."""
        if value.at is None:
            return self._held(value, name) or [FOREIGN]
        if value.at.place < 0:
            path = value.at.path
            special = self.rules(path).module_member
            return self.exported(path, name) or (special(self, path, name) if special else [])
        definition = self.view.at(value.at)
        if definition.kind in facts.TYPES:
            found = self._held(value, name)
            return found or [each._replace(owner=value.at) for each in self.inherited(value.at, name)]
        if definition.kind in facts.CALLABLE:
            return [FOREIGN]
        held = [each for each in self.resolved(value) if each != value]
        return [found for each in held for found in self.member(each, name)]

    @remember((), is_bounded=True)
    def inherited(self, at: DefinitionPlace, name: str) -> Sequence[ResolvedValue]:
        """A member of a class: its own, or the nearest of those that it inherits from."""
        given: list[DefinitionPlace] = []
        is_open = False
        for each in walk_nearest_first(at, self.known_bases, MOST_CLASSES):
            own = self.own_members(each, name)
            first = self.view.at(own[0] if own else None)
            is_given = first.kind == facts.FIELD and not first.type.startswith(":")
            if own and not (is_given and self.rules(each.path).gives_fields):  # else one may be declared above
                return [ResolvedValue(found) for found in own]
            given = given or own
            is_open = is_open or None in self.bases(each)
        if given:
            return [ResolvedValue(found) for found in given]
        return [FOREIGN] if is_open else []

    def own_members(self, at: DefinitionPlace, name: str) -> list[DefinitionPlace]:
        """The members of a name that a class has itself."""
        special = self.rules(at.path).members
        own = self.view.named(at, name)
        return own + [each for each in (special(self, at, name) if special else ()) if each not in own]

    @remember(())
    def bases(self, at: DefinitionPlace) -> Sequence[DefinitionPlace | None]:
        """The classes that a class inherits from; None for each that is of others or can't be told."""
        definition = self.view.at(at)
        own_way = self.own_way(at.path)
        if own_way is not None and (own := own_way.bases(at)) is not None:
            return own
        found: list[DefinitionPlace | None] = []
        for base in definition.bases:
            values = self.evaluated(at.path, base, definition.parent, definition.line)
            found += [value.at for value in values if value.at != at] or [None]
        return found

    def known_bases(self, at: DefinitionPlace) -> list[DefinitionPlace]:
        """The classes of the project that a class inherits from."""
        return [base for base in self.bases(at) if base is not None]

    def _held(self, value: ResolvedValue, name: str) -> Sequence[ResolvedValue]:
        """What collections give of what they hold."""
        if not value.arguments:
            return []
        rules = self.rules_here()
        if name in rules.elements:
            return [ResolvedValue(None, arguments=value.arguments[-1:], name=name)]
        return [value] if name in rules.wholes else []

    def evaluated(self, path: str, expression: str, within: int, line: int = 0) -> Sequence[ResolvedValue]:
        """What an expression stands for at a place."""
        own_way = self.own_way(path)
        if own_way is not None and (own := own_way.evaluated(path, expression, within, line)) is not None:
            return own
        return self._evaluated(path, expression, within, line)

    @remember((), is_bounded=True)
    def _evaluated(self, path: str, expression: str, within: int, line: int) -> Sequence[ResolvedValue]:
        steps = map(split_expression_steps, split_alternatives(expression))
        return deduplicate([found for each in steps for found in self._path(path, each, within, line)])

    def resolved(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """A value; for something that holds one, what that is."""
        if value.at is None or value.is_object or value.at.place < 0:
            return [value]
        definition = self.view.at(value.at)
        if definition.kind in facts.CALLABLE or (definition.kind in facts.TYPES and not definition.type):
            return [value]
        return self.typed(value.at)

    @remember((), is_bounded=True)
    def typed(self, at: DefinitionPlace) -> Sequence[ResolvedValue]:
        """What the type of a definition says that it holds, or returns when it is called."""
        definition = self.view.at(at)
        if not definition.type:
            return []
        sign = definition.type[0]
        expression = definition.type[1:]
        if sign == "@":
            return self.followed(at.path, int(expression))
        values = self.evaluated(at.path, expression, definition.scope, definition.line)
        if sign == "=" or definition.kind in facts.TYPES:
            return values
        stands_for_any = self.rules(at.path).type_variables
        return as_objects(value for value in values if value.at is not None or value.name not in stands_for_any)

    def called(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """What calling a value gives."""
        if value.at is None:
            rules = self.rules_here()
            if value.arguments and (value.name in rules.classes or value.name in rules.elements):
                return as_objects(value.arguments[-1])
            return [value]
        if value.is_object:
            names = self.rules(value.at.path).call_members
            return [found for name in names for found in self._returned(value, name)]
        definition = self.view.at(value.at)
        if definition.kind in facts.TYPES:
            return [value._replace(is_object=True)]
        if value.owner is not None and self._is_self(value.at.path, definition.type[1:]):
            return [ResolvedValue(value.owner, is_object=True)]
        return self.typed(value.at)

    def _returned(self, value: ResolvedValue, name: str) -> list[ResolvedValue]:
        """What a method of an object returns."""
        return [found for each in self.member(value, name) for found in self.called(each)]

    def _is_self(self, path: str, told: str) -> bool:
        return told == SELF or told in self.rules(path).self_types

    def made(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """What naming its fields makes of a value: an object, unless its class says itself how one is made."""
        if value.at is None or self.view.at(value.at).kind not in facts.TYPES:
            return [FOREIGN]
        names = self.rules(value.at.path).constructors
        is_own = any(found.at is not None for name in names for found in self.inherited(value.at, name))
        return [FOREIGN] if is_own else [value._replace(is_object=True)]

    def element(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """What an element of a value is."""
        if value.arguments:
            return as_objects(value.arguments[-1])
        if value.at is None or not value.is_object:
            return [value]
        for name in self.rules(value.at.path).element_members:
            returned = self._returned(value, name)
            found = [inner for one in returned for inner in (self.element(one) if one.arguments else [one])]
            if found:
                return found
        return []

    def _path(self, path: str, steps: Sequence[str], within: int, line: int) -> Sequence[ResolvedValue]:
        if not steps or steps[0] == facts.UNKNOWN:
            return []
        values, rest = self._first(path, steps, within, line)
        for step in rest:
            values = deduplicate(found for value in values for found in self._step(path, value, step, within, line))
            if not values:
                return []
        return deduplicate(found for value in values for found in self.resolved(value))

    def _first(
        self, path: str, steps: Sequence[str], within: int, line: int
    ) -> tuple[Sequence[ResolvedValue], Sequence[str]]:
        first = steps[0]
        if first == SUPER or self._is_self(path, first):
            owner = self.class_around(path, within)
            if owner is not None and first != SUPER:
                return [ResolvedValue(owner, is_object=first == SELF)], steps[1:]
            if owner is not None:  # the object as its base classes see it
                bases = [ResolvedValue(base, is_object=True) for base in self.bases(owner) if base is not None]
                is_called = len(steps) > 1 and steps[1].startswith("(")
                return bases or [FOREIGN], steps[1 + is_called :]
        elif first.startswith("@"):
            return self.followed(path, int(first[1:])), steps[1:]
        return self.named(path, first, within, line), steps[1:]

    def _step(self, path: str, value: ResolvedValue, step: str, within: int, line: int) -> Sequence[ResolvedValue]:
        if step.startswith("<"):
            given = tuple(tuple(self.evaluated(path, each, within, line)) for each in split_arguments(step))
            return [value._replace(arguments=given)]
        found: list[ResolvedValue] = []
        for each in self.resolved(value):
            if step.startswith("("):
                found += self.called(each)
            elif step == "[]":
                found += self.element(each)
            elif step == "{}":
                found += self.made(each)
            else:
                found += self.member(each, step)
        return found


MOST_RELATED = 100
OWNERS = facts.TYPES | {facts.EXTENSION}
MOST_FILES = 200


def find_same(resolver: SymbolResolver, at: DefinitionPlace) -> list[DefinitionPlace]:
    """The definitions that are one with a definition: overloads, setters, and where a field is given values.

    A field that a class only gives a value is the one that a class above it declares, and so are those of its other
    heirs.
    """
    view = resolver.view
    definition = view.at(at)
    own_way = resolver.own_way(at.path)
    rules = resolver.rules(at.path)
    group = own_way.group(at) if own_way else None
    if group is not None:
        return list(group)
    own = view.named(DefinitionPlace(at.path, definition.parent), definition.name)
    own += own_way.twins(at) if own_way else ()
    if not rules.gives_fields or not _is_given(definition):
        return own
    inherited = resolver.inherited(DefinitionPlace(at.path, definition.parent), definition.name)
    declared = [value.at for value in inherited if value.at is not None]
    if not declared or declared[0] in own:
        return own
    heirs = find_overriding(resolver, declared[0])
    given = [each for each in heirs if _is_given(view.at(each))]
    return list(dict.fromkeys((*own, *declared, *given)))


def _is_given(definition: SymbolDefinition) -> bool:
    """Whether a field is one because a method gives it a value."""
    is_declared = definition.type.startswith(":")
    return definition.kind == facts.FIELD and not is_declared and definition.scope != definition.parent


def find_overridden(resolver: SymbolResolver, at: DefinitionPlace) -> list[DefinitionPlace]:
    """The members of the same name in the classes above; of a class, those classes."""
    return _alike(resolver, at, find_ancestors)


def find_overriding(resolver: SymbolResolver, at: DefinitionPlace) -> list[DefinitionPlace]:
    """The members of the same name in the classes below; of a class, those classes."""
    return _alike(resolver, at, find_descendants)


def _alike(
    resolver: SymbolResolver,
    at: DefinitionPlace,
    family: Callable[[SymbolResolver, DefinitionPlace], list[DefinitionPlace]],
) -> list[DefinitionPlace]:
    definition = resolver.view.at(at)
    if definition.kind in facts.TYPES:
        return family(resolver, at)
    owner = DefinitionPlace(at.path, definition.parent)
    return [found for each in family(resolver, owner) for found in resolver.own_members(each, definition.name)]


def find_ancestors(resolver: SymbolResolver, at: DefinitionPlace) -> list[DefinitionPlace]:
    """The classes that a class inherits from, the nearest first."""

    def bases(each: DefinitionPlace) -> list[DefinitionPlace]:
        unnamed = resolver.rules(each.path).implemented
        named = [base for base in resolver.bases(each) if base is not None]
        return [*named, *(unnamed(resolver, each) if unnamed else ())]

    return _reached(at, bases)


def find_descendants(resolver: SymbolResolver, at: DefinitionPlace) -> list[DefinitionPlace]:
    """The classes that inherit from a class, the nearest first."""

    def heirs(each: DefinitionPlace) -> list[DefinitionPlace]:
        unnamed = resolver.rules(each.path).implementing
        return [*_heirs(resolver, each), *(unnamed(resolver, each) if unnamed else ())]

    return _reached(at, heirs)


def _reached(
    at: DefinitionPlace, beyond: Callable[[DefinitionPlace], Iterable[DefinitionPlace]]
) -> list[DefinitionPlace]:
    """The classes that a class leads to; once there are many, no more are asked for theirs."""
    found: dict[DefinitionPlace, None] = {}
    pending = [at]
    while pending and len(found) < MOST_RELATED:
        for each in beyond(pending.pop(0)):
            if each != at and each not in found:
                found[each] = None
                pending.append(each)
    return list(found)


def _heirs(resolver: SymbolResolver, at: DefinitionPlace) -> list[DefinitionPlace]:
    view = resolver.view
    definition = view.at(at)
    if definition.kind not in facts.TYPES:
        return []
    found: list[DefinitionPlace] = []
    language = language_of(at.path)
    for file in view.inheriting(definition.name, MOST_FILES):
        definitions = view.shape(file.path).definitions
        for place in [place for place, (_, kind, _) in enumerate(definitions.heads()) if kind in OWNERS]:
            is_likely = any(_names_type(base, definition, language) for base in definitions[place].bases)
            if is_likely and at in resolver.bases(heir := DefinitionPlace(file.path, place)):
                found.append(heir)
    return found


def _names_type(base: str, definition: SymbolDefinition, language: str | None) -> bool:
    """Whether an expression may name a type; a type of C# with type parameters is another than one without."""
    given = f"{definition.name}<"
    is_alike = language != "csharp" or (given in base) == (given in definition.signature)
    return is_alike and definition.name in base
