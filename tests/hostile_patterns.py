"""The regular expressions that the modules of `src/` hold."""

import ast
import gc
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import fieldguide
from fieldguide.text.regex import Pattern

ROOT = Path(__file__).parent.parent


def list_patterns() -> list[Pattern[Any]]:
    """The patterns of all modules, sorted; a fresh process lists them, as other tests made some in this one."""
    held = subprocess.run([sys.executable, "-m", "tests.hostile_patterns"], cwd=ROOT, capture_output=True, check=True)
    listed: set[tuple[str | bytes, int]] = set(ast.literal_eval(held.stdout.decode()))
    return [Pattern(expression, flags) for expression, flags in sorted(listed, key=repr)]


def _print_held() -> None:
    modules = [module.name for module in pkgutil.walk_packages(fieldguide.__path__, "fieldguide.")]
    imported = [importlib.import_module(name) for name in modules if not name.endswith("__main__")]
    held = [(each.pattern, each.flags) for each in gc.get_objects() if isinstance(each, Pattern)]
    assert imported
    assert held
    print(ascii(held))


def run_over(pattern: Pattern[Any], text: str) -> None:
    """Find all that a pattern matches in a text, which takes at least as long as any other use of it."""
    for _ in pattern.finditer(text.encode(errors="replace") if isinstance(pattern.pattern, bytes) else text):
        pass


if __name__ == "__main__":
    _print_held()
