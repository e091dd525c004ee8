"""Traces by OpenTelemetry's conventions for MCP, sent to a collector of our own."""

import subprocess
import sys

import pytest

from tests.operation.collector import collecting
from tests.operation.served import call, served, session_of
from tests.proves import proves
from tests.raw_http import ask

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SECRET = "sesame-opens-everything"


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    root = tmp_path_factory.mktemp("shop")
    with collecting() as collector:
        given = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "100000"}
        with served(root, extra_environment=given) as server:
            session = session_of(server.url)
            params = {
                "name": "add_task",
                "arguments": {"user_id": "ann-of-shop", "title": SECRET},
                "_meta": {"traceparent": f"00-{TRACE}-{PARENT}-01"},
            }
            message = {"jsonrpc": "2.0", "id": "seven", "method": "tools/call", "params": params}
            assert ask(server.url, message, Mcp_Session_Id=session).status == 200
            call(server.url, session, "fail")
            call(server.url, session, "unheard-of-name")
            ask(server.url, {"jsonrpc": "2.0", "id": 8, "method": "tools/list"}, Mcp_Session_Id=session)
            server.process.terminate()
            server.process.communicate(timeout=60)
        return collector


@proves("Z-232")
def test_a_call_is_a_span_below_the_one_of_its_client(collected):
    span = next(span for span in collected.spans if span.name == "tools/call add_task")
    told = collected.attributes("tools/call add_task")

    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT)
    assert span.kind == span.SPAN_KIND_SERVER
    assert told["mcp.method.name"] == "tools/call"
    assert told["gen_ai.tool.name"] == "add_task"
    assert told["gen_ai.operation.name"] == "execute_tool"
    assert told["jsonrpc.request.id"] == "seven"
    assert told["mcp.protocol.version"] == "2025-11-25"
    assert told["mcp.session.id"]
    assert "error.type" not in told


@proves("Z-232")
def test_a_tool_that_fails_is_an_error_and_a_list_is_named_by_its_method(collected):
    assert collected.attributes("tools/call fail")["error.type"] == "tool_error"
    assert "tools/list" in {span.name for span in collected.spans}


@proves("Z-232")
def test_no_argument_and_no_name_of_a_callers_own_is_in_a_span(collected):
    for text in (SECRET, "ann-of-shop", "unheard-of-name"):
        assert text.encode() not in collected.sent


@proves("Z-232")
def test_without_the_variables_nothing_of_it_is_imported():
    program = (
        "import sys; from fieldguide.wire.telemetry import open_traces; "
        "assert open_traces({}) is None; "
        "assert open_traces({'OTEL_EXPORTER_OTLP_ENDPOINT': 'http://x', 'OTEL_SDK_DISABLED': 'true'}) is None; "
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True)

    assert done.stdout == "[]\n"
