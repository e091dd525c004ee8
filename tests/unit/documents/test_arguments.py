"""Arguments against the schemas of the tools: what a validator would say, in a sentence for each."""

import json
from pathlib import Path

import jsonschema_rs
import pytest

from fieldguide.text.errors import InvalidArguments
from fieldguide.toolsets.documents.calls import check
from tests.proves import proves

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "tools.json").read_text(encoding="utf-8"))
SCHEMAS = {tool["name"]: tool["inputSchema"] for tool in GOLDEN if tool["toolset"] == "documents"}
VALUES = [None, True, 0, 1, 2.5, "text", "", [], ["a"], [1], {}, {"query": "a"}]
QUERIES = [
    [],
    [{"query": "a"}] * 10,
    [{"query": "a"}] * 11,
    [{"query": 1}],
    [{"collections": ["a"]}],
    [{"query": "a", "collections": ["b"]}],
    [{"query": "a", "collections": "b"}],
    [{"query": "a", "more": 1}],
    ["a"],
    [None],
]


def complaint(name, **arguments):
    """What is wrong with these arguments; None when nothing is."""
    try:
        check(SCHEMAS[name], arguments)
    except InvalidArguments as error:
        return error.message
    return None


def cases():
    """Every tool with every value for every argument, the others being right."""
    right = {"collection": "a", "document": "b", "section": "c", "query": "d", "queries": [{"query": "e"}]}
    for name, schema in SCHEMAS.items():
        fitting = {key: right[key] for key in schema.get("required", ())}
        yield name, fitting
        yield name, {}
        yield name, {**fitting, "surplus": 1}
        for key in schema["properties"]:
            for value in [*VALUES, *(QUERIES if key == "queries" else ())]:
                yield name, {**fitting, key: value}


@proves("D-31", "S2-42")
def test_what_the_schemas_allow_is_allowed_and_what_they_forbid_is_refused():
    told = list(cases())

    for name, arguments in told:
        is_valid = jsonschema_rs.is_valid(SCHEMAS[name], arguments)
        assert (complaint(name, **arguments) is None) == is_valid, (name, arguments)
    assert len(told) > 300


@proves("D-31")
@pytest.mark.parametrize("number", [-1, -0.5, -(2**53), float("inf"), float("nan"), 2**60, 1e300])
def test_a_number_that_counts_nothing_is_refused(number):
    assert complaint("documents_list_documents", collection="a", limit=number) is not None
    assert complaint("documents_list_documents", collection="a", offset=number) is not None
    assert complaint("documents_find_related", collection="a", document="b", limit=number) is not None


@proves("D-17")
def test_what_we_add_is_taken_though_no_schema_names_it():
    assert complaint("documents_find_related", collection="a", document="b", allCollections=True) is None
    assert complaint("documents_search_batch", queries=[{"query": "a"}], deduplicate=False) is None
    assert not any({"allCollections", "deduplicate"} & schema["properties"].keys() for schema in SCHEMAS.values())
    said = complaint("documents_find_related", collection="a", document="b", allCollections="all")
    assert said == "field allCollections must be a boolean"
    nested = complaint("documents_search_batch", queries=[{"query": "a", "deduplicate": True}])
    assert nested == "unexpected argument: queries.0.deduplicate"


def test_everything_that_is_wrong_is_told_at_once():
    said = complaint("documents_get_section", document=1, section="a", includeSubsections="no", extra=0)

    assert said == (
        "field document must be a string; field includeSubsections must be a boolean; "
        "unexpected argument: extra; missing required argument: collection"
    )
