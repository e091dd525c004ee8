"""How often the prompt hook speaks, how often its map names a file that was changed, and how long it takes.

The tasks are messages of commits: each repository is checked out before the oldest of them, indexed once, and asked
with every message. Merges, releases and updates of dependencies are left out, since nobody types those as a task. The
other prompts are written below: approvals, requests for git, chat, and remarks on the conversation.

    python -m benchmarks.hook_prompts --mirror '/mirror/{owner}+{name}/repo'
    python -m benchmarks.hook_prompts --times-of .
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.process_usage import cpu_seconds
from benchmarks.report import Goal
from fieldguide.app import build_app
from fieldguide.cli.hook import is_task
from fieldguide.files.file_system import STATE_VARIABLE
from fieldguide.settings.config import read_settings
from fieldguide.storage.state_folder import find_expected_folder

# None of them was looked at while the ranking of a brief was tuned. The least chance was chosen on the first twenty.
SEEN = (
    "encode/httpx", "psf/requests", "Textualize/rich", "gin-gonic/gin", "go-chi/chi", "spf13/viper",
    "expressjs/express", "honojs/hono", "vuejs/pinia", "Seldaek/monolog", "guzzle/guzzle", "puma/puma",
    "heartcombo/devise", "google/gson", "jhy/jsoup", "google/leveldb", "jqlang/jq", "BurntSushi/ripgrep",
    "tokio-rs/axum", "serilog/serilog",
)  # fmt: skip
UNSEEN = (
    "slimphp/Slim", "jekyll/jekyll", "fmtlib/fmt", "AutoMapper/AutoMapper", "InsertKoinIO/koin", "App-vNext/Polly",
    "composer/composer", "apache/commons-lang", "JamesNK/Newtonsoft.Json", "tokio-rs/mini-redis",
)  # fmt: skip
TASKS_OF_EACH = 10
TIMED = ("psf/requests", "gin-gonic/gin", "jhy/jsoup")
TIMED_PROMPTS = 10
SETTLE_SECONDS = 5.0  # of a server that looks whether its index is up to date
PROGRAM = (str(Path(sys.executable).with_name("fieldguide")),)
MOST_FILES = 15
MOST_LOOKED_AT = 400
LONGEST_MESSAGE = 1_500
FEWEST_WORDS = 3
NO_TASK = re.compile(
    r"(?i)^(merge|revert|bump|release|prepare|version|v?\d+\.\d+|update dependenc|chore\(deps|build\(deps|\[dep)"
    r"|\brequirement from\b|^update (?:history|copyright)"
    r"|\bbump\b|\bchangelog\b|\brelease notes\b|dependabot|renovate|pre-commit autoupdate"
)
TRAILER = re.compile(r"(?im)^(?:signed-off-by|co-authored-by|reviewed-by|fixes|closes|refs?|pr-url):? .*$")
PULL_NUMBER = re.compile(r"\s*\(?#\d+\)?\s*$")


class CommitTask(NamedTuple):
    """A commit: its message as a task, and the files that it changed and that were there before."""

    repository: str
    commit: str
    prompt: str
    files: tuple[str, ...]


class AskedTask(NamedTuple):
    """What a task was answered."""

    task: CommitTask
    text: str
    tokens: int

    @property
    def is_hit(self) -> bool:
        """Whether the map names a file that the commit changed."""
        return any(f". {path} (" in self.text for path in self.task.files)


class HookTime(NamedTuple):
    """How long one hook took: in all, and of a processor in its process and in the server that answered."""

    seconds: float
    cpu_seconds: float


def main() -> int:
    """Print how often the hook speaks and is right, and how long it takes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hook_prompts", description=__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--mirror", help="such as '/mirror/{owner}+{name}/repo'")
    source.add_argument("--times-of", metavar="DIR", help="measure the times alone, in this project")
    parser.add_argument("--work", type=Path, default=Path("build/hook_prompts"))
    parser.add_argument("--repos", default=",".join((*SEEN, *UNSEEN)), help="some of them, with commas")
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    options = parser.parse_args()
    names = options.repos.split(",")
    os.environ[STATE_VARIABLE] = str((options.work / "state").resolve())
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each hook would compile its modules anew
    if options.times_of:
        goals = time_project(Path(options.times_of).resolve())
        return print_goals(goals, fails=options.check)
    asked: list[AskedTask] = []
    spoken: list[float] = []
    for name in names:
        folder, tasks = prepare(name, options.mirror, options.work)
        ask = open_hook(folder)
        asked += [AskedTask(task, *ask(task.prompt)) for task in tasks]
        spoken.append(sum(bool(ask(prompt)[0]) for prompt in NO_TASKS) / len(NO_TASKS))
        print(f"{name}: {len(tasks)} tasks, {spoken[-1]:.0%} of other prompts", file=sys.stderr)
    timed = [options.work / name.replace("/", "+") for name in names if name in TIMED]
    prompts = [each.task.prompt for each in asked if each.text]
    warm = [each for folder in timed for each in measure_warm(folder, prompts)]
    cold = [each for folder in timed for each in measure_hooks(folder, prompts)]
    return print_goals([*judge(asked, spoken), *judge_times(warm, cold)], fails=options.check)


