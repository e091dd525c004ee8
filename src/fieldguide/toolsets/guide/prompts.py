"""Renders the guide's three prompts.

The message includes what the project knows: that saves the model a call, and works for clients that show prompts but no
tools. Where the guide has no answer, the message says which tool to call.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from fieldguide.spine.prompts import Message, Prompt, PromptArgument
from fieldguide.spine.tool import Call
from fieldguide.spine.toolset import Services
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import FieldguideError, InvalidArguments, ToolNotFound

LONGEST_TASK = 20_000
LONGEST_PATH = 1_000
LONGEST_DECISION = 4_000
BRIEF_TOKENS = 4_000
FOUND = 5


def make_prompts(services: Services) -> Iterable[Prompt]:
    """The prompts whose tool is served."""
    for tool, name, title, description, argument, write in PROMPTS:
        with suppress(ToolNotFound):
            services.find_tool(tool)
            yield Prompt(
                name=name,
                title=title,
                description=description,
                arguments=(argument,),
                render=partial(_filled, partial(write, services)),
                gives_way=True,
            )


def _task(services: Services, given: Mapping[str, str]) -> list[str]:
    brief = _answer(services, "guide_brief", {"task": given["task"], "budget": BRIEF_TOKENS})
    return [
        f"Task: {given['task']}",
        "What the project knows about it:" if brief else "Call guide_brief with this task first.",
        brief,
        "Open what you need more of, with its lines, by guide_open and a citation. Before you edit a file, ask "
        "guide_governs for its path, and follow what it names. Run the tests that go with what you change. Cite what "
        "you rely on. At the end keep what the next one should know with guide_record.",
    ]


def _review(services: Services, given: Mapping[str, str]) -> list[str]:
    governing = _answer(services, "guide_governs", {"path": given["path"]})
    return [
        f"Review the change of {given['path']}.",
        "What governs it:" if governing else f"Call guide_governs with the path {given['path']} first.",
        governing,
        "Read the change, and the places named above with guide_open. For each rule and decision say whether the "
        "change keeps it, and cite both. Name the tests that should run, the files that usually change with this one "
        "and were not changed, and the documents that are no longer true. Where the change touches more files, ask "
        "guide_governs for each. Report what must be mended first; say so where there is nothing.",
    ]


def _decision(services: Services, given: Mapping[str, str]) -> list[str]:
    query = {"query": given["decision"], "kinds": ["decision", "finding"], "limit": FOUND}
    earlier = _answer(services, "guide_search", query)
    return [
        f"Record this decision: {given['decision']}",
        "What was decided before that is near it:" if earlier else "",
        earlier,
        "If it goes against an earlier decision, say so and ask before you go on. Else call guide_record with the type "
        "decision: as content what was decided, why, and what was turned down, in a few sentences; as evidence the "
        "files that it is about, and the commit if there is one.",
    ]


PROMPTS = (
    (
        "guide_brief",
        "start-task",
        "Start a task",
        "Begin a task with what the project knows about it",
        PromptArgument("task", "What is to be done, in your own words", True, LONGEST_TASK),
        _task,
    ),
    (
        "guide_governs",
        "review-change",
        "Review a change",
        "Review a changed file against what governs it: rules, decisions, tests and what changes with it",
        PromptArgument("path", "The file that is changed", True, LONGEST_PATH),
        _review,
    ),
    (
        "guide_record",
        "record-decision",
        "Record a decision",
        "Record a decision beside those that were made before",
        PromptArgument("decision", "What was decided, and why", True, LONGEST_DECISION),
        _decision,
    ),
)


def _filled(paragraphs: Callable[[Mapping[str, str]], list[str]], given: Mapping[str, str]) -> list[Message]:
    for name, value in given.items():
        if not value.strip():
            raise InvalidArguments(f"argument {name} is blank")
    text = "\n\n".join(filter(None, paragraphs(given)))
    return [{"role": "user", "content": {"type": "text", "text": text}}]


def _answer(services: Services, name: str, arguments: Mapping[str, Any]) -> str:
    """The text that a tool of the guide answers; nothing where it is not served or has no answer."""
    try:
        tool = services.find_tool(name)
        call = Call(name, arguments, Cancellation(), user=services.reader())
        return tool.answer(tool.run(call)).text.strip()
    except FieldguideError:
        return ""
