"""Reads what a client tells a hook: the session, the prompt, the edited file, the text that is searched for.

Clients spell the same fields differently; unknown ones are ignored. This module is imported by every hook, so it
imports nothing heavy.
"""

import json
import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, cast

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
        if words[:2] == ["git", "grep"]:
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
