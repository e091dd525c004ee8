"""`documents_get_section`: the lines of one section, and nothing else."""

import pytest

from tests.cited import cited_lines
from tests.document_wires import FERNS, ask_by_command
from tests.proves import proves

LINES = FERNS.split("\n")


def lines(first, last):
    return "\n".join(LINES[first - 1 : last])


@proves("S2-31", "S2-33", "S2-35", "D-14", "S2-63")
def test_it_gives_a_section_with_its_subsections(ask):
    told = ask("documents_get_section", collection="guide", document="ferns.md", section="Watering")

    expected = {
        "collection": "guide",
        "document": "ferns.md",
        "section": "Watering",
        "level": 2,
        "content": lines(5, 12),
        "startLine": 5,
        "endLine": 12,
        "citation": cited_lines("guide/ferns.md", FERNS, 5, 12),
    }
    assert told.value == expected
    assert list(told.value) == list(expected)
    assert told.structured == expected


@proves("S2-34", "S2-33", "S2-37", "S2-63")
@pytest.mark.parametrize(
    ("section", "whole", "without_subsections"),
    [
        ("Ferns", (1, 24), (1, 4)),
        ("Watering", (5, 12), (5, 8)),
        ("In summer", (9, 12), (9, 12)),
        ("Repotting", (13, 24), (13, 21)),
        ("Which soil", (22, 24), (22, 24)),
    ],
)
def test_it_ends_before_the_next_heading_that_counts(ask, section, whole, without_subsections):
    given = {"collection": "guide", "document": "ferns.md", "section": section}

    default = ask("documents_get_section", **given).value
    with_them = ask("documents_get_section", **given, includeSubsections=True).value
    without = ask("documents_get_section", **given, includeSubsections=False).value

    assert (default["startLine"], default["endLine"], default["content"]) == (*whole, lines(*whole))
    assert with_them == default
    assert (without["startLine"], without["endLine"]) == without_subsections
    assert without["content"] == lines(*without_subsections)


@proves("S2-32")
@pytest.mark.parametrize(
    ("wanted", "heading"),
    [("watering", "Watering"), ("WATER", "Watering"), ("in SUM", "In summer"), ("r", "Ferns"), ("soil", "Which soil")],
)
def test_a_part_of_the_heading_in_any_case_finds_the_first_that_holds_it(ask, wanted, heading):
    told = ask("documents_get_section", collection="guide", document="ferns.md", section=wanted)

    assert told.value["section"] == heading


@proves("S2-36", "S2-5", "S2-63")
def test_it_says_that_a_section_is_not_there(ask):
    told = ask("documents_get_section", collection="guide", document="ferns.md", section="zzz")

    assert told.texts == ['Section "zzz" not found in document "ferns.md".']
    assert not told.is_error


def test_a_section_that_is_nearly_there_is_suggested_by_its_path(ask):
    told = ask("documents_get_section", collection="guide", document="ferns.md", section="Waterings")

    assert told.texts[0] == 'Section "Waterings" not found in document "ferns.md".'
    assert "'Ferns > Watering'" in told.texts[1]


@proves("D-14", "S2-35")
def test_carriage_returns_stay_inside_and_the_last_end_goes(project):
    project.write("docs/dos.md", "# A\r\n\r\none\r\n\r\n# B\r\n\r\ntwo\r\n")
    project.write("docs/mac.md", "# A\r\rone\r# B\rtwo")
    ask = ask_by_command(project)

    def section(document, wanted):
        told = ask("documents_get_section", collection="docs", document=document, section=wanted).value
        return told["content"], told["startLine"], told["endLine"]

    assert section("dos.md", "A") == ("# A\r\n\r\none\r\n", 1, 4)
    assert section("dos.md", "B") == ("# B\r\n\r\ntwo", 5, 7)
    assert section("mac.md", "A") == ("# A\r\rone", 1, 3)
    assert section("mac.md", "B") == ("# B\rtwo", 4, 5)
