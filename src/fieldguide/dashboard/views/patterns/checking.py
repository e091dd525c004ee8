"""The box that takes code, and what a pattern finds in it, line by line; what was pasted stays."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fieldguide.dashboard.components import badge, counted, source_link
from fieldguide.dashboard.page_text import as_html
from fieldguide.source_code.parsing import GRAMMARS

TONES = {"error": "bad", "warning": "fair"}
MOST_LINES = 400
BESIDE = 3
"""Of long code, so many lines around each finding are shown."""


class Tried(NamedTuple):
    """What was pasted, and what came of it."""

    code: str = ""
    language: str = ""
    report: Mapping[str, Any] | None = None
    error: str = ""


def box_html(here: str, pattern: Mapping[str, Any], tried: Tried, csrf: str) -> str:
    """The form to paste code into."""
    languages = "".join(_language(name, tried.language) for name in ("", *sorted(GRAMMARS)))
    return (
        '<section class="stack" id="try"><h2>Try it</h2>'
        f'<form class="stack" method="post" action="{as_html(here)}#result">'
        f'{csrf}<div class="field"><label for="code">Code to check</label><textarea id="code" class="code" name="code" '
        f'spellcheck="false" autocapitalize="off" autocomplete="off" rows="12" required '
        f'placeholder="Paste some code">\n{_kept(tried.code)}</textarea></div><div class="row">'
        f'<div class="field"><label for="language">Language</label><select id="language" name="language">{languages}'
        f'</select></div><button class="main check">Check it</button></div></form></section>'
    )


def tried_html(pattern: Mapping[str, Any], tried: Tried) -> str:
    """What was found in the code that was pasted; nothing where none was."""
    if tried.error:
        return f'<div id="result" class="notice bad" role="alert"><p>{as_html(tried.error)}</p></div>'
    if tried.report is None:
        return ""
    report, found = tried.report, tried.report["violations"]
    items = "".join(_violation(each, pattern["path"]) for each in found)
    listed = f'<ol class="list violations">{items}</ol>{_listing(tried.code, found)}' if found else ""
    return (
        f'<section id="result" class="stack"><h2>What was found</h2>{_verdict(report)}{listed}'
        f"{_more('What to do', report['suggestions'])}{_more('Not checked', report['not_checked'])}</section>"
    )


def _language(name: str, chosen: str) -> str:
    selected = " selected" if name == chosen else ""
    return f'<option value="{as_html(name)}"{selected}>{as_html(name or "as it looks")}</option>'


def _kept(code: str) -> str:
    """Code for a text area: a browser gives back what it was given."""
    return code.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\0", "")


def _verdict(report: Mapping[str, Any]) -> str:
    checked = counted(report["checked"], "rule")
    if report["compliant"]:
        return f'<div class="notice good" role="status"><p>Nothing breaks this pattern. {checked} checked.</p></div>'
    number = len(report["violations"])
    if not number:
        return (
            '<div class="notice fair" role="status"><p>No rule of this pattern could be checked on this code.</p></div>'
        )
    said = counted(number, "place breaks", "places break")
    return f'<div class="notice bad" role="status"><p>{said} this pattern. {checked} checked.</p></div>'


def _violation(each: Mapping[str, Any], path: str) -> str:
    line = int(each["line"])
    return (
        f'<li><p><a class="cite" href="#code-{line}">line {line}</a> '
        f"{badge(each['severity'], TONES[each['severity']])} "
        f"<code>{as_html(each['rule'])}</code></p><p>{as_html(each['description'])}</p>"
        f'<p class="small">{source_link(path, int(each["document_line"]) or None)}</p></li>'
    )


def _listing(code: str, found: Sequence[Mapping[str, Any]]) -> str:
    """The code with numbers, the lines that break a rule marked; of long code, what is around them."""
    lines = code.removesuffix("\n").split("\n")
    broken = {int(each["line"]) for each in found}
    rows = "".join(_line(number, lines, broken) for number in _shown(len(lines), broken))
    return (
        '<div class="code" role="region" tabindex="0" aria-label="The code, with the lines that break a rule marked">'
        f'<pre><code class="numbered">{rows}</code></pre></div>'
    )


def _shown(length: int, broken: set[int]) -> Iterator[int]:
    """The numbers of the lines to show; 0 for a gap."""
    if length <= MOST_LINES:
        yield from range(1, length + 1)
        return
    near = sorted({near for line in broken for near in range(line - BESIDE, line + BESIDE + 1) if 1 <= near <= length})
    last = 0
    for number in near[:MOST_LINES]:
        if number != last + 1:
            yield 0
        yield number
        last = number


def _line(number: int, lines: Sequence[str], broken: set[int]) -> str:
    if not number:
        return '<span class="line" data-line="">…</span>'
    text = as_html(lines[number - 1].replace("\t", "    "))
    kind, text = ("line broken", f"<mark>{text or ' '}</mark>") if number in broken else ("line", text)
    return f'<span class="{kind}" id="code-{number}" data-line="{number}">{text}</span>'


def _more(title: str, sentences: Sequence[str]) -> str:
    items = "".join(f"<li>{as_html(each)}</li>" for each in sentences)
    return f"<h3>{title}</h3><ul>{items}</ul>" if items else ""
