"""Reads the built-in prompts and those of `mcp/prompts`, and renders their templates.

A template is read once, from left to right. What an argument or a document holds is put in as it is and never read as a
template itself: code that a caller wants reviewed must not be able to pull in other documents.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.spine.prompts import Message, Prompt, PromptArgument
from fieldguide.spine.resources import ChangedList
from fieldguide.spine.tool import Tool
from fieldguide.text import regex as re
from fieldguide.text.data_formats import MalformedText, read_json
from fieldguide.text.errors import InvalidArguments, ToolNotFound
from fieldguide.toolsets.architecture.library import DocumentLibrary, DocumentShelf, SettledFiles, find_by_uri
from fieldguide.toolsets.architecture.resources import PROMPTS

NAME = re.compile(r"[a-z0-9-]+")
ROLES = ("user", "assistant")


class PromptDefinition(NamedTuple):
    """A prompt before it is filled in: each message is a role and a template."""

    name: str
    description: str
    arguments: tuple[PromptArgument, ...]
    messages: tuple[tuple[str, str], ...]
    title: str | None = None


class MalformedPrompt(ValueError):
    """A file that is no prompt; the message says why."""


def read_definition(content: bytes) -> PromptDefinition:
    """The prompt in a file; MalformedPrompt when there is none."""
    try:
        value = read_json(content)
    except MalformedText as error:
        raise MalformedPrompt(f"it is not JSON ({error})") from error
    given = _object(value, "the file")
    name = _text(given, "name", "the prompt")
    if not NAME.fullmatch(name):
        raise MalformedPrompt(f"the name {name!r} must match ^[a-z0-9-]+$")
    return PromptDefinition(
        name=name,
        description=_text(given, "description", "the prompt", default=""),
        arguments=tuple(_arguments(given.get("arguments", []))),
        messages=tuple(_messages(given.get("messages"))),
        title=_text(given, "title", "the prompt") if "title" in given else None,
    )


def _arguments(value: Any) -> Iterator[PromptArgument]:
    seen: set[str] = set()
    for each in _list(value, "arguments"):
        given = _object(each, "an argument")
        name = _text(given, "name", "an argument")
        if not name or name in seen:
            raise MalformedPrompt(f"the argument {name!r} has no name, or one that is there twice")
        seen.add(name)
        required = given.get("required", False)
        longest = given.get("maxLength")
        if not isinstance(required, bool):
            raise MalformedPrompt(f"`required` of the argument {name!r} must be true or false")
        if longest is not None and (type(longest) is not int or longest < 1):
            raise MalformedPrompt(f"`maxLength` of the argument {name!r} must be a positive integer")
        yield PromptArgument(name, _text(given, "description", "an argument", default=""), required, longest)


def _messages(value: Any) -> Iterator[tuple[str, str]]:
    messages = _list(value, "messages")
    if not messages:
        raise MalformedPrompt("it has no messages")
    for each in messages:
        given = _object(each, "a message")
        role = given.get("role")
        content = _object(given.get("content"), "the content of a message")
        if role not in ROLES:
            raise MalformedPrompt(f"the role {role!r} must be user or assistant")
        if content.get("type") != "text":
            raise MalformedPrompt("the content of a message must have the type text")
        yield role, _text(content, "text", "the content of a message")


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MalformedPrompt(f"{what} must be an object")
    return cast("dict[str, Any]", value)


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise MalformedPrompt(f"`{what}` must be a list")
    return [*value]


def _text(given: dict[str, Any], key: str, what: str, default: str | None = None) -> str:
    value = given.get(key, default)
    if not isinstance(value, str):
        raise MalformedPrompt(f"`{key}` of {what} must be a string")
    return value


VARIABLE = re.compile(r"\{\{\s*([A-Za-z0-9_-]+)\s*\}\}")
PLACE = re.compile(
    r"\{\{\s*(?P<kind>resource|tool):(?P<what>(?:[^{}]|\{\{\s*[A-Za-z0-9_-]+\s*\}\})*)\}\}|" + VARIABLE.pattern
)
TRAILING_PARENTHESIS = re.compile(r"\s*\([^()]*\)\s*$")
MOST_RESOURCES = 50
MOST_BYTES = 1 << 20
BETWEEN = "\n\n---\n\n"

FindTool = Callable[[str], Tool]


class EmbeddingBudget:
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


def render_template(
    template: str,
    arguments: Mapping[str, str],
    shelf: Callable[[], DocumentShelf],
    find_tool: FindTool,
    budget: EmbeddingBudget,
) -> str:
    """The text of a message; InvalidArguments where it names a tool or a document that is not there."""

    def filled(match: re.Match[str]) -> str:
        kind = match["kind"]
        if kind is None:
            return arguments.get(match[3], match[0])
        what = VARIABLE.sub(lambda inner: arguments.get(inner[1], inner[0]), match["what"]).strip()
        return describe_tool(what, find_tool) if kind == "tool" else embed_resources(what, shelf(), budget)

    return PLACE.sub(filled, template)


def find_named_tools(template: str) -> list[str]:
    """The tools that a template refers to, where no argument decides it."""
    found = [match["what"].strip() for match in PLACE.finditer(template) if match["kind"] == "tool"]
    return [name for name in found if "{{" not in name]


def describe_tool(name: str, find_tool: FindTool) -> str:
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


def embed_resources(uri: str, shelf: DocumentShelf, budget: EmbeddingBudget) -> str:
    """The documents that a URI names, `*` standing for anything; documents beyond the limits are only counted."""
    if "*" in uri:
        wildcard = re.compile(".*".join(map(re.escape, uri.split("*"))))
        found = [each for each in shelf.documents if any(map(wildcard.fullmatch, each.addresses))]
    else:
        found = [find_by_uri(shelf, uri)]
    if not found:
        return f"(No document matches {uri}.)"
    given: list[str] = []
    for document in found:
        text = f"# {document.title}\nSource: {document.path}\n\n{document.text}"
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


BUILT_IN = os.path.join(os.path.dirname(__file__), "built_in_prompts")


class PromptBook:
    """The prompts by name, never older than a second; one that is malformed is reported once and left out."""

    def __init__(
        self,
        project: ConfinedFolder,
        library: DocumentLibrary,
        find_tool: Callable[[str], Tool],
        note: Callable[..., None],
    ) -> None:
        self._project = project
        self._library = library
        self._find_tool = find_tool
        self._note = note
        self._lock = threading.Lock()
        self._files = SettledFiles(project, self._listing)
        self._generation = 0
        self._told_generation = 0
        self._prompts: tuple[Prompt, ...] = ()
        self._told: set[str] = set()

    @property
    def is_unsettled(self) -> bool:
        """Whether a prompt was being written at the last look."""
        return self._files.is_unsettled

    def prompts(self) -> Iterable[Prompt]:
        """Every prompt."""
        self._files.current()
        return self._arranged()

    def look(self) -> None:
        """Take in what has changed, on the spot."""
        self._files.look()
        self._arranged()

    def be_followed(self, is_followed: bool) -> None:
        """Whether somebody else looks after every change from now on."""
        self._files.is_followed = is_followed

    def news(self) -> list[ChangedList]:
        """The list of prompts, if it has changed since the last call."""
        with self._lock:
            before = self._told_generation
            self._told_generation = self._generation
        return ["prompts"] if 0 < before < self._generation else []

    def _listing(self) -> Iterator[tuple[str, os.stat_result]]:
        for name, status in self._project.folder(PROMPTS).entries():
            if name.endswith(".json") and "/" not in name:
                yield f"{PROMPTS}/{name}", status

    def _arranged(self) -> tuple[Prompt, ...]:
        with self._lock:
            if self._generation == self._files.generation:
                return self._prompts
            self._generation = self._files.generation
            self._told_generation = self._told_generation or self._generation  # the first are no news
            problems: list[str] = []
            found = {each.name: each for each in _built_in()} | self._own(problems)
            self._prompts = tuple(self._prompt(each) for each in found.values())
            self._tell([*problems, *self._unknown_tools(found)])
            return self._prompts

    def _tell(self, problems: list[str]) -> None:
        """Write each problem to the journal, but for those that stood there before this change."""
        for problem in problems:
            if problem not in self._told:
                self._note("Prompts", notice=problem)
        self._told = set(problems)

    def _own(self, problems: list[str]) -> dict[str, PromptDefinition]:
        found: dict[str, PromptDefinition] = {}
        for path, file in self._files.current().items():
            try:
                definition = read_definition(file.content)
            except MalformedPrompt as error:
                problems.append(f"{path} is left out: {error}.")
                continue
            if definition.name in found:
                problems.append(f"{path} is left out: another file has {definition.name!r} already.")
                continue
            found[definition.name] = definition
        return found

    def _unknown_tools(self, definitions: Mapping[str, PromptDefinition]) -> Iterator[str]:
        for definition in definitions.values():
            for _, template in definition.messages:
                for name in find_named_tools(template):
                    try:
                        self._find_tool(name)
                    except ToolNotFound:
                        yield f"The prompt {definition.name} refers to a tool that is not served: {name}."

    def _prompt(self, definition: PromptDefinition) -> Prompt:
        return Prompt(
            name=definition.name,
            description=definition.description,
            render=partial(self._messages, definition),
            title=definition.title,
            arguments=definition.arguments,
        )

    def _messages(self, definition: PromptDefinition, arguments: Mapping[str, str]) -> list[Message]:
        budget = EmbeddingBudget()
        messages: list[Message] = []
        for role, template in definition.messages:
            text = render_template(template, arguments, self._library.shelf, self._find_tool, budget)
            messages.append({"role": role, "content": {"type": "text", "text": text}})
        return messages


def _built_in() -> Iterator[PromptDefinition]:
    for name in sorted(os.listdir(BUILT_IN)):
        with open(os.path.join(BUILT_IN, name), "rb") as file:
            yield read_definition(file.read())
