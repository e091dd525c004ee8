"""The first minute: what is asked for is found before the index is whole, and every answer says that it is not."""

import json
from contextlib import ExitStack, contextmanager

import pytest

from tests import context_wires, document_wires
from tests.held_indexing import held_sqlite_turn
from tests.indexed_projects import write_tree
from tests.processes import eventually
from tests.raw_client import RawClient

MANY = 100
FERN = "# Ferns\n\nWater the fern at its roots, never from above.\n"
CODE = "def settle(invoice):\n    '''Pays an invoice that is overdue, with interest.'''\n    return invoice\n"


@pytest.fixture
def large(project):
    """More documents and more code than are soon indexed, and in them one page about ferns and one about invoices."""
    write_tree(project, MANY)
    for number in range(MANY):
        project.write(f"src/part{number}.py", f"def run{number}(given):\n    return given + {number}\n")
        project.write(
            f"docs/adr/{number:04}-use-{number}.md", f"# {number}. Use {number}\n\nStatus: accepted\n\nWe do.\n"
        )
    project.write("docs/zz/garden.md", FERN)
    project.write("src/zz/billing.py", CODE)
    project.write(
        "docs/adr/0900-keep-queues-short.md", "# 900. Keep queues short\n\nStatus: accepted\n\nWe shed load.\n"
    )
    return project


@pytest.fixture
def asked_early(large):
    """Asks a server about it, while nobody can make its index whole; a second function lets go."""
    with ExitStack() as stack:
        held = stack.enter_context(held_sqlite_turn(large.root))

        def opened(wires):
            return stack.enter_context(wires.ask_over_stdio(large))

        yield opened, held.close


def test_a_document_is_found_before_the_index_is_whole_and_the_answer_says_so(asked_early):
    opened, let_go = asked_early
    ask = opened(document_wires)

    early = ask("documents_search", query="how do I water a fern")
    let_go()

    items, beside = map(json.loads, early.texts)
    assert items[0]["documentId"] == "zz/garden.md"
    assert 0 < beside["indexing"]["done"] < beside["indexing"]["total"] == 2 * MANY + 2
    assert eventually(lambda: len(ask("documents_search", query="fern").texts) == 1, every=1.5)
    assert ask("documents_search", query="how do I water a fern").value[0]["documentId"] == "zz/garden.md"


def test_code_is_found_before_the_index_is_whole_and_the_answer_says_so(asked_early):
    opened, let_go = asked_early
    ask = opened(context_wires)

    early = ask("context_search", query="how are overdue invoices paid").value
    let_go()

    assert early["results"][0]["path"] == "src/zz/billing.py"
    assert 0 < early["indexing"]["done"] < early["indexing"]["total"] == MANY + 1
    assert eventually(lambda: "indexing" not in ask("context_search", query="overdue invoices").value, every=1.5)


def test_an_early_answer_that_is_empty_or_a_sentence_says_so_too(large):
    with held_sqlite_turn(large.root), document_wires.ask_over_stdio(large) as ask:
        nothing = ask("documents_search", query="fern", collections=["docs"], maxDistance=0)
        related = ask("documents_find_related", collection="docs", document="zz/garden.md").value
        batch = ask("documents_search_batch", queries=[{"query": "fern"}]).value
        listed = ask("documents_list_documents", collection="docs").value

    assert nothing.texts[0] == "No results found for the given query."
    assert nothing.texts[1].startswith("indexing: ")
    assert all(each["indexing"]["total"] == 2 * MANY + 2 for each in (related, batch, listed))


def test_a_document_that_is_asked_for_by_name_is_there_before_the_index_is_whole(large):
    with held_sqlite_turn(large.root), document_wires.ask_over_stdio(large) as ask:
        whole = ask("documents_get_document", collection="docs", document="zz/garden.md").value
        outline = ask("documents_get_outline", collection="docs", document="part-3/page-17.md").value

    assert whole["content"] == FERN
    assert outline["title"] == "Page 17"


def test_a_decision_is_found_before_the_index_is_whole_and_the_answer_says_so(large):
    def told():
        return json.loads(client.call("search-architecture", query="short queues")["content"][0]["text"])

    with held_sqlite_turn(large.root, "architecture") as turn, serving(large, "architecture") as client:
        early = told()
        turn.close()

        assert early["results"][0]["uri"].endswith("0900-keep-queues-short")
        assert 0 < early["indexing"]["done"] < early["indexing"]["total"] == MANY + 1
        assert eventually(lambda: "indexing" not in told())


