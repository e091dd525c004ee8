"""Parses and encodes JSON-RPC 2.0 messages and their errors."""

import json
from collections.abc import Callable, Mapping
from math import inf
from typing import Any, NamedTuple, NoReturn, cast

from fieldguide.spine.tool import INVALID_PARAMS, compact_json
from fieldguide.text.errors import LONGEST_MESSAGE, shorten, shorten_parts

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
UNSUPPORTED_VERSION = -32022

RequestId = str | int | float
TOKEN = (
    rb'"id"\s*:\s*(?P<number>-?\d{1,18})(?![\d.eE])|"id"\s*:\s*(?P<text>"(?:[^"\\]|\\.){0,256}")'
    rb'|"(?:[^"\\]|\\.)*"|[{}\[\]]'
)
HEAD_BYTES = 4096
ID_TYPES = (int, str, float)
INFINITE = (inf, -inf)


def make_method_not_found(method: str) -> "RpcError":
    """The error for a method that there is not."""
    name = shorten(method)
    return RpcError(METHOD_NOT_FOUND, f"Method not found: {name}", {"method": name})


class RpcError(Exception):
    """An error as JSON-RPC tells it; `id` is that of the message it answers, None where none was legible."""

    def __init__(self, code: int, message: str, data: Any = None, *, id: RequestId | None = None) -> None:  # noqa: A002
        self.message = shorten(message, LONGEST_MESSAGE)
        super().__init__(self.message)
        self.code = code
        self.data = shorten_parts(data, LONGEST_MESSAGE)
        self.id = id

    def described(self) -> dict[str, Any]:
        """The `error` member of a response."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        return error if self.data is None else {**error, "data": self.data}


class RpcMessage(NamedTuple):
    """One parsed message: a request has a method and an id, a notification only a method, a response only an id."""

    method: str | None
    id: RequestId | None
    params: Mapping[str, Any] = {}


def parse_message(line: bytes) -> RpcMessage:
    """The message of one line; RpcError with whatever id was legible when it is none."""
    try:
        text = line.decode("utf-8")
        value, end = _scan(text, 0) if text.startswith("{") else (_DECODER.decode(text), len(text))
        if end < len(text) - 1:
            value = _DECODER.decode(text)  # it has more than its own line end
    except (ValueError, RecursionError, StopIteration):
        raise RpcError(PARSE_ERROR, "Parse error: the line is not valid JSON.", id=read_id(line)) from None
    if isinstance(value, list):
        raise RpcError(INVALID_REQUEST, "Invalid request: batches are not accepted; send one message a line.")
    if not isinstance(value, dict):
        raise RpcError(INVALID_REQUEST, "Invalid request: a message is a JSON object.")
    members = cast("dict[str, Any]", value)
    asked = members.get("id")
    legal = type(asked) in ID_TYPES and asked not in INFINITE
    id_ = cast("RequestId", asked) if legal else None
    if members.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'Invalid request: "jsonrpc" must be "2.0".', id=id_)
    if "method" not in members and ("result" in members or "error" in members):
        return RpcMessage(None, id_)
    if "id" in members and not legal:
        raise RpcError(INVALID_REQUEST, "Invalid request: an id is a string or a number.")
    method = members.get("method")
    params = members.get("params")
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, 'Invalid request: "method" must be a string.', id=id_)
    if isinstance(params, dict):
        return RpcMessage(method, id_, cast("dict[str, Any]", params))
    if params is None or id_ is None:  # a notification is never answered, whatever it holds
        return RpcMessage(method, id_)
    raise RpcError(INVALID_PARAMS, "Invalid params: they must be an object.", id=id_)


def read_id(line: bytes) -> RequestId | None:
    """The id of a message that can't be parsed, if one can be read in its beginning: its own, none from inside it."""
    from fieldguide.text import regex as re  # few lines are broken

    depth = 0
    for found in re.compile(TOKEN).finditer(line[:HEAD_BYTES]):
        token = found.group()
        if token in b"{[":
            depth += 1
        elif token in b"}]":
            depth -= 1
        elif depth == 1 and (asked := found.group("number") or found.group("text")) is not None:
            try:
                return cast("RequestId", json.loads(asked))
            except ValueError:
                return None
    return None


def encode_message(message: dict[str, Any]) -> bytes:
    """A message as one line of UTF-8; text that UTF-8 can't hold goes out escaped."""
    try:
        return compact_json(message).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_scan: Callable[[str, int], tuple[Any, int]] = getattr(_DECODER, "scan_once", _DECODER.raw_decode)
