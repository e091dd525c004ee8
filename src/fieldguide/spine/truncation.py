"""Truncates lists and texts of an answer to a token budget and says what was left out."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, cast

from fieldguide.spine.tool import Answer, Tool
from fieldguide.text.tokens import MOST_TOKENS, fit, fits, truncate_to_tokens

NOTE_TOKENS = 200  # what is said about a cut counts too
SHORTEST_TEXT = 40
MOST_TRIES = 200

Write = Callable[[Any], str]


class TruncationPlace(NamedTuple):
    """A list or a text in a value: what holds it, under which key, about how many characters it has, its name."""

    holder: Any
    key: Any
    size: int
    name: str
    is_text: bool


def truncate_answer(tool: Tool, answer: Answer, most: int = MOST_TOKENS) -> Answer:
    """An answer that counts for no more tokens than `most`; one that its tool gives whole stays as it is."""
    if tool.wording.is_whole or answer.is_error or fits(answer.text, most):
        return answer

    def write(held: Any) -> str:
        value = held[""]
        return value if isinstance(value, str) else tool.wording.write(value)

    held, said = truncate({"": answer.value if answer.value is not None else answer.text}, write, most - NOTE_TOKENS)
    value = held[""]
    if not fits(write(held), most - NOTE_TOKENS):  # it has neither lists nor texts that could be cut
        value = truncate_to_tokens(answer.text, most - NOTE_TOKENS)
        said = [*said, "it ends before its end"]
    note = f"Cut to fit {most:,} tokens: {'; '.join(said)}. Ask for less at a time."
    if isinstance(value, dict):
        value = {**cast("dict[str, Any]", value), "cut": note}
        return Answer(text=tool.wording.write(value), value=value)
    text = value if isinstance(value, str) else tool.wording.write(value)
    blocks = ({"type": "text", "text": text}, {"type": "text", "text": note})
    return Answer(text=text, value=None if isinstance(value, str) else value, blocks=blocks)


def truncate(value: Any, write: Write, most: int) -> tuple[Any, list[str]]:
    """A copy of a value that fits, and what was left out of it: lists lose their last items before texts are cut."""
    value = _copy(value)
    said: dict[str, str] = {}
    for _ in range(MOST_TRIES):
        if fits(write(value), most):
            break
        place = _largest(value)
        if place is None:
            break
        _shorten(value, place, write, most, said)
    return value, list(said.values())


def _shorten(value: Any, place: TruncationPlace, write: Write, most: int, said: dict[str, str]) -> None:
    whole: Any = place.holder[place.key]
    if isinstance(whole, str):
        for each in _places(value):
            if each.is_text and 2 * each.size > place.size:
                each.holder[each.key] = f"{each.holder[each.key][: place.size // 2]}…"
        said["texts"] = "long texts end with …"
        return

    def written(items: Any) -> str:
        place.holder[place.key] = items
        return write(value)

    kept = fit(whole, most, written) or whole[:1]
    place.holder[place.key] = kept
    said[place.name] = f"the first {len(kept)} of {len(whole)} {place.name or 'items'} are given"


def _largest(value: Any) -> TruncationPlace | None:
    """The largest list of more than one item, or the longest text, where that is most of it all."""
    places = list(_places(value))
    lists = [each for each in places if not each.is_text]
    text = max((each for each in places if each.is_text), key=lambda each: each.size, default=None)
    if lists and (text is None or 2 * text.size < sum(each.size for each in places if each.is_text)):
        return max(lists, key=lambda each: each.size)
    return text


def _places(value: Any) -> Iterator[TruncationPlace]:
    """Every list with more than one item and every long text below a value, the outermost first."""
    pending: list[tuple[Any, str]] = [(value, "")]
    while pending:
        holder, name = pending.pop()
        for key, each in _parts(holder):
            named = key if isinstance(key, str) else name
            if isinstance(each, str) and len(each) > SHORTEST_TEXT:
                yield TruncationPlace(holder, key, len(each), named, is_text=True)
            elif isinstance(each, dict | list):
                pending.append((cast("Any", each), named))
                if isinstance(each, list) and len(_parts(each)) > 1:
                    yield TruncationPlace(holder, key, len(str(cast("Any", each))), named, is_text=False)


def _parts(holder: Any) -> list[tuple[Any, Any]]:
    items = getattr(holder, "items", None)
    return list(enumerate(cast("list[Any]", holder))) if items is None else list(items())


def _copy(value: Any) -> Any:
    """A value whose objects and lists can be changed; our answers are nested a few levels."""
    if isinstance(value, dict):
        return {key: _copy(each) for key, each in _parts(cast("Any", value))}
    if isinstance(value, list | tuple):
        return [_copy(each) for _, each in _parts(cast("Any", value))]
    return value
