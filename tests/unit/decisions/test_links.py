"""Ties between records, told by either side."""

import pytest

from fieldguide.knowledge.decisions.lineage import link_records
from fieldguide.knowledge.decisions.reader import read_record


def record(path, said="", status="Accepted"):
    return read_record(
        path, f"# {path}\n\n## Status\n\n{status}\n\n{said}\n\n## Decision\n\nWe will grow ferns here.\n"
    )


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Supersedes [1. A](0001-a.md)", ""),
        ("Supercedes ADR 1", ""),
        ("This decision replaces ADR-0001.", ""),
        ("Overrides [ADR-1](0001-a.md)", ""),
        ("", "Superceded by [2](0002-b.md)"),
        ("", "Replaced by ADR #0002"),
        ("", "Superseded by [ADR 2](/adr/2)"),
    ],
)
def test_a_successor_is_known_from_both_sides_whichever_tells(newer, older):
    links = link_records([record("0001-a.md", older), record("0002-b.md", newer)])

    assert links.ties["0001-a.md"].superseded_by == ("0002-b.md",)
    assert links.ties["0002-b.md"].supersedes == ("0001-a.md",)
    assert links.standing_of(links.records["0001-a.md"]) == "retired"


def test_front_matter_ties_records_too():
    old = read_record("0001-a.md", "---\nstatus: superseded\nsuperseded-by: 0002\n---\n# A\n")

    assert link_records([old, record("0002-b.md")]).ties["0002-b.md"].supersedes == ("0001-a.md",)


def test_what_is_superseded_in_part_is_amended_and_still_stands():
    links = link_records([record("0001-a.md", "Parts of this were superseded by [2](0002-b.md)."), record("0002-b.md")])

    assert links.ties["0001-a.md"].amended_by == ("0002-b.md",)
    assert links.standing_of(links.records["0001-a.md"]) == "in force"


def test_of_two_records_with_one_number_the_linked_file_is_meant():
    records = [record("0001-a.md"), record("0001-z.md"), record("0002-b.md", "Supersedes [1](0001-z.md)")]

    assert link_records(records).ties["0002-b.md"].supersedes == ("0001-z.md",)


def test_a_tie_between_two_others_is_not_taken_for_ones_own():
    records = [record("0001-a.md"), record("0002-b.md"), record("0003-c.md", "[B](0002-b.md) supersedes ADR 1.")]

    assert link_records(records).ties["0003-c.md"].supersedes == ()


def test_successors_are_followed_to_the_last_and_a_circle_ends():
    chain = [
        record("0001-a.md", "Superseded by ADR 2"),
        record("0002-b.md", "Superseded by ADR 3"),
        record("0003-c.md"),
    ]
    circle = [record("0001-a.md", "Superseded by ADR 2"), record("0002-b.md", "Superseded by ADR 1")]

    links = link_records(chain)

    assert [each.path for each in links.successors(links.records["0001-a.md"])] == ["0003-c.md"]
    assert link_records(circle).successors(circle[0]) is not None


def test_a_record_superseded_by_nothing_that_is_here_is_the_last_word():
    links = link_records([record("0001-a.md", status="Superseded by ADR 99")])

    assert links.standing_of(links.records["0001-a.md"]) == "in force"


@pytest.mark.parametrize("text", [
    "---\nstatus: superseded by 0002\n---\n# A\n", "# A\n\n## Status\n\nSuperseded by #2\n",
    "---\nstatus: Replaced by: 2\n---\n# A\n",
])  # fmt: skip
def test_in_a_status_a_number_alone_names_a_record(text):
    old = read_record("0001-a.md", text)

    assert link_records([old, record("0002-b.md")]).ties["0002-b.md"].supersedes == ("0001-a.md",)
