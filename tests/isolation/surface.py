"""Every way to ask a service for something, made from what it registers: a new tool is in the matrix by being there."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fieldguide.app import App
from tests.isolation.facts import NAMED

WORDS = "How is the {named} opened, and where are its keys kept?"
VALUES: Mapping[str, Any] = {
    "path": "src/{named}.py",
    "document": "docs/{named}.md",
    "collection": "docs",
    "section": "Opening",
    "citation": "docs/{named}.md",
    "name": "open_{named}",
    "from": "open_{named}",
    "to": "open_{named}",
    "of": "src/{named}.py",
    "pattern": "open_{named}.. == ",
    "pattern_name": "{named}",
    "code": "class {named}: ...",
    "decision_description": "We keep no key in the {named} any longer.",
    "task_id": 1,
    "user_id": None,
    "title": "Look into the {named}",
    "content": "The {named} has a second door.",
    "type": "issue",
    "queries": [{"query": WORDS}],
    "cursor": None,
    "module": None,
    "language": None,
    "filePattern": None,
    "chunk": None,
    "decision_context": None,
    "budget": None,
}
"""What is asked for, by the name of an argument; None leaves it out. Others are asked in words."""
APART: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "guide_search": (("query",), ("pattern", "path")),
    "guide_flow": (("question",), ("from", "to")),
}
"""The arguments of tools that take one set or another: each set is a request of its own."""
DIRECTIVE = "reference/{named}.md"


class Probe(NamedTuple):
    """One request: what it is called, its method, its params with `{named}` where a thing is named, what it does."""

    name: str
    method: str
    params: Mapping[str, Any]
    toolset: str = ""
    writes: bool = False

    def naming(self, named: str) -> dict[str, Any]:
        """The params for things of this name."""
        filled: dict[str, Any] = _filled(self.params, named)
        return filled


def probes(app: App) -> list[Probe]:
    """Every tool, method, prompt, resource and completion that an app registers, and the methods of the protocol."""
    return [*_tools(app), *_methods(app), *_prompts(app), *_resources(app), *_completions(app), *_of_the_protocol()]


def _tools(app: App) -> Iterator[Probe]:
    for tool in app.executor.registry.all():
        properties = tool.input_schema["properties"]
        arguments = {name: _value(tool.name, name, schema) for name, schema in properties.items()}
        first, *others = APART.get(tool.name, (tuple(arguments),))
        for names in (first, *others):
            given = {name: arguments[name] for name in names if arguments[name] is not None}
            params = {"name": tool.name, "arguments": given}
            name = f"tool {tool.name}" if names == first else f"tool {tool.name} by {names[0]}"
            yield Probe(name, "tools/call", params, tool.toolset, tool.effects.writes)


def _methods(app: App) -> Iterator[Probe]:
    for toolset in app.toolsets:
        for method in toolset.methods:
            given = {"path": DIRECTIVE} if method.endswith("file.get") else {}
            yield Probe(f"method {method}", method, given, toolset.name)


def _prompts(app: App) -> Iterator[Probe]:
    for toolset in app.toolsets:
        for prompt in toolset.prompts():
            given = {each.name: VALUES.get(each.name) or WORDS for each in prompt.arguments}
            params = {"name": prompt.name, "arguments": given}
            yield Probe(f"prompt {prompt.name}", "prompts/get", params, toolset.name)


def _resources(app: App) -> Iterator[Probe]:
    for toolset in app.toolsets:
        for provider in toolset.resources:
            listed = [each.uri.replace(NAMED, "{named}") for each in provider.list()]
            for template in provider.templates():
                plain = re.sub(r"\{\?[^}]*\}", "", template.uri_template)
                listed += [plain.replace(part, each) for part in re.findall(r"\{\w+\}", plain) for each in NAMES]
                listed += [] if "{" in plain else [plain]
            for uri in dict.fromkeys(listed):
                yield Probe(f"resource {uri}", "resources/read", {"uri": uri}, toolset.name)


NAMES = ("{named}", "0001-{named}", "0001", "src")


def _completions(app: App) -> Iterator[Probe]:
    for toolset in app.toolsets:
        references: list[tuple[dict[str, str], str]] = [
            ({"type": "ref/prompt", "name": prompt.name}, argument.name)
            for prompt in toolset.prompts()
            for argument in prompt.arguments
        ]
        references += [
            ({"type": "ref/resource", "uri": template.uri_template}, argument)
            for provider in toolset.resources
            for template in provider.templates()
            for argument in re.findall(r"\{\??(\w+)\}", template.uri_template)
        ]
        for reference, argument in references:
            params = {"ref": reference, "argument": {"name": argument, "value": ""}}
            yield Probe(f"completion {reference} {argument}", "completion/complete", params, toolset.name)


def _of_the_protocol() -> Iterator[Probe]:
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list", "server/performance"):
        yield Probe(method, method, {})
    yield Probe("unknown method", "no/such", {})
    yield Probe("unknown tool", "tools/call", {"name": "no_such_tool", "arguments": {}})
    yield Probe("wrong arguments", "tools/call", {"name": "guide_search", "arguments": {"query": 5}})


def _value(tool: str, name: str, schema: Mapping[str, Any]) -> Any:
    if tool.startswith("directive/") and name == "path":
        return DIRECTIVE
    if name in VALUES:
        known = VALUES[name]
        allowed = schema.get("enum")
        return known if allowed is None or known in allowed else allowed[0]
    return WORDS if schema.get("type") == "string" and "enum" not in schema else None


def _filled(value: Any, named: str) -> Any:
    if isinstance(value, str):
        return value.replace("{named}", named)
    if isinstance(value, Mapping):
        return {key: _filled(each, named) for key, each in value.items()}
    return [_filled(each, named) for each in value] if isinstance(value, list) else value
