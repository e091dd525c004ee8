"""A service with an identity for each request: who may see metrics, and what the audit log tells."""

import json
from typing import Any

import pytest

from tests.identity.service import Service, command
from tests.raw_http import INITIALIZE, ask, get
from tests.servers import http_server

LIMITS = {
    "FIELDGUIDE_LIMIT_DRAIN_NOTICE_SECONDS": "1",
    "FIELDGUIDE_LIMIT_HTTP_REQUEST_SECONDS": "5",
}


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """What Ann, Bob and strangers were answered, and the audit log in the end."""
    root, state = tmp_path_factory.mktemp("shop"), tmp_path_factory.mktemp("state")
    (state / "service").mkdir(mode=0o700)
    told: dict[str, Any] = {}
    with http_server(root, "--auth", "tokens", extra_environment={**LIMITS, "FIELDGUIDE_STATE": str(state)}) as url:
        served = Service(url, str(state))
        ann, bob, monitor = served.token("ann"), served.token("bob", "read"), served.token("watch", "metrics")
        told["paths"] = {
            path: [_status(served.url, path, token) for token in ("", ann, monitor)]
            for path in ("/healthz", "/readyz", "/metrics", "/mcp")
        }
        session = served.session(ann)
        add = {"name": "add_task", "arguments": {"title": "private words"}}
        told["calls"] = [served.call(ann, session, "tools/call", **add)["result"] for _ in range(4)]
        told["bob"] = served.call(bob, served.session(bob), "tools/call", **add)["result"]
        told["forged"] = ask(served.url, INITIALIZE, Authorization="Bearer fg_forged-token-of-nobody")
        told["metrics"] = get(served.url, "/metrics", Authorization=f"Bearer {monitor}").text
        told["secrets"] = [ann, bob, monitor, "forged-token"]
    done = command(served.state, "team", "audit")
    told["audit"] = [json.loads(line) for line in done.stdout.splitlines()]
    told["text"] = done.stdout
    return told


def _status(url, path, token):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return get(url, path, **headers).status


def test_metrics_are_for_tokens_with_the_scope_of_their_own(story):
    assert story["paths"]["/healthz"] == [200, 200, 200]
    assert story["paths"]["/readyz"] == [200, 200, 200]
    assert story["paths"]["/metrics"] == [401, 403, 200]
    assert story["paths"]["/mcp"][2] == 403
    for name in ("ann", "bob"):
        assert f'"{name}"' not in story["metrics"]


def test_the_log_tells_who_did_and_who_tried_what(story):
    told = [(line["username"], line["name"], line["outcome"]) for line in story["audit"]]

    assert told.count(("ann", "add_task", "ok")) == 4
    assert len(told) == 4
    for secret in (*story["secrets"], "private words", "private:address"):
        assert secret not in story["text"]
