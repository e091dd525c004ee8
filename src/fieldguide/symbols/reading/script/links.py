"""Names in the comments of a script: links, and in JavaScript the types that comments declare."""

from fieldguide import linear_regex as re
from fieldguide.symbols.facts import CALLABLE, PARAMETER, READ, TYPE
from fieldguide.symbols.reading.script.expressions import BLANKS, LONGEST_TYPE
from fieldguide.symbols.reading.script.reader import Draft, Reader

LINK = re.compile(r"\{@link(?:code|plain)?\s+([A-Za-z_$][\w$]*)((?:[.#][A-Za-z_$][\w$]*)*)")
THROWN = re.compile(r"@(?:throws|exception|see)\s+\{([A-Za-z_$][\w$]*)\}")
TAG = re.compile(r"@(type|param|arg|returns?|typedef|property|prop|satisfies)\s+\{")
WORD = re.compile(r"""import\(\s*["']([^"']+)["']\s*\)|([A-Za-z_$][\w$]*)""")
RETURNED = ("return", "returns")
NAME = re.compile(r"^\s*\[?([A-Za-z_$][\w$]*)")


def read_links(reader: Reader) -> None:
    """Every link in a comment, to what has the name in the file; of JavaScript the declared types too."""
    text = reader.tree.text
    if "{@link" in text or "@throws" in text or "@see" in text:
        for end, start in reader.tree.comments.items():
            if text.startswith("/**", start):
                _read_links(reader, start, text[start:end])
    if not reader.is_typed and "/**" in text:
        _read_types(reader)


def _read_links(reader: Reader, start: int, comment: str) -> None:
    for match in THROWN.finditer(comment):
        reader.refer_to(match.group(1), start + match.start(1), -1, TYPE)
    for match in LINK.finditer(comment):
        name, place = match.group(1), start + match.start(1)
        reader.refer_to(name, place, -1, READ)
        for part in match.group(2).replace("#", ".").split(".")[1:]:
            place += len(name.rpartition(".")[2]) + 1
            reader.refer_to(part, place, -1, READ, f"(:{name})")
            name = f"{name}.{part}"


def _read_types(reader: Reader) -> None:
    declared: dict[int, list[tuple[str, str, str]]] = {}
    for end, start in reader.tree.comments.items():
        comment = reader.tree.text[start:end]
        for match in TAG.finditer(comment) if comment.startswith("/**") else ():
            close = _closed(comment, match.end())
            told = _type(reader, start + match.end(), comment[match.end() : close])
            named = NAME.match(comment[close + 1 : close + 100])
            declared.setdefault(end, []).append((match.group(1), told, named.group(1) if named else ""))
    for place, draft in enumerate(reader.drafts):
        end = reader.comment_before(draft) if declared else -1
        if end in declared:
            _declare(reader, place, draft, declared[end])


def _closed(text: str, start: int) -> int:
    """Where the brace is closed that was opened right before a place."""
    depth = 1
    for position in range(start, min(len(text), start + LONGEST_TYPE)):
        depth += (text[position] == "{") - (text[position] == "}")
        if not depth:
            return position
    return start


def _type(reader: Reader, start: int, written: str) -> str:
    """A type of a comment as facts have it; its names are uses."""
    told, last = "", 0
    for match in WORD.finditer(written):
        module, name = match.group(1), match.group(2)
        told += written[last : match.start()]
        last = match.end()
        if module:
            told += reader.imported(module, start, "*")
            continue
        before = told.rpartition("|")[2].strip() if told.endswith(".") else ""
        reader.refer_to(name, start + match.start(2), -1, TYPE, f"{before[:-1]}" if before else "")
        told += name
    return BLANKS.sub(" ", told + written[last:]).strip("= ")


def _declare(reader: Reader, place: int, draft: Draft, tags: list[tuple[str, str, str]]) -> None:
    is_callable = draft.kind in CALLABLE
    for tag, told, _ in tags:
        if tag in (RETURNED if is_callable else ("type",)):
            _retype(draft, told)
    types = {name: told for tag, told, name in tags if tag in ("param", "arg")}
    if types and is_callable:
        _declare_parameters(reader, place, types)


def _declare_parameters(reader: Reader, place: int, types: dict[str, str]) -> None:
    for number in range(place + 1, len(reader.drafts)):
        each = reader.drafts[number]
        if each.parent < place:
            break
        if each.parent == place and each.kind == PARAMETER and each.name in types:
            _retype(each, types[each.name])


def _retype(draft: Draft, told: str) -> None:
    """What a comment says of a type holds where the code declares none."""
    if not draft.type.startswith(":"):
        draft.type = f":{told}"
