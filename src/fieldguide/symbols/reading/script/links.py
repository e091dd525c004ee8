"""Names in the comments of a script: `{@link Name.member}`."""

from fieldguide import linear_regex as re
from fieldguide.symbols.facts import READ
from fieldguide.symbols.reading.script.reader import Reader

LINK = re.compile(r"\{@link(?:code|plain)?\s+([A-Za-z_$][\w$]*)((?:[.#][A-Za-z_$][\w$]*)*)")


def read_links(reader: Reader) -> None:
    """Every link in a comment, to what has the name in the file."""
    text = reader.tree.text
    if "{@link" not in text:
        return
    for end, start in reader.tree.comments.items():
        comment = text[start:end]
        for match in LINK.finditer(comment) if comment.startswith("/**") else ():
            name, place = match.group(1), start + match.start(1)
            reader.refer_to(name, place, -1, READ)
            for part in match.group(2).replace("#", ".").split(".")[1:]:
                place += len(name.rpartition(".")[2]) + 1
                reader.refer_to(part, place, -1, READ, f"(:{name})")
                name = f"{name}.{part}"
