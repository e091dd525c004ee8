"""Holds a built page beside what its Markdown means: MkDocs' parser is stricter about lists and tables than others."""

import re
from html.parser import HTMLParser

COUNTED = ("table", "li", "h1", "h2", "h3", "pre")
LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "srcset"}


def complaints(markdown: str, html: str) -> list[str]:
    """What there is more or less of on the page than CommonMark with tables gives."""
    from markdown_it import MarkdownIt

    meant = counted(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))
    # Numbers and copies of code blocks are put into tables and lists of their own by no option that is on.
    shown = counted(html)
    return [f"{shown[tag]} {tag} where its Markdown means {meant[tag]}" for tag in COUNTED if shown[tag] != meant[tag]]


def counted(html: str) -> dict[str, int]:
    """How often each tag that matters begins."""
    return {tag: len(re.findall(rf"<{tag}[ >]", html)) for tag in COUNTED}


def loaded_from_elsewhere(html: str) -> list[str]:
    """The addresses of other hosts that a page would load something from."""
    reader = _Loads()
    reader.feed(html)
    return reader.found


class _Loads(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address = dict(attrs).get(LOADING.get(tag, ""), "") or ""
        if address.startswith(("http://", "https://", "//")):
            self.found.append(address)
