"""Whether exact identifiers are shown: tickets, error codes, host names, hashes and the like, put into real text.

Copies a checkout, writes made-up identifiers into paragraphs of its documents and into comments of its code, one a
file, and asks for each, bare and within a sentence. An identifier is shown where one of the first hits is of its file
and, for `guide_search`, the text of the answer has it.
"""

import argparse
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.mixed_questions.serving import Served, served
from fieldguide.files.kinds import find_role, language_of
from fieldguide.spine.tool import Answer, Call
from fieldguide.text.cancellation import Cancellation

SEED = 58
FIRST_FEW = 5
PROSE = (".md", ".rst", ".adoc")
COMMENT = {".py": "#", ".rb": "#", ".sh": "#", ".go": "//", ".rs": "//", ".js": "//", ".ts": "//", ".c": "//",
           ".java": "//", ".php": "//", ".cs": "//", ".h": "//"}  # fmt: skip
SENTENCES = ("{}", "what does {} mean", "where is {} mentioned?", "I see {} in the log, what should I do")
WORDS = (
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "juniper", "kestrel", "larch",
    "maple", "nimbus", "osprey",
)  # fmt: skip


class Put(NamedTuple):
    """An identifier that was put into a file."""

    name: str
    path: str
    is_code: bool


def main() -> int:
    """Put identifiers into a copy of each checkout, ask for them, and print how many are shown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.identifiers", description=__doc__)
    parser.add_argument("--checkout", nargs="+", required=True, metavar="NAME=PATH", help="where repositories are")
    parser.add_argument("--each", type=int, default=24, help="how many documents, and files of code, get one")
    parser.add_argument("--show", action="store_true", help="print those that are not shown")
    options = parser.parse_args()
    rows: list[list[str]] = []
    for stated in options.checkout:
        name, path = stated.split("=", 1)
        with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
            copy = Path(folder) / name
            shutil.copytree(path, copy, ignore=shutil.ignore_patterns(".git"), symlinks=True)
            random_ = random.Random(f"{SEED} {name}")
            placed = list(put_all(copy, random_, options.each))
            with served(str(copy)) as project:
                rows += [[name, *row] for row in ask_all(project, placed, show=options.show)]
    print(f"Identifiers. {report.describe_machine()}\n")
    print(report.format_table(["repository", "question", "where", "tool", "shown"], rows))
    return 0


def made_up(chance: random.Random) -> Iterator[str]:
    """Identifiers of every shape, again and again."""

    def word() -> str:
        return chance.choice(WORDS)

    def digits(number: int) -> str:
        return "".join(chance.choice("0123456789") for _ in range(number))

    def hexadecimal(number: int) -> str:
        return "".join(chance.choice("0123456789abcdef") for _ in range(number))

    while True:
        yield f"{word().upper()[:4]}-{digits(4)}"
        yield f"E{digits(4)}"
        yield f"ERR_{word().upper()}_{word().upper()}"
        yield f"{word()}-{digits(2)}.internal.example.net"
        yield f"{word()}_{word()}_v{digits(1)}"
        yield f"{word()}{word().title()}Fast"
        yield hexadecimal(40)
        yield f"{hexadecimal(6)}{digits(1)}"
        yield f"v{digits(1)}.{digits(2)}.{digits(1)}-rc{digits(1)}"
        yield f"--no-{word()}"
        yield f"X-{word().title()}-Id"
        yield f"0x8007{digits(4)}"
        yield f"{hexadecimal(8)}-{hexadecimal(4)}-4{hexadecimal(3)}-a{hexadecimal(3)}-{hexadecimal(12)}"
        yield f"{word().upper()}_{word().upper()}_URL"
        yield f"{word()}-{word()}.config.yaml"
        yield f"{word().title()}{word().title()}Exception"
        yield f"10.{digits(2)}.1{digits(1)}.{digits(2)}"
        yield f"{word()}.{word()}.{word()}"
        yield f"CVE-20{digits(2)}-{digits(5)}"
        yield f"#{digits(5)}"


def put_all(root: Path, chance: random.Random, each: int) -> Iterator[Put]:
    """Write identifiers into documents and into code."""
    files = sorted(path for path in root.rglob("*") if path.is_file() and 1_000 < path.stat().st_size < 60_000)
    prose = [path for path in files if path.suffix in PROSE and not path.name.lower().startswith("licen")]
    code = [path for path in files if path.suffix in COMMENT and _is_implementation(path.relative_to(root).as_posix())]
    names = made_up(chance)
    for paths, is_code in ((prose, False), (code, True)):
        for path in chance.sample(paths, min(each, len(paths))):
            name = next(names)
            if _put(path, name, is_code=is_code):
                yield Put(name, path.relative_to(root).as_posix(), is_code)


def _is_implementation(path: str) -> bool:
    return language_of(path) is not None and not find_role(path)


def _put(path: Path, name: str, *, is_code: bool) -> bool:
    """Write a name into the middle of a file: at the end of a line of a paragraph, or as a comment of its own."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError:
        return False
    middle = len(lines) // 2
    if is_code:
        lines.insert(middle, f"{COMMENT[path.suffix]} see {name} for the reason")
    else:
        plain = [number for number in range(len(lines)) if len(lines[number]) > 40 and lines[number][0].isalpha()]
        if not plain:
            return False
        number = min(plain, key=lambda each: abs(each - middle))
        lines[number] += f" (this is {name} on our side)"
    path.write_text("\n".join(lines), encoding="utf-8")
    return True


def ask_all(project: Served, placed: Sequence[Put], *, show: bool) -> Iterator[list[str]]:
    """Ask every tool that should know for every identifier."""
    for sentence in SENTENCES:
        for is_code in (False, True):
            asked = [each for each in placed if each.is_code == is_code]
            for tool in ("guide_search", "context_search" if is_code else "documents_search"):
                missed = [each for each in asked if not is_shown(project, tool, sentence.format(each.name), each)]
                yield [sentence, "code" if is_code else "prose", tool, f"{len(asked) - len(missed)} of {len(asked)}"]
                for each in missed if show else ():
                    print(f"{tool} | {sentence} | {each.name} | {each.path}")


def is_shown(project: Served, tool: str, query: str, put: Put) -> bool:
    """Whether one of the first hits is of the file; an answer of `guide_search` must have the name in its text too."""
    found = project.app.executor.registry.find(tool)
    answer: Answer = found.answer(found.run(Call(tool, {"query": query}, Cancellation())))
    value: Any = answer.value
    rows = value if isinstance(value, list) else value.get("items") or value.get("results") or []
    if tool == "guide_search":
        return any(row["path"] == put.path for row in rows[:FIRST_FEW]) and put.name in _without_query(answer.text)
    texts = [str(row) for row in rows[:FIRST_FEW]]
    return any(put.name in each for each in texts)


def _without_query(text: str) -> str:
    """The lines of an answer that show a file: a number, a bar, and the line."""
    return "\n".join(line for line in text.split("\n") if line.partition("|")[0].strip().isdigit())


if __name__ == "__main__":
    raise SystemExit(main())
