"""What a start may cost: the modules that `serve` imports before the first call."""

import subprocess
import sys

from tests.servers import environment

OURS = "fieldguide"
ALLOWED = {
    # the interpreter's own start
    "__main__", "_abc", "_codecs", "_collections_abc", "_distutils_hack", "_frozen_importlib",
    "_frozen_importlib_external", "_imp", "_io", "_locale", "_opcode", "_signal", "_sitebuiltins", "_sre", "_stat",
    "_thread", "_virtualenv", "_warnings", "_weakref", "abc", "builtins", "codecs", "encodings", "genericpath", "io",
    "marshal", "ntpath", "os", "posix", "posixpath", "site", "stat", "sys", "time", "types", "warnings", "zipimport",
    "_tokenize",
    # the parts of the standard library that we use, and what they bring
    "_bisect", "_collections", "_contextvars", "_functools", "_heapq", "_json", "_operator", "_queue", "_string",
    "_typing", "_weakrefset", "atexit", "bisect", "collections", "contextlib", "contextvars", "copyreg", "enum",
    "errno", "fcntl", "functools", "gc", "heapq", "importlib", "itertools", "json", "keyword", "math", "operator",
    "pwd", "queue", "re", "reprlib", "select", "signal", "string", "threading", "typing", "weakref",
    # looked for and not there
    "msvcrt", "org", "sitecustomize", "usercustomize",
}  # fmt: skip
HANDSHAKE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n'
    b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'
)


def modules_after_the_handshake(root, *before: str) -> set[str]:
    """The top-level modules that a server imports from its start to its end, by the interpreter's own account."""
    start = "; ".join([*(f"import {name}" for name in before), "from fieldguide.cli.main import main", "main()"])
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", start, "serve", "--project", str(root)],
        input=HANDSHAKE,
        capture_output=True,
        timeout=60,
        check=True,
        env=environment(),
    )
    assert len(done.stdout.splitlines()) == 2
    named = [line.rpartition(b"|")[2].strip().decode() for line in done.stderr.splitlines() if b"import time:" in line]
    return {name.partition(".")[0] for name in named} - {OURS, "imported package"}


def test_serve_imports_nothing_that_is_not_on_the_list(project):
    project.add_directive()

    assert modules_after_the_handshake(project.root) - ALLOWED == set()


def test_the_list_would_catch_a_heavy_import(project):
    assert modules_after_the_handshake(project.root, "asyncio", "xml") - ALLOWED >= {"asyncio", "xml"}
