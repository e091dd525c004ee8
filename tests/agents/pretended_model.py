"""A model on loopback that speaks four dialects, records each request, and plays a script: ask for a tool, then end."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

SAID = "That is all."
OUR_TOOL = "guide_search"
QUESTION = {"query": "where are invoices paid"}


class ScriptedCall(NamedTuple):
    """A tool that the model asks for, by the name that the client has for it."""

    tool: str
    arguments: dict[str, Any]
    text: str = ""
    """In place of arguments, for a tool that takes plain text."""


class RecordedRequest(NamedTuple):
    """A request of a client to its model."""

    path: str
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """All that the model was sent, as one JSON text."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def tools(self) -> dict[str, dict[str, Any]]:
        """The tools with their schemas, by name."""
        found: dict[str, dict[str, Any]] = {}
        for each in self._listed_tools():
            for tool in each.get("functionDeclarations", each.get("tools", [each])):
                inner = tool.get("function", tool)
                prefix = each.get("name", "") if "tools" in each else ""
                found[prefix + str(inner.get("name", inner.get("type")))] = inner
        return found

    def _listed_tools(self) -> list[dict[str, Any]]:
        """The tools as they are sent: for its newest models Codex puts them before the first message."""
        first: dict[str, Any] = next(iter(self.body.get("input", ())), {})
        more = first.get("tools", []) if first.get("type") == "additional_tools" else []
        return [*self.body.get("tools", ()), *more]

    @property
    def tool(self) -> str | None:
        """The name under which this client shows our tool."""
        return next((name for name in self.tools if name.endswith(OUR_TOOL)), None)

    @property
    def has_result(self) -> bool:
        """Whether a tool has answered already."""
        kinds = ('"tool_result"', '_call_output"', '"functionResponse"', '"role": "tool"')
        return any(each in self.text for each in kinds)


class PretendedModel:
    """The server, and what it was sent."""

    def __init__(self) -> None:
        self.requests: list[RecordedRequest] = []
        self.asks_for: ScriptedCall | None = None
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._send(b'{"data": [], "models": []}', "application/json")

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                request = RecordedRequest(self.path, json.loads(content or b"{}"))
                model.requests.append(request)
                reply = model.reply(request)
                if isinstance(reply, bytes):
                    self._send(reply, "application/json")
                else:
                    self._send("".join(reply).encode(), "text/event-stream")

            def _send(self, content: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> "PretendedModel":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def asked(self) -> list[RecordedRequest]:
        """The requests in which a model was given tools: those of the conversation, without titles and probes."""
        return [each for each in self.requests if each.tools]

    def reply(self, request: RecordedRequest) -> bytes | Iterator[str]:
        """The next line of the script, in the dialect of the path."""
        call = None if request.has_result else self._choose(request)
        if "count_tokens" in request.path or "countTokens" in request.path:
            return b'{"input_tokens": 1, "totalTokens": 1}'
        if "/messages" in request.path:
            return _anthropic(call, is_stream=bool(request.body.get("stream")))
        if "/responses" in request.path:
            return _responses(call)
        if "eneratecontent" in request.path.lower():
            return _gemini(call, is_stream="stream" in request.path)
        if "/chat/completions" in request.path:
            return _completions(call)
        return b"{}"

    def _choose(self, request: RecordedRequest) -> ScriptedCall | None:
        """What the script asks for where the client offers it, else our tool."""
        if self.asks_for and self.asks_for.tool in request.tools:
            return self.asks_for
        return ScriptedCall(request.tool, QUESTION) if request.tool else None


def _events(*events: dict[str, Any]) -> Iterator[str]:
    for each in events:
        yield f"event: {each['type']}\ndata: {json.dumps(each)}\n\n"


def _anthropic(call: ScriptedCall | None, *, is_stream: bool) -> bytes | Iterator[str]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "pretended", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": SAID}
    if call:
        block = {"type": "tool_use", "id": "toolu_1", "name": call.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
    if not is_stream:
        whole = {**message, "content": [{"type": "text", "text": SAID}], "stop_reason": "end_turn"}
        return json.dumps(whole).encode()
    return _events(
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None},
            "usage": usage,
        },
        {"type": "message_stop"},
    )


def _responses(call: ScriptedCall | None) -> Iterator[str]:
    item: dict[str, Any] = {
        "type": "message", "id": "m1", "role": "assistant", "content": [{"type": "output_text", "text": SAID}],
    }  # fmt: skip
    if call and call.text:
        item = {"type": "custom_tool_call", "id": "f1", "call_id": "c1", "input": call.text}
        item |= {"namespace": "functions", "name": call.tool.removeprefix("functions")}
    elif call:
        name = OUR_TOOL if call.tool.endswith(OUR_TOOL) else call.tool
        item = {"type": "function_call", "id": "f1", "call_id": "c1", "arguments": json.dumps(call.arguments)}
        item |= {"name": name, "namespace": call.tool.removesuffix(name)}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    return _events(
        {"type": "response.created", "response": {"id": "r1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r1", "usage": usage, "output": [item]}},
    )


def _gemini(call: ScriptedCall | None, *, is_stream: bool) -> bytes | Iterator[str]:
    part: dict[str, Any] = {"text": SAID}
    if call:
        part = {"functionCall": {"name": call.tool, "args": call.arguments}}
    whole = json.dumps(
        {
            "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        }
    )
    return iter([f"data: {whole}\n\n"]) if is_stream else whole.encode()


def _completions(call: ScriptedCall | None) -> Iterator[str]:
    delta: dict[str, Any] = {"role": "assistant", "content": SAID}
    if call:
        function = {"name": call.tool, "arguments": json.dumps(call.arguments)}
        asked = {"index": 0, "id": "c1", "type": "function", "function": function}
        delta = {"role": "assistant", "tool_calls": [asked]}
    base = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "pretended"}
    for choice in (
        {"index": 0, "delta": delta, "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": "tool_calls" if call else "stop"},
    ):
        yield f"data: {json.dumps({**base, 'choices': [choice]})}\n\n"
    yield "data: [DONE]\n\n"
