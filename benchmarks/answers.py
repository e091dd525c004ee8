"""How large answers are, on any checkout: bytes per hit of `grep_codebase` beside `rg -n`, tokens of `read_file` with
`includeDeps`, citations that open, and how our count of tokens stands beside real tokenizers."""

import argparse
import base64
import json
import os
import random
import re
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.stdio_client import StdioClient
from fieldguide.files.kinds import language_of
from fieldguide.text.tokens import MOST_TOKENS, count_tokens

PATTERNS = (
    "TODO",
    "return",
    "error",
    "import",
    "config",
    "test",
    r"\bnew\b",
    "http",
    "value",
    "def |func |fn |function",
)
LIMIT = 50
FILES = 40
PIECES = re.compile(
    r"'(?:[sdmt]|ll|ve|re)|(?:[^\r\n\w]|_)?[^\W\d_]+|\d{1,3}| ?(?:[^\s\w]|_)+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    re.IGNORECASE,
)


def main() -> int:
    """Measure each checkout, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers", description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="checkouts of repositories")
    parser.add_argument("--ranks", type=Path, nargs="*", default=[], help="tokenizers, as .tiktoken files")
    options = parser.parse_args()
    texts: list[str] = []
    print(report.describe_machine())
    print(
        "checkout | hits | bytes a hit: text, sent | rg -n | rg -n -C2 | includeDeps: answers, p50, most, over | cited"
    )
    for checkout in options.data:
        print(" | ".join(measure(checkout, texts)), flush=True)
    for ranks in options.ranks:
        print(compare(ranks, texts), flush=True)
    return 0


def measure(checkout: Path, texts: list[str]) -> Iterator[str]:
    """The cells of one checkout's row."""
    with served(checkout) as client:
        answers = [call(client, "grep_codebase", pattern=each, limit=LIMIT) for each in PATTERNS]
        matches = [(answer, match) for answer in answers for match in answer.value["matches"]]
        yield checkout.name
        yield str(len(matches))
        hits = max(len(matches), 1)
        text, sent = sum(len(each.text.encode()) for each in answers), sum(each.sent_bytes for each in answers)
        yield f"{text / hits:.0f}, {sent / hits:.0f}"
        yield f"{sum(len(as_ripgrep(match).encode()) for _, match in matches) / hits:.0f}"
        yield f"{sum(len(with_context(answer.value['matches']).encode()) for answer in answers) / hits:.0f}"
        deps = [call(client, "read_file", path=each, includeDeps=True) for each in sources(checkout)]
        sizes = [count_tokens(each.text) for each in deps if not each.is_error] or [0]
        over = sum(size > MOST_TOKENS for size in sizes)
        yield f"{len(sizes)}, {statistics.median(sizes):.0f}, {max(sizes)}, {over}"
        texts += [each.text for each in (*answers, *deps)]
        chosen = random.Random(14).sample(matches, min(len(matches), 40))
        opened = sum(opens(client, checkout, match) for _, match in chosen)
        yield f"{opened} of {len(chosen)}"


class Told:
    """What a tool answered."""

    def __init__(self, result: dict[str, Any]) -> None:
        self.text: str = result["content"][0]["text"]
        self.is_error = bool(result.get("isError"))
        self.sent_bytes = len(json.dumps(result, ensure_ascii=False).encode())

    @property
    def value(self) -> Any:
        """Its JSON."""
        return json.loads(self.text)


def as_ripgrep(match: dict[str, Any]) -> str:
    """A match as `rg -n` prints it."""
    return f"{match['file']}:{match['line']}:{match['text']}\n"


def with_context(matches: list[dict[str, Any]]) -> str:
    """Matches as `rg -n -C2` prints them."""
    printed: list[str] = []
    for match in matches:
        before, after = match["context"]["before"], match["context"]["after"]
        numbered = [*enumerate(before, match["line"] - len(before)), *enumerate(after, match["line"] + 1)]
        printed += [f"{match['file']}-{number}-{line}\n" for number, line in numbered]
        printed.append(as_ripgrep(match))
    return "".join(printed)


def sources(checkout: Path) -> list[str]:
    """Source files that import most, by a look at their text."""
    found: list[tuple[int, str]] = []
    for path in sorted(checkout.rglob("*")):
        relative = path.relative_to(checkout).as_posix()
        known = language_of(relative) in ("python", "javascript", "typescript", "go", "rust", "ruby", "java")
        if known and path.is_file() and "/." not in f"/{relative}" and path.stat().st_size < 1 << 20:
            found.append((-path.read_text("utf-8", errors="replace").count("import"), relative))
    return [relative for _, relative in sorted(found)[:FILES]]


def opens(client: StdioClient, checkout: Path, match: dict[str, Any]) -> bool:
    """Whether a match's citation gives the line that stands there, to the byte."""
    told = call(client, "read_file", path=match["citation"])
    if told.is_error:
        return False
    line = re.split(rb"(?<=\n)|(?<=\r)(?!\n)", (checkout / match["file"]).read_bytes())[match["line"] - 1]
    return bool(told.value["file"]["content"].encode() == line)


def compare(path: Path, texts: list[str]) -> str:
    """How many tokens a real tokenizer finds for each that we count."""
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(str.split, path.read_text().splitlines())}
    known: dict[str, int] = {}
    chosen = random.Random(14).sample(texts, min(len(texts), 60))
    ratios = [
        sum(_pieces(piece, ranks, known) for piece in PIECES.findall(text)) / count_tokens(text) for text in chosen
    ]
    return f"{path.stem}: {min(ratios):.2f} to {max(ratios):.2f} tokens for each counted, of {len(ratios)} answers"


def _pieces(piece: str, ranks: dict[bytes, int], known: dict[str, int]) -> int:
    """The number of tokens of one piece, by joining the pair of the lowest rank as long as there is one."""
    if piece not in known:
        parts = [bytes([byte]) for byte in piece.encode()[:400]]
        while len(parts) > 1:
            pairs = [(ranks.get(parts[at] + parts[at + 1], 1 << 30), at) for at in range(len(parts) - 1)]
            rank, at = min(pairs)
            if rank == 1 << 30:
                break
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        known[piece] = len(parts) + max(0, len(piece.encode()) - 400)
    return known[piece]


def served(project: Path) -> StdioClient:
    """A server of the context tools."""
    command = [sys.executable, "-m", "fieldguide", "serve", "--project", str(project), "--toolsets", "context"]
    given = {**os.environ, "FIELDGUIDE_LIMIT_INDEX_MEGABYTES": "1"}  # nothing of it is searched by meaning
    client = StdioClient(command, environment=given)
    client.initialize()
    return client


def call(client: StdioClient, tool: str, **arguments: Any) -> Told:
    """What a tool answers."""
    return Told(client.request("tools/call", {"name": tool, "arguments": arguments}))


if __name__ == "__main__":
    sys.exit(main())
