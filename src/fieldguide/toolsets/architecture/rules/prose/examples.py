"""The good and the bad examples of a document, parsed: by the label of their block, or by comments in it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.source_code.detection import detect_language
from fieldguide.source_code.languages import canonical_language
from fieldguide.source_code.parsing import GRAMMARS
from fieldguide.toolsets.architecture.rules.code.source import SourceCode
from fieldguide.toolsets.architecture.rules.prose.labels import marked, verdict_of
from fieldguide.toolsets.architecture.rules.prose.statements import Fence

BEFORE = re.compile(r"^[ \t]*(?:#|//|/\*+|--)[ \t]*([^\n]*)$|^(Yes|No):[ \t]")
YES_OR_NO = re.compile(r"^(?:Yes|No): ?")
BEHIND = re.compile(r"\S[ \t]*(?:#|//)[ \t]*([^\w\s].*)$")
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
    """The parts that comments divide a block into, each with its line: `# Bad` before one, `// ✗` behind one."""
    start, verdict = 0, stated
    lines = code.split("\n")
    for number, line in enumerate(lines):
        before, behind = BEFORE.match(line), BEHIND.search(line)
        said = verdict_of(before.group(1) or before.group(2) or "") if before else None
        if said:
            yield start, "\n".join(lines[start:number]), verdict
            start, verdict = number, said
            lines[number] = YES_OR_NO.sub("     ", line)
        elif behind and marked(behind.group(1)):
            yield start, "\n".join(lines[start : number + 1]), marked(behind.group(1))
            start, verdict = number + 1, stated
    yield start, "\n".join(lines[start:]), verdict