def print_goals(goals: Sequence[Goal], *, fails: bool) -> int:
    """Print the figures; the exit code, which is 1 where a goal is missed and that is a failure."""
    print(f"What the prompt hook says. {report.describe_machine()}\n")
    print(report.format_goals(goals))
    return int(fails and any(goal.verdict != "reached" for goal in goals))


def time_project(folder: Path) -> list[Goal]:
    """The times in a project, which is indexed for that; the prompts are subjects of its commits."""
    subprocess.run([*PROGRAM, "index", "--project", str(folder)], check=True, capture_output=True)
    subjects = _git(str(folder), "log", "--no-merges", "--format=%s", f"-{MOST_LOOKED_AT}").splitlines()
    prompts = [subject for subject in subjects if is_task(subject)]
    return judge_times(measure_warm(folder, prompts), measure_hooks(folder, prompts))


def judge(asked: Sequence[AskedTask], spoken: Sequence[float]) -> list[Goal]:
    """The figures beside their goals."""
    goals: list[Goal] = []
    for title, names in (("seen", SEEN), ("unseen", UNSEEN)):
        tasks = [each for each in asked if each.task.repository in names]
        speaking = [each for each in tasks if each.text]
        if speaking:
            rights = sum(each.is_hit for each in speaking) / len(speaking)
            goals += [
                Goal(f"speaks, of {len(tasks)} tasks ({title})", "", "at least", 0.85, len(speaking) / len(tasks)),
                Goal(f"names a changed file, when it speaks ({title})", "", "at least", 0.85, rights),
            ]
    tokens = [each.tokens for each in asked if each.text]
    goals += [
        Goal(f"speaks, of {len(NO_TASKS)} other prompts", "", "at most", 0.05, sum(spoken) / len(spoken)),
        Goal("tokens, most", "", "at most", 500, max(tokens)),
        Goal("tokens, median", "", "at most", 500, report.percentile(tokens, 0.5)),
    ]
    return goals


def judge_times(warm: Sequence[HookTime], cold: Sequence[HookTime]) -> list[Goal]:
    """The times beside their goals."""
    goals: list[Goal] = []
    for what, times, limit in (("with a running server", warm, 0.25), ("without one", cold, 0.8)):
        if times:
            whole = report.percentile([each.seconds for each in times], 0.5)
            used = report.percentile([each.cpu_seconds for each in times], 0.5)
            goals.append(Goal(f"seconds {what}, median", "", "at most", limit, whole))
            goals.append(Goal(f"seconds of a processor {what}, median", "", "at most", limit, used))
    return goals


def prepare(name: str, mirror: str, work: Path) -> tuple[Path, list[CommitTask]]:
    """A checkout of a repository before its tasks, indexed, and the tasks."""
    owner, _, short = name.partition("/")
    git_dir = mirror.format(owner=owner, name=short)
    base, tasks = list_tasks(name, git_dir)
    folder = (work / name.replace("/", "+")).resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    check_out(git_dir, base, folder)
    subprocess.run([*PROGRAM, "index", "--project", str(folder)], check=True, capture_output=True)
    return folder, tasks


def open_hook(folder: Path) -> Any:
    """A function that gives the text and the tokens for a prompt, in this process."""
    shows = build_app(read_settings({"project": str(folder)}, os.environ), write_journal=lambda lines: None).shows()

    def ask(prompt: str) -> tuple[str, int]:
        if not is_task(prompt):
            return "", 0
        answer = shows["guide.hook"]({"event": "prompt", "prompt": prompt}, shows)
        return answer["text"], answer["tokens"]

    return ask


def measure_hooks(folder: Path, prompts: Sequence[str], server: int | None = None) -> list[HookTime]:
    """The times of hook processes, one after the other; `server` is the process that answers them."""
    times: list[HookTime] = []
    for number, prompt in enumerate(prompts[:TIMED_PROMPTS]):
        said = {"cwd": str(folder), "session_id": f"{os.getpid()}-{number}", "prompt": prompt}
        began = time.perf_counter()
        before = _used_cpu(server)
        subprocess.run(
            [*PROGRAM, "hook", "prompt", "--client", "claude-code"],
            input=json.dumps(said).encode(),
            capture_output=True,
            check=True,
        )
        times.append(HookTime(time.perf_counter() - began, _used_cpu(server) - before))
    return times


