"""What clangd must be told of a C project that was never built: a `compile_commands.json`.

Every C file is compiled with all folders that have headers; of several systems' sources, Linux's and Unix's are taken.
"""

import json
from pathlib import Path

FOREIGN = (
    "win",
    "windows",
    "win32",
    "amigaos",
    "os400",
    "vms",
    "riscos",
    "macos",
    "dos",
    "darwin",
    "aix",
    "solaris",
    "sunos",
)
DEFINED = ("_GNU_SOURCE", "_POSIX_C_SOURCE=200809L", "HAVE_CONFIG_H=0", "BUILDING_LIBCURL", "USE_UNIX_SOCKETS")


def prepare_c(folder: Path) -> None:
    """Tell clangd how the files of a folder would be compiled."""
    headers = sorted({path.parent for path in folder.rglob("*.h")})
    shared = [
        "clang",
        "-std=gnu11",
        *(f"-D{each}" for each in DEFINED),
        *(f"-I{place}" for place in headers if _is_here(place)),
    ]
    commands = [
        {"directory": str(folder), "file": str(path), "arguments": [*shared, "-c", str(path)]}
        for path in sorted(folder.rglob("*.c"))
        if _is_here(path.relative_to(folder))
    ]
    (folder / "compile_commands.json").write_text(json.dumps(commands))


def _is_here(path: Path) -> bool:
    return not any(part.lower().startswith(FOREIGN) for part in path.with_suffix("").parts)
