"""The pieces of work of an agent, from every toolset: each says what the answer must be."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from tests.soak.teams.agent import DECISION, Agent, Failed
from tests.soak.teams.facts import MARKERS, PAGES, USERS, page_text, private_word, word_of
from tests.soak.teams.task_model import State

MOST_TASKS = 30
Piece = Callable[[Agent], Awaitable[None]]


async def list_tasks(agent: Agent) -> None:
    """Every acknowledged task is there as it was left, and nothing else."""
    listed = await agent.value("list_tasks", user_id=agent.user)
    for problem in agent.tasks.problems(listed):
        (agent.tally.lost if problem.startswith("lost") else agent.tally.wrong).append(
            f"{agent.user} in {agent.project}: {problem}"
        )


async def add_task(agent: Agent) -> None:
    """A new task; where there are many, the oldest goes instead."""
    if len(agent.tasks.sure) >= MOST_TASKS:
        await delete_task(agent)
        return
    agent.counter += 1
    title = f"{private_word(agent.user)} {agent.project} {agent.counter}"
    agent.tasks.will_add(title)
    made = await agent.value("add_task", user_id=agent.user, title=title)
    agent.expect(made.get("status") == "created" and made.get("title") == title, f"add_task: {made}")
    agent.tasks.added(made["task_id"], title)


async def complete_task(agent: Agent) -> None:
    """An open task is completed."""
    task = next((each for each, state in agent.tasks.sure.items() if not state.is_completed), None)
    if task is None:
        await add_task(agent)
        return
    now = agent.tasks.sure[task]._replace(is_completed=True)
    agent.tasks.will_change(task, now)
    made = await agent.value("complete_task", user_id=agent.user, task_id=task)
    agent.expect(made.get("status") == "completed" and made.get("title") == now.title, f"complete_task: {made}")
    agent.tasks.changed(task, now)


async def update_task(agent: Agent) -> None:
    """A task gets another title."""
    if not agent.tasks.sure:
        await add_task(agent)
        return
    task = agent.numbers.choice(list(agent.tasks.sure))
    agent.counter += 1
    now = State(f"{private_word(agent.user)} {agent.project} anew {agent.counter}", agent.tasks.sure[task].is_completed)
    agent.tasks.will_change(task, now)
    made = await agent.value("update_task", user_id=agent.user, task_id=task, title=now.title)
    agent.expect(made.get("status") == "updated" and made.get("title") == now.title, f"update_task: {made}")
    agent.tasks.changed(task, now)


async def delete_task(agent: Agent) -> None:
    """The oldest task goes."""
    if not agent.tasks.sure:
        await add_task(agent)
        return
    task = next(iter(agent.tasks.sure))
    agent.tasks.will_change(task, None)
    made = await agent.value("delete_task", user_id=agent.user, task_id=task)
    agent.expect(made.get("status") == "deleted", f"delete_task: {made}")
    agent.tasks.changed(task, None)


async def ask_for_another(agent: Agent) -> None:
    """Another user's tasks are refused, whoever that is."""
    other = agent.numbers.choice([each for each in (*USERS, "nobody") if each != agent.user])
    try:
        answer = await agent.call("list_tasks", user_id=other)
    except Failed as refused:
        if "Access denied" not in str(refused):
            raise
        return
    agent.wrong(f"list_tasks for {other} answered {answer}")


async def search_documents(agent: Agent) -> None:
    """A word that stands in one page finds that page."""
    await _search_document(agent, agent.numbers.randrange(PAGES))


async def search_every_document(agent: Agent) -> None:
    """Every page is found."""
    for number in range(PAGES):
        await _search_document(agent, number)


async def _search_document(agent: Agent, number: int) -> None:
    found = await agent.call("documents_search", query=word_of(agent.project, number))
    documents = [hit["documentId"] for hit in json.loads(found)] if found.startswith("[") else []
    agent.expect(f"page-{number}.md" in documents, f"documents_search for page {number}: {found}")


async def read_document(agent: Agent) -> None:
    """A page is read as it is on disk."""
    number = agent.numbers.randrange(PAGES)
    found = await agent.value("documents_get_document", collection="docs", document=f"page-{number}.md")
    agent.expect(found["content"] == page_text(agent.project, number), f"documents_get_document: {found}")


async def outline_document(agent: Agent) -> None:
    """A page has its headings."""
    found = await agent.call("documents_get_outline", collection="docs", document="page-1.md")
    agent.expect(f"Page 1 of {agent.project}" in found and "Details" in found, f"documents_get_outline: {found}")


async def list_documents(agent: Agent) -> None:
    """All pages are listed."""
    found = await agent.value("documents_list_documents", collection="docs")
    names = {each["id"] for each in found["documents"]}
    agent.expect(names == {f"page-{number}.md" for number in range(PAGES)}, f"documents_list_documents: {names}")


async def record_finding(agent: Agent) -> None:
    """A finding is written down."""
    agent.counter += 1
    content = f"The {MARKERS[agent.project]} of finding {agent.user} number {agent.counter} is heavy."
    agent.maybe_findings.add(content)
    made = await agent.call("guide_record", type="decision", content=content)
    agent.expect(bool(made), f"guide_record: {made}")
    agent.maybe_findings.discard(content)
    agent.findings.append(content)


async def search_findings(agent: Agent) -> None:
    """What this project knows is found; nothing of another is."""
    found = await agent.value("context_search", query=f"how heavy is the {MARKERS[agent.project]}")
    agent.expect(isinstance(found["results"], list), f"context_search: {found}")


