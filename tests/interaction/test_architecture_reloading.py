"""Documents and prompts that change while they are served: seen soon, told of, and never half written.

Nothing here waits for a fixed time: what must happen is waited for, what must not is looked for until it would have.
"""

import os
import threading
from contextlib import contextmanager
from functools import partial

import pytest

from tests.architecture_projects import (
    GUIDELINES,
    NAMING,
    PATTERNS,
    PROMPTS,
    listed_uris,
    prompt_text,
    served,
    text_at,
    write_architecture,
    write_prompt,
)
from tests.processes import eventually
from tests.proves import proves

URI = "architecture://guidelines/naming"
FILE = f"{GUIDELINES}/naming.md"
NEW = "# Naming, again\n\nAll of it is new.\n"
LIST_CHANGED = "notifications/resources/list_changed"


def told(client, method):
    while True:
        message = client.receive()
        if message.get("method") == method:
            return message["params"]


@contextmanager
def many_texts(client):
    """Reads the document again and again while the block runs; gives the list of what was read so far."""
    seen = []
    stopped = threading.Event()

    def read():
        while not stopped.is_set():
            seen.append(text_at(client, URI))

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield seen
    finally:
        stopped.set()
        thread.join()


def is_last(seen, text):
    return seen[-1:] == [text]


def write_in_pieces(path, text):
    """As an editor or a copy does: empty at first, then piece by piece, open all the while."""
    with open(path, "w", encoding="utf-8") as file:
        for start in range(0, len(text), 4096):
            file.write(text[start : start + 4096])
            file.flush()


def write_beside(path, text):
    """As a careful editor does: a new file takes the place of the old one."""
    beside = path.with_suffix(".tmp")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)


@proves("U0-9")
def test_a_changed_document_is_served(project):
    write_architecture(project)
    with served(project) as client:
        assert text_at(client, URI) == NAMING

        project.write(FILE, NEW)

        assert eventually(lambda: text_at(client, URI) == NEW)


@proves("U0-9")
def test_a_new_document_and_one_that_is_gone_are_told_of_by_the_list(project):
    write_architecture(project)
    with served(project) as client:
        before = listed_uris(client)

        project.write(f"{PATTERNS}/deep/saga.md", "# Saga\n")
        told(client, LIST_CHANGED)
        more = listed_uris(client)
        (project.root / FILE).unlink()
        told(client, LIST_CHANGED)
        fewer = listed_uris(client)
        missing = client.request("resources/read", uri=URI)["error"]

    assert set(more) - set(before) == {"architecture://patterns/deep/saga"}
    assert set(more) - set(fewer) == {URI}
    assert missing["code"] == -32002


def test_a_folder_that_comes_later_is_watched_too(project):
    with served(project) as client:
        assert listed_uris(client) == []

        write_architecture(project)
        told(client, LIST_CHANGED)
        project.write(FILE, NEW)

        assert eventually(lambda: text_at(client, URI) == NEW)


@pytest.mark.parametrize("write", [write_in_pieces, write_beside])
def test_a_reader_only_ever_sees_a_whole_text(project, write):
    texts = [f"# Round {number}\n\n" + f"{number} " * 20_000 + f"\nEnd {number}\n" for number in range(4)]
    path = project.write(FILE, texts[0])
    with served(project) as client, many_texts(client) as seen:
        served_in_turn = [eventually(partial(is_last, seen, texts[0]))]
        for text in texts[1:]:
            write(path, text)
            served_in_turn.append(eventually(partial(is_last, seen, text)))

    assert served_in_turn == [True] * 4
    assert set(seen) == set(texts)


@proves("U0-9")
def test_prompts_come_change_and_go_while_they_are_served(project):
    with served(project) as client:
        names = lambda: [prompt["name"] for prompt in client.request("prompts/list")["result"]["prompts"]]  # noqa: E731
        built_in = names()

        write_prompt(project, "greet", "Hello")
        told(client, "notifications/prompts/list_changed")
        with_greeting, greeting = names(), prompt_text(client, "greet")
        write_prompt(project, "greet", "Good morning")
        told(client, "notifications/prompts/list_changed")
        changed = prompt_text(client, "greet")
        (project.root / PROMPTS / "greet.json").unlink()
        told(client, "notifications/prompts/list_changed")
        without = names()

    assert with_greeting == sorted([*built_in, "greet"])
    assert (greeting, changed) == ("Hello", "Good morning")
    assert without == built_in
