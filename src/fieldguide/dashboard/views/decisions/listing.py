"""The list of decisions: number, title, how each stands, its day; filtered by standing and words, in pages."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fieldguide.dashboard.components import badge, counted, empty_state, heading, pager
from fieldguide.dashboard.page_text import as_html
from fieldguide.dashboard.views.asked import chips, filter_form, rows_at
from fieldguide.picturing.decisions import STANDINGS, Decision, by_name, shown_status
from fieldguide.picturing.drawing import called
from fieldguide.picturing.ties import linked

TONES = {"in force": "good", "proposed": "fair", "rejected": "bad", "retired": "plain"}
VIEWS = (("list", "List"), ("time", "Over time"))
LEAD = "What was decided, and what became of it. Agents are told of these before they propose the opposite."


class Asked(NamedTuple):
    """What a person wants to see of the decisions."""

    view: str = "list"
    standing: str = ""
    words: str = ""
    page: int = 1
    year: str = ""

    @property
    def query(self) -> dict[str, Any]:
        """What an address has of it, but for pages and years."""
        return {"view": self.view, "status": self.standing, "q": self.words}


def list_html(path: str, decisions: Sequence[Decision], bodies: Mapping[str, str], asked: Asked) -> str:
    """The decisions that are wanted, newest first."""
    known = by_name(decisions)
    found = [*reversed(wanted(decisions, bodies, asked))]
    rows, at = rows_at(found, asked.page)
    items = "".join(_item(each, known) for each in rows)
    listed = f'<ol class="list decisions" role="list">{items}</ol>' if items else nothing_fits(path, asked)
    return head(path, decisions, asked) + listed + pager(path, at=at, total=len(found), **asked.query)


def head(path: str, decisions: Sequence[Decision], asked: Asked) -> str:
    """The title, the two ways to look, and the filters."""
    counts = Counter(each.standing for each in decisions)
    choices = [
        ("", f"All {len(decisions):,}"),
        *((each, f"{each.capitalize()} {counts[each]:,}") for each in STANDINGS if counts[each]),
    ]
    return (
        heading("Decisions", as_html(LEAD))
        + '<div class="tools">'
        + chips("How they are shown", path, "view", VIEWS, asked.view, status=asked.standing, q=asked.words)
        + filter_form(path, asked.words, "Filter by words", view=asked.view, status=asked.standing)
        + chips("Which are shown", path, "status", choices, asked.standing, view=asked.view, q=asked.words)
        + "</div>"
    )


def wanted(decisions: Sequence[Decision], bodies: Mapping[str, str], asked: Asked) -> list[Decision]:
    """The decisions of a standing that have all of some words, in their title or their text."""
    words = asked.words.casefold().split()
    of_standing = [each for each in decisions if asked.standing in ("", each.standing)]
    return [each for each in of_standing if _has_all(words, each, bodies)] if words else of_standing


def nothing_fits(path: str, asked: Asked) -> str:
    """What stands where a filter leaves nothing."""
    again = f'<a href="{path}?view={asked.view}">Show all of them</a>'
    return empty_state("None of the decisions fits", f"{again} or try other words.")


def standing_badge(decision: Decision) -> str:
    """How a decision stands, in the words of the record."""
    return badge(shown_status(decision), TONES[decision.standing])


def found_words(found: int, total: int) -> str:
    """How many are shown of all."""
    return counted(total, "decision") if found == total else f"{found:,} of {counted(total, 'decision')}"


def _has_all(words: Sequence[str], decision: Decision, bodies: Mapping[str, str]) -> bool:
    text = f"{called(decision)} {decision.status} {bodies.get(decision.name, '')}".casefold()
    return all(word in text for word in words)


def _item(decision: Decision, known: Mapping[str, Decision]) -> str:
    day = f'<time datetime="{decision.day}">{decision.day}</time>' if decision.day else "<span>no date</span>"
    number = f'<span class="number">{as_html(decision.label)}</span>'
    title = f'<a class="title" href="{as_html(decision.href)}"><bdi>{as_html(decision.title)}</bdi></a>'
    return f'<li>{number}<div class="what">{title}{_ties(decision, known)}</div>{standing_badge(decision)}{day}</li>'


def _ties(decision: Decision, known: Mapping[str, Decision]) -> str:
    """The ties of a decision in a small line."""
    ties = (
        ("superseded by", decision.superseded_by),
        ("supersedes", decision.supersedes),
        ("amended by", decision.amended_by),
        ("amends", decision.amends),
    )
    said = [
        f"{tie} {', '.join(linked(known[name]) for name in names if name in known)}" for tie, names in ties if names
    ]
    return f'<p class="small quiet">{"; ".join(said)}</p>' if said else ""
