"""What a project says it is: in its manifests, and in the first paragraph of its README."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide import linear_regex as re
from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal
from fieldguide.formats import Malformed
from fieldguide.formats.json_text import read_json
from fieldguide.formats.toml_text import read_toml
from fieldguide.spine.foreign_text.hidden_text import HIDDEN

LARGEST_BYTES = 1 << 18
MOST_CHARACTERS = 500
LEAST_CHARACTERS = 20
README = re.compile(r"(?i)^readme(?:\.(?:md|markdown|mdx|rst|adoc|asciidoc|txt))?$")
NO_PROSE = ("#", "=", "-", "* ", "|", ">", "<", "!", "[!", "..", ":", "```", "+", "~", "^", "@", "{", "image:", "//")
COMMENT = re.compile(r"(?s)<!--.*?-->")
LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|`([^`<]*?)\s*<[^>]*>`_{1,2}|https?://\S+\[([^\]]*)\]")
BADGE = re.compile(r"\.svg\b|badge|shields\.io")
MARKS = re.compile(r"[*_`]{1,3}|<[^>]{1,80}>")


class About(NamedTuple):
    """A project's name, what it is, and the manifests that lie at its top."""

    name: str
    description: str
    manifests: Mapping[str, Mapping[str, Any]]


def about(project: ConfinedFolder, paths: Sequence[str]) -> About:
    """What a project says of itself at its top."""
    top = [path for path in paths if "/" not in path]
    manifests = {name: found for name in top if (found := _manifest(project, name))}
    told = [_told(manifest) for manifest in manifests.values()]
    name = next(filter(None, (each[0] for each in told)), "")
    described = next(filter(None, (each[1] for each in told)), "")
    first = _opening_of_readme(project, top)
    return About(name, first if len(first) > len(described) else described, manifests)


def _opening_of_readme(project: ConfinedFolder, top: Sequence[str]) -> str:
    readme = next((path for path in sorted(top) if README.match(path)), None)
    return first_paragraph(text_of(project, readme)) if readme else ""


def text_of(project: ConfinedFolder, path: str) -> str:
    """The text of a file; empty where it can't be read."""
    try:
        return project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8", errors="replace")
    except Refusal:
        return ""


def first_paragraph(text: str) -> str:
    """The first lines of a text that are prose, as one line without marks."""
    found: list[str] = []
    for line in COMMENT.sub("", text).splitlines()[:200]:
        stripped = line.strip()
        if _is_prose(line, stripped):
            found.append(stripped)
        elif found and len(" ".join(found)) >= LEAST_CHARACTERS and not stripped:
            break
        elif not stripped or stripped[:3] in ("===", "---", "~~~"):
            found = []  # a title, or too little
    return shortened(plain(" ".join(found)), MOST_CHARACTERS)


def _is_prose(line: str, stripped: str) -> bool:
    if not stripped or stripped.startswith(NO_PROSE) or line.startswith(("    ", "\t")):
        return False
    return not BADGE.search(stripped)


def plain(text: str) -> str:
    """A text without the marks of Markdown and its like, and without what nobody would see."""
    linked = LINK.sub(lambda match: next((each for each in match.groups() if each), ""), text)
    return " ".join(HIDDEN.sub("", MARKS.sub("", linked)).split())


def shortened(text: str, most: int) -> str:
    """A text cut between words."""
    return text if len(text) <= most else f"{text[:most].rsplit(' ', 1)[0]} …"


def table(value: Any, *keys: str) -> Mapping[str, Any]:
    """The table at a path of keys; an empty one where there is none."""
    for key in keys:
        value = cast("Mapping[str, Any]", value).get(key) if isinstance(value, dict) else None
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _manifest(project: ConfinedFolder, name: str) -> Mapping[str, Any]:
    try:
        if name in ("pyproject.toml", "Cargo.toml"):
            return read_toml(project.read(name, limit_bytes=LARGEST_BYTES))
        if name in ("package.json", "composer.json", "deno.json"):
            return table(read_json(project.read(name, limit_bytes=LARGEST_BYTES)))
    except (Refusal, Malformed):
        return {}
    return {}


def _told(manifest: Mapping[str, Any]) -> tuple[str, str]:
    tables = (manifest, table(manifest, "project"), table(manifest, "package"), table(manifest, "tool", "poetry"))
    found = [[each.get(key) for each in tables if isinstance(each.get(key), str)] for key in ("name", "description")]
    name, description = (str(each[0]) if each else "" for each in found)
    return shortened(plain(name), 80), shortened(plain(description), MOST_CHARACTERS)
