"""`fieldguide hook`: reads what a client tells its hook, and prints what the hook puts before the client's model.

A hook runs at every prompt and many tool calls. It must never disturb: every failure ends with 0 and prints nothing.
A running server of the project answers it; without one, the index is looked at here, for at most a few seconds.
Nothing heavy is imported before it is certain that there may be something to say. Clients spell the same fields
differently; unknown ones are ignored.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide.files.file_system import PRIVATE_FILE, PRIVATE_FOLDER

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


LARGEST_INPUT = 2 << 20
LONGEST_PROMPT = 20_000
LONGEST_EDIT = 200_000
SESSION = ("session_id", "sessionId", "conversation_id", "sessionID")
FOLDER = ("cwd", "directory", "workspace_roots", "workspaceRoots")
TOOL_INPUT = ("tool_input", "toolArgs", "tool_args", "toolInput", "args")
FILE = ("file_path", "filePath", "notebook_path", "absolute_path", "target_file", "path")
PATTERN = ("pattern", "query", "regex")
COMMAND = ("command", "cmd", "script")
OLD = ("old_string", "oldString", "old_str", "old_text")
NEW = ("new_string", "newString", "new_str", "new_text", "content", "contents", "file_text")
HOOK_CONTEXT = "<hook_context>"
END_OF_HOOK_CONTEXT = "</hook_context>"
PATCH_MARK = "*** Begin Patch"
PATCH = ("command", "input", "patch", "patchText")


class HookInput(NamedTuple):
    """What a hook was told, in our own words; empty where the client did not say."""

    event: str
    client: str = ""
    session: str = ""
    folder: str = ""
    prompt: str = ""
    path: str = ""
    pattern: str = ""
    old: str = ""
    new: str = ""
    source: str = ""
    """Why a session began: `startup`, `resume`, `clear`, `compact`."""
    native_event: str = ""
    """What the client itself calls the event."""


def read_hook_input(event: str, client: str, data: bytes) -> HookInput:
    """The input of a hook; what is no JSON object counts as an empty one."""
    try:
        given: Any = json.loads(data[:LARGEST_INPUT] or b"{}")
    except (ValueError, RecursionError):
        given = {}
    said = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    tool = _read_tool_input(said)
    path, old, new = _read_edit(tool)
    return HookInput(
        event,
        client,
        session=_first(said, SESSION)[:200],
        folder=_first(said, FOLDER) or os.environ.get("CLAUDE_PROJECT_DIR", "") or os.getcwd(),
        prompt=_read_prompt(_first(said, ("prompt", "user_prompt", "message"))),
        path=path,
        pattern=(find_search_pattern(_first(tool, COMMAND)) or _first(tool, PATTERN))[:LONGEST_PROMPT],
        old=old[:LONGEST_EDIT],
        new=new[:LONGEST_EDIT],
        source=_first(said, ("source", "trigger"))[:40],
        native_event=_first(said, ("hook_event_name", "hookEventName", "event"))[:40],
    )


def _read_prompt(text: str) -> str:
    """What the person typed.

    Gemini CLI puts before it what a session hook said, and opencode puts words from a command line in quotes.
    """
    if text.startswith(HOOK_CONTEXT):
        text = text.partition(END_OF_HOOK_CONTEXT)[2].lstrip() or text
    if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1]:
        text = text[1:-1]
    return text[:LONGEST_PROMPT]


def _first(said: Mapping[str, Any], names: Sequence[str]) -> str:
    """The first of these fields that is a text, or a list whose first item is one."""
    for name in names:
        value: Any = said.get(name)
        if isinstance(value, list) and value:
            items: list[Any] = cast("Any", value)
            value = items[0]
        if isinstance(value, str) and value:
            return value
    return ""


def _read_tool_input(said: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a tool; some clients write them as JSON in a text, and some beside the other fields."""
    for name in TOOL_INPUT:
        value: Any = said.get(name)
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                value = {"command": value}
        if isinstance(value, dict):
            return cast("dict[str, Any]", value)
    return said


def _read_edit(tool: Mapping[str, Any]) -> tuple[str, str, str]:
    """The file of an edit, the text that it takes away and the text that it puts there."""
    for name in PATCH:
        if PATCH_MARK in _first(tool, (name,)):
            return _read_patch(tool[name])
    parts: list[Mapping[str, Any]] = [tool]
    edits: Any = tool.get("edits")
    if isinstance(edits, list):
        listed: list[Any] = cast("Any", edits)
        parts += [each for each in listed if isinstance(each, dict)]
    old = [_first(part, OLD) for part in parts]
    new = [_first(part, NEW) for part in parts]
    return _first(tool, FILE), "\n".join(filter(None, old)), next(filter(None, new), "")


