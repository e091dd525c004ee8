"""`documents_find_related`: what is most like a document, or like a piece of text."""

import pytest

from tests.document_wires import GUIDE_ID
from tests.proves import proves


def related(ask, document="ferns.md", **options):
    return ask("documents_find_related", collection="guide", document=document, **options).value["related"]


@proves("S2-49", "S2-51", "S2-52", "S2-53", "S2-63", "D-16", "S2-4")
def test_it_tells_the_source_and_what_is_like_it(ask):
    told = ask("documents_find_related", collection=GUIDE_ID, document="ferns.md")

    assert told.value["source"] == {"collection": "guide", "document": "ferns.md"}
    assert told.structured == told.value
    items = told.value["related"]
    assert {item["document"] for item in items} == {"foxes.md", "setup/install.md"}
    for item in items:
        assert item["document"] == item["documentId"]
        assert (item["collection"], item["collectionId"]) == ("guide", GUIDE_ID)
        assert item["relevanceScore"] == pytest.approx(1 - item["distance"], abs=1e-4)
        assert item["content"]
    assert [item["distance"] for item in items] == sorted(item["distance"] for item in items)


@proves("S2-51", "S2-63")
def test_its_own_chunks_come_only_where_they_are_asked_for(ask):
    own = related(ask, sameDocument=True, limit=100)
    others = related(ask, limit=100)

    assert "ferns.md" in {item["document"] for item in own}
    assert "ferns.md" not in {item["document"] for item in others}
    assert related(ask, sameDocument=False, limit=100) == others
    assert own[0]["document"] == "ferns.md"


@proves("S2-50", "S2-51")
def test_a_piece_of_text_finds_what_is_like_it_instead(ask):
    by_text = related(ask, chunk="foxes drink from the brook at night", limit=1)
    by_other_text = related(ask, chunk="write the timer into the scheduler", limit=1)
    own_text = related(ask, chunk="Peat and bark.", limit=1)

    assert by_text[0]["content"].startswith("## Watering\n\nFoxes drink")
    assert by_other_text[0]["content"].startswith("## Windows")
    assert own_text[0]["document"] != "ferns.md"
    assert related(ask, chunk="Peat and bark.", limit=1, sameDocument=True)[0]["sectionHeading"] == "Which soil"


@proves("S2-52", "S2-48", "D-31")
def test_no_more_than_asked_for_and_five_unless_asked(ask):
    everything = related(ask, chunk="water", sameDocument=True, limit=100)

    assert len(everything) > 5
    assert related(ask, chunk="water", sameDocument=True) == everything[:5]
    assert related(ask, chunk="water", sameDocument=True, limit=2) == everything[:2]
    assert related(ask, chunk="water", sameDocument=True, limit=0) == []
    refused = ask("documents_find_related", collection="guide", document="ferns.md", limit=-1)
    assert refused.error == "Error: field limit must not be negative"


@proves("D-17", "S2-53")
def test_other_collections_are_searched_only_where_that_is_asked_for(ask):
    here = related(ask, "foxes.md", limit=100)
    everywhere = related(ask, "foxes.md", limit=100, allCollections=True)

    assert {item["collection"] for item in here} == {"guide"}
    assert {item["collection"] for item in everywhere} == {"guide", "notes"}
    assert [item for item in everywhere if item["collection"] == "guide"] == here


@proves("S2-5", "S2-3")
def test_it_says_that_the_source_is_not_there(ask):
    told = ask("documents_find_related", collection="zzz", document="ferns.md")

    assert told.texts == ['Document "ferns.md" not found in collection "zzz".']
    assert not told.is_error
