"""`fieldguide hook`: what a client's hook puts before its model, printed in the client's own format.

A hook runs at every prompt and many tool calls. It must never disturb: every failure ends with 0 and prints nothing.
A running server of the project answers it; without one, the index is looked at here, for at most a few seconds.
Nothing heavy is imported before it is certain that there may be something to say.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from fieldguide.cli.hook_input import LARGEST_INPUT, HookInput, is_task, read_hook_input
from fieldguide.settings.folders import PRIVATE_FILE, PRIVATE_FOLDER

if TYPE_CHECKING:
    import argparse

    from fieldguide.settings.config import Settings

EVENTS = ("prompt", "session", "before-edit", "after-edit", "before-search")
SHOWN = "guide.hook"
TABLE = "hooks"
WARM_SECONDS = 2.0
COLD_SECONDS = 4.0
EPILOG = """\
`fieldguide hook prompt --show "the words of a task"` prints what would be put before the model, and its tokens.
Each event can be switched off under [hooks] in your settings, such as `before-search = false`.
"""


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """The event, the client, and what to show to a person."""
    parser.epilog = EPILOG
    parser.add_argument("event", metavar="EVENT", help=f"what happens in the client: {', '.join(EVENTS)}")
    parser.add_argument("--client", metavar="NAME", default="", help="the client, by its name in `fieldguide install`")
    parser.add_argument(
        "--show",
        metavar="WORDS",
        nargs="?",
        const="",
        help="print for a person what this prompt, file or pattern would put before the model; reads no input",
    )
    parser.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")


def read_plain_arguments(words: Sequence[str]) -> SimpleNamespace | None:
    """The arguments of a client's call, whatever else stands there; None where a person asks.

    A wrong flag must not end with 2: clients take that for a command to block the prompt.
    """
    if any(word.partition("=")[0] in ("--show", "--project", "-h", "--help") for word in words):
        return None
    client = ""
    for place, word in enumerate(words):
        flag, _, value = word.partition("=")
        if flag == "--client":
            client = value or "".join(words[place + 1 : place + 2])
    return SimpleNamespace(event=words[0] if words else "", client=client, show=None, project=None)


def run(arguments: Any) -> int:
    """Answer a client's hook, or show a person what it would be answered."""
    if arguments.show is not None or arguments.project is not None:
        return _show(arguments)
    try:
        given = read_hook_input(arguments.event, arguments.client, sys.stdin.buffer.read(LARGEST_INPUT + 1))
        text = answer_client(given)
        if text:
            sys.stdout.write(json.dumps(format_answer(given, text), ensure_ascii=True) + "\n")
            sys.stdout.flush()
    except Exception as error:  # noqa: BLE001  a hook that fails says nothing
        with suppress(Exception):
            _note_failure(arguments.event, error)
    return 0


def may_speak(given: HookInput) -> bool:
    """Whether an event can lead to an answer, as far as its input tells."""
    needed = {
        "prompt": is_task(given.prompt),
        "session": True,
        "before-edit": bool(given.path),
        "after-edit": bool(given.path),
        "before-search": bool(given.pattern),
    }
    return needed.get(given.event, False)


def answer_client(given: HookInput) -> str:
    """The text for a client; empty where there is nothing to say, or it was said in this session."""
    if not may_speak(given):
        return ""
    from fieldguide.cli.console.options import find_nearest_project
    from fieldguide.storage.state_folder import find_known_folder

    project = find_nearest_project(given.folder)
    state = find_known_folder(project)
    if state is None:  # nothing is indexed
        return ""
    settings = _read_settings(project)
    if not is_switched_on(settings, given.event):
        return ""
    memory = HookMemory(state, given.session)
    if given.event == "session" and given.source != "resume":
        memory.forget()  # the model begins anew, or its context was cleared
    key = {"prompt": " ".join(given.prompt.split()), "before-edit": given.path, "before-search": given.pattern}
    subject = f"{given.event}\0{key.get(given.event, '')}"
    if given.event in key and memory.has(subject):
        return ""
    request = {**given._asdict(), "last": memory.read_counts()} if given.event == "session" else given._asdict()
    answer = ask(settings, state, request)
    if answer is None:
        return ""
    text = str(answer.get("text") or "")
    is_new = bool(text) and not memory.has(text)
    _count_usage(settings, state, given, answer if is_new else {})
    if isinstance(answer.get("counts"), dict):
        memory.keep_counts(answer["counts"])
    if given.event in key:
        memory.add(subject)
    if not is_new:
        return ""
    memory.add(text)
    return text


