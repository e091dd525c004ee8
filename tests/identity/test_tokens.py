"""Static tokens: made, shown once, used by the official client, listed, revoked."""

from pathlib import Path

import pytest

from fieldguide.text.secrets import list_secret_value_kinds
from tests.clients import payload
from tests.identity.service import client_of, described
from tests.raw_http import INITIALIZE, get, host_of, send

pytestmark = pytest.mark.anyio
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_token_makes_its_bearer_the_user_of_every_call(service, mode):
    ann, bob = service.token(f"ann-{mode}"), service.token(f"bob-{mode}")

    async with client_of(service.url, ann, mode=mode) as client:
        await client.call_tool("add_task", {"title": "Ann's own"})
        mine = payload(await client.call_tool("list_tasks", {}))
    async with client_of(service.url, bob, mode=mode) as client:
        theirs = payload(await client.call_tool("list_tasks", {}))
        as_ann = await client.call_tool("list_tasks", {"user_id": f"ann-{mode}"})

    assert [task["title"] for task in mine] == ["Ann's own"]
    assert theirs == []
    assert as_ann.is_error


def test_a_token_is_shown_once_and_kept_as_a_hash(service):
    made = service.run("team", "token", "new", "carl", "--note", "laptop")
    token = made.stdout.strip()
    listed = service.run("team", "token", "list")
    kept = b"".join(path.read_bytes() for path in Path(service.state).rglob("service.db*"))

    assert token.startswith("fgt_")
    assert token not in made.stderr
    assert token not in listed.stdout
    assert token.rpartition("_")[2].encode() not in kept
    assert "carl" in listed.stdout
    assert "laptop" in listed.stdout


def test_scripts_read_tokens_as_json(service):
    made = described(service.run("team", "token", "new", "dora", "--scopes", "read", "--expires", "12h", "--json"))
    listed = {each["id"]: each for each in described(service.run("team", "token", "list", "--json"))}

    assert made.pop("token").startswith(f"fgt_{made['id']}_")
    assert listed[made["id"]] == made
    assert (made["name"], made["scopes"], made["state"], made["last_used"]) == ("dora", ["read"], "active", None)
    assert described(service.run("team", "token", "revoke", made["id"], "--json"))[0]["state"] == "revoked"


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("new", ""), 2, "can't be a principal"),
        (("new", "ann", "--expires", "5y"), 2, "does not say when a token ends"),
        (("new", "ann", "--expires", "0d"), 2, "does not say when a token ends"),
        (("new", "ann", "--scopes", "admin"), 2, "The scopes are read, write, metrics"),
        (("new", "ann", "--note", "a\nb"), 2, "on one line"),
        (("revoke", "nobody"), 1, "There is no token 'nobody'"),
        (("revoke", "fgt_mistyped"), 1, "There is no token like this"),
    ],
)
def test_a_wrong_token_command_is_answered_with_a_sentence(service, words, code, sentence):
    done = service.run("team", "token", *words, code=code)

    assert sentence in done.stderr
    assert done.stdout == ""


def test_a_revoked_token_ends_at_once_also_in_an_open_session(service):
    token = service.token("emil")
    session = service.session(token)
    before = service.ask(token, LIST, Mcp_Session_Id=session)

    service.run("team", "token", "revoke", "emil")
    after = service.ask(token, LIST, Mcp_Session_Id=session)

    assert (before.status, after.status) == (200, 401)
    assert after.text == service.ask("fgt_unknown", LIST).text


def test_a_token_that_has_ended_opens_nothing(service):
    token = service.token("fritz")
    session = service.session(token)
    with service.tokens() as kept:
        kept.execute("UPDATE access_token SET expires_at = 1 WHERE principal = 'fritz'", {})

    assert service.ask(token, LIST, Mcp_Session_Id=session).status == 401
    assert service.ask(token, INITIALIZE).status == 401


def test_anothers_session_is_byte_for_byte_like_none(service):
    ann, bob = service.token("gerd"), service.token("hans")
    session = service.session(ann)
    ended = {"jsonrpc": "2.0", "method": "notifications/initialized"}

    for message in (LIST, ended, {"jsonrpc": "2.0", "id": 3, "method": "ping"}):
        theirs = service.ask(bob, message, Mcp_Session_Id=session)
        none = service.ask(bob, message, Mcp_Session_Id="0" * 32)
        assert {**theirs.headers, "date": ""} == {**none.headers, "date": ""}
        assert (theirs.status, theirs.text) == (none.status, none.text) == (404, none.text)
    for method in ("GET", "DELETE"):
        answers = [_bare(service, method, bob, each) for each in (session, "0" * 32)]
        assert answers[0] == answers[1]
        assert answers[0][0] == 404

    assert service.ask(ann, LIST, Mcp_Session_Id=session).status == 200


def test_a_second_token_of_the_same_user_goes_on_in_the_session(service):
    first, second = service.token("ida"), service.token("ida", "read")
    session = service.session(first)

    assert service.ask(second, LIST, Mcp_Session_Id=session).status == 200
    assert _bare(service, "DELETE", second, session)[0] == 200
    assert service.ask(first, LIST, Mcp_Session_Id=session).status == 404


def test_our_own_scanner_knows_our_tokens(service):
    assert list_secret_value_kinds(f"token: {service.token('jan')}\n") == ["Fieldguide token"]


def test_health_needs_no_token(service):
    assert get(service.url, "/readyz").status != 401


def _bare(service, method, token, session):
    headers = [
        ("Host", host_of(service.url)),
        ("Authorization", f"Bearer {token}"),
        ("Mcp-Session-Id", session),
        ("Accept", "text/event-stream"),
    ]
    answer = send(service.url, method, "/mcp", headers)
    return answer.status, {**answer.headers, "date": ""}, answer.text
