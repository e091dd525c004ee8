"""A project that is large in every way that the page shows: documents, decisions, tasks and findings."""

from pathlib import Path

from tests.projects import Project
from tests.raw_client import RawClient

DOCUMENTS, DECISIONS, TASKS = 10_000, 1_000, 10_000
FINDINGS = 50  # a minute takes sixty
IN_FLIGHT = 500  # a server takes a thousand calls at once
A_FOLDER = 100
STATUSES = ("accepted", "accepted", "proposed", "deprecated")
TOPICS = ("orders", "parcels", "payments", "refunds", "customers", "orchards", "apples", "deliveries")
MEMBERS = ("one", "two", "three")


def write_files(root: Path, *, documents: int, decisions: int) -> None:
    """Documents in folders of a hundred, and decisions of which every tenth takes the place of an older one."""
    project = Project(root)
    for number in range(documents):
        project.write(f"docs/{number // A_FOLDER:03}/{TOPICS[number % 8]}-{number}.md", _document(number))
    for number in range(1, decisions + 1):
        project.write(f"docs/decisions/{number:04}-{TOPICS[number % 8]}.md", _decision(number, decisions))


def _document(number: int) -> str:
    topic = TOPICS[number % 8]
    parts = "\n\n".join(
        f"## {topic.title()}, part {part}\n\nHow {topic} of kind {number % 97} are handled in part {part}: they are "
        f"kept under the number {number} until the {TOPICS[(number + 3) % 8]} have been counted."
        for part in MEMBERS
    )
    return f"# Guide {number} to {topic}\n\n{parts}\n"


def _decision(number: int, last: int) -> str:
    follower = number + 7
    is_superseded = number % 10 == 0 and follower <= last
    status = f"superseded by {follower:04}" if is_superseded else STATUSES[number % 4]
    link = f"supersedes: {number - 7:04}\n" if number % 10 == 7 and number > 7 else ""
    date = f"{2010 + number // 84}-{number // 7 % 12 + 1:02}-{number % 28 + 1:02}"
    topic = TOPICS[number % 8]
    return (
        f"---\nstatus: {status}\ndate: {date}\n{link}---\n\n# Decide on {topic}, case {number}\n\n## Context\n\n"
        f"The {topic} of case {number} were in doubt.\n\n## Decision\n\nThey are kept as they are.\n"
    )


def add_rows(root: Path, user: str, *, tasks: int, findings: int) -> None:
    """Tasks of one user, every tenth of them done, and findings."""
    with RawClient(root, "--toolsets", "tasks,guide,context", "--user", user) as client:
        client.initialize()
        _all(
            client, [("add_task", {"title": f"Task {number}: look at {TOPICS[number % 8]}"}) for number in range(tasks)]
        )
        _all(client, [("complete_task", {"task_id": number}) for number in range(1, tasks, 10)])
        found = ((number, TOPICS[number % 8]) for number in range(findings))
        _all(client, [("guide_record", {"type": "rule", "content": f"Rule {n} of {t}", "module": t}) for n, t in found])


def _all(client: RawClient, calls: list[tuple[str, dict[str, object]]]) -> None:
    for first in range(0, len(calls), IN_FLIGHT):
        asked = [
            client.submit("tools/call", name=name, arguments=arguments)
            for name, arguments in calls[first : first + IN_FLIGHT]
        ]
        for each in asked:
            answer = client.answer(each)
            if answer["result"].get("isError"):
                raise SystemExit(f"the project can't be filled: {answer['result']['content'][0]['text']}")
