"""Code tools that people use with agents, asked the same questions on the same checkouts in one run.

    npm install --prefix NPM @colbymchenry/codegraph
    uv venv GRAPHIFY && uv pip install --python GRAPHIFY/bin/python graphifyy
    uv venv AIDER && uv pip install --python AIDER/bin/python aider-chat
    python -m benchmarks.rivals --checkout caddy=DIR serilog=DIR sinatra=DIR --codegraph NPM/node_modules/.bin/codegraph
        --graphify GRAPHIFY/bin/graphify --aider AIDER/bin/aider

The questions are those of `code_questions/` for these repositories; none of them chose our ranking. Each tool works on
a copy of the checkout, with an empty home. Aider's map and the words of a question in `rg` need no index; the map is
the same for every question. A tool whose program is not named is left out.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.report import REPOSITORY
from fieldguide.files.listing import find_ripgrep
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.text.words import extract_query_terms

QUESTIONS = REPOSITORY / "benchmarks" / "code_questions"
FIELDGUIDE = Path(sys.executable).with_name("fieldguide")
FIRST_FILES = 5
ROOM_TOKENS = 2000
SECONDS = 300
AIDER_FLAGS = ("--show-repo-map", "--model", "gpt-4o", "--yes-always", "--no-check-update", "--no-analytics",
               "--no-gitignore", "--no-show-model-warnings")  # fmt: skip
PATH = re.compile(r"[\w.+@-]+(?:/[\w.+@-]+)*")


class Asked(NamedTuple):
    """A question, and the files that answer it."""

    repository: str
    text: str
    files: frozenset[str]


class Tool(NamedTuple):
    """A program, how it indexes a checkout (nothing where it needs no index), and how it is asked."""

    name: str
    indexing: Sequence[str | Path]
    ask: Callable[[str], Sequence[str | Path]]


class Answer(NamedTuple):
    """The files that an answer names in their order, which of them are within the room, its tokens and CPU seconds."""

    asked: Asked
    files: list[str]
    within: set[str]
    tokens: int
    cpu: float

    @property
    def is_first(self) -> bool:
        return bool(self.asked.files & set(self.files[:FIRST_FILES]))

    @property
    def is_named(self) -> bool:
        return bool(self.asked.files & self.within)


class Run(NamedTuple):
    """What a tool did with all checkouts: the CPU seconds and megabytes of its indexes, and its answers."""

    index_cpu: float
    megabytes: float
    answers: list[Answer]


def read_questions(names: Iterable[str]) -> list[Asked]:
    """The questions to the repositories with these names."""
    found: list[Asked] = []
    for name in names:
        for line in (QUESTIONS / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            _, text, files, *_ = line.split("\t")
            found.append(Asked(name, text, frozenset(files.split())))
    return found


def main() -> int:
    """Ask every tool that is at hand."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rivals", description=__doc__)
    parser.add_argument("--checkout", nargs="+", required=True, metavar="NAME=PATH", help="git checkouts, not indexed")
    for name in ("codegraph", "graphify", "aider"):
        parser.add_argument(f"--{name}", type=Path, help=f"the program of {name}")
    options = parser.parse_args()
    checkouts = {name: Path(path).resolve() for name, path in (each.split("=", 1) for each in options.checkout)}
    asked = read_questions({name: str(path) for name, path in checkouts.items()})
    rows = []
    for tool in tools(options.codegraph, options.graphify, options.aider):
        rows.append(row_of(tool.name, run_tool(tool, checkouts, asked)))
        print(" ".join(rows[-1]), file=sys.stderr)
    print(f"{len(asked)} questions. {report.describe_machine()}\n")
    heads = ["tool", "right file in first 5", "in 2,000 tokens", "tokens, p50", "CPU s an answer", "index, CPU s", "MB"]
    print(report.format_table(heads, rows))
    return 0


def tools(codegraph: Path | None, graphify: Path | None, aider: Path | None) -> list[Tool]:
    """Ours, those whose programs are named, and `rg`."""
    found = [
        Tool("fieldguide", [FIELDGUIDE, "index"], lambda text: [FIELDGUIDE, "call", "guide_search", f"query={text}"])
    ]
    if codegraph:
        program = codegraph.absolute()
        found.append(Tool("codegraph", [program, "init", "-y", "."], lambda text: [program, "explore", text]))
    if graphify:
        graph = graphify.absolute()
        found.append(Tool("graphify", [graph, "update", "."], lambda text: [graph, "query", text]))
    if aider:
        show: list[str | Path] = [aider.absolute(), "--map-tokens", str(ROOM_TOKENS), *AIDER_FLAGS]
        found.append(Tool("aider's map", [], lambda text: show))
    ripgrep = find_ripgrep(str(report.REPOSITORY))
    found.append(Tool("rg", [], lambda text: [ripgrep, "-n", "-i", "--sort=path", *patterns(text), "."]))
    return found


