"""The prompts of a project: the built-in ones, and those of `mcp/prompts`, of which the same name wins."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import ToolNotFound
from fieldguide.project_text.settled_files import SettledFiles
from fieldguide.spine.changes import Change
from fieldguide.spine.contract import Tool
from fieldguide.spine.prompts import Message, Prompt, PromptArguments
from fieldguide.toolsets.architecture.library import Library
from fieldguide.toolsets.architecture.prompts.definition import Definition, MalformedPrompt, read_definition
from fieldguide.toolsets.architecture.prompts.rendering import Budget, render, tools_named
from fieldguide.toolsets.architecture.roots import PROMPTS

BUILT_IN = os.path.join(os.path.dirname(__file__), "built_in")


class PromptBook:
    """The prompts by name, never older than a second; one that is malformed is reported once and left out."""

    def __init__(
        self,
        project: ConfinedFolder,
        library: Library,
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

    def news(self) -> list[Change]:
        """What has changed since the last time that somebody asked this: for whoever tells the clients of it."""
        with self._lock:
            before, self._told_generation = self._told_generation, self._generation
        return [Change("prompts")] if 0 < before < self._generation else []

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

    def _own(self, problems: list[str]) -> dict[str, Definition]:
        found: dict[str, Definition] = {}
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

    def _unknown_tools(self, definitions: Mapping[str, Definition]) -> Iterator[str]:
        for definition in definitions.values():
            for name in [name for _, template in definition.messages for name in tools_named(template)]:
                try:
                    self._find_tool(name)
                except ToolNotFound:
                    yield f"The prompt {definition.name} refers to a tool that is not served: {name}."

    def _prompt(self, definition: Definition) -> Prompt:
        return Prompt(
            name=definition.name,
            description=definition.description,
            render=partial(self._messages, definition),
            title=definition.title,
            arguments=definition.arguments,
        )

    def _messages(self, definition: Definition, arguments: PromptArguments) -> list[Message]:
        budget = Budget()
        return [_message(role, self._filled(template, arguments, budget)) for role, template in definition.messages]

    def _filled(self, template: str, arguments: Mapping[str, str], budget: Budget) -> str:
        return render(template, arguments, self._library.shelf, self._find_tool, budget)


def _built_in() -> Iterator[Definition]:
    for name in sorted(os.listdir(BUILT_IN)):
        with open(os.path.join(BUILT_IN, name), "rb") as file:
            yield read_definition(file.read())


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": {"type": "text", "text": text}}