def _used_cpu(server: int | None) -> float:
    """What our ended children and a server have used so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime + (cpu_seconds(server) if server is not None else 0.0)


def measure_warm(folder: Path, prompts: Sequence[str]) -> list[HookTime]:
    """The same while a server of the project runs; the first one warms it up and is not counted."""
    with running_server(folder) as server:
        return measure_hooks(folder, [prompts[-1], *prompts], server)[1:]


@contextmanager
def running_server(folder: Path) -> Iterator[int]:
    """A server with a client that has said hello, once it listens to hooks."""
    state = Path(find_expected_folder(str(folder)))
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
    command = [*PROGRAM, "serve", "--project", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdin is not None
        server.stdin.write(json.dumps(hello).encode() + b"\n")
        server.stdin.flush()
        while not list(state.glob("hook-*.sock")):
            time.sleep(0.1)
        time.sleep(SETTLE_SECONDS)
        try:
            yield server.pid
        finally:
            server.terminate()


def list_tasks(name: str, git_dir: str) -> tuple[str, list[CommitTask]]:
    """The commit before the oldest task, and the newest commits that are tasks."""
    log = _git(git_dir, "log", "--no-merges", f"-{MOST_LOOKED_AT}", "--format=%x1e%H%x1f%P%x1f%B%x1f", "--name-status")
    found: list[tuple[str, CommitTask]] = []
    for entry in log.split("\x1e")[1:]:
        commit, parents, message, changes = entry.split("\x1f")
        prompt = clean_message(message)
        if NO_TASK.search(message.partition("\n")[0]) or len(prompt.split()) < FEWEST_WORDS:
            continue
        changed = [line.split("\t")[1] for line in changes.strip().splitlines() if line[:1] in "MDR"]
        if 0 < len(changed) <= MOST_FILES:
            found.append((parents.split()[0], CommitTask(name, commit, prompt, tuple(changed))))
        if len(found) == TASKS_OF_EACH:
            break
    base = found[-1][0]
    there = {*_git(git_dir, "ls-tree", "-r", "--name-only", "-z", base).split("\0")}
    tasks: list[CommitTask] = []
    for _, task in found:
        files = tuple(path for path in task.files if path in there)
        if files:
            tasks.append(task._replace(files=files))
    return base, tasks


def clean_message(message: str) -> str:
    """A message as a person would type the task: without trailers and the number of a pull request."""
    subject, _, body = message.strip().partition("\n")
    text = f"{PULL_NUMBER.sub('', subject)}\n{TRAILER.sub('', body)}"
    return text.strip()[:LONGEST_MESSAGE]


def check_out(git_dir: str, commit: str, folder: Path) -> None:
    """A work tree of a commit, with the history up to it."""
    if not folder.is_dir():
        _git(git_dir, "clone", "--quiet", "--shared", "--no-checkout", git_dir, str(folder))
    _git(str(folder), "checkout", "--quiet", "--detach", commit)


def _git(git_dir: str, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", git_dir, *arguments], capture_output=True, check=True)  # noqa: S607
    return done.stdout.decode("utf-8", "replace")


# What people type between two tasks. None names a thing of the code, or asks for work on it. They were written after
# the word lists of `cli/hook.py`, and nothing was tuned on them.
NO_TASKS = """
yes do that
yeah go
ok cool
okay let's do it
sure
go
proceed please
please go on
next
next one
continue where you left off
keep at it
makes sense
fair enough
good point
great, love it
brilliant
that's much better
much appreciated
thx
ty!
no worries
nah
no, go back to the previous version
not quite
hmm, not convinced
I changed my mind
forget what I said
scratch that
drop it
don't do that
do not touch anything else
only the first part please
leave the rest alone
just do the minimum
use your own judgement
up to you
you decide
as you like
I trust you
either is fine
the latter
all of the above
number four
C
one moment please
brb
give me a minute
I'll check and come back to you
let me try it first
I tried it and it works
works now, thanks
all good now
looks fine on my side
it failed again
still broken
still red
no difference
it hangs
what happened?
what went wrong?
what is going on?
what does that mean?
can you elaborate?
could you rephrase that?
too long, make it shorter
more details please
give me an example
show me
show me what you have
list the steps you took
where are we?
what remains?
how much is left?
do you need anything from me?
any questions?
any other ideas?
are there alternatives?
is this safe?
should I worry?
wrap it up
finish up and commit
commit your work
commit these changes as two commits
stage everything and commit
sync with upstream
rebase and force push
merge it
merge the pull request
close the PR
cut a release
bump the version and tag it
run the checks
run pytest
run make test
clean up after yourself
happy birthday
sing me a song
what is the meaning of life?
who is the president of Brazil?
""".strip().splitlines()


if __name__ == "__main__":
    raise SystemExit(main())
