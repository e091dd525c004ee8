"""A match, with places counted in characters, as in `re`."""

from typing import TYPE_CHECKING, Any, AnyStr, Generic, cast

if TYPE_CHECKING:
    from fieldguide.linear_regex.pattern import Pattern

Span = tuple[int, int]


class Match(Generic[AnyStr]):
    """A match in a text."""

    __slots__ = ("_names", "_spans", "re", "string")
    re: "Pattern[AnyStr]"
    string: AnyStr

    def __init__(self, pattern: "Pattern[AnyStr]", string: AnyStr, spans: list[Span], names: dict[str, int]) -> None:
        self.re = pattern
        self.string = string
        self._spans = spans
        self._names = names

    def group(self, group: int | str = 0) -> AnyStr | Any:
        """The text of a group, of the whole match where none is named; None where the group took no part."""
        start, end = self.span(group)
        return self.string[start:end] if start >= 0 else None

    __getitem__ = group

    def groups(self, default: AnyStr | None = None) -> tuple[AnyStr | Any, ...]:
        """The texts of all groups."""
        return tuple(self.string[start:end] if start >= 0 else default for start, end in self._spans[1:])

    def groupdict(self, default: AnyStr | None = None) -> dict[str, AnyStr | Any]:
        """The texts of the groups that have names."""
        groups = self.groups(default)
        return {name: groups[number - 1] for name, number in self._names.items()}

    def start(self, group: int | str = 0) -> int:
        """Where a group begins; -1 if it took no part."""
        return self.span(group)[0]

    def end(self, group: int | str = 0) -> int:
        """Where a group ends; -1 if it took no part."""
        return self.span(group)[1]

    def span(self, group: int | str = 0) -> Span:
        """Where a group begins and ends."""
        return self._spans[self._names[group] if isinstance(group, str) else group]

    def expand(self, template: AnyStr) -> AnyStr:
        """A template with `\\1` to `\\9` replaced by the groups."""
        given = cast("Any", template)
        mark = "\\" if isinstance(template, str) else b"\\"
        if mark not in given:
            return template
        first, *others = given.split(mark)
        pieces = [first]
        for other in others:
            pieces += [self.group(int(other[:1])) or given[:0], other[1:]]
        return cast("AnyStr", given[:0].join(pieces))

    @property
    def lastgroup(self) -> str | None:
        """The name of the group that was closed last; of the outer one, if two were closed at once."""
        last, number = -1, 0
        for each, (_, end) in enumerate(self._spans[1:], start=1):
            if end > last:
                last, number = end, each
        return next((name for name, each in self._names.items() if each == number), None)
