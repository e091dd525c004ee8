"""MDX: Markdown in which lines of JavaScript and tags of components are no prose.

They are blanked before the parser sees them, so that no line of theirs is a heading, and a heading between two tags is.
"""

from fieldguide.document_formats.document import ReadDocument
from fieldguide.document_formats.lines import split_lines
from fieldguide.document_formats.markdown import front_matter_lines, read_markdown_as

FENCES = ("```", "~~~")
SCRIPTS = ("import ", "export ", "import{", "export{", "import\t")
MOST_LINES_OF_A_TAG = 200


def read_mdx(text: str) -> ReadDocument:
    """Read a document; any text is one."""
    lines = split_lines(text)
    return read_markdown_as(lines, _without_code(lines))


def _without_code(lines: list[str]) -> list[str]:
    """The lines, those of scripts, expressions and tags as blank ones of the same length."""
    kept = list(lines)
    at, count = front_matter_lines(lines), len(lines)
    fence = ""
    is_start = True
    while at < count:
        line = lines[at].strip()
        if fence:
            fence = "" if line.startswith(fence) and not line.strip(fence[0]) else fence
            end = at + 1
        elif line.startswith(FENCES):
            fence = line[: len(line) - len(line.lstrip(line[0]))]
            end = at + 1
        else:
            end = _end_of_code(lines, at, line, is_start=is_start)
            for number in range(at, end):
                kept[number] = _blanked(lines[number])
            is_start = not line or end > at
            end = max(end, at + 1)
        at = end
    return kept


def _end_of_code(lines: list[str], at: int, line: str, *, is_start: bool) -> int:
    """The line after a script, an expression or a tag that begins here; this line when none does."""
    if is_start and lines[at].startswith(SCRIPTS):
        return _end_of_paragraph(lines, at)
    if is_start and line.startswith("{") and not line.startswith("{{"):
        return at if "}" in line and not line.endswith("}") else _end_where(lines, at, "}")
    if _is_tag(line):
        return at + 1 if line.endswith(">") else _end_where(lines, at, ">")
    return at


def _is_tag(line: str) -> bool:
    """Whether a line is a tag, or begins one of a component; an address in angle brackets is none."""
    if not (line.startswith(("</", "<>")) or (line[:1] == "<" and line[1:2].isalpha())):
        return False
    return (line.endswith(">") or line[1:2].isupper()) and "://" not in line.split(" ", 1)[0]


def _end_of_paragraph(lines: list[str], at: int) -> int:
    while at < len(lines) and lines[at].strip():
        at += 1
    return at


def _end_where(lines: list[str], at: int, mark: str) -> int:
    """The line after the first that ends with a mark; this line when none near does."""
    for end in range(at, min(at + MOST_LINES_OF_A_TAG, len(lines))):
        if lines[end].rstrip().endswith(mark):
            return end + 1
    return at


def _blanked(line: str) -> str:
    body = line.rstrip("\r\n")
    return " " * len(body.encode(errors="surrogatepass")) + line[len(body) :]
