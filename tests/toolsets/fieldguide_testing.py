"""Toolsets for tests, found as any other package's would be: a workbench of odd tools, and one toolset per dialect."""

import asyncio
import base64
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from fieldguide.spine.prompts import Prompt, PromptArgument
from fieldguide.spine.resources import Resource, ResourceContents, ResourceTemplate
from fieldguide.spine.tool import Answer, Call, Effects, Pace, Tool, Wording, import_late
from fieldguide.spine.toolset import Dialect, FailedCall, Fault, Services, Toolset, tell_plainly
from fieldguide.text.errors import FieldguideError, InvalidArguments, NotFound

ANYTHING: dict[str, Any] = {"type": "object", "properties": {}}
SECONDS: dict[str, Any] = {"type": "object", "properties": {"seconds": {"type": "number"}}, "required": ["seconds"]}
LIMITED: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "text": {"type": "string", "maxLength": 10},
        "count": {"type": "integer", "minimum": 1, "maximum": 5},
        "kind": {"type": "string", "enum": ["a", "b"]},
    },
    "required": ["text"],
}
OWNED: dict[str, Any] = {
    "type": "object",
    "properties": {"user_id": {"type": "string"}, "text": {"type": "string"}},
    "required": ["user_id"],
}


def tool(name: str, description: str, run: Callable[[Call], Any], schema: Any = ANYTHING, **more: Any) -> Tool:
    return Tool(name=name, description=description, input_schema=schema, run=run, **more)


def echo(call: Call) -> dict[str, Any]:
    return {"arguments": dict(call.arguments), "user": call.user}


def noisy(call: Call) -> dict[str, Any]:
    print("printed by a tool")
    sys.stdout.flush()
    os.write(1, b"written by a tool\n")
    subprocess.run(["echo", "said by a child"], check=True)
    return {"printed": True}


def wait(call: Call) -> dict[str, Any]:
    """Works for a while, or until a file is there, looking whether it is still wanted.

    It notes in a file that it began and how it ended.
    """
    until, file = time.monotonic() + call.arguments["seconds"], call.arguments.get("or_until")
    _note("began")
    try:
        while time.monotonic() < until and not (file and os.path.exists(file)):
            call.cancellation.check()
            time.sleep(0.005)
    finally:
        _note("cancelled" if call.cancellation.is_set else "finished")
    return {"waited": call.arguments["seconds"]}


def _note(event: str) -> None:
    note = os.environ.get("FIELDGUIDE_TEST_NOTE")
    if note:
        with open(note, "a", encoding="utf-8") as file:
            file.write(f"{event}\n")


def sleep_deaf(call: Call) -> dict[str, Any]:
    """Never looks whether it is still wanted."""
    time.sleep(call.arguments["seconds"])
    return {"slept": call.arguments["seconds"]}


def dated(call: Call) -> Answer:
    """An answer of the tool's own making that no JSON can hold."""
    return Answer(text="now", value={"at": datetime.now(UTC)})


def tell_more(call: Call) -> Answer:
    """A text that says more than its value."""
    return Answer(text="The whole story.", value={"short": True})


def uncounted(call: Call) -> Answer:
    """Another one."""
    return Answer(text="none", value={"share": float("nan")})


def run_child(call: Call) -> dict[str, Any]:
    """Waits for a child process, which is killed when the call is cancelled."""
    with subprocess.Popen(["sleep", "60.125"]) as child, call.cancellation.stopping(child.kill):
        child.wait()
    call.cancellation.check()
    return {}


def fail(call: Call) -> dict[str, Any]:
    raise RuntimeError(f"secret in {__file__}")


def leave(call: Call) -> dict[str, Any]:
    sys.exit(3)


def give_up(call: Call) -> dict[str, Any]:
    raise asyncio.CancelledError


def remember(call: Call) -> dict[str, Any]:
    workflow = call.workflow
    if workflow is None:
        return {"workflow": None}
    return {"prompt": workflow.prompt_name, "arguments": workflow.prompt_args, "earlier": dict(workflow.tool_results)}


def picture(call: Call) -> Answer:
    image = base64.b64encode(b"not really a picture").decode()
    return Answer(text="", blocks=({"type": "image", "data": image, "mimeType": "image/png"},))


class Notes:
    """Resources `note://<name>`; `touch` announces that their list has changed."""

    scheme = "note"

    def list(self) -> Sequence[Resource]:
        return [Resource(uri=f"note://{n:03d}", name=f"Note {n}", mime_type="text/plain") for n in range(150)]

    def templates(self) -> Sequence[ResourceTemplate]:
        return [ResourceTemplate(uri_template="note://{name}", name="A note")]

    def read(self, uri: str) -> Sequence[ResourceContents]:
        if not uri.removeprefix("note://").isdigit():
            raise NotFound("Resource not found", uri=uri)
        return [ResourceContents(uri=uri, mime_type="text/plain", text=f"This is {uri}")]


