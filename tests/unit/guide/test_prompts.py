"""The guide's prompts over tools that answer, fail or are not there."""

from typing import Any

import pytest

from fieldguide.spine.prompts import Prompts
from fieldguide.spine.tool import Answer, Call, Tool
from fieldguide.text.errors import Failure, InvalidArguments, ToolNotFound
from fieldguide.toolsets.guide.prompts import make_prompts
from tests.fakes import make_services

ANYTHING: dict[str, Any] = {"type": "object", "properties": {}}


class Desk:
    """Tools by name, each of which says what it was asked; those of `broken` fail."""

    def __init__(self, *names: str, broken: tuple[str, ...] = ()) -> None:
        self.names = names
        self.broken = broken
        self.asked: dict[str, dict[str, Any]] = {}

    def find(self, name: str) -> Tool:
        if name not in self.names:
            raise ToolNotFound(name, [])
        return Tool(name=name, description="x", input_schema=ANYTHING, run=self.run)

    def run(self, call: Call) -> Answer:
        self.asked[call.tool] = dict(call.arguments)
        if call.tool in self.broken:
            raise Failure("It broke")
        return Answer(text=f"ANSWER OF {call.tool}\n", value={"items": []})


def book(project, desk: Desk) -> Prompts:
    services = make_services(project.root, find_tool=desk.find)  # no prompt writes, nor searches by itself
    return Prompts({"guide": lambda: make_prompts(services)})


def text_of(book: Prompts, name: str, **arguments: str) -> str:
    rendered: Any = book.render(name, arguments)[1]
    [message] = rendered
    assert message["role"] == "user"
    text: str = message["content"]["text"]
    return text


ALL = ("guide_brief", "guide_search", "guide_governs", "guide_record", "guide_open")


@pytest.mark.parametrize(("name", "arguments", "tool", "asked"), [
    ("start-task", {"task": "Mend the clock"}, "guide_brief", {"task": "Mend the clock", "budget": 4000}),
    ("review-change", {"path": "src/clock.py"}, "guide_governs", {"path": "src/clock.py"}),
    ("record-decision", {"decision": "Clocks are injected"}, "guide_search",
     {"query": "Clocks are injected", "kinds": ["decision", "finding"], "limit": 5}),
])  # fmt: skip
def test_a_prompt_holds_its_argument_and_what_the_guide_answers(project, name, arguments, tool, asked):
    desk = Desk(*ALL)

    text = text_of(book(project, desk), name, **arguments)

    assert desk.asked == {tool: asked}
    assert f"ANSWER OF {tool}" in text
    assert next(iter(arguments.values())) in text
    assert all(word.strip(".,:;") in ALL for word in text.split() if word.startswith("guide_"))


@pytest.mark.parametrize(
    ("name", "arguments", "tool"),
    [
        ("start-task", {"task": "Mend the clock"}, "guide_brief"),
        ("review-change", {"path": "src/clock.py"}, "guide_governs"),
        ("record-decision", {"decision": "Clocks are injected"}, "guide_record"),
    ],
)
def test_without_an_answer_a_prompt_says_which_tool_to_ask(project, name, arguments, tool):
    text = text_of(book(project, Desk(*ALL, broken=ALL)), name, **arguments)

    assert "ANSWER" not in text
    assert f"all {tool} with" in text  # call or Call


def test_a_blank_argument_is_refused(project):
    with pytest.raises(InvalidArguments, match="argument task is blank"):
        text_of(book(project, Desk(*ALL)), "start-task", task=" \n")


def test_a_prompt_is_listed_where_its_tool_is_served(project):
    served = [prompt.name for prompt in book(project, Desk(*ALL)).list()]
    read_only = [prompt.name for prompt in book(project, Desk("guide_brief", "guide_governs")).list()]

    assert served == ["record-decision", "review-change", "start-task"]
    assert read_only == ["review-change", "start-task"]
    assert book(project, Desk()).list() == []