def _read_patch(patch: str) -> tuple[str, str, str]:
    """The same of a patch as Codex writes it: the first file, and its first run of new lines."""
    path = ""
    old: list[str] = []
    new: list[str] = []
    is_over = False
    for line in patch[:LONGEST_EDIT].split("\n"):
        head, _, name = line.partition(" File: ")
        if name and head in ("*** Update", "*** Add", "*** Delete"):
            if path:
                break
            path = name.strip()
        elif line.startswith("-"):
            old.append(line[1:])
        elif not line.startswith("+"):
            is_over = bool(new)
        elif not is_over:
            new.append(line[1:])
    return path, "\n".join(old), "\n".join(new)


GREPS = frozenset(("rg", "grep", "egrep", "fgrep", "ag", "ack", "ugrep"))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


WITH_VALUE = _words("""
    --exclude --exclude-dir --glob --include --max-count --type -A -B -C -T -d -f -g -m -t
""")
PATTERN_FLAGS = ("-e", "--regexp")
LONGEST_COMMAND = 2_000


def find_search_pattern(command: str) -> str:
    """The pattern of the first `rg` or `grep` in a shell command; empty where there is none."""
    if not any(name in command for name in GREPS):
        return ""
    for words in _split_commands(command[:LONGEST_COMMAND]):
        while words and "=" in words[0]:  # variables before the program
            words = words[1:]
        if tuple(words[:2]) == ("git", "grep"):
            words = words[1:]
        if words and os.path.basename(words[0]) in GREPS:
            return _read_pattern(words[1:])
    return ""


def _split_commands(command: str) -> list[list[str]]:
    """The words of each program in a command line; none where its quotes don't end."""
    import shlex  # only for a command that may search

    splitter = shlex.shlex(command, posix=True, punctuation_chars=True)
    splitter.whitespace_split = True
    commands: list[list[str]] = [[]]
    try:
        for word in splitter:
            if word and not word.strip("|&;()<>"):
                commands.append([])
            else:
                commands[-1].append(word)
    except ValueError:
        return []
    return commands


def _read_pattern(words: Sequence[str]) -> str:
    skips = False
    for place, word in enumerate(words):
        if skips:
            skips = False
        elif word in PATTERN_FLAGS:
            return words[place + 1] if place + 1 < len(words) else ""
        elif word in WITH_VALUE:
            skips = True
        elif not word.startswith("-"):
            return word
    return ""


# What is said between two people who work together, and names nothing of the code.
FILLER = _words("""
    a about absolutely actually again agreed ahead all already alright also am an and answer any anymore anything
    anyway approve approved are as ask at awesome back be been before begin best better bit both break brief briefly
    broken but by bye can cancel carry change changed changes cheers chinese clear concise confirm confused continue
    cool correct could could've course crash crashed describe detail details did different do does doing don't done
    doubt each elaborate else end ended english enough error errors even every everything exact exactly excellent
    explain explained explanation fail failed failing fails far fast few fine finish finished first five fix fixed for
    forget four french from full funny further german get give go going good got great had haha hang happen happened
    happening happy has hate have hello help hey hi hmm hold hour hours how i i'd i'll i'm i've idea if in inside
    instead into is issue it it's its japanese just keep know last later less let let's lgtm like lines list little
    lol long longer look looks lot love lunch maybe me me'd mean mind minute minutes moment more morning much my n
    need never next nice no nope not nothing now of off ok okay on once one only oops option or other our out output
    over part perfect plan please point possible pretty previous problem proceed progress question questions quick
    quite ready really reason redo repeat reply report respond result results retry right same say second see sentence
    sentences shall she short shorter should show simple simpler simply six skip slower so some something sorry sounds
    spanish start started status step steps still stop such sum summarise summarize summary sure switch take tell ten
    test tests than thank thanks that that's the their them then there these they thing things think this those three
    time tired to today together tomorrow tonight too translate try two unclear understand understood undo up update
    us very wait want wanted was way we well were what what's whatever when where which while who whole why will with
    word words work working works would wow write wrong wrote y yeah yep yes yesterday yet you you're you've your
    yours
""")
GIT_WORDS = _words("""
    amend branch branches checkout cherry-pick commit commits conflict conflicts create delete describe description
    diff draft fetch file files force git github head history latest local log main make master merge message new open
    origin pr pull push pushed rebase release remote repo repository request requests resolve revert review reviewer
    ship squash staged stash tag title tree update upstream version worktree
""")
RUN_WORDS = _words("""
    app application benchmark benchmarks build cargo check checks ci code command compile coverage dependencies deploy
    deps e2e execute format formatter install integration launch lint linter linters local locally make mypy npm
    packages passing pipeline prettier production project pytest rebuild reinstall rerun restart ruff run script
    server staging suite type typecheck types unit yarn
""")
# Words of work on code: with one of them, two words that name something are enough for a task.
WORK_WORDS = _words("""
    add allow avoid bug bugs cache call called change clean convert crash crashes debug deprecate describe disable
    document drop enable explain expose extend extract feature find fix fixes handle how implement improve introduce
    issue make migrate move optimise optimize parse port prevent refactor reject remove rename replace return returns
    rewrite set show simplify split stop support test tests throw throws update upgrade use validate when where why
    wrong
""")
TO_THE_ASSISTANT = (
    "are you", "can you see", "did you", "do you", "have you", "how are you", "how do you feel", "how many tokens",
    "how much context", "tell me a", "tell me about yourself", "what are you", "what can you", "what did you",
    "what do you", "what have you", "what is your", "what model", "what's your", "which model", "who are you",
    "who made you", "why are you", "why did you", "you are", "you can", "you did", "you forgot", "you said", "you were",
)  # fmt: skip
COMMAND_MARKS = ("/", "!", "#")
PUNCTUATION = ".,;:!?\"'()[]{}*…-–—"
MOST_WORDS_OF_REMARK = 25
FEWEST_WORDS = 3  # that name something, where no word says what to do with it


