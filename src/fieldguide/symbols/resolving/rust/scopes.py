"""What a bare name means in Rust: in the blocks, items and modules around it."""

from collections.abc import Sequence

from fieldguide.symbols.facts import ALIAS, EXTENSION, INNER, MODULE, TYPES
from fieldguide.symbols.resolving.rust.modules import ModuleTree
from fieldguide.symbols.resolving.rust.types import TypeMembers
from fieldguide.symbols.resolving.values import At, Value
from fieldguide.symbols.resolving.view import Shape, View
from fieldguide.symbols.resolving.visibility import covers

OWNERS = TYPES | {EXTENSION}


class Scopes:
    """The scopes of the project's files."""

    def __init__(self, view: View, modules: ModuleTree, members: TypeMembers) -> None:
        self._view = view
        self._modules = modules
        self._members = members

    def owner(self, path: str, within: int) -> Sequence[At] | None:
        """The type whose `impl` or definition is around a place; None where there is none."""
        shape = self._view.shape(path)
        for place in shape.chain(within) if shape else ():
            kind = shape.definitions[place].kind if shape else ""
            if kind == EXTENSION:
                return self._members.owners(At(path, place))
            if kind in TYPES and kind != ALIAS:
                return [At(path, place)]
        return None

    def named(self, path: str, name: str, within: int, line: int) -> Sequence[Value]:
        """What a bare name means at a place."""
        shape = self._view.shape(path)
        if shape is None:
            return []
        for scope in shape.chain(within):
            if shape.definitions[scope].kind == MODULE:
                break
            found = self._in_scope(shape, scope, name, line)
            if found:
                return found
        module = self._modules.around(path, within)
        found_there = self._modules.named(module, name)
        if not found_there:
            crate = self._modules.crate(path, name)
            found_there = (crate,) if crate else ()
        return [Value(at) for at in found_there]

    def _in_scope(self, shape: Shape, scope: int, name: str, line: int) -> Sequence[Value]:
        is_type = shape.definitions[scope].kind in OWNERS
        places = [p for p in shape.named(scope, name) if not is_type or shape.definitions[p].kind in INNER]
        seen = [p for p in places if covers(shape.definitions[p], line)]
        last = max(seen, key=lambda p: shape.definitions[p].visible[0], default=None)
        if last is None:
            return []
        definition = shape.definitions[last]
        if definition.kind == "import":
            module = self._modules.around(shape.path, scope)
            each = shape.imports[int(definition.type[1:])]
            return [Value(at) for at in self._modules.imported(module, each)]
        return [Value(At(shape.path, last))]
