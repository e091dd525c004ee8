"""The one door of a subject agent: runs an allowed program in a task's checkout and counts what it returns.

Arguments are a list, no shell sees them. Allowed are programs that only read, with options that neither write, nor run
other programs, nor leave the checkout.
"""

import json
import re
import subprocess
import time
from pathlib import Path

from benchmarks.agents.workspace import Workspace

MOST_CHARACTERS = 30_000
"""An answer is cut here, as clients of agents do."""
TIMEOUT_SECONDS = 180
GUIDE_TOOLS = ("guide_brief", "guide_search", "guide_open", "guide_symbol", "guide_flow", "guide_governs")
CODEGRAPH_COMMANDS = (
    "explore", "context", "query", "search", "node", "callers", "callees", "impact", "files", "affected",
)  # fmt: skip

RG_WITH_VALUE = frozenset("ABCEMTdefgjmrt")
RG_REFUSED_SHORT = frozenset("fzL")
RG_REFUSED = ("--file", "--pre", "--pre-glob", "--hostname-bin", "--ignore-file", "--search-zip", "--follow")
SED_SCRIPT = re.compile(r"(\d+|\$)(,(\d+|\$))?p(; *(\d+|\$)(,(\d+|\$))?p)*;?")
LS_OPTION = re.compile(r"-[1aAlhRrStFdp]+")
FIND_OPTION = re.compile(
    r"-(i?name|i?path|i?wholename|i?regex|type|size|maxdepth|mindepth|not|o|or|a|and|prune|print|empty|newer|ls|\d+\w?)"
)
GIT_OPTION = re.compile(
    r"-\d+|-n\d*|-p|-s|-w|-i|-E|-F|-U\d+|-[SGL].*|-M|-C|--|--(oneline|stat|shortstat|patch|no-patch|name-only"
    r"|name-status|follow|no-merges|reverse|abbrev-commit|summary|pickaxe-all|first-parent)"
    r"|--(grep|format|pretty|since|until|after|before|author|date|unified|max-count|diff-filter)=.*"
)


class CommandRefused(Exception):
    """A command that the arm does not have; the subject agent reads the message."""


def build_command(workspace: Workspace, arm: str, tree: Path, words: list[str]) -> list[str]:
    """The command to run in `tree`; `CommandRefused` where the arm does not allow it."""
    if not words:
        raise CommandRefused("Give a command, for example: rg -n WORD")
    program, *arguments = words
    programs = workspace.programs()
    if program == "fieldguide" and arm == "fieldguide":
        return [programs["fieldguide"], "call", "--project", str(tree), *check_guide_call(arguments)]
    refuse_outside(tree, arguments)
    if program == "codegraph" and arm == "codegraph":
        return [programs["codegraph"], *check_codegraph(arguments)]
    checks = {"rg": check_rg, "sed": check_sed, "ls": check_ls, "find": check_find, "git": check_git}
    if program not in checks:
        own = "" if arm == "rg" else f", {arm}"
        raise CommandRefused(f"{program} is not allowed here. Allowed: rg, sed -n, ls, find, git log, git show{own}.")
    checks[program](arguments)
    if program == "rg":
        return [programs["rg"], "--no-config", "--color=never", *arguments]
    if program == "git":
        bound = ["-n", "30"] if arguments[0] == "log" else []
        return ["git", "--no-pager", arguments[0], "--no-ext-diff", "--no-textconv", *bound, *arguments[1:]]
    return words


def refuse_outside(tree: Path, arguments: list[str]) -> None:
    """Refuses an argument that names something outside of the checkout, or git's own files."""
    root = tree.resolve()
    for argument in arguments:
        try:
            place = (root / argument).resolve()
            is_there = place.exists()
        except (OSError, ValueError, RuntimeError):
            continue
        if is_there and (not place.is_relative_to(root) or ".git" in place.relative_to(root).parts):
            raise CommandRefused(f"{argument} is outside of the checkout.")


def check_rg(arguments: list[str]) -> None:
    """Refuses options by which ripgrep runs programs, reads other files or follows links."""
    for argument in arguments:
        if argument == "--":
            return
        if argument.startswith("--"):
            if argument.split("=")[0] in RG_REFUSED:
                raise CommandRefused(f"{argument} is not allowed here.")
        elif argument.startswith("-"):
            for letter in argument[1:]:
                if letter in RG_REFUSED_SHORT:
                    raise CommandRefused(f"-{letter} is not allowed here.")
                if letter in RG_WITH_VALUE:
                    break