def patterns(text: str) -> list[str]:
    """The words of a question that carry meaning, each as a pattern of `rg`."""
    return [part for word in extract_query_terms(text) for part in ("-e", word)]


def run_tool(tool: Tool, checkouts: dict[str, Path], asked: Sequence[Asked]) -> Run:
    """Index each checkout and ask its questions."""
    index_cpu, megabytes = 0.0, 0.0
    answers: list[Answer] = []
    for name, checkout in checkouts.items():
        with tempfile.TemporaryDirectory(prefix="fieldguide-rivals-") as folder:
            tree, home = Path(folder, name), Path(folder, "home")
            shutil.copytree(checkout, tree, symlinks=True)
            home.mkdir()
            tracked = set(printed(["git", "ls-files"], tree, home)[0].splitlines())
            before = size_of(tree)
            if tool.indexing:
                index_cpu += printed(tool.indexing, tree, home)[1]
            megabytes += (size_of(tree) - before + size_of(home)) / 1e6
            said: dict[tuple[str, ...], tuple[str, float]] = {}
            for question in (each for each in asked if each.repository == name):
                command = tuple(str(word) for word in tool.ask(question.text))
                if command not in said:
                    said[command] = printed(command, tree, home)
                answers.append(judge(tool, question, *said[command], tracked))
    return Run(index_cpu, megabytes, answers)


def judge(tool: Tool, question: Asked, text: str, cpu: float, tracked: set[str]) -> Answer:
    """Read an answer; what `rg` prints is ordered by how many of the words a file has, as a reader would."""
    if tool.name == "rg":
        text = best_files_first(text, question.text)
    files = named_files(text, tracked)
    within = set(named_files(first_tokens(text, ROOM_TOKENS), tracked))
    return Answer(question, files, within, count_exact_tokens(text), cpu)


def best_files_first(text: str, question: str) -> str:
    """Matching lines, those of the files with most of the question's words first, then with most lines."""
    lines: dict[str, list[str]] = {}
    for line in text.splitlines():
        lines.setdefault(line.partition(":")[0], []).append(line)
    words = [word.lower() for word in extract_query_terms(question)]
    had = Counter({path: sum(word in "\n".join(found).lower() for word in words) for path, found in lines.items()})
    ordered = sorted(lines, key=lambda path: (-had[path], -len(lines[path]), path))
    return "\n".join(line for path in ordered for line in lines[path])


def named_files(text: str, tracked: set[str]) -> list[str]:
    """The project's files that a text names, each once, in the order of their first place."""
    found = (each.removeprefix("./").rstrip(".") for each in PATH.findall(text))
    return list(dict.fromkeys(each for each in found if each in tracked))


def first_tokens(text: str, room: int) -> str:
    """The whole lines of a text that fit into a number of tokens."""
    kept: list[str] = []
    for line in text.splitlines():
        room -= count_exact_tokens(line + "\n")
        if room < 0:
            break
        kept.append(line)
    return "\n".join(kept)


def printed(command: Sequence[str | Path], folder: Path, home: Path) -> tuple[str, float]:
    """What a program prints in a folder, and the CPU seconds that it and its children took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    variables = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "NO_COLOR": "1", "COLUMNS": "200",
                 "CODEGRAPH_TELEMETRY": "0", "CODEGRAPH_NO_DAEMON": "1", "FIELDGUIDE_BACKGROUND": "off"}  # fmt: skip
    done = subprocess.run([str(word) for word in command], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)  # fmt: skip
    if done.returncode and done.stderr and not done.stdout:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def size_of(folder: Path) -> int:
    """The bytes of the files below a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def row_of(name: str, run: Run) -> list[str]:
    """A tool's line of the table."""
    tokens = report.percentile([each.tokens for each in run.answers], 0.5)
    cpu = report.percentile([each.cpu for each in run.answers], 0.5)
    first = sum(each.is_first for each in run.answers)
    named = sum(each.is_named for each in run.answers)
    return [
        name,
        str(first),
        str(named),
        f"{tokens:,.0f}",
        f"{cpu:.2f}",
        f"{run.index_cpu:.1f}",
        f"{run.megabytes:.1f}",
    ]


if __name__ == "__main__":
    raise SystemExit(main())
