"""The good and the bad examples of a document, parsed: by the label of their block, or by comments in it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.source_code.detection import detect_language
from fieldguide.source_code.languages import canonical_language
from fieldguide.source_code.parsing import GRAMMARS
from fieldguide.toolsets.architecture.rules.code.source import SourceCode
from fieldguide.toolsets.architecture.rules.prose.labels import verdict_of
from fieldguide.toolsets.architecture.rules.prose.statements import Fence

COMMENT = re.compile(r"^[ \t]*(?:#|//|/\*+|--)[ \t]*([^\n]*)$")
YES_OR_NO = re.compile(r"^((?:Yes|No):[ \t]+)\S")
LONGEST_EXAMPLE = 8_000
MOST_EXAMPLES = 600


class Example(NamedTuple):
    """A piece of code that the document judges, and the line where it begins."""

    source: SourceCode
    is_good: bool
    line: int
    topic: int


def read_examples(fences: Sequence[Fence]) -> list[Example]:
    """The examples that are labelled as good or as bad, in the order of the document."""
    found: list[Example] = []
    for fence in fences:
        if len(found) >= MOST_EXAMPLES or len(fence.code) > LONGEST_EXAMPLE:
            continue
        words = fence.info.replace(",", " ").split()
        language = canonical_language(words[0].strip("{}.")) if words else None
        language = language or detect_language(fence.code)
        stated = verdict_of(" ".join(words[1:])) or fence.verdict
        for start, code, verdict in _parts(fence.code, stated):
            if verdict and language in GRAMMARS:
                found.append(Example(SourceCode(code, language), verdict == "good", fence.line + start, fence.topic))
    return found


def _parts(code: str, stated: str | None) -> Iterator[tuple[int, str, str | None]]:
    """The parts of a block that comments such as `# Bad` divide it into, each with its line."""
    start, verdict = 0, stated
    lines = code.split("\n")
    for number, line in enumerate(lines):
        comment, prefix = COMMENT.match(line), YES_OR_NO.match(line)
        said = verdict_of(comment.group(1) if comment else prefix.group(1) if prefix else "")
        if said is None:
            continue
        yield start, "\n".join(lines[start:number]), verdict
        start, verdict = number, said
        if prefix:
            lines[number] = line.replace(prefix.group(1), " " * len(prefix.group(1)), 1)
    yield start, "\n".join(lines[start:]), verdict
