"""Where the links of a document lead: to the web, to a person, or to another file of the project. Nowhere else."""

import posixpath
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import quote, unquote

from fieldguide import linear_regex as re
from fieldguide.dashboard.page_text import address, as_html
from fieldguide.document_formats.document import Heading

SCHEMES = frozenset({"http", "https", "mailto"})
LONGEST = 2_000
KEPT = "/:?#[]@!$&'()*+,;=-._~%"
LINES = re.compile(r"L(\d{1,9})(?:-L?(\d{1,9}))?")
FOREIGN = ' rel="noreferrer noopener nofollow"'


class Links(NamedTuple):
    """The links of one document: `path` is where it lies in the project, empty where it does not, `anchors` are the
    lines of its headings by the names that links give them."""

    path: str = ""
    anchors: Mapping[str, int] = {}

    def attributes(self, written: str) -> str:
        """The attributes of a link that is written so; empty where it leads nowhere that we let it lead."""
        to = "".join(each for each in written if each.isprintable()).strip()
        if not to or len(to) > LONGEST:
            return ""
        if to.startswith("#"):
            line = self.anchors.get(unquote(to[1:]).lower())
            return f' href="#L{line}"' if line else ""
        scheme = _scheme(to)
        if scheme in SCHEMES:
            return f' href="{as_html(quote(to, safe=KEPT))}"{FOREIGN}'
        return self._inside(to) if not scheme else ""

    def _inside(self, to: str) -> str:
        """A file of the project, seen from this document; GitHub's way with a path that begins at the root."""
        named, _, fragment = to.partition("#")
        named = unquote(named.partition("?")[0]).replace("\\", "/")
        path = _joined(self.path, named) if self.path and named and not named.startswith("//") else ""
        if not path:
            return ""
        lines = LINES.fullmatch(fragment)
        if lines is None:
            return f' href="{address("/source", path=path)}"'
        first, last = lines.group(1), lines.group(2) or lines.group(1)
        return f' href="{address("/source", path=path, line=f"{first}-{last}")}#L{first}"'


def _joined(document: str, named: str) -> str:
    """The path of a file that a document names; empty where that leads out of the project."""
    joined = named.lstrip("/") if named.startswith("/") else posixpath.join(posixpath.dirname(document), named)
    path = posixpath.normpath(joined)
    return "" if path in (".", "..") or path.startswith("../") else path


def anchors_of(headings: Iterable[Heading]) -> dict[str, int]:
    """The lines of headings by the names that links give them: small letters, and a hyphen for each blank."""
    found: dict[str, int] = {}
    for heading in headings:
        words = "".join(each for each in heading.text.lower() if each.isalnum() or each in " -_")
        found.setdefault(words.replace(" ", "-"), heading.line)
    return found


def _scheme(to: str) -> str:
    """What stands before the first colon, where no path can have begun before it."""
    before, colon, _ = to.partition(":")
    return before.lower() if colon and not any(each in before for each in "/?#") else ""
