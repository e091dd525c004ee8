"""Nothing grows without an end: small limits set by a person, reached over a real server, and told when they refuse."""

import json
import os
import re
import time
import tracemalloc
from pathlib import Path

import pytest

from fieldguide.settings.limits import Limits
from fieldguide.spine.journal import Journal, Metrics
from fieldguide.spine.rate_limit import RateLimiter
from fieldguide.spine.tool import Pace, Tool
from fieldguide.text.errors import RateLimited, Refusal
from fieldguide.wire.protocol import CAPABILITIES_KEY, VERSION_KEY
from tests.fakes import FakeClock
from tests.growth import MOST, Text, growth_of
from tests.processes import eventually
from tests.raw_client import RawClient
from tests.servers import run
from tests.warm_starts.commands import FRESH

DOCS = Path(__file__).parent.parent.parent / "docs"
MODERN = {"_meta": {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}}}
LONG = "x" * 200_000
FEW_HUNDRED = 1_000
ONE_A_MINUTE = Tool(
    name="rare", description="x", input_schema={"type": "object"}, run=lambda call: None, pace=Pace(calls_per_minute=1)
)


def limited(project, *flags, with_test_toolsets=False, **limits):
    given = {f"FIELDGUIDE_LIMIT_{name.upper()}": str(value) for name, value in limits.items()}
    return RawClient(project.root, *flags, with_test_toolsets=with_test_toolsets, extra_environment=given)


def run_limited(project, *words, **limits):
    given = {f"FIELDGUIDE_LIMIT_{name.upper()}": str(value) for name, value in limits.items()}
    return run(*words, "--project", project.root, code=None, **given)


def test_a_uri_has_an_end(project):
    with limited(project, uri_characters=20).ready() as client:
        answer = client.request("resources/read", uri="context://project/overview/and/more")

    assert "the limit is 20 (uri_characters)" in answer["error"]["message"]


def test_requests_in_flight_have_an_end_and_pings_are_answered_after_them(project):
    with limited(project, with_test_toolsets=True, requests_in_flight=3).ready() as client:
        for _ in range(3):
            client.submit("tools/call", name="wait", arguments={"seconds": 60})
        refused = client.request("ping")
        client.notify("notifications/cancelled", requestId=2)
        assert eventually(lambda: "result" in client.request("ping"))

    assert refused["error"]["message"] == "Too many requests at once: the limit is 3 (requests_in_flight)."


def test_a_message_has_an_end(project):
    with limited(project, message_bytes=2_000).ready() as client:
        refused = client.request("ping", filling="x" * 3_000)
        answered = client.request("ping")

    assert refused["error"]["message"] == "Invalid request: a message has at most 2000 bytes (message_bytes)."
    assert answered["result"] == {}


def test_a_client_that_asks_and_never_reads_does_not_fill_our_memory(project):
    project.write("big.py", "x = 1\n" * 100_000)
    asked = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "read_file", "arguments": {"path": "big.py"}},
        }
    ).encode()
    given = {**FRESH, "FIELDGUIDE_LIMIT_UNREAD_MEGABYTES": "4"}  # a warm start has the memory of all its modules
    with RawClient(project.root, "--toolsets", "context", extra_environment=given).ready() as client:
        assert client.process.stdin is not None
        os.set_blocking(client.process.stdin.fileno(), False)
        until, stuck = time.monotonic() + 120, 0
        while stuck < 20 and time.monotonic() < until:  # our pipe to it is full: it reads no more
            try:
                os.write(client.process.stdin.fileno(), asked + b" " * 8_000 + b"\n")
                stuck = 0
            except BlockingIOError:
                stuck += 1
                select_a_moment(client)
        memory = resident_megabytes(client.process.pid)

    assert stuck == 20
    assert memory < 400


def select_a_moment(client):
    """Wait until the server reads again, or for a tenth of a second."""
    import select

    select.select([], [client.process.stdin], [], 0.1)


