"""A template filled in: `{{name}}`, `{{resource:architecture://…}}` and `{{tool:…}}`.

A template is read once, from left to right. What an argument or a document holds is put in as it is and never read as a
template itself: code that a caller wants reviewed must not be able to pull in other documents.
"""

from collections.abc import Callable, Mapping
from typing import Any

from fieldguide import linear_regex as re
from fieldguide.errors import InvalidArguments, ToolNotFound
from fieldguide.spine.contract import Tool
from fieldguide.toolsets.architecture.addresses import found_at
from fieldguide.toolsets.architecture.library import Document, Shelf

VARIABLE = re.compile(r"\{\{\s*([A-Za-z0-9_-]+)\s*\}\}")
PLACE = re.compile(
    r"\{\{\s*(?P<kind>resource|tool):(?P<what>(?:[^{}]|\{\{\s*[A-Za-z0-9_-]+\s*\}\})*)\}\}|" + VARIABLE.pattern
)
TRAILING_PARENTHESIS = re.compile(r"\s*\([^()]*\)\s*$")
MOST_RESOURCES = 50
MOST_BYTES = 1 << 20
BETWEEN = "\n\n---\n\n"

FindTool = Callable[[str], Tool]


class Budget:
    """How many documents, and how many bytes of them, one prompt may still hold."""

    def __init__(self) -> None:
        self.documents = MOST_RESOURCES
        self.size_bytes = MOST_BYTES

    def admits(self, text: str) -> bool:
        """Whether one more text fits; it is counted if it does."""
        size = len(text.encode(errors="replace")) + len(BETWEEN)
        if not self.documents or size > self.size_bytes:
            return False
        self.documents -= 1
        self.size_bytes -= size
        return True


def render(
    template: str, arguments: Mapping[str, str], shelf: Callable[[], Shelf], find_tool: FindTool, budget: Budget
) -> str:
    """The text of a message; InvalidArguments where it names a tool or a document that is not there."""

    def filled(match: re.Match[str]) -> str:
        kind = match["kind"]
        if kind is None:
            return arguments.get(match[3], match[0])
        what = VARIABLE.sub(lambda inner: arguments.get(inner[1], inner[0]), match["what"]).strip()
        return embedded_tool(what, find_tool) if kind == "tool" else embedded_resources(what, shelf(), budget)

    return PLACE.sub(filled, template)


def tools_named(template: str) -> list[str]:
    """The tools that a template refers to, where no argument decides it."""
    found = [match["what"].strip() for match in PLACE.finditer(template) if match["kind"] == "tool"]
    return [name for name in found if "{{" not in name]


def embedded_tool(name: str, find_tool: FindTool) -> str:
    """What a model must know of a tool to call it."""
    try:
        tool = find_tool(name)
    except ToolNotFound as error:
        raise InvalidArguments(f"tool not found: {name}") from error
    required = tool.input_schema.get("required", ())
    properties: Mapping[str, Any] = tool.input_schema.get("properties", {})
    lines = [f"Tool: {tool.name}", f"Description: {tool.description}", "Parameters:"]
    for field, schema in properties.items():
        need = "required" if field in required else "optional"
        lines.append(f"  - {field} ({need}): {_parameter(schema)}")
    return "\n".join(lines)


def embedded_resources(uri: str, shelf: Shelf, budget: Budget) -> str:
    """The documents that a URI names, `*` standing for anything; what is beyond the limits is told, not given."""
    wanted = _wildcard(uri) if "*" in uri else None
    if wanted is None:
        found = [found_at(shelf, uri)]
    else:
        found = [each for each in shelf.documents if any(wanted(address) for address in each.addresses)]
    if not found:
        return f"(No document matches {uri}.)"
    given: list[str] = []
    for document in found:
        text = _embedded(document)
        if not budget.admits(text):
            break
        given.append(text)
    left = len(found) - len(given)
    if left:
        given.append(f"({left} more documents match {uri}; a prompt holds {MOST_RESOURCES}, and 1 MiB, at most.)")
    return BETWEEN.join(given)


def _parameter(schema: Mapping[str, Any]) -> str:
    description = TRAILING_PARENTHESIS.sub("", str(schema.get("description", "")))
    longest = schema.get("maxLength")
    return description if longest is None else f"{description} (max {longest} chars)"


def _embedded(document: Document) -> str:
    return f"# {document.title}\nSource: {document.path}\n\n{document.text}"


def _wildcard(uri: str) -> Callable[[str], bool]:
    """Whether an address fits; the parts between stars must come in their order."""
    first, *parts = uri.split("*")

    def fits(address: str) -> bool:
        if not address.startswith(first):
            return False
        at = len(first)
        for part in parts[:-1]:
            found = address.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        return address.endswith(parts[-1]) and len(address) - len(parts[-1]) >= at

    return fits
