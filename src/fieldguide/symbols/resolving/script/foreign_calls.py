"""What well-known functions of the language and of packages give, by their names and by what they are given."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fieldguide.symbols.resolving.script import foreign
from fieldguide.symbols.resolving.script.kinds_of_types import Foreign, Types, few

if TYPE_CHECKING:
    from fieldguide.symbols.resolving.script.calls import Calls

LISTING = frozenset(("values", "entries", "all", "from"))


class _Call(NamedTuple):
    what: Foreign
    arguments: tuple[Types, ...]
    """The types that it is given."""
    values: Sequence[Types]

    @property
    def first(self) -> Types:
        """The types of the first argument."""
        return self.values[0] if self.values else ()


class ForeignCalls:
    """Knows functions of others for what calls values."""

    def __init__(self, calls: "Calls") -> None:
        self._calls = calls
        self._known: dict[str, Callable[[_Call], Types | None]] = {
            **dict.fromkeys(foreign.MAPPING, self._mapped),
            **dict.fromkeys(foreign.MAKING, self._made),
            **dict.fromkeys(foreign.PASSING, lambda call: call.first),
            **dict.fromkeys(foreign.WRAPPING, self._wrapped),
            **dict.fromkeys(LISTING, self._listed),
            "reduce": lambda call: call.values[1] if len(call.values) > 1 else None,
        }

    def given(self, each: Foreign, arguments: tuple[Types, ...], values: Sequence[Types]) -> Types | None:
        """What a call gives; None where its name says nothing of that."""
        known = self._known.get(each.name)
        return known(_Call(each, arguments, values)) if known else None

    def _mapped(self, call: _Call) -> Types | None:
        if not call.what.owner:
            return None
        made, whole = self._made(call), call.what.owner[0]
        is_promise = isinstance(whole, Foreign) and whole.name in foreign.PROMISES
        return (Foreign("Promise" if is_promise else "Array", (made,)),) if made else ()

    def _made(self, call: _Call) -> Types:
        return few([found for one in call.first for found in self._calls.called(one)])

    def _wrapped(self, call: _Call) -> Types | None:
        return None if call.arguments else (Foreign(foreign.WRAPPING[call.what.name], (call.first,)),)

    def _listed(self, call: _Call) -> Types | None:
        """`Object.values(x)`, `Object.entries(x)`, `Array.from(x)`, `Promise.all(x)`."""
        if not call.first or _is_of_list(call.what):
            return None
        held = few([found for one in call.first for found in self._calls.element(one, "")])
        if call.what.name == "entries":
            held = (Foreign("Tuple", ((), held)),)
        if call.what.name == "all":
            held = few(
                [found for one in held for found in (foreign.holds(one) if isinstance(one, Foreign) else (one,))]
            )
        return (Foreign("Array", (held,)),)


def _is_of_list(each: Foreign) -> bool:
    """Whether a method was taken out of something that holds something."""
    return bool(each.owner) and isinstance(each.owner[0], Foreign) and bool(each.owner[0].arguments)
