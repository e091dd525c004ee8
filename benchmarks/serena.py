"""Serena, which asks language servers, beside `fieldguide serve` on the same checkout in the same run.

    uv venv SERENA && uv pip install --python SERENA/bin/python serena-agent
    npm install --prefix SERVERS pyright typescript typescript-language-server
    python -m benchmarks.serena --truth TRUTH --serena SERENA --servers SERVERS --repo flask sphinx vite

Both are started over stdio by the official client on a copy of the checkout that neither has seen, and are asked for
the definition and the references of the same functions and classes; then both are started a second time, with what
they kept. Memory is that of all their processes together. Calls are timed once both have come to rest.
"""

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from benchmarks import report
from benchmarks.process_usage import cpu_seconds, resident_bytes
from benchmarks.truth.judging import Case, read_cases
from benchmarks.truth.servers import copy_tracked_files

NOT_INSTALLED = (
    "Serena is not installed in {folder}. Install it there: uv venv {folder} && "
    "uv pip install --python {folder}/bin/python serena-agent"
)
SYMBOLS = 20
ANSWER_SECONDS = 240.0
LOOK_SECONDS = 0.1
REST_SECONDS = 10.0  # both go on in the background after their first answers
KINDS = ("function", "class", "interface")
OURS = "guide_symbol"
FIELDGUIDE = Path(sys.executable).parent / "fieldguide"


@dataclass(slots=True)
class Contender:
    """A server that is measured: how it is started, and the calls that one symbol takes."""

    name: str
    parameters: StdioServerParameters
    tools: Sequence[str]


@dataclass(slots=True)
class Figures:
    """One start of one server: seconds from its start, seconds of each call, peak memory."""

    name: str
    listed: float = 0.0
    first: float = 0.0
    whole: float = 0.0
    calls: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    failed: int = 0
    peak_mebibytes: float = 0.0
    cpu: float = 0.0
    processes: int = 0


