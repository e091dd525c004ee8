"""Who asks over HTTP: the layer that finds it out, before an application of the tests."""

import json

import pytest

from fieldguide.settings.access import grant_whole_project
from fieldguide.text.errors import StorageFailed
from fieldguide.wire.authentication import Principals, ProtectedResource, VerifiedToken
from fieldguide.wire.http_guard import read_caller

pytestmark = pytest.mark.anyio
ORIGIN = "https://guide.example.org"


class Tokens:
    """Verifies what is in a dictionary."""

    def __init__(self, **known: VerifiedToken) -> None:
        self.known = known
        self.is_away = False

    async def verify_token(self, token):
        if self.is_away:
            raise StorageFailed("away")
        return self.known.get(token)


def token(user="ann", scopes=("read",), **rest):
    claims = {"iss": "tests", **rest.pop("claims", {})}
    return VerifiedToken(client_id="t1", scopes=list(scopes), subject=user, claims=claims, **rest)


async def whoami(scope, receive, send):
    told = json.dumps(repr(read_caller(scope))).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": told, "more_body": False})


def layer(tokens, app=whoami, access_for=grant_whole_project, **given):
    return Principals(app, verifier=tokens, access_for=access_for, resource=ProtectedResource(ORIGIN), **given)


async def asked(app, *authorization, path="/mcp", method="POST", query=b""):
    """The status, headers and body that a request with these `Authorization` headers is answered with."""
    sent = []
    headers = [(b"authorization", each.encode()) for each in authorization]

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": headers, "query_string": query}
    await app(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], dict(sent[0]["headers"]), body


async def test_a_request_without_a_token_is_told_where_to_read_about_them():
    status, headers, _ = await asked(layer(Tokens()))

    assert status == 401
    assert headers[b"www-authenticate"] == (
        b'Bearer realm="fieldguide", scope="read write", '
        b'resource_metadata="https://guide.example.org/.well-known/oauth-protected-resource/mcp"'
    )


async def test_every_bad_token_gets_the_same_bytes():
    now = 1000.0
    tokens = Tokens(
        good=token(),
        late=token(expires_at=1000),
        elsewhere=token(claims={"aud": ["https://other.example.org/mcp"]}),
        nobody=token(user=""),
    )
    app = layer(tokens, clock=lambda: now)
    shown = ["bearer", "Bearer ", "Bearer unknown", "Basic good", "Bearer late", "Bearer elsewhere", "Bearer nobody"]

    answers = [await asked(app, each) for each in (*shown, "Bearer good ", f"Bearer {'x' * 9000}", "Bearer gööd")]
    twice = await asked(app, "Bearer good", "Bearer good")

    assert (await asked(app, "bearer good"))[0] == 200
    assert answers[0][0] == 401
    assert b'error="invalid_token"' in answers[0][1][b"www-authenticate"]
    assert all(answer == answers[0] for answer in [*answers, twice])


async def test_a_token_in_the_query_is_not_taken():
    assert (await asked(layer(Tokens(good=token())), query=b"access_token=good&token=good"))[0] == 401


async def test_a_token_without_the_scope_read_is_refused_before_any_project_is_looked_up():
    async def never(principal, project):
        raise AssertionError

    status, headers, _ = await asked(layer(Tokens(t=token(scopes=["write"])), access_for=never), "Bearer t")

    assert status == 403
    assert b'error="insufficient_scope"' in headers[b"www-authenticate"]


async def test_a_token_for_exactly_this_project_opens_no_other():
    app = layer(Tokens(t=token(claims={"aud": [f"{ORIGIN}/mcp/shop"]})))

    assert (await asked(app, "Bearer t", path="/mcp/shop"))[0] == 200
    assert (await asked(app, "Bearer t", path="/mcp/other"))[0] == 401


async def test_when_tokens_cant_be_looked_up_nobody_gets_in():
    tokens = Tokens(t=token())
    tokens.is_away = True

    assert (await asked(layer(tokens), "Bearer t"))[0] == 503
