"""A small library of documents, and the ways to ask a server about it: stdio, HTTP, the command line."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, NamedTuple

from anyio.from_thread import start_blocking_portal
from mcp import Client

from tests.clients import connected, http_client
from tests.projects import Project
from tests.servers import FIELDGUIDE, environment, http_server

FLAGS = ("--toolsets", "documents")
FERNS = """\
# Ferns

Ferns like shade and wet ground.

## Watering

Water them at the root, never from above.

### In summer

Twice a day.

## Repotting

Take a pot that is one size larger.

```sh
# no heading, but a comment
repot --size 2
```

#### Which soil

Peat and bark.
"""
FOXES = """\
# Foxes

A fox digs its den below old trees.

## Watering

Foxes drink from the brook at night.
"""
INSTALL = """\
# Install the sprinkler

Screw the sprinkler to the tap and turn on `sprinkler_timeout_seconds`.

## Linux

Write the timer into cron.

## Windows

Write the timer into the scheduler.

## Notes

### Linux

Old kernels forget the timer.
"""
UNTITLED = "Just a line about moss and shade, and a fox 🦊 in it.\n"
DRAFT = "# Draft\n\nNobody may read this secret yet.\n"
MANIFEST = {
    "name": "garden-guide",
    "version": "2.1.0",
    "description": "How the garden is kept.",
    "sources": {"glob": ["**/*.md", "!drafts/**"]},
}
GUIDE_ID = "pkg:guide/manifest.json"
NOTES_ID = "dir:notes"


class Told(NamedTuple):
    """What a tool answered: its texts, whether it is an error, and its structured content, if any."""

    texts: list[str]
    is_error: bool
    structured: Any

    @property
    def value(self) -> Any:
        """The JSON of an answer that is one text and no error."""
        assert not self.is_error
        assert len(self.texts) == 1
        return json.loads(self.texts[0])

    @property
    def items(self) -> Any:
        """The JSON of a search, whatever stands beside it."""
        assert not self.is_error
        return json.loads(self.texts[0])

    @property
    def sentence(self) -> str:
        """The first text of an answer that is no error."""
        assert not self.is_error
        return self.texts[0]

    @property
    def error(self) -> str:
        """The one text of an error."""
        assert self.is_error
        assert len(self.texts) == 1
        return self.texts[0]


Ask = Callable[..., Told]


def write_library(project: Project) -> None:
    """Two collections: `guide` by a manifest that leaves out the drafts, `notes` a plain folder."""
    urls = {"guide": {"url": "guide/manifest.json"}, "notes": {"url": "notes"}}
    project.write("context.json", json.dumps({"collections": urls}))
    project.write("guide/manifest.json", json.dumps(MANIFEST))
    project.write("guide/ferns.md", FERNS)
    project.write("guide/foxes.md", FOXES)
    project.write("guide/setup/install.md", INSTALL)
    project.write("guide/drafts/later.md", DRAFT)
    project.write("notes/untitled.md", UNTITLED)


def ask_by_command(project: Project, *flags: str) -> Ask:
    """Each question a process of its own: `fieldguide call`."""

    def ask(tool: str, **arguments: Any) -> Told:
        command = [FIELDGUIDE, "call", tool, json.dumps(arguments), "--project", str(project.root), "--json"]
        done = subprocess.run(
            [*command, *flags], capture_output=True, text=True, timeout=60, env=environment(), check=False
        )
        assert done.stderr == ""
        result = json.loads(done.stdout)
        assert done.returncode == (1 if result.get("isError") else 0)
        return Told(
            [block["text"] for block in result["content"]],
            result.get("isError", False),
            result.get("structuredContent"),
        )

    return ask


@contextmanager
def ask_over_stdio(project: Project, *flags: str) -> Iterator[Ask]:
    """One server process on pipes, asked by the official client."""
    with _asking(connected(project.root, *FLAGS, *flags)) as ask:
        yield ask


@contextmanager
def ask_over_http(project: Project, *flags: str) -> Iterator[Ask]:
    """One server process on a port, asked by the official client."""
    with http_server(project.root, *FLAGS, *flags) as url, _asking(http_client(url, mode="legacy")) as ask:
        yield ask


@contextmanager
def _asking(connecting: AbstractAsyncContextManager[Client]) -> Iterator[Ask]:
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(connecting) as client:

        def ask(tool: str, **arguments: Any) -> Told:
            result: Any = portal.call(client.call_tool, tool, arguments)
            return Told([block.text for block in result.content], bool(result.is_error), result.structured_content)

        yield ask