class Memory(threading.Thread):
    """Looks at the processes below this one until it is stopped: the most that they had together."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self.cpu = 0.0
        self.processes = 0
        self._stopped = threading.Event()
        self._own_cpu = cpu_seconds(os.getpid())

    def run(self) -> None:
        while not self._stopped.wait(LOOK_SECONDS):
            with suppress(OSError):
                below = [int(each) for each in _children(os.getpid())]
                self.peak = max(self.peak, sum(resident_bytes(pid) for pid in below))
                self.cpu = max(self.cpu, sum(cpu_seconds(pid) for pid in below))
                self.processes = max(self.processes, sum(_family(pid) for pid in below))

    def stop(self) -> None:
        self._stopped.set()
        self.join()


def main() -> int:
    options = _options()
    serena = options.serena / "bin" / "serena"
    if not serena.exists():
        raise SystemExit(NOT_INSTALLED.format(folder=options.serena))
    print(report.describe_machine())
    for name in options.repo:
        (truth,) = options.truth.glob(f"*/{name}.seen.jsonl")
        checkout = (options.checkouts or options.truth / "checkouts") / name
        cases = [each for each in read_cases(truth) if each.kind in KINDS and each.references][: options.symbols]
        with tempfile.TemporaryDirectory(prefix="serena-") as folder:
            asyncio.run(_measure(checkout, cases, Path(folder), options))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serena", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--truth", type=Path, required=True, help="the folder that `benchmarks.truth` wrote")
    parser.add_argument("--checkouts", type=Path, help="default: `checkouts` in the folder of the truth")
    parser.add_argument("--repo", nargs="+", required=True)
    parser.add_argument("--serena", type=Path, required=True, help="the virtual environment that has Serena")
    parser.add_argument("--servers", type=Path, required=True, help="the folder that npm installed the servers into")
    parser.add_argument("--symbols", type=int, default=SYMBOLS)
    parser.add_argument("--only", choices=("serena", "fieldguide"))
    return parser.parse_args()


async def _measure(checkout: Path, cases: Sequence[Case], folder: Path, options: argparse.Namespace) -> None:
    found: list[Figures] = []
    for made in (_serena, _fieldguide):
        if options.only and made.__name__ != f"_{options.only}":
            continue
        tree = folder / made.__name__ / checkout.name
        copy_tracked_files(checkout, tree)
        _git(tree, "init", "-q")
        _git(tree, "add", "-A")
        contender = made(tree, folder, options)
        for start in ("first start", "second start"):
            print(f"{checkout.name}: {contender.name}, {start}", file=sys.stderr, flush=True)
            found.append(await _started(contender, cases, start))
    _print(checkout.name, len(cases), found)


def _serena(tree: Path, folder: Path, options: argparse.Namespace) -> Contender:
    home = folder / "home"
    home.mkdir()
    programs = options.serena.resolve() / "bin"
    environment = {**os.environ, "HOME": str(home), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run([programs / "serena", "init"], env=environment, check=True, capture_output=True, timeout=120)
    settings = home / ".serena" / "serena_config.yml"
    node = options.servers.resolve() / "node_modules" / ".bin"
    told = {"python": node / "pyright-langserver", "typescript": node / "typescript-language-server"}
    paths = ", ".join(f"{language}: {{ls_path: {path}}}" for language, path in told.items())
    text = settings.read_text().replace("ls_specific_settings: {}", f"ls_specific_settings: {{{paths}}}")
    settings.write_text(text)
    flags = ["--context", "ide", "--agent-interface", "tools", "--language-backend", "LSP", "--log-level", "ERROR"]
    quiet = ["--enable-web-dashboard", "false", "--enable-gui-log-window", "false"]
    arguments = ["start-mcp-server", "--project", str(tree), *flags, *quiet]
    parameters = StdioServerParameters(command=str(programs / "serena"), args=arguments, env=environment)
    return Contender("Serena", parameters, ("find_symbol", "find_referencing_symbols"))


def _fieldguide(tree: Path, folder: Path, options: argparse.Namespace) -> Contender:
    environment = {**os.environ, "FIELDGUIDE_STATE": str(folder / "state")}
    parameters = StdioServerParameters(command=str(FIELDGUIDE), args=["serve", "--project", str(tree)], env=environment)
    return Contender("Fieldguide", parameters, (OURS,))


async def _started(contender: Contender, cases: Sequence[Case], start: str) -> Figures:
    figures, memory = Figures(f"{contender.name}, {start}"), Memory()
    memory.start()
    began = time.monotonic()
    with Path(os.devnull).open("w") as log:
        async with (
            stdio_client(contender.parameters, errlog=log) as (reading, writing),
            ClientSession(reading, writing) as session,
        ):
            await asyncio.wait_for(session.initialize(), ANSWER_SECONDS)
            listed = {each.name for each in (await session.list_tools()).tools}
            figures.listed = time.monotonic() - began
            missing = [tool for tool in contender.tools if tool not in listed]
            if missing:
                raise SystemExit(f"{contender.name} does not serve {', '.join(missing)}.")
            await _asked(session, contender.tools, cases[0], Figures(""))
            figures.first = figures.whole = time.monotonic() - began
            while await _asked(session, contender.tools, cases[0], Figures("")) and figures.whole < ANSWER_SECONDS:
                await asyncio.sleep(2.0)  # a tool of ours may be called 30 times a minute
                figures.whole = time.monotonic() - began
            await asyncio.sleep(REST_SECONDS)
            for case in cases:
                await _asked(session, contender.tools, case, figures)
            memory.stop()
    figures.peak_mebibytes, figures.cpu = memory.peak / (1 << 20), memory.cpu
    figures.processes = memory.processes
    return figures


async def _asked(session: ClientSession, tools: Sequence[str], case: Case, figures: Figures) -> bool:
    """Ask for one symbol; whether the answer says that not everything is known yet."""
    is_behind = False
    for tool in tools:
        asked = time.monotonic()
        answer = await _answer(session, tool, _arguments(tool, case))
        figures.calls.setdefault(tool, []).append(time.monotonic() - asked)
        text = "".join(getattr(part, "text", "") for part in answer.content)
        if case.name not in text and tool != "find_referencing_symbols":
            figures.failed += 1
        if text.startswith("Error"):
            raise SystemExit(f"{tool} failed: {text[:500]}")
        is_behind = is_behind or (tool == OURS and "indexing" in text)
    return is_behind


async def _answer(session: ClientSession, tool: str, arguments: Mapping[str, Any]) -> Any:
    """The answer; ours may be asked so many times a minute, and is then asked again."""
    while True:
        answer = await asyncio.wait_for(session.call_tool(tool, dict(arguments)), ANSWER_SECONDS)
        if not (tool == OURS and "Rate limit" in "".join(getattr(part, "text", "") for part in answer.content)):
            return answer
        await asyncio.sleep(2.0)


def _arguments(tool: str, case: Case) -> Mapping[str, Any]:
    if tool == "find_symbol":
        return {"name_path_pattern": case.name, "relative_path": case.path, "include_info": True}
    if tool == "find_referencing_symbols":
        return {"name_path": case.name, "relative_path": case.path}
    return {"name": case.name, "path": case.path}


def _print(repository: str, symbols: int, found: Sequence[Figures]) -> None:
    rows = [
        [
            each.name,
            f"{each.listed:.1f}",
            f"{each.first:.1f}",
            f"{each.whole:.1f}",
            *(_times(each, tools) for tools in (("find_symbol", OURS), ("find_referencing_symbols", OURS))),
            str(each.failed),
            f"{each.peak_mebibytes:.0f}",
            str(each.processes),
            f"{each.cpu:.1f}",
        ]
        for each in found
    ]
    header = (
        "server", "s to tools/list", "s to first answer", "s to a whole one", "definition ms p50 / p95",
        "references ms p50 / p95", "not found", "peak MiB", "processes", "CPU s",
    )  # fmt: skip
    print(f"\n{repository}, {symbols} symbols\n{report.format_table(header, rows)}", flush=True)


def _times(figures: Figures, tools: Sequence[str]) -> str:
    times = [1000 * each for tool in tools for each in figures.calls.get(tool, ())]
    return f"{report.percentile(times, 0.5):.0f} / {report.percentile(times, 0.95):.0f}" if times else "–"


def _children(pid: int) -> list[str]:
    return [each for path in Path(f"/proc/{pid}/task").glob("*/children") for each in path.read_text().split()]


def _family(pid: int) -> int:
    return 1 + sum(_family(int(each)) for each in _children(pid))


def _git(folder: Path, *words: str) -> None:
    program = shutil.which("git")
    assert program is not None
    subprocess.run([program, "-C", str(folder), *words], check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
