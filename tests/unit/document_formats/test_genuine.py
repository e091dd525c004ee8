"""Which files with a document's name are documents."""

import pytest

from fieldguide.document_formats.genuine import is_document

TEXT = b"Permission is hereby granted, free of charge, to any person obtaining a copy.\n"


@pytest.mark.parametrize("name", ["LICENSE", "LICENSE.md", "license.txt", "LICENSE-MIT.md", "COPYING.rst"])
def test_a_licence_is_none(name):
    assert not is_document(f"docs/{name}", TEXT)


@pytest.mark.parametrize("name", ["license.rst", "licensing.md", "copying.md"])
def test_a_page_about_one_is_a_document(name):
    assert is_document(f"docs/{name}", TEXT)
