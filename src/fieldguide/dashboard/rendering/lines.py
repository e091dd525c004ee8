"""The lines of a document in its HTML: each block is an anchor, and those that are cited are marked."""

from bisect import bisect_right
from itertools import accumulate

from fieldguide.document_formats.lines import split_lines


class LineAnchors:
    """Gives blocks their anchors, `L12` for one that begins on line 12; no anchor twice.

    `cited` are the first and the last line that somebody cites: the block in which they begin has an anchor for them.
    """

    def __init__(self, text: str, cited: tuple[int, int] | None = None) -> None:
        self._starts = [0, *accumulate(len(line.encode(errors="surrogatepass")) for line in split_lines(text))]
        self._cited = cited
        self._last = 0
        self._is_placed = cited is None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The first and the last line of some bytes."""
        first = bisect_right(self._starts, start)
        return first, max(bisect_right(self._starts, end - 1), first)

    def attributes(self, first: int, last: int, *, can_be_cited: bool = True) -> str:
        """The `id` of a block, where its line has none yet, and its class, where it is cited."""
        anchor = f' id="L{first}"' if first > self._last else ""
        self._last = max(self._last, first)
        is_cited = self._cited is not None and can_be_cited and first <= self._cited[1] and self._cited[0] <= last
        return f'{anchor} class="cited"' if is_cited else anchor

    def mark(self, last: int) -> str:
        """An anchor for the first cited line, inside the block that it stands in; once."""
        if self._is_placed or self._cited is None or last < self._cited[0]:
            return ""
        self._is_placed = True
        first = self._cited[0]
        if first <= self._last:
            return "" if first == self._last else f'<a id="L{first}"></a>'
        self._last = first
        return f'<a id="L{first}"></a>'
