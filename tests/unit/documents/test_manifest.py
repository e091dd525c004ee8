"""Manifests: what they say, and what is wrong with those that are none."""

import json

import pytest

from fieldguide.text.errors import InvalidArguments
from fieldguide.toolsets.documents.snapshot import ListedFile, parse_manifest
from tests.proves import proves

SAID = {"name": "garden", "version": "1.0"}


def parsed(**said):
    return parse_manifest(json.dumps({**SAID, **said}).encode())


@proves("U2-8")
def test_a_manifest_has_globs_and_what_it_is_about():
    manifest = parsed(
        description="All of it.", baseUrl="https://x.test/", sources={"glob": ["**/*.md", "!a/**"]}, metadata={"x": [1]}
    )

    assert (manifest.globs, manifest.files) == (("**/*.md", "!a/**"), ())
    assert manifest.base_url == "https://x.test/"
    assert manifest.details() == {"name": "garden", "version": "1.0", "description": "All of it."}


@proves("U2-8")
def test_a_manifest_has_files_by_path_or_by_address_with_their_hashes():
    manifest = parsed(
        sources={"files": ["a.md", {"path": "b/c.md", "hash": "sha256:00"}, {"url": "https://x.test/d.md"}]}
    )

    assert manifest.files == (
        ListedFile("a.md", None, None),
        ListedFile("b/c.md", None, "sha256:00"),
        ListedFile(None, "https://x.test/d.md", None),
    )
    assert manifest.globs == ()


@proves("U2-8", "S2-8")
def test_what_a_manifest_does_not_say_is_not_told():
    assert parsed(sources={"glob": []}).details() == SAID
    assert parsed(sources={"glob": []}, description="").details() == SAID


@proves("U2-8")
@pytest.mark.parametrize(
    "said",
    [
        {},
        {"sources": []},
        {"sources": {}},
        {"sources": {"glob": [], "files": []}},
        {"sources": {"glob": [1]}},
        {"sources": {"glob": {"a": 1}}},
        {"sources": {"files": "a.md"}},
        {"sources": {"files": [1]}},
        {"sources": {"files": [{}]}},
        {"sources": {"files": [{"path": "a", "url": "https://x.test/b"}]}},
        {"sources": {"files": [{"path": 1}]}},
        {"sources": {"files": [{"path": "a", "hash": 1}]}},
        {"sources": {"glob": []}, "name": None},
        {"sources": {"glob": []}, "version": 1},
        {"sources": {"glob": []}, "description": ["a"]},
        {"sources": {"glob": []}, "baseUrl": 5},
    ],
    ids=json.dumps,
)
def test_what_is_no_manifest_is_refused_in_a_sentence(said):
    with pytest.raises(InvalidArguments, match=r"[Mm]anifest.*\.$"):
        parsed(**said)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'"a"', b"\xff\xfe\x00", b"[" * 100_000])
def test_what_is_no_object_is_refused_too(content):
    with pytest.raises(InvalidArguments, match="The manifest"):
        parse_manifest(content)
