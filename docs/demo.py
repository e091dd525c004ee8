"""Records the demo of the README: `python -m docs.demo` runs real commands and writes `docs/pictures/demo.*`.

`demo.svg` is the animation that the README shows; `demo.cast` is the same for `asciinema play`. The commands run on a
terminal of their own in the sources of Flask that `make .venv/sources` fetches, with an empty home.
"""

import argparse
import fcntl
import html
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.docs.foreign_sources import unpack_flask

PICTURES = Path(__file__).parent / "pictures"
FIELDGUIDE = Path(sys.executable).with_name("fieldguide")
COLUMNS, ROWS = 96, 26
SCENES = (
    ("Ask in your own words.",
     "fieldguide find 'keep users logged in when the secret key changes' --limit 2"),
    ("Read the lines around a hit.", "fieldguide open docs/config.rst#L126-L135"),
    ("Who calls the method?", "fieldguide symbol get_signing_serializer"),
    ("What belongs to the file, before you change it?", "fieldguide governs src/flask/sessions.py"),
    ("The same for an agent: citations that open, few tokens.",
     "fieldguide call guide_search query='how is the session cookie signed' limit=2"),
)  # fmt: skip
TYPED_SECONDS = 0.04  # a character
PAUSE_SECONDS = 1.0
READ_SECONDS = 0.45  # a line
STYLE = re.compile(r"\x1b\[([\d;]*)m")
OTHER_ESCAPES = re.compile(r"\x1b\[[\d;?]*[A-Za-ln-z]|\x1b\][^\x07]*\x07")
CLASSES = {1: "b", 2: "d", 31: "r", 32: "g", 33: "y", 34: "u", 35: "m", 36: "c", 90: "d"}
LINE, CHARACTER = 19, 8.43
SHEET = """
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d4d8de;white-space:pre}
.b{font-weight:bold;fill:#fff}.d{fill:#8b949e}.r{fill:#ff7b72}.g{fill:#7ee787}.y{fill:#e3b341}.u{fill:#79c0ff}
.m{fill:#d2a8ff}.c{fill:#76e3ea}.p{fill:#7ee787;font-weight:bold}.h{fill:#8b949e}
"""


