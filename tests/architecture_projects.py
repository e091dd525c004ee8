"""Projects with guidelines, patterns and decisions, and the ways to ask a server about them."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.projects import Project
from tests.raw_client import RawClient
from tests.servers import AUTHORIZATION, http_server

FLAGS = ("--toolsets", "architecture")
GUIDELINES = "mcp/resources/guidelines"
PATTERNS = "mcp/resources/patterns"
ADR = "mcp/resources/adr"
PROMPTS = "mcp/prompts"
REPOSITORY = """\
---
rules:
  - id: no-driver-in-services
    message: A service imports no database driver.
    severity: error
    see: Services ask, repositories answer
    fix: Take a repository through the constructor.
    forbid-import: [sqlite3, psycopg, pg]
  - id: repository-names
    message: A repository says so at the end of its name.
    severity: warning
    languages: [python, typescript]
    naming:
      kind: class
      matches: "*Repository"
      where: {extends: "*Repository"}
---
# Repository Pattern

A repository keeps one kind of thing and gives it back.

## Best Practices

### Name what it keeps

The name ends with `Repository`.

## Common Pitfalls

### Services ask, repositories answer

A service that opens a cursor is the second owner of its table.
"""
LAYERS = """\
# Layered imports

Handlers call services, services call repositories; no import points up.
"""
NAMING = """\
# Naming

Modules are nouns, functions are verbs, and booleans are claims.
"""
ERRORS = """\
# Errors over HTTP

An error has a status, a sentence and an identifier. Never answer a failure with status 200.
"""
POSTGRESQL = """\
# 1. Use PostgreSQL for orders

## Status

Accepted

## Context

Orders need joins and transactions. We considered MongoDB and PostgreSQL.

## Decision

We will use PostgreSQL as the database for orders. We will not use MongoDB, because reports need joins.

## Consequences

Every migration must be reversible.
"""
EVENTS = """\
# 2. Publish domain events through Kafka

**Status**: Superseded

## Context

Billing wants to know of every order.

## Decision

We will publish domain events through Kafka topics.
"""
REST = """\
---
status: Proposed
---
# 3. Offer a REST interface

## Context

Partners ask for an interface.

## Decision

We will offer a REST interface described by OpenAPI. GraphQL was rejected, because partners cache by URL.
"""
DOCUMENTS = {
    f"{GUIDELINES}/naming.md": NAMING,
    f"{GUIDELINES}/http/errors.md": ERRORS,
    f"{PATTERNS}/repository-pattern.md": REPOSITORY,
    f"{PATTERNS}/layered-imports.md": LAYERS,
    f"{ADR}/001-use-postgresql.md": POSTGRESQL,
    f"{ADR}/002-publish-domain-events.md": EVENTS,
    f"{ADR}/003-offer-rest.md": REST,
}


def write_architecture(project: Project) -> None:
    """Two guidelines, two patterns and three decisions."""
    for path, text in DOCUMENTS.items():
        project.write(path, text)


def write_prompt(project: Project, name: str, text: str, *, arguments: Any = (), file: str | None = None) -> None:
    """A prompt of the project's own with one message of the user."""
    definition = {
        "name": name,
        "description": f"The prompt {name}",
        "arguments": [*arguments],
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }
    project.write(f"{PROMPTS}/{file or name}.json", json.dumps(definition))


@contextmanager
def served(project: Project, *flags: str) -> Iterator[RawClient]:
    """A server of the project on pipes, after the handshake."""
    with RawClient(project.root, *FLAGS, *flags).ready() as client:
        yield client


class HttpClient:
    """A server on a port, spoken to as over pipes; the session of the handshake comes with every request."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._session: str | None = None
        self.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t"})

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and give the message that answers it."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(self._url, data=body, headers=AUTHORIZATION)
        request.add_header("accept", "application/json, text/event-stream")
        request.add_header("content-type", "application/json")
        if self._session is not None:
            request.add_header("mcp-session-id", self._session)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                self._session = response.headers["mcp-session-id"] or self._session
                text = response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                text = error.read().decode()
        message: dict[str, Any] = json.loads(text.partition("data: ")[2] or text)
        return message


@contextmanager
def served_over_http(project: Project, *flags: str) -> Iterator[str]:
    """A server of the project on a port: its URL."""
    with http_server(project.root, *FLAGS, *flags) as url:
        yield url


def listed_uris(client: RawClient | HttpClient) -> list[str]:
    """The URIs of every page of the resource list."""
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = client.request("resources/list", **cursor)["result"]
        found += [resource["uri"] for resource in page["resources"]]
        if "nextCursor" not in page:
            return found
        cursor = {"cursor": page["nextCursor"]}


def text_at(client: RawClient | HttpClient, uri: str) -> str:
    """The text of a resource."""
    [contents] = client.request("resources/read", uri=uri)["result"]["contents"]
    assert (contents["uri"], contents["mimeType"]) == (uri, "text/markdown")
    text: str = contents["text"]
    return text


def value_of(answer: dict[str, Any]) -> Any:
    """The object that a tool answered; its text is the same object."""
    result = answer["result"]
    assert "isError" not in result
    [block] = result["content"]
    assert json.loads(block["text"]) == result["structuredContent"]
    return result["structuredContent"]


def call(client: RawClient | HttpClient, tool: str, **arguments: Any) -> Any:
    """The object that a tool answers."""
    return value_of(client.request("tools/call", name=tool, arguments=arguments))


def error_of(client: RawClient | HttpClient, tool: str, **arguments: Any) -> dict[str, Any]:
    """The JSON-RPC error that a tool answers."""
    error: dict[str, Any] = client.request("tools/call", name=tool, arguments=arguments)["error"]
    return error


def prompt_text(client: RawClient | HttpClient, prompt: str, **arguments: Any) -> str:
    """The text of a prompt's one message, filled in."""
    [message] = client.request("prompts/get", name=prompt, arguments=arguments)["result"]["messages"]
    assert (message["role"], message["content"]["type"]) == ("user", "text")
    text: str = message["content"]["text"]
    return text
