"""What raw HTML in a document says, without its tags: they are not for us to obey."""

from fieldguide import linear_regex as re

SILENT = ("script", "style", "template", "noscript", "iframe", "svg", "math", "object", "head", "title", "textarea")
COMMENT = re.compile(r"(?s)<!--.*?(?:-->|$)")
NAME = re.compile(r"\s*(/?)\s*([a-zA-Z][a-zA-Z0-9-]{0,30})")
ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&nbsp;": " ", "&amp;": "&"}


def said_by(raw: str) -> str:
    """The text between the tags, a line for each of its lines that says something; none of scripts and styles."""
    spoken: list[str] = []
    silenced = ""
    pieces = COMMENT.sub("", raw).split("<")
    spoken.append(pieces[0])
    for piece in pieces[1:]:
        tag, closed, rest = piece.partition(">")
        named = NAME.match(tag)
        if named is None or not closed:
            spoken.append("" if silenced else f"<{piece}")
            continue
        silenced = _silenced_by(silenced, named.group(2).lower(), is_end=bool(named.group(1)))
        spoken.append("" if silenced else rest)
    lines = (line.strip() for line in _plain("".join(spoken)).split("\n"))
    return "\n".join(line for line in lines if line)


def is_break(tag: str) -> bool:
    """Whether a tag is `<br>`."""
    return tag.strip("</> \t").lower() == "br"


def _silenced_by(silenced: str, name: str, *, is_end: bool) -> str:
    if silenced:
        return "" if is_end and name == silenced else silenced
    return name if name in SILENT and not is_end else ""


def _plain(text: str) -> str:
    for entity, character in ENTITIES.items():
        text = text.replace(entity, character)
    return text
