"""What Rust's standard library gives of what it holds: `Option<Foo>` a `Foo`, `Vec<Foo>` as many.

A value of others is told by its name and the types that it was given; nothing else of the library is known.
"""

from collections.abc import Sequence

from fieldguide.symbols.resolving.values import Value

SAME = "()same"
"""The name of a method that gives the object that it was asked of."""
INNER = "()inner"
"""The name of a method that gives what is held."""

SAMES = frozenset((
    "as_deref", "as_deref_mut", "as_mut", "as_ref", "as_slice", "borrow", "borrow_mut", "chain", "clone", "cloned",
    "collect", "context", "copied", "deref", "drain", "err_into", "expect", "filter", "inspect_err",
    "into_iter", "iter", "iter_mut", "lock", "map_err", "ok", "or", "or_else", "peekable", "read", "rev", "skip",
    "skip_while", "take", "take_while", "to_owned", "to_vec", "unwrap", "values", "values_mut", "with_context",
    "wrap_err", "write",
))  # fmt: skip
"""Methods that give the same, or a container of the same."""
INNERS = frozenset((
    "expect", "expect_err", "into_inner", "unwrap", "unwrap_or", "unwrap_or_default", "unwrap_or_else",
))  # fmt: skip
OPTIONALS = frozenset((
    "first", "first_mut", "get", "get_mut", "last", "last_mut", "max", "min", "next", "nth", "peek", "pop", "pop_back",
    "pop_front", "recv", "remove", "try_recv", "find", "max_by_key", "min_by_key",
))  # fmt: skip
HOLDING_ONE = frozenset(
    ("Option", "Result", "Mutex", "RwLock", "RefCell", "Cell", "OnceCell", "OnceLock", "LazyLock", "Weak")
)
MAPS = frozenset(("HashMap", "BTreeMap", "IndexMap"))
VALUES = frozenset(("values", "values_mut", "into_values"))
GUARDS = frozenset(("Mutex", "RwLock", "RefCell"))
GUARDED = frozenset(("lock", "read", "write", "borrow", "borrow_mut", "get_mut", "try_lock"))


def held(value: Value, step: str) -> Sequence[Value]:
    """What a step gives of a value of others; nothing where that is not known."""
    if value.name.startswith(SAME):
        return [value._replace(name=value.name[len(SAME) :])] if step == "()" else []
    if value.name.startswith(INNER):
        return _inner(value) if step == "()" else []
    if not value.arguments:
        return []
    if step.isdigit():
        return value.arguments[int(step)] if value.name == "tuple" and int(step) < len(value.arguments) else []
    return _elements(value) if step == "[]" else _method(value, step)


def _method(value: Value, name: str) -> Sequence[Value]:
    """A method of the library, by the name of what calling it gives."""
    if _gives_inner(value.name, name):
        return [value._replace(name=INNER)]
    if name in OPTIONALS and value.name not in HOLDING_ONE:
        return [Value(None, arguments=value.arguments[-1:], name=f"{SAME}Option")]
    if name in VALUES and value.name in MAPS:
        return [Value(None, arguments=value.arguments[-1:], name=f"{SAME}Vec")]
    return [value._replace(name=SAME + value.name)] if name in SAMES else []


def _gives_inner(type_name: str, name: str) -> bool:
    return (type_name in GUARDS and name in GUARDED) or (type_name in HOLDING_ONE and name in INNERS)


def is_same(value: Value, name: str) -> bool:
    """Whether a method that a type of the project does not have gives the object itself, as those of guards do."""
    return value.is_object and name in SAMES


def _inner(value: Value) -> Sequence[Value]:
    return value.arguments[0] if value.arguments else []


def _elements(value: Value) -> Sequence[Value]:
    if value.name in MAPS and len(value.arguments) > 1:
        return [Value(None, is_object=True, arguments=value.arguments, name="tuple")]
    return value.arguments[0] if value.arguments else []