async def search_guide(agent: Agent) -> None:
    """A word that stands in one page finds that page."""
    number = agent.numbers.randrange(PAGES)
    found = await agent.call("guide_search", query=word_of(agent.project, number))
    agent.expect(f"docs/page-{number}.md" in found, f"guide_search for page {number}: {found}")


async def open_citation(agent: Agent) -> None:
    """A page is opened by its path."""
    number = agent.numbers.randrange(PAGES)
    found = await agent.call("guide_open", citation=f"docs/page-{number}.md")
    agent.expect(word_of(agent.project, number) in found, f"guide_open: {found}")


async def ask_for_a_brief(agent: Agent) -> None:
    """A brief cites this project."""
    found = await agent.call("guide_brief", task=f"Change feed_{MARKERS[agent.project]} in src/zoo.py")
    agent.expect("src/zoo.py" in found, f"guide_brief: {found}")


async def ask_what_governs(agent: Agent) -> None:
    """A path is governed by something, or by nothing: it is answered."""
    found = await agent.call("guide_governs", path="src/zoo.py")
    agent.expect(bool(found), "guide_governs: nothing")


async def find_symbol(agent: Agent) -> None:
    """The function of this project is known."""
    found = await agent.call("guide_symbol", name=f"feed_{MARKERS[agent.project]}")
    agent.expect("src/zoo.py" in found, f"guide_symbol: {found}")


async def read_file(agent: Agent) -> None:
    """A file is read."""
    found = await agent.call("read_file", path="src/zoo.py")
    agent.expect(f"feed_{MARKERS[agent.project]}" in found, f"read_file: {found}")


async def grep(agent: Agent) -> None:
    """A name is found where it stands."""
    found = await agent.value("grep_codebase", pattern=f"def feed_{MARKERS[agent.project]}")
    agent.expect([each["file"] for each in found["matches"]] == ["src/zoo.py"], f"grep_codebase: {found}")


async def search_architecture(agent: Agent) -> None:
    """The decision is found."""
    found = await agent.value("search-architecture", query="queues")
    agent.expect(any(each["uri"] == DECISION for each in found["results"]), f"search-architecture: {found}")


async def check_decision(agent: Agent) -> None:
    """A proposal is compared with the decisions."""
    found = await agent.call("check-adr-alignment", decision_description="We use queues for slow work.")
    agent.expect(bool(found), "check-adr-alignment: nothing")


async def validate_pattern(agent: Agent) -> None:
    """Code is held against a pattern."""
    found = await agent.call("validate-against-pattern", code="x = 1\n", pattern_name="repository", language="python")
    agent.expect(bool(found), "validate-against-pattern: nothing")


async def get_template(agent: Agent) -> None:
    """The procedure and the template of this project come together."""
    found = await agent.call("directive/spec.template")
    agent.expect(f"Spec of {MARKERS[agent.project]}" in found, f"directive/spec.template: {found}")


async def get_directive(agent: Agent) -> None:
    """A directive file is verbatim."""
    found = await agent.call("directive/file.get", path="agent_context.md")
    agent.expect(f"# Context of {MARKERS[agent.project]}" in found, f"directive/file.get: {found}")


async def get_prompt(agent: Agent) -> None:
    """The prompt of this project is listed and filled in."""
    name = f"explain-{agent.project}"
    listed = await agent.client.list_prompts()
    agent.look(repr(listed))
    agent.expect(name in {each.name for each in listed.prompts}, f"prompts/list: {listed}")
    got: Any = await agent.client.get_prompt(name, {"part": "the roof"})
    agent.look(repr(got))
    agent.expect(f"the roof of {MARKERS[agent.project]}" in repr(got), f"prompts/get: {got}")


async def read_resource(agent: Agent) -> None:
    """The decision is listed and read."""
    listed = await agent.client.list_resources()
    found = {str(each.uri) for each in listed.resources}
    while listed.next_cursor:
        agent.look(repr(listed))
        listed = await agent.client.list_resources(cursor=listed.next_cursor)
        found |= {str(each.uri) for each in listed.resources}
    agent.expect(any(DECISION.startswith(each) for each in found), f"resources/list lacks the decision: {found}")
    read: Any = await agent.client.read_resource(DECISION)
    agent.look(repr(read))
    agent.expect(f"We use queues for the {MARKERS[agent.project]}" in repr(read), f"resources/read: {read}")


async def list_tools(agent: Agent) -> None:
    """All toolsets are there."""
    listed = await agent.client.list_tools()
    names = {each.name for each in listed.tools}
    wanted = {"add_task", "documents_search", "guide_brief", "read_file", "search-architecture", "directive/file.get"}
    agent.expect(wanted <= names, f"tools/list lacks {wanted - names}")


WORK: dict[Piece, int] = {
    list_tasks: 12, add_task: 8, complete_task: 4, update_task: 3, delete_task: 3, ask_for_another: 2,
    search_documents: 8, read_document: 4, outline_document: 2, list_documents: 2,
    record_finding: 1, search_findings: 1, search_guide: 3, open_citation: 3, ask_for_a_brief: 1,
    ask_what_governs: 1, find_symbol: 2, read_file: 2, grep: 1, search_architecture: 3, check_decision: 1,
    validate_pattern: 1, get_template: 2, get_directive: 3, get_prompt: 2, read_resource: 3, list_tools: 1,
}  # fmt: skip


async def any_work(agent: Agent) -> None:
    """One piece of work, by how often agents do it."""
    [piece] = agent.numbers.choices(list(WORK), list(WORK.values()))
    await agent.asked(piece.__name__, piece)
