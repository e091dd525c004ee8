"""A service process for tests, the commands that look after it, and clients that show a token."""

import json
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from time import time
from typing import Any, NamedTuple

from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from fieldguide.storage.sqlite import SqliteDatabase
from fieldguide.team.identity import StoredToken, TokenRepository, make_token, parse_token
from fieldguide.team.registry import TOKENS_SCHEMA
from tests.raw_http import INITIALIZE, Answer, ask
from tests.servers import http_server, run


class Service(NamedTuple):
    """A running server: where it is, and the environment of its commands."""

    url: str
    state: str

    def run(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """A command on what the service keeps."""
        return command(self.state, *words, code=code)

    @contextmanager
    def tokens(self) -> Iterator[Any]:
        """What is kept of tokens, to be changed."""
        database = SqliteDatabase(lambda: f"{self.state}/service/service.db", [TOKENS_SCHEMA], print)
        with database.writing() as transaction:
            yield transaction
        database.close()

    def token(self, name: str, *scopes: str) -> str:
        """A new token, made without the command, which takes its time."""
        text = make_token()
        parts = parse_token(text)
        assert parts is not None
        with self.tokens() as transaction:
            TokenRepository(transaction).add(StoredToken(*parts, name, scopes or ("read", "write"), int(time())))
        return text

    def ask(self, token: str, body: Any, **headers: str) -> Answer:
        """A message with a token."""
        return ask(self.url, body, Authorization=f"Bearer {token}" if token else "", **headers)

    def session(self, token: str) -> str:
        """A session that this token opened."""
        opened = self.ask(token, INITIALIZE)
        assert opened.status == 200, opened.text
        return opened.headers["mcp-session-id"]

    def call(self, token: str, session: str, method: str, **params: Any) -> Any:
        """What a request of a session is answered with."""
        message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        answer = self.ask(token, message, Mcp_Session_Id=session)
        assert answer.status == 200, answer.text
        return answer.message


def command(state: str, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """A command on what lies in this state folder."""
    return run(*words, code=code, FIELDGUIDE_STATE=state)


@contextmanager
def service_of(root: Path, state: Path, *flags: str) -> Iterator[Service]:
    """A folder served to others, on a free loopback port."""
    (state / "service").mkdir(mode=0o700, parents=True, exist_ok=True)
    with http_server(root, *flags, extra_environment={"FIELDGUIDE_STATE": str(state)}) as url:
        yield Service(url, str(state))


@asynccontextmanager
async def client_of(url: str, token: str, **settings: Any) -> AsyncIterator[Client]:
    """The official client, with a token."""

    @asynccontextmanager
    async def wire() -> AsyncIterator[Any]:
        headers = {"authorization": f"Bearer {token}"}
        async with (
            create_mcp_http_client(headers=headers) as http,
            streamable_http_client(url, http_client=http) as way,
        ):
            yield way

    async with Client(wire(), **settings) as client:
        yield client


def described(done: subprocess.CompletedProcess[str]) -> Any:
    """What a command printed as JSON."""
    return json.loads(done.stdout)
