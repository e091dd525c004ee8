"""A long heading is not written again for each section below it."""

from fieldguide.prose.markdown import read_markdown
from fieldguide.search.types import chunk_document
from fieldguide.toolsets.documents.service import list_heading_paths

SECTIONS = 2_000
DOCUMENT = "# " + "long " * 20_000 + "\n\n" + "## Part\n\nText.\n\n" * SECTIONS


def test_what_chunks_and_paths_carry_stays_in_proportion_to_the_document():
    document = read_markdown(DOCUMENT)

    carried = sum(len(heading) for chunk in chunk_document(document) for heading in chunk.headings)
    paths = list_heading_paths([(each.level, each.text, each.line) for each in document.headings])

    assert len(paths) == SECTIONS + 1
    assert carried < 10 * len(DOCUMENT)
    assert sum(map(len, paths)) < 10 * len(DOCUMENT)
