"""Reports requests to OpenTelemetry.

OpenTelemetry is imported only if a variable such as `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector. Spans hold
methods, tools and outcomes; no arguments, no addresses of resources and no text.
"""

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

from fieldguide import __version__
from fieldguide.wire.jsonrpc import RpcError
from fieldguide.wire.protocol import Request

ASKING = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_EXPORTER")
LACKING = "Traces are asked for by OTEL_… variables; install fieldguide with its extra `otel` to send them."
CARRIED = ("traceparent", "tracestate")
LONGEST_CARRIED = 512
LONGEST_ID = 64
SERVICE = "fieldguide"
EXPORTER = "opentelemetry.exporter.otlp.proto.http.trace_exporter"
TOOL = "gen_ai.tool.name"
CLOSE_SECONDS = 2.0


class RequestObserver(NamedTuple):
    """Tells of each request while it runs, and how it ended."""

    tracer: "ProjectTraces"

    @contextmanager
    def follow(self, request: Request) -> Generator[Callable[[dict[str, Any]], None]]:
        """Follow a request while the block runs; gives a function that is told the result."""
        with self.tracer.span(request) as span:
            yield partial(_note_answer, span, request)


def _name_error(error: BaseException) -> str:
    return str(error.code) if isinstance(error, RpcError) else type(error).__name__


def wants_traces(environment: Mapping[str, str]) -> bool:
    """Whether the environment names a collector, and does not switch everything off."""
    is_off = environment.get("OTEL_SDK_DISABLED", "").lower() == "true"
    is_none = environment.get("OTEL_TRACES_EXPORTER", "").lower() == "none"
    return not is_off and not is_none and any(environment.get(name) for name in ASKING)


def open_traces(environment: Mapping[str, str]) -> "Traces | None":
    """Traces to the collector that the environment names; None where it names none, or the packages are not there."""
    return Traces(environment) if wants_traces(environment) and _can_send() else None


class Traces:
    """Sends spans in batches, from a thread of the exporter's own."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        import logging

        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        named = {} if environment.get("OTEL_SERVICE_NAME") else {"service.name": SERVICE}
        resource = Resource.create({**named, "service.version": __version__})
        self._provider: Any = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self.tracer: Any = self._provider.get_tracer(SERVICE, __version__)
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # a collector that is away is no news of ours

    def of(self, project: str, is_tool: Callable[[str], bool]) -> "ProjectTraces":
        """The traces of one project, with the names of its own tools and of no others."""
        return ProjectTraces(self.tracer, project, is_tool)

    def close(self) -> None:
        """Send what was not sent yet, for a moment; a collector that does not answer holds nobody up."""
        ending = threading.Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        ending.join(CLOSE_SECONDS)


class ProjectTraces(NamedTuple):
    """Makes a span for each request to one project."""

    tracer: Any
    project: str
    is_tool: Callable[[str], bool]

    @contextmanager
    def span(self, request: Request) -> Generator[Any]:
        """The span of a request: a child of the one that its client carries along in `_meta`."""
        from opentelemetry.trace import SpanKind, Status, StatusCode
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        context = TraceContextTextMapPropagator().extract(_read_trace_context(request))
        attributes = {**_attributes(request), "fieldguide.project": self.project}
        span_name = request.method
        tool: Any = request.params.get("name")
        if request.method == "tools/call" and isinstance(tool, str) and self.is_tool(tool):
            attributes[TOOL] = tool
            span_name = f"{request.method} {tool}"
        with self.tracer.start_as_current_span(
            span_name,
            context=context,
            kind=SpanKind.SERVER,
            attributes=attributes,
            record_exception=False,  # the text of an error may repeat what a caller gave
            set_status_on_exception=False,
        ) as span:
            try:
                yield span
            except BaseException as error:
                kind = _name_error(error)
                span.set_attribute("error.type", kind)
                if isinstance(error, RpcError):
                    span.set_attribute("rpc.response.status_code", kind)
                span.set_status(Status(StatusCode.ERROR))
                raise


def _note_answer(span: Any, request: Request, result: dict[str, Any]) -> None:
    """A tool that answers with an error has failed, though the request has not; a prompt that was given is ours."""
    from opentelemetry.trace import Status, StatusCode

    if request.method == "prompts/get":
        name = str(request.params.get("name"))
        span.set_attribute("gen_ai.prompt.name", name)
        span.update_name(f"prompts/get {name}")
    if result.get("isError") is True:
        span.set_attribute("error.type", "tool_error")
        span.set_status(Status(StatusCode.ERROR))


def _attributes(request: Request) -> dict[str, str]:
    attributes = {
        "mcp.method.name": request.method,
        "mcp.protocol.version": request.sender.version,
        "jsonrpc.request.id": str(request.id)[:LONGEST_ID],
        "network.transport": "tcp",
        "network.protocol.name": "http",
    }
    if not request.connection.is_passing:
        attributes["mcp.session.id"] = request.connection.id
    if request.method == "tools/call":
        attributes["gen_ai.operation.name"] = "execute_tool"
    return attributes


def _can_send() -> bool:
    try:
        return find_spec("opentelemetry.sdk.trace") is not None and find_spec(EXPORTER) is not None
    except ModuleNotFoundError:  # not even the packages that they would be in
        return False


def _read_trace_context(request: Request) -> dict[str, str]:
    """The client's own trace context, without values that are too long."""
    values = {name: request.meta.get(name) for name in CARRIED}
    return {name: text for name, text in values.items() if isinstance(text, str) and len(text) <= LONGEST_CARRIED}
