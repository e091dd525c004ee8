"""Text for the page: what a browser would obey or hide is shown in its place, as `\\u202e`."""

import html
from urllib.parse import urlencode

from fieldguide.spine.foreign_text.html_text import as_html

__all__ = ["address", "as_html", "lines_as_html"]


def lines_as_html(text: str) -> str:
    """A text of several lines, as `as_html` gives each of them; tabs stay too."""
    return "\n".join("\t".join(map(as_html, line.split("\t"))) for line in text.splitlines())


def address(at: str, /, **query: object) -> str:
    """An address of ours for an attribute: the query is quoted, what is None or empty is left out."""
    given = {name: str(value) for name, value in query.items() if value is not None and value != ""}
    return html.escape(f"{at}?{urlencode(given, errors='surrogatepass')}" if given else at)
