"""Which examples of a document are good and which are bad: by their label, their heading, or a comment in them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.code.languages import canonical_language, detect_language

BAD_WORDS = r"bad|wrong|don['’]?t|do not|dont|avoid|incorrect|anti-?patterns?|violations?|not ok|non-?compliant|smell"
GOOD_WORDS = r"good|correct|preferred|better|recommended|compliant|fixed"
WEAK_BAD, WEAK_GOOD = r"before|never|no", r"right|do|prefer|instead|after|fix|ok|yes"
BAD = re.compile(
    rf"[\W_]*(?:{BAD_WORDS})\b(?=\W*$|\s*[:(—–-]|(?:\s+\S+){{1,5}}\s*$)|[\W_]*(?:{WEAK_BAD})\W*$|.*[❌✗✘🚫⛔👎]",
    re.IGNORECASE,
)
GOOD = re.compile(
    rf"[\W_]*(?:{GOOD_WORDS})\b(?=\W*$|\s*[:(—–-]|(?:\s+\S+){{1,5}}\s*$)|[\W_]*(?:{WEAK_GOOD})(?:,? (?:do|use"
    rf"|write|prefer) this)?\W*$"
    r"|.*[✅✓✔👍]",
    re.IGNORECASE,
)
COMMENT = re.compile(r"^[ \t]*(?:#|//|/\*|--|<!--)[ \t]*(.*)$")
LONGEST_LABEL = 90
SHORT_HEADING = 40
LONGEST_EXAMPLE = 8_000


class Fence(NamedTuple):
    """A block of code as it stands in the document."""

    code: str
    info: str
    line: int
    label: str
    headings: tuple[str, ...]
    section_line: int


class Example(NamedTuple):
    """A block of code, or a part of one, and whether the document shows it as good or as bad."""

    code: str
    language: str | None
    line: int
    verdict: str | None
    headings: tuple[str, ...]
    section_line: int


def examples_of(fences: Sequence[Fence]) -> Iterator[Example]:
    """The examples of a document in their order."""
    for fence in fences:
        if len(fence.code) > LONGEST_EXAMPLE:
            continue
        words = fence.info.replace(",", " ").split()
        language = canonical_language(words[0].strip("{}.")) if words else None
        language = language or detect_language(fence.code)
        verdict = _verdict_of(" ".join(words[1:]) or (words[0] if words and language is None else ""))
        verdict = verdict or _labelled(fence)
        for line, part, said in _parts(fence.code):
            yield Example(part, language, fence.line + line, said or verdict, fence.headings, fence.section_line)


def is_verdict_heading(heading: str) -> bool:
    """Whether a heading only judges what stands under it: `Bad`, `✅ Good example`."""
    return len(heading) <= SHORT_HEADING and _verdict_of(heading) is not None and len(heading.split()) <= 3


def _labelled(fence: Fence) -> str | None:
    label = fence.label.strip()
    last = re.split(r"(?<=[.:!])\s+", label)[-1] if label else ""
    for said in (last, label) if len(last) <= LONGEST_LABEL else ():
        if said and len(said) <= LONGEST_LABEL and (verdict := _verdict_of(said)):
            return verdict
    for heading in reversed(fence.headings[1:]):
        if len(heading) <= SHORT_HEADING and (verdict := _verdict_of(heading)):
            return verdict
    return None


def _verdict_of(text: str) -> str | None:
    if BAD.match(text):
        return "bad"
    return "good" if GOOD.match(text) else None


def _parts(code: str) -> Iterator[tuple[int, str, str | None]]:
    """The parts of a block that comments such as `# Bad` divide it into, each with its line."""
    lines = code.split("\n")
    starts: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        comment = COMMENT.match(line)
        verdict = _verdict_of(comment.group(1)) if comment and _is_verdict(comment.group(1)) else None
        if verdict:
            starts.append((number, verdict))
    if not starts:
        yield 0, code, None
        return
    if any(line.strip() for line in lines[: starts[0][0]]) and len(starts) > 1:
        yield 0, "\n".join(lines[: starts[0][0]]), None
    for (start, verdict), end in zip(starts, [*(each for each, _ in starts[1:]), len(lines)], strict=True):
        yield start, "\n".join(lines[start:end]), verdict


def _is_verdict(comment: str) -> bool:
    """Whether a comment judges what follows, rather than saying `do` or `after` in a sentence of its own."""
    plain = comment.strip(" *-/>")
    return bool(
        re.match(
            r"(?:[\W_]*\b(?:bad|good|wrong|right|correct|incorrect|don['’]?t|do|avoid|better|preferred|"
            r"instead|anti-?pattern)\b\s*(?:[:!.(—–-].*|example.*|code.*)?|.*[❌✗✘🚫⛔✅✓✔].*)$",
            plain,
            re.IGNORECASE,
        )
    )