def check_sed(arguments: list[str]) -> None:
    """Allows `sed -n 'A,Bp' FILE…` only."""
    if len(arguments) < 3 or arguments[0] != "-n" or not SED_SCRIPT.fullmatch(arguments[1]):
        raise CommandRefused("Use: sed -n 'FIRST,LASTp' FILE")
    if any(argument.startswith("-") for argument in arguments[2:]):
        raise CommandRefused("sed takes no further option here.")


def check_ls(arguments: list[str]) -> None:
    """Allows short options that only change the listing."""
    for argument in arguments:
        if argument.startswith("-") and not LS_OPTION.fullmatch(argument):
            raise CommandRefused(f"ls {argument} is not allowed here.")


def check_find(arguments: list[str]) -> None:
    """Allows tests and printing; nothing that runs, writes or deletes."""
    for argument in arguments:
        if argument.startswith("-") and not FIND_OPTION.fullmatch(argument):
            raise CommandRefused(f"find {argument} is not allowed here.")


def check_git(arguments: list[str]) -> None:
    """Allows `git log` and `git show` with options that only choose and format."""
    if not arguments or arguments[0] not in ("log", "show"):
        raise CommandRefused("Only git log and git show are allowed here.")
    for argument in arguments[1:]:
        if argument == "--":
            return
        if argument.startswith("-") and not GIT_OPTION.fullmatch(argument):
            raise CommandRefused(f"git {arguments[0]} {argument} is not allowed here.")


def check_guide_call(arguments: list[str]) -> list[str]:
    """`TOOL JSON`, with or without `call` before it."""
    if arguments[:1] == ["call"]:
        arguments = arguments[1:]
    usage = "Use: fieldguide call TOOL '{\"argument\": …}' with one of " + ", ".join(GUIDE_TOOLS)
    if len(arguments) != 2 or arguments[0] not in GUIDE_TOOLS:
        raise CommandRefused(usage)
    try:
        given = json.loads(arguments[1])
    except ValueError as error:
        raise CommandRefused(f"The arguments are no JSON: {error}. {usage}") from error
    if not isinstance(given, dict):
        raise CommandRefused(usage)
    return [arguments[0], json.dumps(given, ensure_ascii=False)]


def check_codegraph(arguments: list[str]) -> list[str]:
    """A reading command of CodeGraph on this checkout."""
    if not arguments or arguments[0] not in CODEGRAPH_COMMANDS:
        raise CommandRefused("Use: codegraph COMMAND … with one of " + ", ".join(CODEGRAPH_COMMANDS))
    for argument in arguments[1:]:
        if argument.startswith("-p") or argument.split("=")[0] == "--path":
            raise CommandRefused("codegraph works on this checkout only; leave --path out.")
    first = "query" if arguments[0] == "search" else arguments[0]
    return [first, *arguments[1:]]


def run_counted(workspace: Workspace, run: str, task: str, words: list[str], head: int | None) -> str:
    """What the command returns to the agent; calls, characters and seconds are recorded."""
    arm = workspace.arm_of(run)
    tree = workspace.tree(task, arm)
    began = time.monotonic()
    try:
        told = run_command(workspace, build_command(workspace, arm, tree, words), tree)
    except CommandRefused as refused:
        told = f"Refused: {refused}\n"
    if head is not None:
        told = "".join(told.splitlines(keepends=True)[:head])
    if len(told) > MOST_CHARACTERS:
        told = f"{told[:MOST_CHARACTERS]}\n[cut after {MOST_CHARACTERS} of {len(told)} characters]\n"
    seconds = round(time.monotonic() - began, 2)
    row = {"kind": "call", "task": task, "command": words, "characters": len(told), "seconds": seconds}
    workspace.record(run, row)
    return told


def run_command(workspace: Workspace, command: list[str], tree: Path) -> str:
    """Standard output, or the error where there is none."""
    try:
        done = subprocess.run(
            command,
            cwd=tree,
            env=workspace.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"No answer within {TIMEOUT_SECONDS} seconds.\n"
    told = done.stdout.decode("utf-8", "replace")
    if told:
        return told
    return done.stderr.decode("utf-8", "replace") or "(nothing)\n"
