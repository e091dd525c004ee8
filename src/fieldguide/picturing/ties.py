"""The ties between decisions in words, for those who do not see the picture, and for those who want to be sure."""

from collections.abc import Iterator, Mapping, Sequence

from fieldguide.picturing.decisions import Decision
from fieldguide.picturing.drawing import called
from fieldguide.spine.foreign_text.html_text import as_html

MOST_TIES = 200
NONE = "<p>None of these decisions supersedes or amends another.</p>"


def ties_in_words(decisions: Sequence[Decision], known: Mapping[str, Decision]) -> str:
    """What each decision supersedes and amends, as a list, the newest first."""
    items = [*_sentences(decisions, known)]
    if not items:
        return NONE
    more = f"<p>And {len(items) - MOST_TIES} more.</p>" if len(items) > MOST_TIES else ""
    return f'<ul class="ties">{"".join(f"<li>{each}</li>" for each in items[:MOST_TIES])}</ul>{more}'


def linked(decision: Decision) -> str:
    """A decision's number and title, as a link where it can be read."""
    text = as_html(called(decision))
    return f'<a href="{as_html(decision.href)}">{text}</a>' if decision.href else text


def _sentences(decisions: Sequence[Decision], known: Mapping[str, Decision]) -> Iterator[str]:
    """Each tie once: from the later decision, or from the earlier where the later is not among these."""
    here = {each.name for each in decisions}
    for each in reversed(decisions):
        ties = (
            ("supersedes", each.supersedes),
            ("amends", each.amends),
            ("is superseded by", [name for name in each.superseded_by if name not in here]),
            ("is amended by", [name for name in each.amended_by if name not in here]),
        )
        for tie, names in ties:
            yield from (f"{linked(each)} {tie} {linked(known[name])}" for name in names if name in known)
