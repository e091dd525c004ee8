"""The language servers that tell the truth, and the folder each is shown.

A server is shown a copy of the checkout with one configuration of ours that includes every file: a project's own may
leave tests out, and refers to packages that are not installed here.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.truth.c_projects import prepare_c
from benchmarks.truth.checkouts import tracked_files
from benchmarks.truth.language_server import Json, LanguageServer

SETTLE_SECONDS = 300.0
QUIET_SECONDS = 3.0
SLOW_QUIET_SECONDS = 12.0
CLANGD = ("clangd", "--background-index", "--limit-references=0")
NODE_MEMORY = {"NODE_OPTIONS": "--max-old-space-size=6144"}
ENTRY_MODULES = ("src/index", "src/public_api", "src/node/index", "src/main", "index")


@dataclass(frozen=True, slots=True)
class Server:
    """A language server: how it is started, what it is told, and when it may be asked."""

    language: str
    command: Sequence[str]
    language_ids: dict[str, str]
    prepare: Callable[[Path], None]
    settle: Callable[[LanguageServer], None]
    options: Json = field(default_factory=dict)
    settings: Json = field(default_factory=dict)

    @property
    def suffixes(self) -> tuple[str, ...]:
        return tuple(self.language_ids)

    def start(self, folder: Path, *, bin_folder: Path | None, command: Sequence[str] | None = None) -> LanguageServer:
        program, *arguments = command or self.command
        if bin_folder is not None and (bin_folder / program).exists():
            program = str(bin_folder / program)
        server = LanguageServer([program, *arguments], folder, environment=NODE_MEMORY)
        server.settings = self.settings
        server.initialize(self.options)
        return server


def copy_tracked_files(checkout: Path, folder: Path) -> None:
    """The files that git tracks: what the server reads and we may change.

    Hidden folders stay behind: a server would run the programs that a project keeps there (`.yarn/sdks`).
    """
    for name in tracked_files(checkout):
        source, target = checkout / name, folder / name
        if source.is_file() and not source.is_symlink() and not is_hidden(name):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/")[:-1])


def _prepare_python(folder: Path) -> None:
    roots = [place for place in (".", "src") if (folder / place).is_dir()]
    settings = {"include": ["."], "exclude": [], "extraPaths": roots, "typeCheckingMode": "off"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))


def _settle_python(server: LanguageServer) -> None:
    server.wait_until(lambda message: "source file" in json.dumps(message.get("params")), seconds=SETTLE_SECONDS)


def _prepare_typescript(folder: Path) -> None:
    paths = {**_workspace_packages(folder), **_declared_paths(folder)}
    for name in ("tsconfig*.json", "jsconfig*.json"):
        for found in folder.rglob(name):
            found.unlink()
    options = {
        "target": "ESNext",
        "module": "ESNext",
        "moduleResolution": "bundler",
        "lib": ["ESNext", "DOM", "DOM.Iterable"],
        "types": [],
        "jsx": "preserve",
        "allowJs": True,
        "checkJs": False,
        "strict": True,
        "noEmit": True,
        "skipLibCheck": True,
        "allowImportingTsExtensions": True,
        "resolveJsonModule": True,
        "experimentalDecorators": True,
        "esModuleInterop": True,
        "baseUrl": ".",
        "paths": paths,
    }
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "include": ["**/*"], "exclude": []}))


def _workspace_packages(folder: Path) -> dict[str, list[str]]:
    """What installing the project's own packages would make importable, led to their sources instead of a build."""
    paths: dict[str, list[str]] = {}
    for manifest in sorted(folder.rglob("package.json")):
        place = manifest.parent.relative_to(folder).as_posix()
        try:
            name = json.loads(manifest.read_text()).get("name")
        except (ValueError, AttributeError):
            continue
        if isinstance(name, str) and name and place != "." and name not in paths:
            paths[name] = [f"{place}/{entry}" for entry in ENTRY_MODULES]
            paths[f"{name}/lib/*"] = [f"{place}/src/*", f"{place}/lib/*"]
            paths[f"{name}/*"] = [f"{place}/*", f"{place}/src/*"]
    return paths


def _declared_paths(folder: Path) -> dict[str, list[str]]:
    """`paths` of the configuration at the root; those of packages would mean another folder."""
    for name in ("tsconfig.base.json", "tsconfig.json"):
        try:
            declared = json.loads((folder / name).read_text().replace(",\n    ]", "\n    ]"))
        except (OSError, ValueError):
            continue
        paths: dict[str, list[str]] = declared.get("compilerOptions", {}).get("paths", {})
        return paths
    return {}


def _settle_quietly(server: LanguageServer) -> None:
    server.wait_until_quiet(quiet_seconds=QUIET_SECONDS, seconds=SETTLE_SECONDS)


def _settle_slowly(server: LanguageServer) -> None:
    server.wait_until_quiet(quiet_seconds=SLOW_QUIET_SECONDS, seconds=SETTLE_SECONDS)


def _prepare_nothing(folder: Path) -> None:
    """The project's own configuration is what the server reads."""


def _by_language(servers: Iterable[Server]) -> dict[str, Server]:
    return {server.language: server for server in servers}


SERVERS = _by_language(
    (
        Server(
            "python",
            ("pyright-langserver", "--stdio"),
            {".py": "python", ".pyi": "python"},
            _prepare_python,
            _settle_python,
        ),
        Server(
            "typescript",
            ("typescript-language-server", "--stdio"),
            {
                **dict.fromkeys((".ts", ".mts", ".cts"), "typescript"),
                **dict.fromkeys((".js", ".mjs", ".cjs"), "javascript"),
                ".tsx": "typescriptreact",
                ".jsx": "javascriptreact",
            },
            _prepare_typescript,
            _settle_quietly,
            {"maxTsServerMemory": 6144, "tsserver": {"useSyntaxServer": "never"}},
        ),
        Server("go", ("gopls",), {".go": "go"}, _prepare_nothing, _settle_quietly),
        Server("c", CLANGD, {".c": "c", ".h": "c"}, prepare_c, _settle_slowly),
        Server("java", ("jdtls",), {".java": "java"}, _prepare_nothing, _settle_quietly),
    )
)
