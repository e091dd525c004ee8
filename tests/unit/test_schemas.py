"""Our check of arguments beside jsonschema-rs, which reads all of JSON Schema: the same verdict on every tool."""

from functools import partial
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldguide.app import build_app
from fieldguide.settings.config import Settings
from fieldguide.spine.executor import check_arguments, find_issues
from fieldguide.spine.tool import Tool
from fieldguide.text.errors import InvalidArguments
from tests.proves import proves

SERVED = build_app(Settings(), write_journal=partial(list.extend, [])).executor.registry.all()
SCHEMAS: dict[str, dict[str, Any]] = {tool.name: dict(tool.input_schema) for tool in SERVED}
RICH: dict[str, Any] = {
    "type": "object",
    "properties": {
        "either": {"anyOf": [{"type": "string", "minLength": 2}, {"type": "number", "minimum": 0.5}]},
        "list": {"type": ["array", "null"], "minItems": 1, "maxItems": 2, "items": {"enum": [1, True, "a", None]}},
        "map": {"type": "object", "additionalProperties": {"type": "boolean"}},
        "free": {},
    },
    "required": ["list", "either"],
}
FRACTIONS = st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: not number.is_integer())
SCALARS = st.none() | st.booleans() | st.integers(-10, 60) | st.integers() | FRACTIONS | st.text(max_size=30)
NAMES = st.text(min_size=1, max_size=5)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3))


def values_for(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that mostly fit a schema, so that both verdicts are common."""
    options = [values_for(each) for each in schema.get("anyOf", [])]
    if "enum" in schema:
        options.append(st.sampled_from(schema["enum"]))
    longest = schema.get("maxLength")
    match schema.get("type"):
        case "string" if longest is not None:
            options.append(st.sampled_from([longest - 1, longest, longest + 1]).map(lambda size: "é" * size))
        case "string":
            options.append(st.text(max_size=3))
        case "integer" | "number":
            limits = [schema.get("minimum", 0), schema.get("maximum", 9)]
            options.append(st.sampled_from([number + step for number in limits for step in (-1, 0, 1)]))
        case "boolean":
            options.append(st.booleans())
        case "object":
            options.append(objects_for(schema))
        case "array" | ["array", "null"]:
            most = schema.get("maxItems", 3)
            options.append(st.lists(values_for(schema.get("items", {})), max_size=most + 1))
    return st.one_of(VALUES, *options, *options, *options)


def objects_for(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with some properties of a schema, most of those that it requires, and now and then another."""
    properties = {name: values_for(each) for name, each in schema.get("properties", {}).items()}
    others = {"another": VALUES, "b": VALUES}
    some = st.fixed_dictionaries({}, optional={**properties, **others})
    required = {name: properties[name] for name in schema.get("required", ())}
    optional = {name: each for name, each in properties.items() if name not in required}
    return st.fixed_dictionaries(required, optional=optional) | some


@proves("S0-15")
def test_arguments_are_judged_as_json_schema_says():
    schemas = {**SCHEMAS, "rich": RICH}
    judges = {name: jsonschema_rs.validator_for(schema) for name, schema in schemas.items()}
    cases = st.one_of([st.tuples(st.just(name), objects_for(schema)) for name, schema in schemas.items()])
    verdicts: list[bool] = []

    @settings(max_examples=600, database=None, suppress_health_check=[HealthCheck.too_slow])
    @given(cases)
    def judge(case: tuple[str, dict[str, Any]]) -> None:
        name, arguments = case
        ours = sorted(path_of(issue["path"], issue["message"]) for issue in find_issues(schemas[name], arguments))
        theirs = sorted(path_of(error.instance_path, error.message) for error in judges[name].iter_errors(arguments))
        assert ours == theirs, (name, arguments)
        verdicts.append(not ours)

    judge()

    assert min(verdicts.count(True), verdicts.count(False)) > 10


def path_of(place: list[Any], message: str) -> str:
    """Where an issue is; jsonschema-rs puts a missing property at its object."""
    inner = place[:-1] if message.startswith("missing") else place
    return "/".join(map(str, inner))


def refusal(schema: dict[str, Any], arguments: dict[str, Any]) -> str | None:
    tool = Tool(name="t", description="x", input_schema=schema, run=lambda call: None)
    try:
        check_arguments(tool, arguments)
    except InvalidArguments as error:
        return error.message
    return None


@proves("S0-15")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"either": "ab", "list": None, "free": {"x": [1]}}, None),
        ({"either": "a", "list": []}, "field either is not allowed here (anyOf); field list must hold at least 1"),
        ({"either": 1, "list": "a"}, "field list must be an array or a null"),
        ({"either": 1, "list": [1.0, True, False]},
         "field list must hold at most 2; field list.2 has invalid value, must be one of allowed values"),
        ({"either": 1, "list": None, "map": {"a": 1}}, "field map.a must be a boolean"),
        ({"map": [], "either": 1}, "field map must be an object; missing required argument: list"),
        ({"either": float("inf"), "list": None}, "field either is not allowed here (anyOf)"),
        ({"either": "ab", "list": None, "free": ["a\ud800"]}, "field free.0 is not valid Unicode text"),
        ({"either": "ab", "list": None, "free": {"\ud800": 1}}, "field free is not valid Unicode text"),
    ],
)  # fmt: skip
def test_every_issue_is_told_with_its_place(arguments, message):
    assert refusal(RICH, arguments) == message


def test_a_float_is_no_integer_wherever_it_is():
    numbers = {"type": "object", "properties": {"n": {"type": "array", "items": {"type": "integer", "minimum": 2}}}}

    assert refusal(numbers, {"n": [2, 10**30]}) is None
    assert refusal(numbers, {"n": [1.0]}) == "field n.0 must be an integer; field n.0 must be at least 2"


def test_a_message_ends_where_nobody_would_read_on():
    numbers = {"type": "object", "properties": {"n": {"type": "array", "items": {"type": "integer"}}}}

    message = refusal(numbers, {"n": ["x"] * 100_000})

    assert message is not None
    assert message.startswith("field n.0 must be an integer; field n.1 must be an integer; ")
    assert len(message) < 400
