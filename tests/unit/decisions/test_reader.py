"""Decision records as projects really write them, and texts that are none."""

import pytest

from fieldguide.knowledge.decisions.reader import read_record
from fieldguide.knowledge.decisions.recognition import is_record
from fieldguide.knowledge.decisions.record import read_adr_id
from tests.proves import proves
from tests.unit.search.nasty_documents import NASTY

NYGARD = (
    "# 12. Use Fern\n\nDate: 2020-01-02\n\n## Status\n\nAccepted\n\n"
    "## Context\n\nShade.\n\n## Decision\n\nWe will use ferns.\n"
)
MADR = (
    "---\nstatus: accepted\ndate: 2024-05-06\n---\n# Plants for shade\n\n## Context and Problem Statement\n\nDark.\n\n"
    "## Considered Options\n\n* Ferns\n* Moss\n* Roses\n\n## Decision Outcome\n\n"
    'Chosen option: "Ferns", because they last.\n\n### Consequences\n\n* Good, because green\n\n'
    "## Pros and Cons of the Options\n\n### Moss\n\n* Bad, because it is slippery\n"
)


def test_a_nygard_record_gives_its_parts_with_their_lines():
    record = read_record("0012-use-fern.md", NYGARD)

    assert (record.adr_id, record.number, record.title, record.name) == ("0012", 12, "12. Use Fern", "Use Fern")
    assert (record.status, record.standing, record.date) == ("accepted", "in force", "2020-01-02")
    assert [(passage.text, passage.first_line) for passage in record.decision] == [("We will use ferns.", 15)]
    assert record.context[0].first_line == 11


def test_a_madr_record_tells_chosen_and_rejected_options_with_lines_and_reasons():
    record = read_record("0001-plants.md", MADR)

    assert [option.text for option in record.considered] == ["Ferns", "Moss", "Roses"]
    assert [(option.text, option.line) for option in record.chosen] == [("Ferns", 19)]
    assert [(option.text, option.line) for option in record.rejected] == [("Moss", 14), ("Roses", 15)]
    assert "slippery" in record.rejected[0].reason
    assert "Consequences" not in record.decision[0].text


@pytest.mark.parametrize(("text", "status", "standing"), [
    ("# A\n\n## Status\n\nAccepted\n", "accepted", "in force"),
    ("# A\n\n## Status\nApproved\n", "approved", "in force"),
    ("# A\n\n**Status**: Proposed\n", "proposed", "proposed"),
    ("# A\n\n* **Status:** Rejected\n", "rejected", "rejected"),
    ("# A\n\n- Status: draft\n", "draft", "proposed"),
    ("# A\n\nStatus: Deprecated\n", "deprecated", "retired"),
    ("# A\n\n## Status: Accepted\n", "accepted", "in force"),
    ("# A\n\n| Status | Accepted |\n|---|---|\n", "accepted", "in force"),
    ("# A\n\n![Status: Accepted](x.svg)\n", "accepted", "in force"),
    ("# A\n\n## Status\n\n✅\n", "accepted", "in force"),
    ("# A\n\n<table><tr><td>Status</td><td>Accepted</td></tr></table>\n", "accepted", "in force"),
    ("# A\n\n## Status\n\n❌ Rejected (see 19)\n", "rejected", "rejected"),
    ("# A\n\n## Status\n\nSuperceded by [16. B](0016-b.md)\n", "superseded", "retired"),
    ("# A\n\n## Status\n\nAccepted & implemented\n\nSuperseded by [16](0016-b.md)\n", "superseded", "retired"),
    ("# A\n\n## Status\n\nAccepted\n\nSupersedes [3](0003-b.md)\n", "accepted", "in force"),
    ("# A\n\n## Status\n\nPartly superseded\n", "partially superseded", "in force"),
    ("# A\n\nThis decision has been superseded by decision: [B](0009-b.md)\n\n## Context\n", "superseded", "retired"),
    ("---\nstatus: superseded by ADR-0123\n---\n# A\n", "superseded", "retired"),
    ("---\nstatus: { accepted }\n---\n# A\n", "accepted", "in force"),
    ("---\nstatus: {proposed | rejected | accepted | deprecated}\n---\n# A\n", "unknown", "in force"),
    ("**Status**\r\n\r\nAccepted\r\n", "accepted", "in force"),
    ("\ufeff# A\n\n## Status\n\nAccepted\n", "accepted", "in force"),
    ("# A\n\nNothing is said.\n", "unknown", "in force"),
])  # fmt: skip
def test_a_status_is_understood_however_it_is_written(text, status, standing):
    record = read_record("0001-a.md", text)

    assert (record.status, record.standing) == (status, standing)


@proves("U0-2")
@pytest.mark.parametrize(("path", "adr_id", "number"), [
    ("0007-a.md", "0007", 7), ("0007.md", "0007", 7), ("adr-007-a.md", "007", 7), ("ADR-12.md", "12", 12),
    ("ADR-3-x.md", "3", 3), ("adr-12.md", "12", 12), ("012-release/index.md", "012", 12),
    ("0007-x/README.md", "0007", 7), ("deep/below/0003-b.md", "0003", 3), ("1024-48-hours.md", "1024", 1024),
    ("20201016-slug.md", "20201016-slug", None), ("2020-10-16-slug.md", "2020-10-16-slug", None),
    ("12factor.md", "12factor", None), ("0012_x.md", "0012_x", 12), ("x-001.md", "x-001", None),
    ("use-ferns.md", "use-ferns", None),
])  # fmt: skip
def test_an_id_is_the_number_of_the_file_or_of_its_folder_but_never_a_date(path, adr_id, number):
    record = read_record(path, "# A\n")

    assert (record.adr_id, record.number, read_adr_id(path)) == (adr_id, number, adr_id)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("0001-a.md", NYGARD, True),
        ("012-release/index.md", NYGARD, True),
        ("use-ferns.md", NYGARD, True),
        ("README.md", "# Decisions\n\n## Status\n", False),
        ("index.md", "# Decisions\n", False),
        ("template.md", NYGARD, False),
        ("0000-adr-template.md", NYGARD, False),
        ("0002-empty.md", " \n", False),
        ("notes.md", "# Notes\n\nMilk.\n", False),
    ],
)
def test_indexes_templates_and_empty_files_are_no_records(path, text, expected):
    assert is_record(path, text) is expected


def test_a_record_without_a_title_of_its_own_is_called_by_its_file():
    assert read_record("0042-samples-restructure.md", "## Context\n\nx\n").title == "Samples restructure"


@pytest.mark.parametrize(
    "text", [*NASTY.values(), "\x00\xff" * 500, "|" * 5000, "[" * 5000, "# " * 5000, "---\na: b\n" * 500]
)
def test_no_text_is_too_nasty_to_be_read(text):
    record = read_record("0001-a.md", text)

    assert record.adr_id == "0001"
    assert isinstance(is_record("a.md", text), bool)
