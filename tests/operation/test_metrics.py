"""What monitors read: checked with the parser of Prometheus' own client, which has no part in writing it."""

import json

import pytest
from prometheus_client.parser import text_string_to_metric_families

from fieldguide.team.metrics import PrometheusText
from tests.operation.served import call, served, session_of
from tests.raw_http import get
from tests.servers import AUTHORIZATION, FIELDGUIDE

SECRET = "sesame-opens-everything"


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The families after a call that went well, one that failed, and one of a tool that nobody has."""
    root = tmp_path_factory.mktemp("shop")
    with served(root) as server:
        session = session_of(server.url)
        call(server.url, session, "add_task", user_id="ann-of-shop", title=SECRET)
        call(server.url, session, "fail")
        call(server.url, session, "nobody-has-this")
        get(server.url, "/metrics")
        text = get(server.monitors, "/metrics").text
        own = get(server.url, "/metrics", Authorization=AUTHORIZATION["authorization"])
        strange = get(server.monitors, "/metrics", Host="evil.example")
        unasked = get(server.url, "/metrics")
        beside = [get(server.monitors, path).status for path in ("/healthz", "/readyz", "/mcp")]
    families = {family.name: family for family in text_string_to_metric_families(text)}
    return families, text, own, strange, unasked, beside


def values(family, **labels):
    return {sample.name: sample.value for sample in family.samples if labels.items() <= sample.labels.items()}


def test_calls_failures_and_durations_are_told_by_tool_and_project(told):
    families = told[0]
    project = families["fieldguide_calls"].samples[0].labels["project"]

    added = {"project": project, "tool": "add_task"}
    assert values(families["fieldguide_calls"], **added) == {"fieldguide_calls_total": 1}
    failed = values(families["fieldguide_call_failures"], tool="fail", kind="ToolFailed")
    assert failed == {"fieldguide_call_failures_total": 1}
    assert values(families["fieldguide_call_failures"], tool="(unknown)", kind="ToolNotFound")
    durations = families["fieldguide_call_duration_seconds"]
    assert durations.type == "histogram"
    buckets = [s.value for s in durations.samples if s.labels.get("tool") == "add_task" and "le" in s.labels]
    assert buckets == sorted(buckets)
    assert buckets[-1] == 1


def test_places_breakers_index_and_process_are_told_too(told):
    families = told[0]
    for name in ("fieldguide_calls_running", "fieldguide_calls_waiting", "fieldguide_http_sessions"):
        assert families[name].samples
    assert families["fieldguide_http_sessions"].samples[0].value == 1
    assert values(families["fieldguide_circuit_breaker_open"], tool="fail")
    assert families["fieldguide_index_bytes"].samples[0].value > 0
    assert families["process_resident_memory_bytes"].samples[0].value > 10_000_000
    assert families["process_open_fds"].samples[0].value > 3
    assert values(families["fieldguide_http_refused"], status="401") == {"fieldguide_http_refused_total": 1}


def test_no_user_no_argument_and_no_unknown_name_is_told(told):
    for text in ("ann-of-shop", SECRET, "nobody-has-this"):
        assert text not in told[1]


def test_metrics_are_told_for_a_token_or_on_a_port_of_their_own(told):
    _, text, own, strange, unasked, beside = told

    assert own.status == 200
    assert own.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert own.text.splitlines()[:3] == text.splitlines()[:3]
    assert unasked.status == 401
    assert strange.status == 421
    assert beside == [200, 200, 404]


def test_a_port_for_monitors_is_never_beyond_the_loopback(tmp_path):
    import subprocess

    command = [FIELDGUIDE, "serve", "--project", str(tmp_path), "--http", "0", "--metrics", "0.0.0.0:0"]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)

    assert refused.returncode == 2
    assert "is not a loopback address" in refused.stderr


def test_labels_with_quotes_and_line_ends_are_read_back_as_they_were():
    told = PrometheusText()
    odd = 'a "quoted" \\ name\nof two lines'
    told.family("odd", "Odd.", [({"name": odd}, 1.5)])

    [family] = text_string_to_metric_families(told.text())

    assert family.samples[0].labels == {"name": odd}
    assert family.samples[0].value == 1.5
    assert json.dumps(odd)
