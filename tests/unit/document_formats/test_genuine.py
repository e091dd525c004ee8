"""Which files with a document's name are documents."""

from fieldguide.prose.readers import is_document

TEXT = b"Permission is hereby granted, free of charge, to any person obtaining a copy.\n"


LICENCES = ["LICENSE", "LICENSE.md", "license.txt", "LICENSE-MIT.md", "COPYING.rst"]


def test_a_licence_is_none_and_a_page_about_one_is():
    names = [*LICENCES, "license.rst", "licensing.md", "copying.md"]

    assert [name for name in names if not is_document(f"docs/{name}", TEXT)] == LICENCES


def test_a_page_is_one_in_every_script():
    sentence = "これは手で書かれた説明のページです。"
    page = f"<html><body><p>{sentence * 15}</p></body></html>"

    assert is_document("docs/page.html", page.encode())
    assert not is_document("docs/page.html", page.replace("<p>", "<p th:text='${a}'>").encode())


def test_what_only_has_capitals_is_judged_by_the_format_that_is_told():
    assert is_document("CHANGES", b"We have changed what a fox may order.\n", "text")
    assert not is_document("CHANGES", b"a=1\nb=2\n", "text")
