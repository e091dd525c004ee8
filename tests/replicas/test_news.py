"""News, workflows, sealed states and limits across replicas."""

import json
from typing import Any, cast

import psycopg
import pytest

from fieldguide.settings.limits import Limits
from fieldguide.spine.resources import ChangeBus, ChangeNotice
from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.team.registry import REPLICAS_SCHEMA
from fieldguide.team.replicas.exchange import LONGEST_PAYLOAD, ReplicaExchange
from fieldguide.team.replicas.sharing import ROTATED_SECONDS, SETTLED_SECONDS, ReplicaSharing, SharedKeys
from fieldguide.wire.jsonrpc import RpcError
from fieldguide.wire.sealed_state import SealedState
from tests.fakes import FakeClock
from tests.processes import eventually
from tests.proves import proves
from tests.replicas.replicas import Line, alternating_client, call, news_of, request, session_on
from tests.unit.test_sealed_state import given_out
from tests.unit.test_sealed_state import request as asking

VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}


@proves("Z-206")
def test_news_of_one_replica_reach_the_stream_of_a_session_on_the_other(replicas):
    session = session_on(replicas.first)
    with news_of(replicas.second, session) as news:
        request(replicas.first, session, "resources/subscribe", uri="note://001")
        call(replicas.first, session, "touch")

        updated = news.until("notifications/resources/updated")
        listed = news.until("notifications/resources/list_changed")

    assert updated["params"] == {"uri": "note://001"}
    assert listed["method"] == "notifications/resources/list_changed"


@proves("Z-206")
def test_who_did_not_subscribe_hears_of_lists_only(replicas):
    session, other = session_on(replicas.first), session_on(replicas.first)
    request(replicas.second, other, "resources/subscribe", uri="note://001")
    with news_of(replicas.second, session) as news:
        call(replicas.first, other, "touch")

        news.until("notifications/resources/list_changed")

    assert b"resources/updated" not in news.seen


@proves("Z-206")
def test_news_of_one_replica_reach_a_stream_of_the_new_era_on_the_other(replicas):
    wanted = {"notifications": {"resourcesListChanged": True, "resourceSubscriptions": ["note://001"]}, "_meta": META}
    listen = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": wanted}
    headers = {"Mcp-Protocol-Version": VERSION, "Mcp-Method": "subscriptions/listen"}
    stream = Line(replicas.second, "POST", "", listen, **headers)
    stream.until("acknowledged")

    call(replicas.first, session_on(replicas.first), "touch")

    told = stream.until("notifications/resources/updated")
    stream.close()
    assert told["params"]["uri"] == "note://001"


@proves("Z-214")
def test_the_stream_of_a_session_moves_to_the_replica_that_is_asked_last(replicas):
    session = session_on(replicas.first)
    before = Line(replicas.first, "GET", session).begun()
    twice = ask_for_stream(replicas.first, session)

    with news_of(replicas.second, session) as news:
        before.rest()
        call(replicas.first, session, "touch")
        news.until("list_changed")

    before.close()
    assert twice.status == 409


@proves("Z-206")
def test_a_long_address_is_told_whole(joined):
    here, there, heard = joined
    uri = "note://" + "a" * LONGEST_PAYLOAD

    here.announce(ChangeNotice("resource", uri))
    here.announce(ChangeNotice("prompts"))

    assert eventually(lambda: len(heard) == 2)
    assert set(heard) == {ChangeNotice("resource", uri), ChangeNotice("prompts")}
    assert there is not here


@proves("Z-207")
def test_a_replica_that_was_cut_off_tells_that_anything_may_have_changed(joined, place):
    here, _, heard = joined

    cut_off(place)

    assert eventually(lambda: ChangeNotice("anything") in heard)
    here.announce(ChangeNotice("prompts"))
    assert eventually(lambda: ChangeNotice("prompts") in heard)


@proves("Z-207")
def test_whoever_follows_anything_is_told_all_that_they_follow(replicas):
    session = session_on(replicas.first)
    request(replicas.second, session, "resources/subscribe", uri="note://009")
    with news_of(replicas.first, session) as news:
        cut_off(replicas.database)

        told = news.until("notifications/resources/updated")

    assert told["params"] == {"uri": "note://009"}
    assert b"prompts/list_changed" in news.seen


