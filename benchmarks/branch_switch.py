"""Seconds until answers are right after a checkout of another commit, far from the one that was served.

    python -m benchmarks.branch_switch --checkout DIR… [--apart 500] [--check]

Each checkout is cloned, indexed at an older commit and served over stdio to the official client. Then the newer one is
checked out, and the older one again. After each switch the tools are asked for names that only the new tree defines,
which must be found, and for names that only the old tree had, which must not: nor may any path be given that is gone.
An answer that is wrong and says that the index is behind is honest; one that does not say so is counted as silent.
"""

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from benchmarks import report

SEED = 16
APART = 500
# A tool may be called 30 times a minute; at each of these moments it is called twice.
MOMENTS = (0.0, 0.15, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 30.0, 45.0)
BETWEEN_SECONDS = 61.0
WHOLE_SECONDS = 120.0
TOOLS = ("context_search", "guide_search", "guide_symbol", "guide_open")
DEFINITION = re.compile(
    r"^\s*(?:pub(?:\([a-z]+\))? )?(?:async )?(?:def|class|fn|struct|enum|trait) ([A-Za-z_]\w{9,})", re.M
)
WORD = re.compile(r"[A-Za-z_]\w+")
SAYS_SO = ('"indexing"', "indexing:", '"lacks"', "lacks:", "not whole", "still being")
FIELDGUIDE = Path(sys.executable).parent / "fieldguide"


