"""Text and addresses for the page; what a browser would obey or hide in a text is shown in its place."""

import html
from urllib.parse import urlencode

from fieldguide.spine.foreign_text.html_text import as_html, lines_as_html

__all__ = ["address", "as_html", "lines_as_html"]


def address(at: str, /, **query: object) -> str:
    """An address of ours for an attribute: the query is quoted, what is None or empty is left out."""
    given = {name: str(value) for name, value in query.items() if value is not None and value != ""}
    return html.escape(f"{at}?{urlencode(given, errors='surrogatepass')}" if given else at)