@proves("Z-209")
@pytest.mark.anyio
async def test_a_workflow_handle_of_one_replica_is_good_on_the_other(replicas):
    async with alternating_client(replicas.first, replicas.second, mode="auto") as client:
        prompt = await client.get_prompt("greet", {"name": "Ada"})
        handle = prompt.meta["fieldguide/workflow"]
        told = [await client.call_tool("remember", {}, meta={"fieldguide/workflow": handle}) for _ in range(2)]
    assert [json.loads(each.content[0].text)["prompt"] for each in told] == ["greet", "greet"]


@proves("Z-209")
def test_a_key_is_made_once_for_all_and_changed_only_when_every_replica_knows_it(place):
    clock = FakeClock()
    database = PostgresDatabase(place, [REPLICAS_SCHEMA])
    one, two = SharedKeys(database, "a|", clock), SharedKeys(database, "a|", clock)
    foreign = SharedKeys(database, "b|", clock)
    first = one()
    two()
    foreign()

    _age_keys(place, ROTATED_SECONDS + 1)
    clock.advance(1000)
    fresh = one()
    known = two()
    _age_keys(place, SETTLED_SECONDS + 1)
    clock.advance(1000)
    settled = one()
    others = foreign()
    database.close()

    assert not set(others) & set(settled)
    assert (len(first), len(fresh)) == (1, 2)
    assert fresh == known
    assert fresh[0] == first[0]
    assert settled == (fresh[1], first[0])


@proves("Z-209")
def test_what_one_replica_sealed_another_of_the_same_project_opens(place):
    database = PostgresDatabase(place, [REPLICAS_SCHEMA])
    here, there, elsewhere = (SharedKeys(database, namespace) for namespace in ("a|", "a|", "b|"))
    for keys in (here, there, elsewhere):
        keys()
    database.close()

    state = given_out(SealedState(keys=here), user="ann")

    assert SealedState(keys=there).opened(asking(user="ann", requestState=state)) == ({}, "step 2")
    for keys, user in ((elsewhere, "ann"), (there, "bob")):
        with pytest.raises(RpcError):
            SealedState(keys=keys).opened(asking(user=user, requestState=state))


@proves("Z-210")
def test_the_calls_of_a_user_are_counted_across_replicas(replicas):
    session = session_on(replicas.first)

    told = [request(replicas[number % 2], session, "tools/call", name="rare", arguments={}) for number in range(4)]

    assert ["isError" in each["result"] for each in told] == [False, False, False, True]
    assert "Rate limit exceeded for rare" in told[3]["result"]["content"][0]["text"]


@pytest.fixture
def place(postgres):
    return postgres.new_database()


@pytest.fixture
def joined(place):
    """The changes of two replicas in this process, and what the second hears."""
    heard: list[ChangeNotice] = []
    both = [ChangeBus(), ChangeBus()]
    stack, databases, lines = [], [], []
    for changes in both:
        database, exchange = PostgresDatabase(place, [REPLICAS_SCHEMA]), ReplicaExchange(place)
        with database.reading():
            keeping = ReplicaSharing(exchange, database, "p|", changes, Limits()).keeping(cast("Any", Idle()))
        keeping.__enter__()
        stack.append(keeping)
        databases.append(database)
        lines.append(exchange)
    assert eventually(lambda: all(line._line.is_open.is_set() for line in lines))
    with both[1].listening(heard.append):
        yield both[0], both[1], heard
    for keeping, exchange, database in zip(stack, lines, databases, strict=True):
        keeping.__exit__(None, None, None)
        exchange.close()
        database.close()


class Idle:
    """Keeps nothing."""

    def begin(self):
        pass

    def stop(self):
        pass

    def leave(self):
        pass


def cut_off(place):
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'fieldguide line' AND datname = current_database()"
        )


def ask_for_stream(url, session):
    line = Line(url, "GET", session)
    try:
        return line.answer()
    finally:
        line.close()


def _age_keys(place, seconds):
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("UPDATE replica_key SET created_at = created_at - make_interval(secs => %s)", (seconds,))
