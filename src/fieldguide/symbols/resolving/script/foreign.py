"""What lists, promises and maps of the language give of what they hold."""

from fieldguide.symbols.resolving.script.kinds_of_types import Callback, Foreign, Types

LISTS = frozenset(("Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "IterableIterator", "AsyncIterable",
                   "AsyncGenerator", "Generator", "Iterator", "ArrayIterator", "SetIterator", "Tuple", "WeakSet",
                   "AsyncIterableIterator", "QueryList", "NodeListOf"))  # fmt: skip
MAPS = frozenset(("Map", "ReadonlyMap", "Record", "WeakMap", "Index"))
COLLECTIONS = LISTS | MAPS
PROMISES = frozenset(("Promise", "PromiseLike", "Awaited", "Observable", "BehaviorSubject", "ReplaySubject", "Subject",
                      "Signal", "WritableSignal", "Ref", "ComputedRef", "ShallowRef", "RefObject", "MutableRefObject",
                      "InputSignal", "ModelSignal", "ComponentFixture"))  # fmt: skip
SAME = frozenset(("Partial", "Required", "Readonly", "NonNullable", "Omit", "Pick", "Exclude", "Extract", "DeepPartial",
                  "DeepReadonly", "DeepRequired", "Writable", "Mutable", "NoInfer", "PropsWithChildren", "Awaited",
                  "Immutable", "Draft", "Optional", "RequiredDeep", "PartialDeep", "WeakRef"))  # fmt: skip
COMPONENTS = frozenset(("FC", "FunctionComponent", "ComponentType", "React.FC", "React.FunctionComponent",
                        "React.ComponentType", "VFC"))  # fmt: skip
ONE = frozenset(("find", "pop", "shift", "at", "findLast", "get", "next", "value"))
AS_MANY = frozenset(("filter", "slice", "concat", "reverse", "sort", "splice", "toSorted", "toReversed", "values",
                     "with", "pipe", "asObservable", "catch", "finally", "tap", "asReadonly"))  # fmt: skip
ASKING = frozenset(("map", "filter", "find", "forEach", "some", "every", "flatMap", "findIndex", "findLast",
                    "findLastIndex", "subscribe", "then", "sort", "toSorted", "update", "next"))  # fmt: skip
TAKING = frozenset(("push", "unshift", "add", "includes", "indexOf", "has", "delete", "set", "next", "fill",
                    "resolve"))  # fmt: skip
"""Methods that are given what is held."""

MAPPING = frozenset(("map", "flatMap", "then"))
"""Methods that give as many of what their function gives."""
MAKING = frozenset(("useMemo", "computed", "untracked", "runInInjectionContext", "act", "inject", "viewChild"))
"""Functions that give what they make by calling what they are given."""
PASSING = frozenset(("useCallback", "memo", "forwardRef", "freeze", "seal", "toRaw", "unref", "structuredClone",
                     "assign", "firstValueFrom", "lastValueFrom", "resolve", "markRaw", "reactive",
                     "readonly"))  # fmt: skip
"""Functions that give back what they are given."""
WRAPPING = {
    "ref": "Ref",
    "shallowRef": "Ref",
    "signal": "Signal",
    "useState": "Tuple",
    "useRef": "RefObject",
    "of": "Observable",
}
"""Functions that wrap what they are given."""


def holds(each: Foreign) -> Types:
    """What a collection or a promise holds."""
    if not each.arguments:
        return ()
    if each.name == "Tuple":
        return tuple(found for some in each.arguments for found in some)
    return each.arguments[-1] if each.name in MAPS else each.arguments[0]


def called(each: Foreign) -> Types:
    """What calling something of the language gives: a method of a collection gives what that holds."""
    if not each.owner:
        return holds(each) if each.name in PROMISES else ()
    whole = each.owner[0]
    if not isinstance(whole, Foreign):
        return ()
    if each.name in ONE:
        return holds(whole)
    listed = _listed(each.name, whole)
    if listed is not None:
        return (Foreign("Array", listed),)
    return (whole,) if each.name in AS_MANY else ()


def _listed(name: str, whole: Foreign) -> tuple[Types, ...] | None:
    """What is in the list that a method of a collection gives; None where it gives none, or the same again."""
    if name == "entries" and whole.arguments:
        return ((Foreign("Tuple", (whole.arguments[0] if len(whole.arguments) > 1 else (), holds(whole))),),)
    if whole.name not in MAPS:
        return None
    if name == "keys":
        return whole.arguments[:1]
    return (holds(whole),) if name == "values" else None


def parameter(each: Foreign, number: int) -> Types:
    """What something of the language takes at a place."""
    if each.name in COMPONENTS and each.arguments:
        return each.arguments[0] if number == 0 else ()
    whole = each.owner[0] if each.owner else None
    return _taken(each.name, whole, number) if isinstance(whole, Foreign) else ()


def _taken(name: str, whole: Foreign, number: int) -> Types:
    """What a method of a collection takes at a place."""
    held = holds(whole)
    if name == "reduce":
        return (Callback(((), held)),)
    if name in ASKING and number == 0:
        return (Callback((held, held if name in ("sort", "toSorted") else ())),)
    is_held = name in TAKING and (whole.name not in MAPS or number == 1)
    return held if is_held else ()
