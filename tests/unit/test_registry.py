"""The registry: what it takes in, what it refuses, and the order it lists in."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from fieldguide.spine.executor import Registry
from fieldguide.spine.tool import Tool
from fieldguide.text.errors import DuplicateTool, InvalidToolSchema, ToolNotFound
from tests.proves import proves

OBJECT = {"type": "object", "properties": {}}


def tool(name="one", description="Does one thing", schema=None):
    return Tool(name=name, description=description, input_schema=schema or OBJECT, run=lambda call: name)


@proves("S0-9", "S0-10", "S0-13", "S0-19", "S0-80")
def test_tools_are_registered_found_and_listed_in_order():
    registry = Registry([tool("zebra"), tool("ant"), tool("a/b.c")])

    assert [each.name for each in registry.all()] == ["a/b.c", "ant", "zebra"]
    assert registry.find("ant").description == "Does one thing"
    assert registry.find("a/b.c") is registry.find("a_b_c")
    with pytest.raises(ToolNotFound, match="Tool not found: cat"):
        registry.find("cat")


@proves("S0-11", "S0-80")
@pytest.mark.parametrize("second", ["a/b", "a_b"])
def test_a_second_tool_of_one_name_is_refused_and_the_first_stays(second):
    registry = Registry([tool("a/b", "The first")])

    with pytest.raises(DuplicateTool):
        registry.register(tool(second, "The second"))

    assert registry.find("a/b").description == "The first"
    assert len(registry.all()) == 1


@proves("S0-12")
@pytest.mark.parametrize(
    ("name", "description", "schema"),
    [
        ("", "x", OBJECT),
        ("has space", "x", OBJECT),
        ("x" * 129, "x", OBJECT),
        ("one", "  ", OBJECT),
        ("one", "x", {"type": "string"}),
        ("one", "x", {"properties": {}}),
        ("one", "x", {"type": "object", "properties": []}),
        ("one", "x", {"type": "object", "properties": {"a": {"type": "texxt"}}}),
        ("one", "x", {"type": "object", "properties": {"a": 5}}),
        ("one", "x", {"type": "object", "properties": {}, "required": ["a"]}),
        ("one", "x", {"type": "object", "required": "a"}),
        ("one", "x", {"type": "object", "properties": {"a": {"maxLength": "5"}}}),
        ("one", "x", {"type": "object", "properties": {"a": {"minimum": True}}}),
        ("one", "x", {"type": "object", "properties": {"a": {"enum": "b"}}}),
        ("one", "x", {"type": "object", "properties": {"a": {"anyOf": {}}}}),
        ("one", "x", {"type": "object", "properties": {"a": {"items": {"type": "list"}}}}),
        ("one", "x", {"type": "object", "additionalProperties": "no"}),
        ("one", "x", {"type": "object", "properties": {"a": {"enum": [["b"]]}}}),
        ("one", "x", {"type": "object", "properties": {"a": True}}),
    ],
)
def test_a_broken_definition_is_refused_at_registration(name, description, schema):
    with pytest.raises(InvalidToolSchema):
        Registry().register(tool(name, description, schema))


@proves("S0-12")
def test_a_keyword_that_nobody_would_check_is_refused_by_name():
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string", "pattern": "x"}}}}

    with pytest.raises(InvalidToolSchema, match=r"inputSchema\.properties\.a\.items\.pattern is not checked"):
        Registry().register(tool(schema=schema))


def test_a_rich_schema_is_taken():
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "many": {"type": "array", "items": {"type": ["string", "null"]}, "minItems": 1},
            "either": {"anyOf": [{"type": "string"}, {"type": "number", "minimum": 0.5}]},
            "free": {},
        },
        "required": ["many"],
        "additionalProperties": False,
    }

    registry = Registry([tool(schema=schema)])

    assert registry.find("one").input_schema == schema


@proves("S0-16")
def test_registering_listing_and_finding_at_once_is_safe():
    registry = Registry()

    def work(number):
        for step in range(50):
            registry.register(tool(f"tool-{number}-{step}"))
            names = [each.name for each in registry.all()]
            assert names == sorted(names)
            registry.find(f"tool-{number}-{step}")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))  # what fails there fails here

    assert len(registry.all()) == 400
