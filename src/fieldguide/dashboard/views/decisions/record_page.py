"""One decision: what was asked, what was considered and chosen, how it stands, its ties, and the record itself."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from fieldguide.dashboard.components import heading, source_link
from fieldguide.dashboard.page_text import as_html, lines_as_html
from fieldguide.dashboard.rendering.documents import render_document
from fieldguide.dashboard.views.decisions.listing import standing_badge
from fieldguide.decisions.reading.record import Option, Passage, Record
from fieldguide.picturing.decisions import Decision, Recorded, by_name
from fieldguide.picturing.drawing import called
from fieldguide.picturing.ties import linked
from fieldguide.project_history.change import Change

LONGEST_PASSAGE = 1500
MOST = 60
SHORT_ID = 10
TIES = (
    ("supersedes", "Supersedes"),
    ("superseded_by", "Superseded by"),
    ("amends", "Amends"),
    ("amended_by", "Amended by"),
)


def record_html(recorded: Recorded, decisions: Sequence[Decision], commits: Sequence[Change], text: str) -> str:
    """The page of a record; `text` is the whole of it."""
    known = by_name(decisions)
    decision, record = known[recorded.name], recorded.record
    parts = (
        f'<p class="back"><a href="/decisions">All decisions</a></p>{heading(called(decision))}',
        _facts(recorded, decision, known),
        _said("The question", record.question, record.path),
        _options(record),
        _said("The answer", record.answer, record.path),
        _history(record, commits),
        _whole(record.path, text),
        _neighbours(decision, decisions),
    )
    return "".join(parts)


def _facts(recorded: Recorded, decision: Decision, known: Mapping[str, Decision]) -> str:
    record = recorded.record
    status = record.status_text
    told = f" {_line(record.path, status.first_line)}" if status else ""
    rows = [
        ("Status", standing_badge(decision) + told),
        ("Date", as_html(str(decision.day)) if decision.day else "not told"),
        ("File", source_link(record.path)),
        ("For agents", f"<code>{as_html(recorded.uri)}</code>"),
        *_ties(decision, known),
    ]
    return f'<dl class="facts">{"".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)}</dl>'


def _ties(decision: Decision, known: Mapping[str, Decision]) -> Iterator[tuple[str, str]]:
    for field, title in TIES:
        names = [name for name in getattr(decision, field) if name in known]
        if names:
            yield title, "<br>".join(linked(known[name]) for name in names)


def _said(title: str, passage: Passage | None, path: str) -> str:
    """What a record says about something, as a quote with its lines."""
    if passage is None or not passage.text.strip():
        return ""
    text = passage.text.strip()
    shown = text if len(text) <= LONGEST_PASSAGE else f"{text[:LONGEST_PASSAGE].rstrip()} …"
    cited = _line(path, passage.first_line, passage.last_line)
    return (
        f'<section class="stack said"><h2>{title}</h2><blockquote>{lines_as_html(shown)}</blockquote>'
        f'<p class="small">{cited}</p></section>'
    )


def _line(path: str, first: int, last: int | None = None) -> str:
    """A link to lines of the record, by their numbers alone."""
    label = f"line {first}" if last in (None, first) else f"lines {first} to {last}"
    return source_link(path, first, last, label=label)


def _options(record: Record) -> str:
    """What was considered: what was chosen first, then what was turned down and why, then the rest."""
    taken, dropped = {each.text for each in record.chosen}, {each.text for each in record.rejected}
    rest = [each for each in record.considered if each.text not in taken | dropped]
    groups = (
        ("chosen", "good", record.chosen),
        ("turned down", "plain", record.rejected),
        ("considered", "plain", rest),
    )
    every = [_option(each, word, tone, record.path) for word, tone, options in groups for each in options[:MOST]]
    items = "".join(every)
    return (
        f'<section class="stack"><h2>The options</h2><ul class="list options">{items}</ul></section>' if items else ""
    )


def _option(option: Option, word: str, tone: str, path: str) -> str:
    why = f'<p class="quiet">{as_html(option.reason)}</p>' if option.reason else ""
    return (
        f'<li><p><span class="badge {tone}">{word}</span> <span class="title">{as_html(option.text)}</span></p>{why}'
        f'<p class="small">{_line(path, option.line)}</p></li>'
    )


def _history(record: Record, commits: Sequence[Change]) -> str:
    """How it came to stand so: what the record says of its status, and the commits that changed it."""
    items = [_commit(each) for each in commits]
    if record.status_text and record.status_text.text.strip():
        lines = lines_as_html(record.status_text.text.strip()[:LONGEST_PASSAGE])
        items.insert(0, f"<li><span>now</span><span>{lines}</span></li>")
    return (
        f'<section class="stack"><h2>History</h2><ol class="changes">{"".join(items)}</ol></section>' if items else ""
    )


def _commit(change: Change) -> str:
    day = datetime.fromtimestamp(change.seconds, UTC).date()
    return (
        f'<li><time datetime="{day}">{day}</time><span>{as_html(change.subject)} '
        f'<span class="quiet">{as_html(change.author)}, <code>{as_html(change.id[:SHORT_ID])}</code></span></span></li>'
    )


def _whole(path: str, text: str) -> str:
    shown = f'<article class="prose" dir="auto">{render_document(path, text)}</article>'
    return f'<section class="stack"><h2>The record</h2>{shown}</section>'


def _neighbours(decision: Decision, decisions: Sequence[Decision]) -> str:
    """The ways to the decisions before and after."""
    at = next(place for place, each in enumerate(decisions) if each.name == decision.name)
    before = f"<span>Earlier: {linked(decisions[at - 1])}</span>" if at else "<span></span>"
    after = f"<span>Later: {linked(decisions[at + 1])}</span>" if at + 1 < len(decisions) else "<span></span>"
    return f'<nav class="neighbours" aria-label="Other decisions">{before}{after}</nav>'