def _count_usage(settings: "Settings", state: str, given: HookInput, answer: Mapping[str, Any]) -> None:
    """Count an event, the tokens of its answer, the files that a map named, and the file that was edited."""
    from fieldguide.cli.usage import EDITED, is_counted, note_usage

    if not is_counted(settings):
        return
    row: dict[str, Any] = {"event": given.event, "client": given.client, "session": _digest(given.session)}
    row["tokens"] = answer.get("tokens", 0)
    if answer.get("given"):
        row["given"] = answer["given"]
    if given.event == EDITED:
        whole = os.path.realpath(os.path.join(given.folder, given.path))
        row["path"] = os.path.relpath(whole, os.path.realpath(settings.project))
    note_usage(state, row)


def is_switched_on(settings: "Settings", event: str) -> bool:
    """Whether the settings leave an event on: each can be switched off under [hooks]."""
    return settings.sections.get(TABLE, {}).get(event) is not False


def _read_settings(project: str) -> "Settings":
    from fieldguide.settings.config import read_settings

    return read_settings({"project": project}, os.environ)


def ask(settings: "Settings", state: str, request: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer of a running server, else of a look of our own; None where neither comes in time."""
    from fieldguide.wire.hook_socket import ask_server

    try:
        answer = ask_server(state, request, WARM_SECONDS)
    except TimeoutError:
        return None
    return answer if answer is not None else _look(settings, request)


def _look(settings: "Settings", request: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer from the index as it is, within some seconds; the thread is left behind after that."""
    found: list[dict[str, Any]] = []

    def work() -> None:
        with suppress(Exception):
            found.append(look_here(settings, request))

    thread = threading.Thread(target=work, name="hook", daemon=True)
    thread.start()
    thread.join(COLD_SECONDS)
    return found[0] if found else None


def look_here(settings: "Settings", request: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of an app of our own, which indexes nothing."""
    from fieldguide.app import build_app

    shows = build_app(settings, write_journal=_write_nothing).shows()
    return cast("dict[str, Any]", shows[SHOWN](request, shows))


def _write_nothing(lines: list[str]) -> None:
    """The journal of a hook: its stderr is shown to people by some clients."""


MEMORY_FOLDER = "hooks"
COUNTS_FILE = "last-session.json"
FAILURES_FILE = "failures.log"
SESSION_SUFFIX = ".session"
DIGITS = 16
LARGEST_SESSION_BYTES = 1 << 17
LARGEST_LOG_BYTES = 1 << 16
LARGEST_COUNTS_BYTES = 1 << 16
MOST_SESSIONS = 200


class HookMemory:
    """The memory of one session; one without a name remembers nothing."""

    def __init__(self, state: str, session: str) -> None:
        self._folder = os.path.join(state, MEMORY_FOLDER)
        self._path = os.path.join(self._folder, f"{_digest(session)}{SESSION_SUFFIX}") if session else ""
        self._said: set[str] | None = None

    def has(self, subject: str) -> bool:
        """Whether something was said or asked before."""
        return _digest(subject) in self._read()

    def add(self, subject: str) -> None:
        """Remember something."""
        if not self._path or len(self._read()) * (DIGITS + 1) > LARGEST_SESSION_BYTES:
            return
        self._make_folder()
        if not os.path.lexists(self._path):
            self._forget_old()
        _append(self._path, f"{_digest(subject)}\n")
        self._read().add(_digest(subject))

    def forget(self) -> None:
        """Forget this session: its model does not know any more what it was told."""
        self._said = set()
        if self._path:
            with suppress(FileNotFoundError):
                os.unlink(self._path)

    def read_counts(self) -> Any:
        """The counts of the project when the last session began; None where there was none."""
        try:
            with open(os.path.join(self._folder, COUNTS_FILE), "rb") as file:
                return json.loads(file.read(LARGEST_COUNTS_BYTES))
        except (OSError, ValueError, RecursionError):
            return None

    def keep_counts(self, counts: Mapping[str, Any]) -> None:
        """Keep the counts for the next session."""
        from fieldguide.files.confined_folder import replace_file

        self._make_folder()
        with replace_file(os.path.join(self._folder, COUNTS_FILE), PRIVATE_FILE) as file:
            file.write(json.dumps(dict(counts)).encode())

    def note_failure(self, event: str, kind: str) -> None:
        """Write a line about a hook that failed: when, which, and the kind of its error."""
        self._make_folder()
        path = os.path.join(self._folder, FAILURES_FILE)
        with suppress(OSError):
            if os.path.getsize(path) > LARGEST_LOG_BYTES:
                os.unlink(path)
        _append(path, json.dumps({"time": int(time.time()), "event": event[:40], "error": kind}) + "\n")

    def _read(self) -> set[str]:
        if self._said is None:
            self._said = set()
            with suppress(OSError, ValueError), open(self._path, encoding="ascii") as file:
                self._said = set(file.read(LARGEST_SESSION_BYTES).split())
        return self._said

    def _make_folder(self) -> None:
        os.makedirs(self._folder, mode=PRIVATE_FOLDER, exist_ok=True)

    def _forget_old(self) -> None:
        """Remove the oldest sessions, so that there are never many."""
        names = [name for name in os.listdir(self._folder) if name.endswith(SESSION_SUFFIX)]
        if len(names) < MOST_SESSIONS:
            return
        paths = [os.path.join(self._folder, name) for name in names]
        for path in sorted(paths, key=_age)[: len(names) - MOST_SESSIONS + 1]:
            with suppress(OSError):
                os.unlink(path)


def _age(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _digest(text: str) -> str:
    from hashlib import sha256  # 3 ms that a hook with nothing to say does not pay

    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:DIGITS]


def _append(path: str, line: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    handle = os.open(path, flags, PRIVATE_FILE)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)


CLAUDE_EVENTS = {
    "prompt": "UserPromptSubmit", "session": "SessionStart", "before-edit": "PreToolUse",
    "after-edit": "PostToolUse", "before-search": "PreToolUse",
}  # fmt: skip
GEMINI_EVENTS = {
    "prompt": "BeforeAgent", "session": "SessionStart", "before-edit": "BeforeTool",
    "after-edit": "AfterTool", "before-search": "BeforeTool",
}  # fmt: skip


def format_answer(given: HookInput, text: str) -> dict[str, Any]:
    """A text as a client takes it; no field here allows, changes or blocks anything.

    Claude Code, Codex, Gemini CLI, VS Code and others share one form. Gemini reads what is added after a tool, and not
    before it: whatever event a client names in its input is the one that is answered.
    """
    if given.client == "cursor":
        more = {"continue": True} if given.event == "prompt" else {}
        return {**more, "additional_context": text}
    if given.client == "crush":
        return {"version": 1, "context": text}
    if given.client == "opencode" or (given.client == "copilot" and not given.native_event):
        return {"additionalContext": text}
    events = GEMINI_EVENTS if given.client == "gemini" else CLAUDE_EVENTS
    name = given.native_event or events[given.event]
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


def _note_failure(event: str, error: Exception) -> None:
    from fieldguide.cli.console.options import find_nearest_project
    from fieldguide.storage.state_folder import find_known_folder

    state = find_known_folder(find_nearest_project(os.getcwd()))
    if state is not None:
        HookMemory(state, "").note_failure(event, type(error).__name__)


def _show(arguments: Any) -> int:
    """For a person: what would be put before the model, with its tokens, or why nothing would be."""
    from fieldguide.cli.console.options import find_settings
    from fieldguide.cli.console.terminal import say
    from fieldguide.storage.state_folder import find_known_folder
    from fieldguide.text.errors import Misconfiguration

    if arguments.event not in EVENTS:
        raise Misconfiguration(f"There is no event {arguments.event[:40]!r}; the events are {', '.join(EVENTS)}.")
    words = arguments.show or ""
    settings = find_settings(arguments, tells=False)
    field = {"prompt": "prompt", "before-edit": "path", "after-edit": "path", "before-search": "pattern"}
    given = HookInput(arguments.event, arguments.client, folder=settings.project)
    if arguments.event in field:
        given = given._replace(**{field[arguments.event]: words})
    state = find_known_folder(settings.project)
    if not may_speak(given):
        say("Nothing: this is no task, question, file or pattern.")
    elif not is_switched_on(settings, arguments.event):
        say(f"Nothing: {arguments.event} is switched off under [{TABLE}].")
    elif state is None:
        say("Nothing: this project is not indexed yet (`fieldguide index`).")
    else:
        answer = ask(settings, state, given._asdict()) or {}
        text = answer.get("text") or ""
        say(*text.splitlines(), *([""] if text else []), f"{answer.get('tokens', 0)} tokens." if text else "Nothing.")
    return 0
