"""The modules of `src` with their syntax trees, read once, and which module imports which."""

import ast
import gc
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
PACKAGE = "fieldguide"


class Module(NamedTuple):
    """One Python file of ours."""

    path: str
    name: str
    text: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return len(self.text.splitlines())

    @property
    def folder(self) -> str:
        """The folder it is in."""
        return self.path.rpartition("/")[0]


@cache
def read_modules() -> tuple[Module, ...]:
    """Every module of `src`, sorted by path."""
    gc.disable()  # a million nodes that all stay: collecting among them takes longer than parsing
    try:
        return tuple(_read_module(path) for path in sorted(SOURCE.rglob("*.py")))
    finally:
        gc.freeze()
        gc.enable()


def _read_module(path: Path) -> Module:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return parse_module(path.relative_to(ROOT).as_posix(), name, path.read_text("utf-8"))


def parse_module(path: str, name: str, text: str) -> Module:
    """A module from its text."""
    tree = ast.parse(text)
    return Module(path, name, text, tree, tuple(ast.walk(tree)))


@cache
def find_importers() -> dict[str, frozenset[str]]:
    """For every module the names of the modules that import it, also inside of functions and for types only."""
    names = {module.name for module in read_modules()}
    importers: dict[str, set[str]] = defaultdict(set)
    for module in read_modules():
        for imported in _imported_names(module, names):
            if imported != module.name:
                importers[imported].add(module.name)
    return {name: frozenset(importers[name]) for name in names}


def _imported_names(module: Module, names: set[str]) -> set[str]:
    found: set[str] = set()
    for node in module.nodes:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(module, node)
            for alias in node.names:
                below = f"{base}.{alias.name}"
                found.add(below if below in names else base)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # `late("fieldguide.toolsets.tasks.calls:add")` and entries like it name a module in a text.
            found.add(node.value.partition(":")[0])
    return found & names


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    is_package = module.path.endswith("__init__.py")
    base = parts[: len(parts) - node.level + is_package]
    return ".".join([*base, node.module] if node.module else base)
