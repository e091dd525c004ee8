"""The pieces that several views are made of. What they take as text they escape; what ends in `_html` is HTML."""

from collections.abc import Iterable, Sequence

from fieldguide.dashboard.page_text import address, as_html, lines_as_html

PAGE_ROWS = 50
"""How many rows a list shows at once."""


def heading(title: str, lead_html: str = "") -> str:
    """The title of a page, and a sentence below it."""
    lead = f'<p class="lead">{lead_html}</p>' if lead_html else ""
    return f'<div class="heading"><h1>{as_html(title)}</h1>{lead}</div>'


def badge(text: str, tone: str = "plain") -> str:
    """A word about a thing; the tone is plain, good, fair, bad or accent."""
    return f'<span class="badge {tone}">{as_html(text)}</span>'


def empty_state(title: str, advice_html: str) -> str:
    """What stands where nothing is: why, and what to do about it."""
    return f'<div class="empty"><h2>{as_html(title)}</h2><p>{advice_html}</p></div>'


def notice(text_html: str, tone: str = "plain") -> str:
    """A sentence in a box of its own."""
    return f'<div class="notice {tone}" role="status">{text_html}</div>'


def card(title_html: str, body_html: str, *, foot_html: str = "", tag: str = "section") -> str:
    """A thing in a box: its title, what it says, and what stands below."""
    foot = f'<div class="foot">{foot_html}</div>' if foot_html else ""
    return f'<{tag} class="card"><h2>{title_html}</h2>{body_html}{foot}</{tag}>'


def table(heads: Sequence[str], rows_html: Iterable[str], *, caption: str = "", numbers: Sequence[int] = ()) -> str:
    """A table that scrolls in a box of its own; `numbers` are the columns that are aligned right."""
    columns = "".join(
        f'<th scope="col"{" class=number" if place in numbers else ""}>{as_html(head)}</th>'
        for place, head in enumerate(heads)
    )
    said = f"<caption>{as_html(caption)}</caption>" if caption else ""
    label = as_html(caption or ", ".join(heads))
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}"><table>{said}<thead><tr>{columns}</tr>'
        f"</thead><tbody>{''.join(rows_html)}</tbody></table></div>"
    )


def code_block(text: str, *, can_be_copied: bool = False) -> str:
    """Some lines as they are, with a button that copies them where there is script."""
    button = '<button type="button" class="copy" data-copy hidden>Copy</button>' if can_be_copied else ""
    return f'<div class="code"><pre tabindex="0"><code>{lines_as_html(text.rstrip())}</code></pre>{button}</div>'


def source_link(path: str, start: int | None = None, end: int | None = None, *, label: str = "") -> str:
    """A link to the lines of a file, as `path:3`."""
    lines = "" if start is None else f"{start}" if end in (None, start) else f"{start}-{end}"
    shown = label or (f"{path}:{start}" if start else path)
    anchor = f"#L{start}" if start else ""
    return f'<a class="cite" href="{address("/source", path=path, line=lines)}{anchor}">{as_html(shown)}</a>'


def pager(path: str, /, *, at: int, total: int, size: int = PAGE_ROWS, **query: object) -> str:
    """The ways to the pages before and after; nothing where there is one page."""
    if total <= size:
        return ""
    before = address(path, **query, page=at - 1) if at > 1 else ""
    after = address(path, **query, page=at + 1) if at * size < total else ""
    first, last = (at - 1) * size + 1, min(at * size, total)
    return (
        '<nav class="pager" aria-label="Pages">'
        + (f'<a rel="prev" href="{before}">Previous</a>' if before else "<span>Previous</span>")
        + f"<span>{first:,} to {last:,} of {total:,}</span>"
        + (f'<a rel="next" href="{after}">Next</a>' if after else "<span>Next</span>")
        + "</nav>"
    )


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 document`, `2,000 documents`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