def resident_megabytes(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def asks(era):
    call = {"name": "read_file", "arguments": {"path": "a.py"}}
    return {
        "tool": ("tools/call", {"name": LONG}),
        "directive tool": ("tools/call", {"name": f"directive/{LONG}"}),
        "context tool": ("tools/call", {"name": f"context_{LONG}"}),
        "method": (LONG, {}),
        "resource": ("resources/read", {"uri": f"context://{LONG}"}),
        "scheme": ("resources/read", {"uri": LONG}),
        "prompt": ("prompts/get", {"name": LONG}),
        "argument of context": ("tools/call", {**call, "arguments": {LONG: 1}}),
        "argument of tasks": ("tools/call", {"name": "add_task", "arguments": {"user_id": "a", LONG: 1}}),
        "argument of documents": ("tools/call", {"name": "documents_search", "arguments": {LONG: 1}}),
        "argument of architecture": ("tools/call", {"name": "search-decisions", "arguments": {LONG: LONG}}),
        "argument of directive": ("tools/call", {"name": "directive/file.get", "arguments": {LONG: LONG}}),
        "argument of guide": ("tools/call", {"name": "guide_record", "arguments": {LONG: LONG}}),
        "path": ("tools/call", {**call, "arguments": {"path": LONG}}),
        "file": ("tools/call", {"name": "directive/file.get", "arguments": {"path": LONG}}),
        "collection": (
            "tools/call",
            {"name": "documents_get_document", "arguments": {"collection": LONG, "document": LONG}},
        ),
        "type": ("tools/call", {"name": "guide_record", "arguments": {"type": LONG, "content": "x"}}),
        "status": ("tools/call", {"name": "list_tasks", "arguments": {"user_id": "a", "status": LONG}}),
        "version": ("server/discover", {"_meta": {VERSION_KEY: LONG, CAPABILITIES_KEY: {}}}),
        "reference": ("completion/complete", {"ref": {"type": LONG}, "argument": {"name": LONG, "value": LONG}}),
    } | ({} if era else {"cursor": ("resources/list", {"cursor": LONG})})


@pytest.mark.parametrize("era", [{}, MODERN], ids=["handshake", "modern"])
def test_a_very_long_name_is_answered_in_a_few_hundred_bytes(project, era):
    project.write("a.py", "x = 1\n")
    project.add_directive()
    sizes, echoes = {}, {}
    with RawClient(project.root).ready() as client:
        for what, (method, params) in asks(era).items():
            wanted = client.submit(method, **{**era, **params})
            line = client.receive_line()
            answer = json.loads(line)
            assert answer["id"] == wanted
            available = len(json.dumps(answer.get("error", {}).get("data", {}).get("available", [])))
            sizes[what] = len(line) - available
            echoes[what] = max(map(len, re.findall("x*", line.decode())))
        assert client.request("ping" if not era else "server/discover", **era)["result"] is not None
        _, _, journal = client.leave()

    assert {what: size for what, size in sizes.items() if size > FEW_HUNDRED} == {}
    assert {what: echo for what, echo in echoes.items() if echo > 300} == {}
    assert max(len(json.dumps(line)) for line in journal) < 4_000
    assert any(line["message"] == "Tool execution failed" for line in journal)


def test_a_great_many_wrong_arguments_are_told_by_the_first_of_them(project):
    with RawClient(project.root).ready() as client:
        client.submit("tools/call", name="read_file", arguments={f"argument{n}": n for n in range(20_000)})
        line = client.receive_line()

    assert len(line) < 2_000


def test_texts_in_lists_and_objects_are_journalled_by_their_beginnings(project):
    lists = {"list": [{"text": LONG}] * 3, "many": list(range(1_000)), "deep": [[[[[[LONG]]]]]], LONG: 1}
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        client.call("echo", **lists)
        _, _, journal = client.leave()

    called = next(line for line in journal if line["message"] == "Tool called")
    assert max(len(json.dumps(line)) for line in journal) < 4_000
    assert called["params"]["list"][0]["text"].endswith("... [200000 chars]")
    assert called["params"]["many"][-1] == "... [1000 parts]"


def test_every_line_of_the_journal_has_an_end_and_is_json():
    lines: list[str] = []
    journal = Journal(Metrics(), lines.extend, longest_line=500)

    journal.note("Long", notice="é" * 10_000)
    journal.note("Many", **{f"field{n}": n for n in range(1_000)})
    journal.note("Both", collections={f"c{n}": {"error": "x" * 100} for n in range(1_000)}, after=1)

    assert [json.loads(line)["message"] for line in lines] == ["Long", "Many", "Both"]
    assert all(len(line) <= 500 and line.isascii() for line in lines)


def test_tasks_of_a_user_have_an_end_and_other_users_have_theirs(project):
    with limited(project, tasks_per_user=2).ready() as client:
        texts = [client.call("add_task", user_id="ann", title="x")["content"][0]["text"] for _ in range(3)]
        other = client.call("add_task", user_id="bob", title="x")

    assert texts[2] == '{"error":"Too many tasks: the limit is 2 (tasks_per_user)."}'
    assert "isError" not in other


def test_discoveries_have_an_end_and_the_same_one_again_is_known(project):
    with limited(project, discoveries=1).ready() as client:
        first, again, second = (
            client.call("guide_record", type="rule", content=text)["content"][0]["text"] for text in ("A.", "A.", "B.")
        )

    assert (json.loads(first)["status"], json.loads(again)["status"]) == ("recorded", "already known")
    assert "Too many discoveries: the limit is 1 (discoveries)." in second
    learned = run_limited(project, "findings", "add", "C.", "--type", "rule", discoveries=1)
    assert learned.stderr == "fieldguide: Too many discoveries: the limit is 1 (discoveries).\n"


def test_documents_of_a_collection_have_an_end_and_the_rest_is_found(project):
    for number in range(4):
        project.write(f"docs/{number}.md", f"# Fox {number}\n\nA fox digs.\n")

    done = run_limited(project, "index", documents_per_collection=3)
    found = run_limited(project, "find", "fox", "--json", documents_per_collection=3)

    told = "Too many documents, of which 1 are left out: the limit is 3 (documents_per_collection)."
    assert (done.returncode, done.stderr) == (1, f"fieldguide: docs: {told}\n")
    assert len({hit["path"] for hit in json.loads(found.stdout)["items"]}) == 3
    assert told in found.stderr


def test_the_index_has_an_end_and_what_is_in_it_is_found(project):
    project.write("docs/a.md", "# Fox\n\nA fox digs.\n")
    run_limited(project, "index")
    for number in range(300):
        project.write(f"docs/more/{number}.md", f"# {number}\n\n" + f"word{number} fills the index. " * 400)

    done = run_limited(project, "index", index_megabytes=2)
    found = run_limited(project, "find", "fox", "--json", "--limit", "1", index_megabytes=2)

    size = (project.state / "index.db").stat().st_size
    assert "fieldguide: docs: The index is full: the limit is 2 (index_megabytes)." in done.stderr
    assert size < 8_000_000
    assert json.loads(found.stdout)["items"][0]["path"] == "docs/a.md"


def test_collections_have_an_end(project):
    project.write("context.json", json.dumps({"collections": {name: {"url": name} for name in ("a", "b", "c")}}))
    for name in ("a", "b", "c", "d"):
        project.write(f"{name}/x.md", "# Fox\n")

    done = run_limited(project, "index", collections=2)
    added = run_limited(project, "documents", "add", "d", "d", collections=2)
    found = run_limited(project, "find", "fox", "--json", collections=2)

    told = "Too many collections: the limit is 2 (collections)."
    assert done.stderr == f"fieldguide: c: {told}\n"
    assert added.stderr == f"fieldguide: {told}\n"
    assert {hit["path"] for hit in json.loads(found.stdout)["items"]} == {"a/x.md", "b/x.md"}


def admit_crowd(users: str) -> None:
    """As many users as the text has characters, all in the same minute."""
    clock = FakeClock()
    limiter = RateLimiter(clock, Limits(rate_limited_users=10**7))
    for number in range(len(users)):
        clock.advance(0.0001)
        limiter.admit(f"user{number}", ONE_A_MINUTE)


def test_a_call_costs_the_same_however_many_users_there_are():
    growth = growth_of("rate limiter", admit_crowd, Text("u"), least=20_000, most=160_000)

    assert growth.ratio <= MOST, str(growth)


def test_users_that_are_gone_cost_no_memory():
    clock = FakeClock()
    limiter = RateLimiter(clock)
    tracemalloc.start()
    try:
        for number in range(20_000):
            clock.advance(0.06)
            limiter.admit(f"user{number}", ONE_A_MINUTE)
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()

    assert len(limiter) <= 1_001
    assert used < 10_000_000


def test_a_crowd_of_names_does_not_lift_the_limit_of_a_user():
    clock = FakeClock()
    limiter = RateLimiter(clock, Limits(rate_limited_users=100))
    limiter.admit("ann", ONE_A_MINUTE)
    refused = 0
    for number in range(1_000):
        try:
            limiter.admit(f"crowd{number}", ONE_A_MINUTE)
        except RateLimited as error:
            refused += error.message == "Too many users at once: the limit is 100 (rate_limited_users)."

    with pytest.raises(RateLimited, match="Rate limit exceeded for rare"):
        limiter.admit("ann", ONE_A_MINUTE)
    clock.advance(60)
    limiter.admit("ann", ONE_A_MINUTE)
    limiter.admit(LONG, ONE_A_MINUTE)
    with pytest.raises(RateLimited):
        limiter.admit(LONG, ONE_A_MINUTE)
    assert refused == 901


def test_unknown_tools_are_counted_as_one(project):
    with RawClient(project.root).ready() as client:
        for number in range(50):
            client.request("tools/call", name=f"unheard{number}")
        told = client.request("server/performance")["result"]

    assert [*told["tools"]] == ["(unknown)"]
    assert told["circuit_breakers"] == {}


def test_an_error_repeats_little_of_what_it_was_given():
    error = Refusal(f"No {LONG}", name=LONG, names=[LONG], inner={"uri": LONG})

    assert len(str(error)) < 400
    assert len(json.dumps(error.details)) < 1_500


def test_the_page_names_every_limit_with_its_default():
    page = (DOCS / "reference" / "limits.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", page, flags=re.MULTILINE))

    assert told == {name: f"{default:,}" for name, default in Limits._field_defaults.items()}
    assert "(reference/limits.md)" in (DOCS / "README.md").read_text(encoding="utf-8")