class Scene(NamedTuple):
    """What is said before a command, the command, and the lines that it printed, with their colours."""

    caption: str
    command: str
    lines: Sequence[str]

    @property
    def typing_seconds(self) -> float:
        return TYPED_SECONDS * (len(self.caption) + len(self.command)) + 2 * PAUSE_SECONDS

    @property
    def seconds(self) -> float:
        return self.typing_seconds + 3 * PAUSE_SECONDS + READ_SECONDS * len(self.lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Record, and write both files."""
    parser = argparse.ArgumentParser(prog="python -m docs.demo", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=PICTURES, help="where to (default: docs/pictures)")
    folder: Path = parser.parse_args(argv).folder
    scenes = record()
    (folder / "demo.svg").write_text(as_svg(scenes), encoding="utf-8")
    (folder / "demo.cast").write_text("".join(f"{line}\n" for line in as_cast(scenes)), encoding="utf-8")
    return 0


def record() -> list[Scene]:
    """Run every command in Flask's sources."""
    with tempfile.TemporaryDirectory(prefix="fieldguide-demo-") as folder:
        project = Path(folder, "flask")
        unpack_flask(project)
        run_on_terminal("fieldguide index", project)
        return [Scene(caption, command, run_on_terminal(command, project)) for caption, command in SCENES]


def run_on_terminal(command: str, project: Path) -> list[str]:
    """The lines that a command prints on a terminal, with their colours and without any other control."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    variables = {"HOME": str(project.parent / "home"), "PATH": f"{FIELDGUIDE.parent}:/usr/bin:/bin", "LANG": "C.UTF-8",
                 "TERM": "xterm-256color", "FIELDGUIDE_BACKGROUND": "off"}  # fmt: skip
    process = subprocess.Popen(["/bin/sh", "-c", command], cwd=project, env=variables, stdin=subprocess.DEVNULL,
                               stdout=theirs, stderr=theirs)  # fmt: skip
    os.close(theirs)
    text = b"".join(_read_all(ours)).decode()
    os.close(ours)
    if process.wait() != 0:
        raise SystemExit(f"`{command}` ended with {process.returncode}: {text}")
    lines = OTHER_ESCAPES.sub("", text).replace("\r\n", "\n").rstrip().split("\n")
    shown = [_cut(line.rpartition("\r")[2]) for line in lines]
    return [*shown[: ROWS - 4], "…"] if len(shown) > ROWS - 3 else shown


def _cut(line: str) -> str:
    if len(STYLE.sub("", line)) <= COLUMNS:
        return line
    return f"{STYLE.sub('', line)[: COLUMNS - 1]}…"


def _read_all(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            yield os.read(terminal, 65536)
        except OSError:  # the last process that held the other side has ended
            return


def as_cast(scenes: Sequence[Scene]) -> Iterator[str]:
    """The lines of an asciicast, version 2: a header, then what appears when."""
    yield json.dumps({"version": 2, "width": COLUMNS, "height": ROWS, "title": "Fieldguide in the sources of Flask"})
    at = 0.0
    for scene in scenes:
        yield _event(at, "\x1b[2J\x1b[H")
        for text in (f"\x1b[90m# {scene.caption}\x1b[0m", scene.command):
            yield _event(at, "\x1b[1;32m$\x1b[0m ")
            for character in re.findall(r"\x1b\[[\d;]*m|.", text):
                at += TYPED_SECONDS
                yield _event(at, character)
            at += PAUSE_SECONDS
            yield _event(at, "\r\n")
        yield _event(at, "\r\n".join(scene.lines) + "\r\n")
        at += scene.seconds - scene.typing_seconds
    yield _event(at, "")


def _event(at: float, text: str) -> str:
    return json.dumps([round(at, 2), "o", text], ensure_ascii=False)


def as_svg(scenes: Sequence[Scene]) -> str:
    """An animation that needs no script: each scene is a group that is visible in its part of the time."""
    whole = sum(scene.seconds for scene in scenes)
    rules, groups = [], []
    begin = 0.0
    for number, scene in enumerate(scenes):
        end = begin + scene.seconds
        rules += [_visible(f"s{number}", begin, end, whole), _visible(f"o{number}", begin + 2, end, whole)]
        rows = [_row(0, f'<tspan class="h"># {html.escape(scene.caption)}</tspan>'),
                _row(1, f'<tspan class="p">$</tspan> {html.escape(scene.command)}')]  # fmt: skip
        shown = [_row(index + 2, coloured(line)) for index, line in enumerate(scene.lines) if line]
        groups.append(f'<g class="s{number}">{"".join(rows)}<g class="o{number}">{"".join(shown)}</g></g>')
        begin = end
    width, height = round(COLUMNS * CHARACTER + 24), ROWS * LINE + 24
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f"<style>{SHEET}{''.join(rules)}</style>"
        f'<rect width="{width}" height="{height}" rx="8" fill="#161b22"/>{"".join(groups)}</svg>\n'
    )


def _visible(name: str, begin: float, end: float, whole: float) -> str:
    start, stop = 100 * begin / whole, 100 * end / whole
    hidden = f"0%{{visibility:hidden}}{start:.3f}%{{visibility:visible}}" if begin else "0%{visibility:visible}"
    return (
        f".{name}{{animation:{name} {whole:.1f}s step-end infinite}}"
        f"@keyframes {name}{{{hidden}{stop:.3f}%,100%{{visibility:hidden}}}}\n"
    )


def _row(number: int, content: str) -> str:
    return f'<text x="12" y="{(number + 1) * LINE + 8}">{content}</text>'


def coloured(line: str) -> str:
    """A line of a terminal as text of an SVG."""
    parts = STYLE.split(line)
    found = html.escape(parts[0])
    classes: list[str] = []
    for codes, text in zip(parts[1::2], parts[2::2], strict=True):
        for code in (int(code or 0) for code in codes.split(";")):
            classes = [] if code == 0 else [*classes, CLASSES.get(code, "")]
        styled = " ".join(filter(None, classes))
        found += f'<tspan class="{styled}">{html.escape(text)}</tspan>' if styled and text else html.escape(text)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
