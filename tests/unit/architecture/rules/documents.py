"""Short ways to a pattern and to what it finds."""

from textwrap import dedent

from fieldguide.toolsets.architecture.rules.pattern import PatternDocument, check_code, read_pattern


def declared(rules: str, *, more: str = "", body: str = "# Orders\n") -> PatternDocument:
    """A pattern whose front matter declares these rules."""
    lines = dedent(rules).strip("\n").splitlines()
    front = "\n".join(f"  {line}" for line in lines)
    return read_pattern("orders", f"---\n{more}rules:\n{front}\n---\n{body}")


def prose(text: str) -> PatternDocument:
    """A pattern that has only words."""
    return read_pattern("words", dedent(text))


def lines_of(pattern: PatternDocument, code: str, language: str | None = None, path: str | None = None) -> list[int]:
    """The lines that break a rule."""
    return [each.line for each in check_code(pattern, dedent(code), language, path).findings]


def places_of(
    pattern: PatternDocument, code: str, language: str | None = None, path: str | None = None
) -> list[tuple[str, int]]:
    """The rules that are broken, and where."""
    return [(each.rule, each.line) for each in check_code(pattern, dedent(code), language, path).findings]
