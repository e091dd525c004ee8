"""Types in their own words, cut into parts. Nothing here knows what a name means."""

from collections.abc import Iterator

OPENING, CLOSING = "([{<", ")]}>"
QUOTES = "'\"`"
LONGEST = 1_200


def split(text: str, marks: str) -> list[str]:
    """A text cut at marks that are in no brackets and no quotes."""
    parts: list[str] = []
    start = 0
    for position, mark in top_level(text):
        if mark in marks:
            parts.append(text[start:position].strip())
            start = position + 1
    parts.append(text[start:].strip())
    return [each for each in parts if each]


def top_level(text: str) -> Iterator[tuple[int, str]]:
    """The characters of a text that are in no brackets and no quotes, with their places; arrows are left out."""
    depth = 0
    quote = ""
    for position, character in enumerate(text[:LONGEST].replace("=>", "  ")):
        if quote:
            quote = "" if character == quote else quote
        elif character in QUOTES:
            quote = character
        elif character in OPENING:
            if not depth:
                yield position, character
            depth += 1
        elif character in CLOSING:
            depth = max(0, depth - 1)
            if not depth:
                yield position, character
        elif not depth:
            yield position, character


def closing(text: str, start: int = 0) -> int:
    """Where the bracket is closed that a text opens at a place; the text's end where it is not."""
    for position, mark in top_level(text[start:]):
        if position and mark in CLOSING:
            return start + position
    return len(text)


def arrow(text: str) -> tuple[str, str] | None:
    """The parameters of a function's type, and what it returns."""
    text = text.removeprefix("abstract ").removeprefix("new ").strip()
    if text.startswith("<"):
        text = text[closing(text) + 1 :].strip()
    if not text.startswith("("):
        return None
    end = closing(text)
    rest = text[end + 1 :].strip()
    return (text[1:end], rest[2:].strip()) if rest.startswith("=>") else None


def parameter(text: str, number: int) -> str:
    """The type of one of the parameters of a function's type; empty where it has none."""
    parts = [each for each in split(text, ",") if not each.startswith("this:")]
    if not parts:
        return ""
    part = parts[min(number, len(parts) - 1)]
    if number >= len(parts) and not part.startswith("..."):
        return ""
    told = part_after_colon(part)
    if part.startswith("..."):
        return told[:-2] if told.endswith("[]") else f"{told}[number]" if told else ""
    return told


def part_after_colon(text: str) -> str:
    """What stands behind the first colon outside brackets."""
    for position, mark in top_level(text):
        if mark == ":":
            return text[position + 1 :].strip()
    return ""


def branches(text: str) -> list[str] | None:
    """The two outcomes of a conditional type."""
    if " extends " not in text or "?" not in text:
        return None
    question = next((at for at, mark in top_level(text) if mark == "?" and text[at : at + 2] != "?:"), -1)
    if text.find(" extends ") > question:
        return None
    rest = text[question + 1 :]
    colon = next((at for at, mark in top_level(rest) if mark == ":"), -1)
    return [rest[:colon].strip(), rest[colon + 1 :].strip()] if colon >= 0 else [rest.strip()]


def generic(text: str) -> tuple[str, list[str]]:
    """The name of a type, and its arguments."""
    start = text.find("<")
    if start < 0 or not text.endswith(">"):
        return text, []
    return text[:start].strip(), split(text[start + 1 : -1], ",")
