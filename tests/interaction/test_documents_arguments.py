"""What the document tools refuse: each error names the argument, in the words of the schema."""

from typing import Any

import pytest

from tests.proves import proves

PLACE = {"collection": "a", "document": "b"}
REFUSED: dict[str, list[tuple[dict[str, Any], str]]] = {
    "documents_list_documents": [
        ({}, "missing required argument: collection"),
        ({"collection": 5}, "field collection must be a string"),
        ({"collection": "guide", "limit": "3"}, "field limit must be a number"),
        ({"collection": "guide", "page": 2}, "unexpected argument: page"),
    ],
    "documents_get_section": [
        ({**PLACE, "section": "a", "includeSubsections": "no"}, "field includeSubsections must be a boolean"),
    ],
    "documents_find_related": [
        ({**PLACE, "allCollections": "yes"}, "field allCollections must be a boolean"),
        ({**PLACE, "hybridSearch": True}, "unexpected argument: hybridSearch"),
    ],
    "documents_search": [
        ({"query": "a", "collections": "guide"}, "field collections must be an array"),
        ({"query": "a", "collections": ["guide", 1]}, "field collections.1 must be a string"),
        ({"query": "a", "limit": -1}, "field limit must not be negative"),
    ],
    "documents_search_batch": [
        ({"queries": ["fern"]}, "field queries.0 must be an object"),
        ({"queries": [{}]}, "missing required argument: queries.0.query"),
        ({"queries": [{"query": "a", "limit": 1}]}, "unexpected argument: queries.0.limit"),
        ({"queries": [{"query": "a", "collections": [1]}]}, "field queries.0.collections.0 must be a string"),
    ],
}


@proves("D-31", "U2-6", "S2-39")
@pytest.mark.parametrize(
    ("tool", "arguments", "complaint"), [(tool, *row) for tool, rows in REFUSED.items() for row in rows]
)
def test_what_does_not_fit_is_an_error_that_says_what(ask, tool, arguments, complaint):
    assert ask(tool, **arguments).error == f"Error: {complaint}"