@dataclass(frozen=True, slots=True)
class Tree:
    """A commit, with the names and the files that only it has, of two that are compared."""

    commit: str
    names: Sequence[str]
    files: Sequence[str]


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong answer: what was asked, the seconds since the switch, and whether it said that the index is behind."""

    thing: str
    is_gone: bool
    after: float
    is_said: bool


@dataclass(slots=True)
class Outcome:
    """One tool after one switch: how many answers there were, and those that were wrong."""

    tool: str
    switch: str
    answers: int = 0
    slowest: float = 0.0
    wrong: list[Wrong] = field(default_factory=list[Wrong])

    @property
    def right_after(self) -> float:
        return max((each.after for each in self.wrong), default=0.0)

    @property
    def silent(self) -> list[Wrong]:
        return [each for each in self.wrong if not each.is_said]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.branch_switch", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--checkout", type=Path, nargs="+", required=True)
    parser.add_argument("--apart", type=int, default=APART, help="first-parent commits between the two")
    parser.add_argument("--fieldguide", type=Path, default=FIELDGUIDE)
    parser.add_argument("--check", action="store_true", help="fail where an answer was wrong without a word")
    options = parser.parse_args()
    print(report.describe_machine())
    silent = 0
    for checkout in options.checkout:
        with tempfile.TemporaryDirectory(prefix="branch-switch-") as folder:
            outcomes = asyncio.run(_measured(checkout, Path(folder), options))
        silent += sum(len(each.silent) for each in outcomes)
        _print(checkout.name, outcomes)
    return 1 if silent and options.check else 0


async def _measured(checkout: Path, folder: Path, options: argparse.Namespace) -> list[Outcome]:
    tree = folder / checkout.name
    _git(folder, "clone", "-q", "--shared", "--no-tags", str(checkout.resolve()), str(tree))
    old, new = _trees(tree, options.apart)
    _git(tree, "checkout", "-q", "--detach", "-f", old.commit)
    environment = {**os.environ, "FIELDGUIDE_STATE": str(folder / "state")}
    subprocess.run(
        [options.fieldguide, "index", "--project", tree], env=environment, check=True, stdout=subprocess.DEVNULL
    )
    parameters = StdioServerParameters(
        command=str(options.fieldguide), args=["serve", "--project", str(tree)], env=environment
    )
    outcomes: list[Outcome] = []
    with Path(os.devnull).open("w") as journal:
        async with (
            stdio_client(parameters, errlog=journal) as (reading, writing),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            await _until_whole(session)
            tools = [tool.name for tool in (await session.list_tools()).tools if tool.name in TOOLS]
            for before, after in ((old, new), (new, old)):
                print(f"{checkout.name}: to {after.commit[:9]}", file=sys.stderr, flush=True)
                _git(tree, "checkout", "-q", "--detach", after.commit)
                switch = "to the newer" if after is new else "to the older"
                asked = await _after_switch(session, tools, (before, after), tree, switch)
                await asyncio.sleep(BETWEEN_SECONDS)
                for outcome in asked:
                    await _drop_unfit(session, outcome, tree)
                outcomes += asked
                await asyncio.sleep(BETWEEN_SECONDS)
    return outcomes


def _trees(tree: Path, apart: int) -> tuple[Tree, Tree]:
    commits = _git(tree, "rev-list", "--first-parent", f"--max-count={apart + 1}", "HEAD").split()
    if len(commits) <= apart:
        raise SystemExit(f"{tree.name} has only {len(commits)} first-parent commits.")
    new, old = (_read(tree, commit) for commit in (commits[0], commits[-1]))
    return _only(commits[-1], old, new), _only(commits[0], new, old)


def _read(tree: Path, commit: str) -> dict[str, str]:
    _git(tree, "checkout", "-q", "--detach", "-f", commit)
    names = _git(tree, "ls-files", "-z").split("\0")
    return {
        name: (tree / name).read_text(encoding="utf-8", errors="replace")
        for name in names
        if name.endswith((".py", ".rs", ".md", ".rst", ".toml", ".yml")) and (tree / name).is_file()
    }


def _only(commit: str, here: dict[str, str], there: dict[str, str]) -> Tree:
    code = {name: text for name, text in here.items() if name.endswith((".py", ".rs"))}
    elsewhere = {word for text in there.values() for word in WORD.findall(text)}
    names = sorted({name for text in code.values() for name in DEFINITION.findall(text)} - elsewhere)
    chance = random.Random(SEED)
    files = sorted(set(code) - set(there))
    return Tree(commit, *(chance.sample(each, min(len(MOMENTS), len(each))) for each in (names, files)))


async def _until_whole(session: ClientSession) -> None:
    until = time.monotonic() + WHOLE_SECONDS
    while time.monotonic() < until:
        said = [_text(await session.call_tool(tool, {"query": "where does it begin"})) for tool in TOOLS[:2]]
        if not any(_says_so(each) for each in said):
            return
        await asyncio.sleep(5.0)
    raise SystemExit("The index did not become whole.")


async def _after_switch(
    session: ClientSession, tools: Sequence[str], trees: tuple[Tree, Tree], tree: Path, switch: str
) -> list[Outcome]:
    """Ask all tools at growing distances from now, which is when git has ended."""
    began = time.monotonic()
    outcomes = {tool: Outcome(tool, switch) for tool in tools}
    for number, moment in enumerate(MOMENTS):
        await asyncio.sleep(max(0.0, began + moment - time.monotonic()))
        for tool, outcome in outcomes.items():
            for is_gone, asked in enumerate((trees[1], trees[0])):
                things = asked.files if tool == "guide_open" else asked.names
                await _ask(session, outcome, things[number % len(things)], tree, began, is_gone=bool(is_gone))
    return list(outcomes.values())


async def _ask(
    session: ClientSession, outcome: Outcome, thing: str, tree: Path, began: float, *, is_gone: bool
) -> None:
    asked = time.monotonic()
    said = await _said(session, outcome.tool, thing)
    outcome.answers += 1
    outcome.slowest = max(outcome.slowest, time.monotonic() - asked)
    if _is_wrong(said, thing, outcome.tool, tree, is_gone=is_gone):
        outcome.wrong.append(Wrong(thing, is_gone, time.monotonic() - began, _says_so(said)))


async def _drop_unfit(session: ClientSession, outcome: Outcome, tree: Path) -> None:
    """What is not answered rightly by an index that is whole says nothing about a switch."""
    unfit = {
        each
        for each in {(each.thing, each.is_gone) for each in outcome.wrong}
        if _is_wrong(await _said(session, outcome.tool, each[0]), each[0], outcome.tool, tree, is_gone=each[1])
    }
    outcome.wrong = [each for each in outcome.wrong if (each.thing, each.is_gone) not in unfit]


async def _said(session: ClientSession, tool: str, thing: str) -> str:
    argument = {"guide_open": "citation", "guide_symbol": "name"}.get(tool, "query")
    return _text(await session.call_tool(tool, {argument: thing}))


def _is_wrong(said: str, thing: str, tool: str, tree: Path, *, is_gone: bool) -> bool:
    return _gives(said, thing, tool) == is_gone or any(not (tree / path).exists() for path in _paths(said))


def _gives(said: str, thing: str, tool: str) -> bool:
    """Whether an answer has it, and not only says that it has it not."""
    if tool == "guide_open":
        return f"{thing}#L1" in said
    given = [line for line in said.splitlines() if thing in line]
    denied = re.compile(r"\b[Nn]o(thing|ne|t)?\b.*" + re.escape(thing))
    return any(not denied.search(line) and '"query"' not in line for line in given)


def _paths(said: str) -> set[str]:
    return set(re.findall(r'"path": ?"([^"#@]+)"', said))


def _says_so(said: str) -> bool:
    return any(word in said for word in SAYS_SO)


def _text(result: Any) -> str:
    structured = getattr(result, "structured_content", None) or getattr(result, "structuredContent", None)
    texts = [getattr(part, "text", "") for part in result.content]
    if structured is not None:
        texts.append(json.dumps(structured))
    return "\n".join(texts)


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)  # noqa: S607
    return done.stdout.decode(errors="replace")


def _print(name: str, outcomes: Sequence[Outcome]) -> None:
    rows = [
        [
            each.switch,
            each.tool,
            str(each.answers),
            f"{each.right_after:.2f}",
            str(len(each.wrong) - len(each.silent)),
            str(len(each.silent)),
            f"{each.slowest:.2f}",
        ]
        for each in outcomes
    ]
    header = ("switch", "tool", "answers", "s until right", "wrong and said", "wrong in silence", "slowest answer s")
    print(f"\n{name}\n{report.format_table(header, rows)}")
    for outcome in outcomes:
        for each in outcome.silent:
            kind = "gone" if each.is_gone else "new"
            print(f"  silent: {outcome.tool} {outcome.switch}: {each.thing} ({kind}) after {each.after:.2f} s")


if __name__ == "__main__":
    sys.exit(main())
