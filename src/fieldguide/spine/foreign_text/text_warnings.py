"""What a reader is told about a project's text that is given as it is: what a person does not see, and what lets in."""

from collections.abc import Iterable

from fieldguide.secret_values import secret_value_kinds
from fieldguide.spine.foreign_text.hidden_text import hidden_text_warnings


def text_warnings(texts: Iterable[str]) -> list[str]:
    """A sentence for hidden characters and one for values that look like live secrets; none for ordinary text."""
    given = list(texts)
    return [*hidden_text_warnings(given), *secret_value_warnings(given)]


def secret_value_warnings(texts: Iterable[str]) -> list[str]:
    """One sentence for the values in these texts that look like live secrets; none when there are none."""
    kinds = [kind for text in texts for kind in secret_value_kinds(text)]
    if not kinds:
        return []
    named = ", ".join(sorted(set(kinds)))
    values = "a value that looks" if len(kinds) == 1 else f"{len(kinds)} values that look"
    return [
        f"The text holds {values} like a live secret ({named}): do not repeat or store it; tell the project's owner."
    ]
