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
    # asyncio and what it brings
    "_ast", "_asyncio", "_bisect", "_collections", "_contextvars", "_functools", "_heapq", "_operator",
    "_posixsubprocess", "_queue", "_random", "_sha512", "_socket", "_string", "_struct", "_typing", "_uuid",
    "_weakrefset", "array", "ast", "asyncio", "atexit", "base64", "binascii", "bisect", "collections", "concurrent",
    "contextlib", "contextvars", "copyreg", "dis", "enum", "errno", "fcntl", "functools", "heapq", "importlib",
    "inspect", "itertools", "keyword", "linecache", "logging", "math", "opcode", "operator", "queue", "re", "reprlib",
    "select", "selectors", "signal", "socket", "string", "struct", "subprocess", "textwrap", "threading", "token",
    "tokenize", "traceback", "typing", "weakref", "locale",
    # ours
    "_json", "copy", "dataclasses", "gc", "json", "pwd",
    # looked for and not there; a real `ssl` would bring `_ssl`, which is not on this list
    "msvcrt", "org", "sitecustomize", "usercustomize", "ssl",
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
    assert modules_after_the_handshake(project.root, "decimal", "xml") - ALLOWED >= {"decimal", "xml"}