def test_a_symbol_begins_with_its_uses_not_being_read_yet(large):
    large.write("src/zz/office.py", "from src.zz.billing import settle\n\n\ndef close(one):\n    return settle(one)\n")
    with held_sqlite_turn(large.root) as turn, serving(large, "context,guide") as client:
        told = client.call("guide_symbol", name="settle")
        turn.close()

        early, value = told["content"][0]["text"], told["structuredContent"]
        assert early.startswith("Uses not read yet: ")
        assert value["notes"][0] == early.split("\n")[0]
        assert 0 < value["indexing"]["done"] < value["indexing"]["total"]
        assert value["items"][0]["path"] == "src/zz/billing.py"
        assert "return settle(one)" in early  # what has the name is read first
        assert eventually(lambda: _symbol(client).startswith("# Definition"))
        assert "return settle(one)" in _symbol(client)


def _symbol(client):
    return client.call("guide_symbol", name="settle")["content"][0]["text"]


def test_a_project_that_was_indexed_before_answers_from_its_index_at_the_next_start(large):
    large.write("context.json", json.dumps({"collections": {"docs": {"url": "docs"}}}))
    document_wires.ask_by_command(large)("documents_list_collections")

    with held_sqlite_turn(large.root), document_wires.ask_over_stdio(large) as ask:
        same = ask("documents_search", query="water a fern").value
        large.write("docs/zz/otter.md", "# Otters\n\nAn otter sleeps on its back.\n")
        changed = ask("documents_search", query="otter").value

    assert same[0]["documentId"] == "zz/garden.md"
    assert changed[0]["documentId"] == "zz/otter.md"  # the one new file is put in at once, so nothing is missing


@pytest.mark.parametrize(("toolset", "turn"), [("context", "documents"), ("architecture", "architecture")])
def test_documents_say_that_code_or_decisions_are_still_being_indexed(large, toolset, turn):
    document_wires.ask_by_command(large)("documents_list_collections")

    def beside():
        told = client.call("documents_search", query="water a fern")["content"][1:]
        return [json.loads(each["text"]) for each in told]

    held = held_sqlite_turn(large.root, *([turn] if turn == toolset else []))
    with held as taken, serving(large, f"documents,{toolset}") as client:
        assert eventually(lambda: beside() != [])
        early = beside()[0]["indexing"]
        taken.close()

        assert early["done"] < early["total"] == MANY + 1
        assert eventually(lambda: beside() == [])


def test_a_file_that_can_not_be_indexed_is_not_waited_for(large):
    large.write("docs/binary.md", "# Binary\n\0\n")
    document_wires.ask_by_command(large)("documents_list_collections")

    with held_sqlite_turn(large.root), document_wires.ask_over_stdio(large) as ask:
        assert ask("documents_search", query="water a fern").value[0]["documentId"] == "zz/garden.md"


def test_files_that_are_gone_since_the_last_start_make_an_answer_early(large):
    document_wires.ask_by_command(large)("documents_list_collections")
    (large.root / "docs" / "part-3" / "page-17.md").unlink()

    with held_sqlite_turn(large.root), document_wires.ask_over_stdio(large) as ask:
        _, beside = map(json.loads, ask("documents_search", query="water a fern").texts)

    assert beside["indexing"] == {"done": 2 * MANY + 1, "total": 2 * MANY + 2}


def test_what_an_index_has_no_room_for_is_told_with_every_answer(project):
    write_tree(project, 20)

    with serving(project, "documents", FIELDGUIDE_LIMIT_DOCUMENTS_PER_COLLECTION="5") as client:
        told = client.call("documents_search", query="anchor")["content"]
        nothing = client.call("documents_search", query="anchor", maxDistance=0)["content"]

    items, beside = (json.loads(block["text"]) for block in told)
    assert items
    assert "15 are left out" in beside["lacks"]
    assert "indexing" not in beside
    assert "15 are left out" in nothing[1]["text"]


@contextmanager
def serving(project, toolset, **more):
    with RawClient(project.root, "--toolsets", toolset, extra_environment=more).ready() as client:
        yield client
