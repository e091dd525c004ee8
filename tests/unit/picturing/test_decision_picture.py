"""The picture of decisions over time: what is drawn, what is told in words, and how much of it there is."""

from datetime import date
from xml.etree import ElementTree

import pytest

from fieldguide.knowledge.decisions.lineage import DatedDecision, NamedRecord, build_decisions, index_by_name, parse_day
from fieldguide.knowledge.decisions.reader import read_record
from fieldguide.pages.tasks import render_task_card
from fieldguide.pages.timeline import (
    MOST_ROWS,
    RIGHT,
    draw_timeline,
    place_lifelines,
    place_years,
    render_ties,
)
from fieldguide.spine.toolset import TaskCard
from tests.proves import proves

HOSTILE = '<script>alert(1)</script>" onload="x" \u202eevil'
RECORDS = {
    "0001-files.md": "---\nstatus: superseded by 0003\ndate: 2024-01-02\n---\n\n# Use files\n\n## Decision\n\nYes\n",
    "0002-cache.md": "# 2. Cache answers\n\nDate: 2024-05-06\n\n## Status\n\nAccepted\n\nAmends ADR 0001\n",
    "0003-database.md": "---\nstatus: accepted\ndate: 2025-02-03\n---\n\n# Use a database\n\n## Decision\n\nYes\n",
    "0004-write-more.md": "---\nstatus: rejected\n---\n\n# Write more\n\n## Decision\n\nNo.\n",
}


def drawn() -> list[DatedDecision]:
    records = [NamedRecord(path[:4], "", read_record(path, text)) for path, text in RECORDS.items()]
    return build_decisions(records, page="/decisions/")


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<both>{svg}</both>")  # noqa: S314  of our own making


@proves("Z-60")
def test_each_decision_is_a_link_that_tells_its_status_and_its_ties():
    found = parsed(draw_timeline(drawn()))[0].findall("a")

    words = [link.findtext("title") for link in found]
    assert words == [
        "0004 Write more, rejected, no date",
        "0003 Use a database, accepted, 2025-02-03, supersedes 0001",
        "0002 Cache answers, accepted, 2024-05-06, amends 0001",
        "0001 Use files, superseded, 2024-01-02, superseded by 0003, amended by 0002",
    ]
    assert [link.get("href") for link in found] == [f"/decisions/000{number}" for number in (4, 3, 2, 1)]
    assert not [
        each for each in parsed(draw_timeline(drawn())).iter() if each.get("style") or each.tag in ("style", "script")
    ]


@proves("Z-60")
def test_a_life_ends_where_another_decision_took_over():
    rows = {each.decision.label: each for each in place_lifelines(drawn())}

    assert rows["0001"].end == rows["0003"].start
    assert rows["0003"].end == RIGHT
    assert rows["0004"].end == rows["0004"].start
    assert rows["0001"].start < rows["0002"].start < rows["0003"].start


@proves("Z-60")
def test_a_year_on_the_axis_is_at_its_first_decision():
    rows = place_lifelines(drawn())
    places = {each.decision.label: each.start for each in rows}

    assert place_years(rows) == [(places["0001"], "2024"), (places["0003"], "2025")]


@proves("Z-60")
def test_the_ties_are_told_in_words_once_each():
    told = parsed(render_ties(drawn(), index_by_name(drawn())))

    assert ["".join(each.itertext()) for each in told.iter("li")] == [
        "0003 Use a database supersedes 0001 Use files",
        "0002 Cache answers amends 0001 Use files",
    ]


@proves("Z-61")
def test_a_thousand_decisions_are_a_bounded_picture():
    many = [
        DatedDecision(
            f"{n:04}", f"{n:04}", f"Decision {n}", "accepted", "in force", date(2000 + n // 50, 1 + n % 12, 1)
        )
        for n in range(1000)
    ]

    svg = draw_timeline(many)

    assert len(parsed(svg)[0].findall("g[@class='record standing']")) == MOST_ROWS
    assert len(svg) < 150_000


@proves("Z-62")
def test_a_hostile_title_is_text_in_the_picture_and_on_the_board():
    decision = DatedDecision("x", "0001", HOSTILE * 20, "accepted", "in force", date(2024, 1, 1), "/decisions/x")
    card = TaskCard(1, HOSTILE, HOSTILE)

    svg = draw_timeline([decision])
    html = render_task_card(card, can_move=False)

    assert "script" not in {each.tag for each in parsed(svg).iter()} | {each.tag for each in parsed(html).iter()}
    assert all(each.get("onload") is None for each in parsed(svg + html).iter())
    assert "\u202e" not in svg + html
    assert max(len(each.text or "") for each in parsed(svg).iter("text")) < 80


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-01-31", date(2024, 1, 31)),
        ("20200924-use-x", date(2020, 9, 24)),
        ("31st of January 2024", date(2024, 1, 31)),
        ("Jan 5, 2023", date(2023, 1, 5)),
        ("2020 March 06: Initial", date(2020, 3, 6)),
        ("March 2021", date(2021, 3, 1)),
        ("2024-13-45", None),
        ("yesterday", None),
    ],
)
@proves("Z-60")
def test_a_day_is_read_however_it_is_written(text, day):
    assert parse_day(text) == day
