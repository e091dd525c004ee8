"""Whether a file is a document at all, where only its name says so: text, pages, and names that end with a number.

A list of packages, a log, a template or a page that a program made has the name of a document. A file that somebody
lists in a manifest is not judged.
"""

from fieldguide import linear_regex as re
from fieldguide.document_formats.encoding import decoded
from fieldguide.document_formats.kinds import HTML, MAN, NOTEBOOK, TEXT, format_of

HEAD = 20_000
"""Characters at the beginning by which a file is judged."""
WORDS_OF_PROSE = 2
PROSE_SHARE = 0.3
PINNED_SHARE = 0.2
LEAST_READABLE = 40
WORD = re.compile(r"(?:^|[\s(\"'“])[^\W\d_]{2,}")
PINNED = re.compile(r"^[\w.\[\],-]+ *[=~<>!]=? *\d|^--?\w")
NOT_FOR_PEOPLE = ("cmakelists.txt", "robots.txt")
MARKED_WORD = re.compile(r"[^\W\d_]{3,}")
GENERATED = re.compile(
    r"(?i)<meta[^>]{0,200}name=[\"']?generator|<!-- *(?:generated|this file was (?:auto|generated)|page generated)"
)
TEMPLATE = re.compile(r"\{%-? *\w|<%[=-]? |\{\{[#/>^&]|<\?php|\bng-app\b|<th:|\bth:\w+=")
LICENCE = re.compile(r"(?:(?i:(?:un)?licen[cs]e|copying)|(?:UN)?LICEN[CS]E[-_.]\w+|COPYING[-_.]\w+)(?:\.\w+)?$")
JUDGED = (TEXT, HTML, MAN, NOTEBOOK)
LOOKED_AT_BYTES = 200_000
NOTEBOOK_KEYS = ('"cells"', '"worksheets"')


def is_document(name: str, content: bytes) -> bool:
    """Whether a file with a document's name is one."""
    if _is_licence(name):
        return False
    told = format_of(name)
    if told not in JUDGED:
        return True
    text = decoded(content if told == NOTEBOOK else content[:LOOKED_AT_BYTES])
    match told:
        case "text":
            return name.rpartition("/")[2].lower() not in NOT_FOR_PEOPLE and _is_written(text)
        case "html":
            return _is_page(text)
        case "man":
            from fieldguide.document_formats.man import is_man

            return is_man(text)
        case "notebook":
            return text.lstrip("\ufeff \r\n\t").startswith("{") and any(key in text for key in NOTEBOOK_KEYS)
        case _:
            return True


def _is_licence(name: str) -> bool:
    """Whether a file is a licence by its name; `license.rst`, in small letters and with markup, is a page about one."""
    file = name.rpartition("/")[2]
    is_page = file[:1].islower() and format_of(file) not in (None, TEXT)
    return not is_page and LICENCE.match(file) is not None


def _is_written(text: str) -> bool:
    """Whether people wrote a text for people: enough of its lines hold several words, or it has a format of its own."""
    from fieldguide.document_formats.readers import written_format

    if written_format(text) != TEXT:
        return True
    lines = [line for line in text[:HEAD].splitlines() if line.strip()]
    prose = sum(len(WORD.findall(line)) >= WORDS_OF_PROSE for line in lines)
    pinned = sum(PINNED.match(line) is not None for line in lines)
    return bool(lines) and prose >= PROSE_SHARE * len(lines) and pinned < PINNED_SHARE * len(lines)


def _is_page(text: str) -> bool:
    """Whether a page was written as a page: not by a program, not for a program to fill in, and with words to read."""
    head = text[:HEAD]
    if GENERATED.search(head) or TEMPLATE.search(head):
        return False
    from fieldguide.document_formats.html import read_html

    return len(MARKED_WORD.findall(" ".join(read_html(head).readable or ()))) >= LEAST_READABLE
