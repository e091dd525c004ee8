"""The blocks of reStructuredText that are no paragraphs: code, admonitions, and what only a builder understands."""

from textwrap import dedent

from fieldguide import linear_regex as re

DIRECTIVE = re.compile(r"\.\.[ \t]+([a-zA-Z][\w:+-]{0,60})::[ \t]*([^\n]*)")
OPTION = re.compile(r"[ \t]+:[\w-]{1,40}:[^\n]*")
CODE = frozenset({"code-block", "code", "sourcecode", "parsed-literal", "highlight"})
ADMONITIONS = frozenset(
    (
        *("note", "warning", "tip", "important", "hint", "caution", "danger", "error", "attention", "seealso"),
        *("admonition", "versionadded", "versionchanged", "deprecated", "versionremoved"),
    )
)
NAMES = {
    "seealso": "See also",
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since",
    "versionremoved": "Removed in version",
}


class Directive:
    """A directive: what it is called, what stands behind its name, and what it holds."""

    def __init__(self, name: str, argument: str, body: str) -> None:
        self.name = name
        self.argument = argument
        self.body = body

    @property
    def is_code(self) -> bool:
        """Whether it shows code."""
        return self.name in CODE

    @property
    def is_admonition(self) -> bool:
        """Whether it says something to the reader."""
        return self.name in ADMONITIONS

    @property
    def title(self) -> str:
        """What an admonition is headed with."""
        if self.name == "admonition":
            return self.argument
        said = NAMES.get(self.name, self.name.capitalize())
        return f"{said} {self.argument}" if self.name.startswith(("version", "deprecated")) else said


def read_directive(text: str) -> Directive | None:
    """The directive that a block is; one without a name where it is a comment or a target; None for a paragraph."""
    if not text.startswith(".. ") and text.strip() != "..":
        return None
    first, _, rest = text.partition("\n")
    found = DIRECTIVE.match(first)
    lines = [line for line in rest.split("\n") if not OPTION.fullmatch(line)]
    body = dedent("\n".join(lines)).strip("\n")
    if found is None:
        return Directive("", "", body)
    name, argument = found.group(1).lower(), found.group(2).strip()
    if name in ADMONITIONS and name not in NAMES and name != "admonition":
        return Directive(name, "", f"{argument}\n{body}".strip())
    return Directive(name, argument, body)
