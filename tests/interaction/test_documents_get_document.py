"""`documents_get_document`: a document, byte for byte."""

import pytest

from tests.cited import cited_whole
from tests.document_wires import FERNS, GUIDE_ID, ask_by_command
from tests.proves import proves

AWKWARD = "\ufeff# Title\r\n\r\nTab\there, null-free, 🦊, e\u0301, \u2028 and a lone return\rand no end"


@proves("U2-4", "S2-2", "S2-4")
def test_it_gives_the_whole_document(ask):
    told = ask("documents_get_document", collection="guide", document="ferns.md")

    assert list(told.value.items()) == [
        ("collection", "guide"),
        ("collectionId", GUIDE_ID),
        ("document", "ferns.md"),
        ("content", FERNS),
        ("citation", cited_whole("guide/ferns.md", FERNS)),
    ]


@proves("U2-4", "S2-5")
@pytest.mark.parametrize(
    ("collection", "document"),
    [
        ("guide", "nothing.md"),
        (GUIDE_ID, "nothing.md"),
        ("nowhere", "ferns.md"),
        ("notes", "ferns.md"),
        ("guide", "Ferns.md"),
        ("guide", "drafts/later.md"),
        ("guide", "../context.json"),
        ("guide", "manifest.json"),
        ("guide", ""),
    ],
)
def test_what_is_not_there_is_told_in_the_words_of_the_caller(ask, collection, document):
    told = ask("documents_get_document", collection=collection, document=document)

    assert told.sentence == f'Document "{document}" not found in collection "{collection}".'


def test_every_byte_of_a_document_comes_back(project):
    project.write("docs/awkward.md", AWKWARD)
    project.write("docs/empty.md", "")
    ask = ask_by_command(project)

    awkward = ask("documents_get_document", collection="docs", document="awkward.md").value
    empty = ask("documents_get_document", collection="docs", document="empty.md").value

    assert awkward["content"] == AWKWARD
    assert empty["content"] == ""
