"""Arguments against the schemas of the tools: what a validator would say, in a sentence for each."""

import json
from pathlib import Path

import pytest

from fieldguide.text.errors import InvalidArguments
from fieldguide.toolsets.documents.calls import check
from tests.proves import proves

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "tools.json").read_text(encoding="utf-8"))
SCHEMAS = {tool["name"]: tool["inputSchema"] for tool in GOLDEN if tool["toolset"] == "documents"}


def complaint(name, **arguments):
    """What is wrong with these arguments; None when nothing is."""
    try:
        check(SCHEMAS[name], arguments)
    except InvalidArguments as error:
        return error.message
    return None


@proves("D-31")
@pytest.mark.parametrize("number", [-1, -0.5, -(2**53), float("inf"), float("nan"), 2**60, 1e300])
def test_a_number_that_counts_nothing_is_refused(number):
    assert complaint("documents_list_documents", collection="a", limit=number) is not None
    assert complaint("documents_list_documents", collection="a", offset=number) is not None
    assert complaint("documents_find_related", collection="a", document="b", limit=number) is not None


@proves("D-17")
def test_what_we_add_is_taken_though_no_schema_names_it():
    assert complaint("documents_find_related", collection="a", document="b", allCollections=True) is None
    assert not any("allCollections" in schema["properties"] for schema in SCHEMAS.values())
    said = complaint("documents_find_related", collection="a", document="b", allCollections="all")
    assert said == "field allCollections must be a boolean"
