"""Sections: which one is meant, and which lines are its own."""

import pytest

from fieldguide.prose.document import find_section, list_heading_paths, number_anchors
from fieldguide.prose.markdown import read_markdown

TEXT = """\
preamble

# Install

## Linux

a

### Notes

b

## Windows

# Upgrade

## Linux

c

## What's new? {#news}

d"""
OUTLINE = [(heading.level, heading.text, heading.line) for heading in read_markdown(TEXT).headings]
LONG = 300_000  # what takes time by the square of this takes hours


def found(wanted):
    section = find_section(TEXT, OUTLINE, wanted, include_subsections=True)
    return None if section is None else (section.start_line, section.end_line)


@pytest.mark.parametrize(
    ("wanted", "lines"),
    [
        ("Install > Linux", (5, 12)),
        ("Upgrade > Linux", (17, 20)),
        ("upgrade>LIN", (17, 20)),
        ("Install > Notes", (9, 12)),
        ("Install > Linux > Notes", (9, 12)),
        ("#linux", (5, 12)),
        ("#linux-1", (17, 20)),
        ("#LINUX-1", (17, 20)),
        ("#news", (21, 23)),
    ],
)
def test_a_heading_that_repeats_is_told_by_its_path_or_its_anchor(wanted, lines):
    assert found(wanted) == lines


@pytest.mark.parametrize(
    "wanted",
    ["Windows > Notes", "Linux > Install", "Upgrade > Notes", "Linux >", "> Linux", ">", "Nowhere > Linux", "#nothing"],
)
def test_a_path_goes_down_and_never_beside(wanted):
    assert found(wanted) is None


def test_paths_name_every_heading_above():
    assert list_heading_paths(OUTLINE) == [
        "Install", "Install > Linux", "Install > Linux > Notes", "Install > Windows", "Upgrade", "Upgrade > Linux",
        "Upgrade > What's new? {#news}",
    ]  # fmt: skip
    assert list_heading_paths([(3, "C", 1), (1, "A", 2), (3, "D", 3)]) == ["C", "A", "A > D"]


def test_anchors_are_those_of_links_and_no_two_are_the_same():
    headings = ["Linux", "Linux", "Linux-1", "What's `new`?", "Größe 2", "Own {#mine .x}", "{#a} not at the end", "a}"]

    assert number_anchors([(1, text, 1) for text in headings]) == {
        "linux": 0, "linux-1": 1, "linux-1-1": 2, "whats-new": 3, "grösse-2": 4, "mine": 5, "a-not-at-the-end": 6,
        "a": 7,
    }  # fmt: skip


def test_no_heading_takes_longer_than_its_length_and_a_thousand_of_a_name_are_told_apart():
    assert len(number_anchors([(1, "{#a" * LONG, 1), (1, "{#" + "a " * LONG, 2)])) == 2
    assert len(number_anchors([(2, "Linux", line) for line in range(20_000)])) == 20_000
