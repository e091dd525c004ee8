"""The examples of a pattern document that say what they are: good or bad, and for which rule.

An example is a fenced block that is marked: by a word behind its language (`python bad rule=no-print`), by a line right
above it (`Bad:`, `### Good`), or by comments in it (`# bad`), which part it. Or it stands in the front matter, with the
rule that it is for: `examples: {good: …, bad: …}`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.lines import split_lines, without_end
from fieldguide.document_formats.markdown import front_matter_lines, read_markdown
from fieldguide.source_code.languages import canonical_language
from fieldguide.toolsets.architecture.rules.declared.front_matter import Value, read_front_matter
from fieldguide.toolsets.architecture.rules.declared.sections import Outline

Verdict = Literal["good", "bad"]

WORDS: dict[str, Verdict] = {
    "good": "good", "valid": "good", "correct": "good", "right": "good", "✅": "good",
    "bad": "bad", "invalid": "bad", "incorrect": "bad", "wrong": "bad", "❌": "bad",
}  # fmt: skip
FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})[ \t]*([^`]*)$")
LABEL = re.compile(r"^[\s#>*_|-]*(\w+|✅|❌)[*_]*(?:\s+(?:example|code))?s?[*_]*[\s:.!]*$", re.IGNORECASE)
COMMENT = re.compile(r"^\s*(?:#|//|--|/\*|<!--)\s*(\w+|✅|❌)\b?\W*(?:$|[:.(—–-].*$)", re.IGNORECASE)
TIE = re.compile(r"^rules?=(.+)$")
LONGEST = 20_000
MOST = 2_000


class Example(NamedTuple):
    """A piece of code of a document, where it begins there, what it is, and the rules it is for, where it says so."""

    code: str
    language: str | None
    line: int
    verdict: Verdict
    rules: tuple[str, ...] = ()


class Fence(NamedTuple):
    """A fenced block: its code, the words behind the fence, its first line of code, and the line above it."""

    code: str
    words: tuple[str, ...]
    line: int
    above: str


def read_examples(text: str) -> list[Example]:
    """Every example of a document that is marked, in its order; those of the front matter first."""
    fences = [example for fence in _fences(text) for example in _of_fence(fence)]
    return [*_of_front_matter(text), *fences][:MOST]


class Sections:
    """The sections of a document, to tell whether an example stands where a rule is explained."""

    def __init__(self, text: str) -> None:
        markdown = read_markdown(text)
        self._outline = Outline(markdown.headings, len(markdown.lines))

    def holds(self, heading_line: int, line: int) -> bool:
        """Whether a line stands in the section whose heading stands on another."""
        lines = self._outline.section_lines(heading_line)
        return lines is not None and line in lines


def _fences(text: str) -> Iterator[Fence]:
    lines = [without_end(line) for line in split_lines(text)]
    at = front_matter_lines(split_lines(text))
    above = ""
    while at < len(lines):
        opening = FENCE.match(lines[at])
        if opening is None:
            above = lines[at] if lines[at].strip() else above
            at += 1
            continue
        end = _end(lines, at + 1, opening.group(2))
        inside = [line.removeprefix(opening.group(1)) for line in lines[at + 1 : end]]
        yield Fence("\n".join(inside) + "\n", tuple(opening.group(3).split()), at + 2, above)
        above, at = "", end + 1


def _end(lines: Sequence[str], at: int, fence: str) -> int:
    """The line that closes a fence; the end of the document where none does."""
    for number in range(at, len(lines)):
        said = lines[number].strip()
        if said.startswith(fence) and not said.strip(fence[0]):
            return number
    return len(lines)


def _of_fence(fence: Fence) -> Iterator[Example]:
    if len(fence.code) > LONGEST:
        return
    language = canonical_language(fence.words[0].strip("{},.")) if fence.words else None
    verdict, rules = _verdict(fence), _tied(fence)
    for line, code, said in _parts(fence.code):
        if (known := said or verdict) and code.strip():
            yield Example(code, language, fence.line + line, known, rules)


def _verdict(fence: Fence) -> Verdict | None:
    """What a block is as a whole: by a word behind its language, or by the line above it."""
    words = [word.strip("{},.").lower() for word in fence.words[1:]]
    label = LABEL.match(fence.above)
    said: Verdict | None = next((WORDS[word] for word in words if word in WORDS), None)
    return said or (WORDS.get(label.group(1).lower()) if label else None)


def _tied(fence: Fence) -> tuple[str, ...]:
    """The rules that a block names: `rule=a,b`."""
    tied = [match.group(1).strip("\"'") for word in fence.words if (match := TIE.match(word.strip("{}")))]
    return tuple(name for each in tied for name in each.split(",") if name)


def _parts(code: str) -> Iterator[tuple[int, str, Verdict | None]]:
    """The parts of a block that comments such as `# bad` divide it into, each with its line."""
    lines = code.split("\n")
    marks: list[tuple[int, Verdict]] = []
    for number, line in enumerate(lines):
        if (verdict := _marked(line)) is not None:
            marks.append((number, verdict))
    if not marks:
        yield 0, code, None
        return
    ends = [*(number for number, _ in marks[1:]), len(lines)]
    for (start, verdict), end in zip(marks, ends, strict=True):
        yield start + 1, "\n".join(lines[start + 1 : end]), verdict


def _marked(line: str) -> Verdict | None:
    match = COMMENT.match(line)
    return WORDS.get(match.group(1).lower()) if match else None


def _of_front_matter(text: str) -> Iterator[Example]:
    entries = read_front_matter(text).entries
    rules = entries.get("rules")
    for rule in (rules.items or ()) if rules else ():
        given = rule.entries or {}
        name = given.get("id")
        if name is None or not isinstance(name.scalar, str):
            continue
        language = _language(given) or _language(entries)
        below = given["examples"].entries if "examples" in given else None
        yield from _written(given, language, name.scalar)
        yield from _written(below or {}, language, name.scalar)


def _language(entries: Mapping[str, Value]) -> str | None:
    said = entries.get("languages") or entries.get("language")
    first = next(iter(said.items), None) if said and said.items else said
    return canonical_language(str(first.scalar)) if first else None


def _written(entries: Mapping[str, Value], language: str | None, rule: str) -> Iterator[Example]:
    for key in ("good", "valid", "bad", "invalid"):
        value = entries.get(key)
        for each in (value.items if value.items is not None else (value,)) if value else ():
            if isinstance(each.scalar, str):
                yield Example(each.scalar, language, each.line, WORDS[key], (rule,))
