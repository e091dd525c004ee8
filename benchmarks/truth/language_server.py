"""A small client of a language server over pipes: what it lists as symbols of a file, and as references to one.

Every wait is bounded, and a server that keeps silent ends the run with a sentence instead of hanging it.
"""

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from benchmarks.piped_server import PipedServer, ServerError

ANSWER_SECONDS = 120.0
HEADER_END = b"\r\n\r\n"

Json = dict[str, Any]


class LanguageServer(PipedServer):
    """One server process on one folder; leaving the `with` block ends it."""

    def __init__(self, command: Sequence[str], folder: Path, *, environment: Mapping[str, str] | None = None) -> None:
        self.folder = folder.resolve()
        super().__init__(command, environment={**os.environ, **(environment or {})}, folder=self.folder)
        self._unread, self._last_id = b"", 0
        self._under_way: set[str] = set()
        self.settings: Json = {}

    def initialize(self, options: Json | None = None) -> None:
        capabilities = {
            "textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}, "references": {}},
            "workspace": {"configuration": True, "workspaceFolders": True},
            "window": {"workDoneProgress": True},
        }
        root = uri_of(self.folder)
        self.ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": root,
                "rootPath": str(self.folder),
                "workspaceFolders": [{"uri": root, "name": self.folder.name}],
                "capabilities": capabilities,
                "initializationOptions": options or {},
            },
        )
        self.tell("initialized", {})

    def ask(self, method: str, parameters: Json, *, seconds: float = ANSWER_SECONDS) -> Any:
        self._last_id += 1
        asked = self._last_id
        self._write({"jsonrpc": "2.0", "id": asked, "method": method, "params": parameters})
        until = time.monotonic() + seconds
        while True:
            message = self._next(until, waiting_for=method)
            if message.get("id") == asked and "method" not in message:
                if "error" in message:
                    raise ServerError(f"{method} was refused: {message['error'].get('message')}")
                return message.get("result")

    def tell(self, method: str, parameters: Json) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": parameters})

    def open(self, path: Path, language_id: str) -> None:
        text = path.read_text(encoding="utf-8", errors="replace")
        document = {"uri": uri_of(path), "languageId": language_id, "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def close(self, path: Path) -> None:
        self.tell("textDocument/didClose", {"textDocument": {"uri": uri_of(path)}})

    def wait_until(self, has_come: Callable[[Json], bool], *, seconds: float) -> None:
        """Read what the server tells until one message is the awaited one."""
        until = time.monotonic() + seconds
        while not has_come(self._next(until, waiting_for="a message")):
            pass

    def wait_until_quiet(self, *, quiet_seconds: float, seconds: float) -> None:
        """Read until no work is reported as under way and nothing has come for a while."""
        until = time.monotonic() + seconds
        while True:
            try:
                self._next(min(until, time.monotonic() + quiet_seconds), waiting_for="quiet")
            except TimeoutError:
                if not self._under_way or time.monotonic() >= until:
                    return

    def _next(self, until: float, *, waiting_for: str) -> Json:
        while True:
            message = self._read(until, waiting_for=waiting_for)
            if message.get("method") == "$/progress":
                self._note_progress(message["params"])
            if "method" in message and "id" in message:
                self._write({"jsonrpc": "2.0", "id": message["id"], "result": self._answer(message)})
            return message

    def _note_progress(self, parameters: Json) -> None:
        token, kind = str(parameters.get("token")), parameters.get("value", {}).get("kind")
        if kind == "begin":
            self._under_way.add(token)
        elif kind == "end":
            self._under_way.discard(token)

    def _answer(self, request: Json) -> Any:
        if request["method"] == "workspace/configuration":
            return [self.settings.get(item.get("section", ""), {}) for item in request["params"]["items"]]
        if request["method"] == "workspace/workspaceFolders":
            return [{"uri": uri_of(self.folder), "name": self.folder.name}]
        return None

    def _write(self, message: Json) -> None:
        body = json.dumps(message).encode()
        self._send(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def _read(self, until: float, *, waiting_for: str) -> Json:
        while HEADER_END not in self._unread:
            self._unread += self._come(until, waiting_for)
        header, _, self._unread = self._unread.partition(HEADER_END)
        lengths = [line for line in header.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        length = int(lengths[0].partition(b":")[2])
        while len(self._unread) < length:
            self._unread += self._come(until, waiting_for)
        body, self._unread = self._unread[:length], self._unread[length:]
        message: Json = json.loads(body)
        return message

    def _come(self, until: float, waiting_for: str) -> bytes:
        came = self._receive(max(0.0, until - time.monotonic()))
        if not came:
            raise TimeoutError(f"{self._command[0]} kept silent: no answer to {waiting_for}.")
        return came

    def _ask_to_end(self) -> None:
        """Language servers do not end with their input."""
        self._process.terminate()


def uri_of(path: Path) -> str:
    return "file://" + quote(str(path))


def path_of(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))