def complete(reference: Mapping[str, Any], argument: str, prefix: str) -> Sequence[str] | None:
    if reference.get("name") != "greet" or argument != "name":
        return None
    return [name for name in ("ada", "alan", "grace") if name.startswith(prefix)]


def workbench(services: Services) -> Toolset:
    def touch(call: Call) -> dict[str, Any]:
        services.changes.announce("resources")
        return {"touched": True}

    def greet(arguments: Mapping[str, str]) -> Sequence[Mapping[str, Any]]:
        return [{"role": "user", "content": {"type": "text", "text": f"Hello {arguments['name']}"}}]

    name = PromptArgument(name="name", description="Whom to greet", required=True, max_length=20)
    return Toolset(
        name="workbench",
        tools=(
            tool("echo", "Says it again", echo),
            tool("limited", "Takes little", echo, LIMITED),
            tool("owned", "Somebody's", echo, OWNED, user_argument="user_id"),
            tool("write", "Writes", echo, effects=Effects(writes=True, repeatable=False)),
            tool("noisy", "Prints", noisy),
            tool("wait", "Waits", wait, SECONDS),
            tool("wait-short", "Waits", wait, SECONDS, pace=Pace(timeout_seconds=0.2)),
            tool("sleep-deaf", "Sleeps", sleep_deaf, SECONDS),
            tool("run-child", "Has a child", run_child),
            tool("fail", "Fails", fail),
            tool("leave", "Exits", leave),
            tool("give-up", "Cancels", give_up),
            tool("unwritable", "No JSON", lambda call: {"a": {1, 2}}),
            tool("infinite", "No JSON", lambda call: {"a": float("inf")}),
            tool("dated", "No JSON", dated),
            tool("uncounted", "No JSON", uncounted),
            tool("remember", "Knows its workflow", remember),
            tool("picture", "Shows", picture),
            tool("touch", "Changes the list of notes", touch),
            tool("story", "Tells", tell_more, wording=Wording(text_says_more=True)),
            tool("rare", "Limited", echo, pace=Pace(calls_per_minute=3)),
        ),
        resources=(Notes(),),
        prompts=lambda: [Prompt(name="greet", description="Greets", render=greet, arguments=(name,))],
        complete=complete,
    )


def _refuse(call: Call) -> Any:
    raise NotFound("Thing not found", thing=7)


def _decline(call: Call) -> Any:
    raise InvalidArguments("thing not known: 7", known=["1", "2"])


def _speaking(dialect: str) -> Toolset:
    """Tools that answer, fail and refuse, in the dialect of one of the built-in toolsets."""
    module = f"fieldguide.toolsets.{dialect}.{'tools' if dialect == 'directive' else 'calls'}"
    tell = "tell_error" if dialect == "architecture" else "tell"
    unknown = import_late(f"{module}:tell_unknown") if dialect == "context" else None
    return Toolset(
        name=f"speaking-{dialect}",
        dialect=Dialect(tell_plainly if dialect == "context" else import_late(f"{module}:{tell}"), unknown),
        tools=(
            tool(f"{dialect}-limited", "Takes little", echo, LIMITED),
            tool(f"{dialect}-fail", "Fails", fail),
            tool(f"{dialect}-missing", "Misses", _refuse),
            tool(f"{dialect}-declined", "Declines", _decline),
            tool(f"{dialect}-rare", "Limited", echo, pace=Pace(calls_per_minute=2)),
            tool(f"{dialect}-slow", "Slow", wait, SECONDS, pace=Pace(timeout_seconds=0.2)),
        ),
    )


def speaking_verse(services: Services) -> Toolset:
    """A toolset from outside with a dialect that nobody else has."""

    def tell(error: FieldguideError, failing: FailedCall) -> Answer | Fault:
        if isinstance(error, InvalidArguments):
            return Fault(4711, f"{failing.tool.name} is adverse", {"issues": error.issues})
        return Answer(text=f"Alas: {error.message}", is_error=True)

    return Toolset(
        name="speaking-verse",
        claims="verse-",
        dialect=Dialect(tell, lambda error: Answer(text=f"No {error.details['tool']} was ever sung.", is_error=True)),
        tools=(
            tool("verse-limited", "Takes little", echo, LIMITED),
            tool("verse-missing", "Misses", _refuse),
        ),
    )


def speaking_architecture(services: Services) -> Toolset:
    return _speaking("architecture")


def speaking_context(services: Services) -> Toolset:
    return _speaking("context")


def speaking_documents(services: Services) -> Toolset:
    return _speaking("documents")


def speaking_tasks(services: Services) -> Toolset:
    return _speaking("tasks")
