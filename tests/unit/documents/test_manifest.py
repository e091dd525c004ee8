"""What is wrong with manifests that are none."""

import json

import pytest

from fieldguide.text.errors import InvalidArguments
from fieldguide.toolsets.documents.snapshot import parse_manifest
from tests.proves import proves

SAID = {"name": "garden", "version": "1.0"}


def parsed(**said):
    return parse_manifest(json.dumps({**SAID, **said}).encode())


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
