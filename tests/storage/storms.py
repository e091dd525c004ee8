"""Storms of `add_task` over stdio, many in flight, and what came of each call."""

import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.databases import PostgresServer
from tests.storage.task_servers import TaskClient, database_file, stored_titles

IN_FLIGHT = 300
OUTAGE_CALLS = 100
REFUSED = '{"error":"Failed to create task"}'


def storm_with_kill(root: Path, number: int, *flags: str) -> dict[str, int]:
    """Send a storm, kill the server at some moment of it; the acknowledged titles and their ids."""
    with TaskClient(root, *flags) as client:
        titles = {client.begin_adding(f"{number}/{each}"): f"{number}/{each}" for each in range(IN_FLIGHT)}
        lines = [client.receive_line() for _ in range(random.Random(number).randrange(1, IN_FLIGHT))]
        client.process.kill()
        lines += rest_of_lines(client)
    answers = [json.loads(line) for line in lines]
    return {titles[answer["id"]]: created(answer["result"])["task_id"] for answer in answers}


def rest_of_lines(client: TaskClient) -> list[bytes]:
    """The whole lines that a dead server had still written: its client would read them as well."""
    output, _ = client.process.communicate()
    return (client._pending + output).split(b"\n")[:-1]


def created(result: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to an `add_task` that must have worked."""
    text = result["content"][0]["text"]
    answer: dict[str, Any] = json.loads(text)
    assert answer.get("status") == "created", text
    return answer


def kill_again_and_again(root: Path, times: int) -> None:
    """Kill as many servers of one project, and look after each that nothing acknowledged is lost or doubled."""
    acknowledged: dict[str, int] = {}
    for number in range(times):
        acknowledged |= storm_with_kill(root, number)
        with TaskClient(root) as client:
            tasks = {task["title"]: task["id"] for task in client.listed()}
            assert lost(acknowledged, tasks.items()) == {}
            assert client.call("add_task", user_id="ann", title=f"after {number}").get("isError") is None
    stored = stored_titles(database_file(root))
    assert doubled(stored) == []
    assert set(acknowledged) <= set(stored)
    assert len(acknowledged) >= times


def lost(acknowledged: Mapping[str, int], tasks: Iterable[tuple[str, int]]) -> dict[str, int]:
    """What was acknowledged and is not there under its id."""
    found = dict(tasks)
    return {title: number for title, number in acknowledged.items() if found.get(title) != number}


def doubled(titles: Iterable[str]) -> list[str]:
    """The titles that are there more than once."""
    return [title for title, count in Counter(titles).items() if count > 1]


def stop_under_load(client: TaskClient, server: PostgresServer) -> dict[str, int]:
    """Stop the server in the middle of a storm: each call is acknowledged or refused in the specification's words."""
    titles = {client.begin_adding(f"{each}"): f"{each}" for each in range(OUTAGE_CALLS)}
    received = [client.receive() for _ in range(OUTAGE_CALLS // 4)]
    server.stop()
    received += [client.receive() for _ in range(OUTAGE_CALLS - len(received))]
    said = {titles[answer["id"]]: answer["result"]["content"][0]["text"] for answer in received}
    assert REFUSED in said.values()
    return {title: json.loads(text)["task_id"] for title, text in said.items() if text != REFUSED}
