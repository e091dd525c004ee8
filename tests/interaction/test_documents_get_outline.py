"""`documents_get_outline`: the headings of a document, with the lines they stand on."""

import pytest

from tests.cited import cited_lines
from tests.document_wires import FERNS, GUIDE_ID, ask_by_command
from tests.proves import proves

OUTLINE = [
    {"level": 1, "text": "Ferns", "line": 1},
    {"level": 2, "text": "Watering", "line": 5},
    {"level": 3, "text": "In summer", "line": 9},
    {"level": 2, "text": "Repotting", "line": 13},
    {"level": 4, "text": "Which soil", "line": 22},
]
DEEP = "\n\n".join(f"{'#' * level} Level {level}" for level in (1, 2, 3, 4, 5, 6, 2))
FRONT = '---\ntitle: "From the front"\n# no: heading\n---\r\n\r\n## Only a second level ##\r\n\r\nSetext\r\n======\r\n'


@proves("S2-23", "S2-24", "S2-25", "S2-26", "S2-27", "S2-63", "D-15")
def test_it_gives_the_first_three_levels_unless_told_otherwise(ask):
    told = ask("documents_get_outline", collection="guide", document="ferns.md")

    expected = {
        "collection": "guide",
        "document": "ferns.md",
        "title": "Ferns",
        "outline": [heading for heading in OUTLINE if heading["level"] != 4],
        "citation": cited_lines("guide/ferns.md", FERNS, 1, 22),
    }
    assert told.value == expected
    assert list(told.value) == list(expected)
    assert told.structured == expected


@proves("S2-26", "S2-22", "S2-63")
@pytest.mark.parametrize(("depth", "count"), [(1, 1), (2, 3), (3, 4), (4, 5), (6, 5)])
def test_no_heading_is_deeper_than_asked_for(ask, depth, count):
    outline = ask("documents_get_outline", collection="guide", document="ferns.md", maxDepth=depth).value["outline"]

    assert outline == [heading for heading in OUTLINE if int(str(heading["level"])) <= depth]
    assert len(outline) == count


@proves("D-31")
@pytest.mark.parametrize(("given", "meant"), [(0, 1), (-5, 1), (1.9, 1), (2.5, 2), (7, 6), (1000, 6)])
def test_a_depth_beyond_one_to_six_means_the_nearest(ask, given, meant):
    def outline(depth):
        return ask("documents_get_outline", collection="guide", document="ferns.md", maxDepth=depth)

    assert outline(given) == outline(meant)


@proves("S2-28", "S2-5", "S2-63")
def test_it_says_that_a_document_is_not_there(ask):
    told = ask("documents_get_outline", collection=GUIDE_ID, document="zebra")

    assert told.texts == [f'Document "zebra" not found in collection "{GUIDE_ID}".']
    assert not told.is_error
    assert told.structured is None
    elsewhere = ask("documents_get_outline", collection="nowhere", document="ferns.md")
    assert elsewhere.sentence == 'Document "ferns.md" not found in collection "nowhere".'


@proves("S2-25", "S2-26", "D-14", "D-15")
def test_all_six_levels_setext_and_front_matter(project):
    project.write("docs/deep.md", DEEP)
    project.write("docs/front.md", FRONT)
    project.write("docs/plain.md", "No heading at all.\n")
    ask = ask_by_command(project)

    def outline(document):
        return ask("documents_get_outline", collection="docs", document=document, maxDepth=6).value

    levels = [(each["level"], each["line"]) for each in outline("deep.md")["outline"]]
    assert levels == list(zip((1, 2, 3, 4, 5, 6, 2), range(1, 14, 2), strict=True))
    assert outline("front.md")["outline"] == [
        {"level": 2, "text": "Only a second level", "line": 6},
        {"level": 1, "text": "Setext", "line": 8},
    ]
    assert outline("front.md")["title"] == "Setext"
    assert (outline("plain.md")["title"], outline("plain.md")["outline"]) == ("plain.md", [])
