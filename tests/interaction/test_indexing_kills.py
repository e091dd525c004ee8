"""Indexing that is interrupted or shared: killed servers, two servers at once, searches before the index is whole."""

import fcntl
import os
import random

from tests.indexed_projects import (
    DocumentsClient,
    assert_sound,
    index_file,
    indexed,
    is_indexed,
    kill_while_indexing,
    seen_by,
    write_tree,
)
from tests.processes import eventually
from tests.raw_client import RawClient

KILLS = 3  # more in `make soak`
DOCUMENTS = 160


def test_after_a_kill_at_any_moment_of_indexing_the_next_start_finishes(project):
    path = index_file(project.root)
    moments = random.Random(4)
    interrupted = 0
    for edition in range(KILLS):
        wanted = write_tree(project, DOCUMENTS, edition=edition)
        interrupted += kill_while_indexing(project.root, wanted, moments) < len(wanted)
        if path.exists():
            assert_sound(path)

        with DocumentsClient(project.root) as client:
            assert is_indexed(path, wanted)
            assert client.documents() == sorted(wanted)
            number = moments.randrange(DOCUMENTS)
            assert client.holds(f"part-{number % 7}/page-{number}.md", f"page{number}edition{edition}")
        assert_sound(path)

    assert interrupted >= KILLS // 3


def test_two_servers_index_one_project_once_and_see_the_same(project):
    wanted = write_tree(project, DOCUMENTS)
    path = index_file(project.root)
    with DocumentsClient(project.root) as one, DocumentsClient(project.root) as two:
        seen_by(one, lambda: one.documents() == sorted(wanted))
        seen_by(two, lambda: two.documents() == sorted(wanted))
        assert one.found("anchor cedar fjord", limit=50) == two.found("anchor cedar fjord", limit=50)
        project.write("docs/late.md", "# Late\n\nThe bittern booms.\n")
        seen_by(one, lambda: one.holds("late.md", "bittern"))
        seen_by(two, lambda: two.holds("late.md", "bittern"))
        told = [line for client in (one, two) for line in client.journal("Indexed")]

    assert len(indexed(path)) == len(wanted) + 1
    added = sum(line["collections"]["docs"]["added"] for line in told)
    assert added == len(wanted) + 1
    assert_sound(path)


def test_a_search_before_the_index_is_whole_answers_from_what_is_there_and_the_journal_says_so(project):
    write_tree(project, 300)
    path = index_file(project.root)
    with DocumentsClient(project.root) as client:
        assert eventually(lambda: len(indexed(path)) > 0)
        client.process.kill()
    assert 0 < len(indexed(path)) < 300
    turn = os.open(f"{path}.indexing", os.O_RDWR)
    fcntl.flock(turn, fcntl.LOCK_EX)  # another process indexes, and takes its time

    with DocumentsClient(project.root) as client:
        some = client.found("anchor cedar fjord")
        told = client.journal("Indexing")
        os.close(turn)
        seen_by(client, lambda: len(client.documents()) == 300)

    assert some
    assert [(line["tool"], line["notice"]) for line in told] == [
        ("documents_search", "The index is not whole yet; this answer may lack.")
    ]


def test_a_search_with_the_first_bytes_of_a_connection_waits_for_the_first_documents(project):
    wanted = write_tree(project, 20)
    handshake = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "0"}}
    with RawClient(project.root, "--toolsets", "documents") as client:
        client.submit("initialize", **handshake)
        client.notify("notifications/initialized")
        asked = client.submit("tools/call", name="documents_search", arguments={"query": "page17edition0"})
        while (answer := client.receive()).get("id") != asked:
            pass

    assert '"documentId": "part-3/page-17.md"' in answer["result"]["content"][0]["text"]
    assert is_indexed(index_file(project.root), wanted)