def is_task(prompt: str) -> bool:
    """Whether a prompt may be a task or a question about the code: not an approval, a request for git, or a chat."""
    text = prompt.strip()
    words = [word.strip(PUNCTUATION) for word in text.split() if word.strip(PUNCTUATION)]
    if not words or (text.startswith(COMMAND_MARKS) and "/" not in text[1:].split()[0]):
        return False
    lowered = [word.lower() for word in words]
    if any(map(names_code, words)):
        return lowered[0] != "commit"
    content = [word for word in lowered if word not in FILLER and len(word) > 1 and not word.isdigit()]
    is_remark = " ".join(lowered).startswith(TO_THE_ASSISTANT) and len(words) <= MOST_WORDS_OF_REMARK
    if not content or is_remark or content[0] == "commit":
        return False
    if GIT_WORDS.issuperset(content) or RUN_WORDS.issuperset(content):
        return False
    return len(content) >= FEWEST_WORDS or not WORK_WORDS.isdisjoint(lowered)


def names_code(word: str) -> bool:
    """Whether a word is written as only code writes words: a path, an identifier, a call, something in backticks."""
    inner = word.strip("_`")
    if word != inner and "`" in word:
        return True
    has_hump = any(a.islower() and b.isupper() for a, b in pairwise(inner))
    is_path = "/" in inner and "." in inner and "://" not in inner
    return has_hump or is_path or "::" in inner or ("_" in inner and inner.replace("_", "").isalnum())


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
    from fieldguide.settings.config import read_settings
    from fieldguide.storage.state_folder import find_known_folder

    project = find_nearest_project(given.folder)
    state = find_known_folder(project)
    if state is None:  # nothing is indexed
        return ""
    settings = read_settings({"project": project}, os.environ)
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
    _finish_index(settings, state)
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


def _finish_index(settings: "Settings", state: str) -> None:
    """Start the background process for an index that nobody has finished; a running server does that itself."""
    from fieldguide.search.inventory import read_inventory

    if read_inventory(state) is None:  # it is written once the code is indexed
        from fieldguide.cli.console.indexing import Background

        Background(settings).start()


def _count_usage(settings: "Settings", state: str, given: HookInput, answer: Mapping[str, Any]) -> None:
    """Count an event, the tokens of its answer, the files that a map named, and the file that was edited."""
    from fieldguide.spine.usage import EDITED, is_counted, note_usage, shorten_question

    if not is_counted(settings):
        return
    row: dict[str, Any] = {"event": given.event, "client": given.client, "session": _digest(given.session)}
    row["tokens"] = answer.get("tokens", 0)
    row["asked"] = shorten_question(given.prompt or given.pattern)
    if answer.get("given"):
        row["given"] = answer["given"]
    if given.event == EDITED:
        whole = os.path.realpath(os.path.join(given.folder, given.path))
        row["path"] = os.path.relpath(whole, os.path.realpath(settings.project))
    note_usage(state, row)


def is_switched_on(settings: "Settings", event: str) -> bool:
    """Whether the settings leave an event on: each can be switched off under [hooks]."""
    return settings.sections.get(TABLE, {}).get(event) is not False


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
    """The answer of an app of our own, which indexes and logs nothing: some clients show a hook's stderr to people."""
    from fieldguide.app import build_app

    shows = build_app(settings, write_journal=lambda lines: None).shows()
    return cast("dict[str, Any]", shows[SHOWN](request, shows))


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
        from fieldguide.files.file_system import replace_file

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
