"""Reads the head of a commit message: what kind of change it is, of which part, and what it reverts."""

from typing import NamedTuple

from fieldguide.text import regex as re

CONVENTIONAL = re.compile(r"(?P<kind>[A-Za-z]+)(?:\((?P<scope>[^()]{1,60})\))?(?P<breaking>!)?:\s+")
KINDS = frozenset(
    {"bugfix", "build", "chore", "ci", "deps", "docs", "feat", "feature", "fix", "hotfix", "perf", "refactor"}
    | {"release", "revert", "security", "style", "test", "tests", "wip"}
)
DECORATION = re.compile(r"(?::[a-z0-9_+-]+:|\[[^\]]{1,40}\]:?|[A-Z][A-Z0-9]+-\d+:?|[^\w\s\"'`(<#$@&*/.~\[-]+)\s*")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)  # templates of pull requests are full of them
PEOPLE = re.compile(r"^\s*[A-Za-z][\w -]{0,30}-(?:by|on):", re.IGNORECASE)
MOST_SUBJECT_CHARACTERS = 300
MACHINE = re.compile(
    r"^\s*(?:cc|change-id|link|url|git-svn-id|differential revision|pr-url|part-of|upstream-commit-id|upstream-id"
    r"|origin|message-id|relnote|test plan|tested|v\d+|\[\s*\d+\.\d+\]|diff --git|index [0-9a-f]{7}|@@ |\+\+\+ |--- )"
    r"\s*[:#\[]?|^\s*\(cherry[ -]picked from|^\s*this reverts commit|^\s*\[\d+\]:?\s|^\s*https?://\S+\s*$",
    re.IGNORECASE,
)
TICKET = re.compile(
    r"^\s*(?:bug(?:zilla)?|issue|ticket|refs?|references|see(?: also)?|closes?|closed|fix(?:es|ed)?|resolves?|related)"
    r"\b(?:[ -]?(?:to|bug|issue))?\s*:?\s*(?:[#!]?\d+|[A-Z]+-\d+|https?://|[\w.-]+/[\w.-]+#\d+|[0-9a-f]{7,40}\b)",
    re.IGNORECASE,
)
REVERTED = re.compile(r"^\s*this reverts commit ([0-9a-f]{7,64})", re.IGNORECASE | re.MULTILINE)


class CommitMessage(NamedTuple):
    """The kind and the scope of a conventional commit, and the commits that it reverts."""

    kind: str = ""
    scope: str = ""
    reverts: tuple[str, ...] = ()


def parse_message(text: str) -> CommitMessage:
    """Take the head of a commit message apart."""
    first, _, body = COMMENT.sub("", text).strip().partition("\n")
    found = CONVENTIONAL.match(_undecorated(first))
    named = found if found is not None and found["kind"].lower() in KINDS else None
    return CommitMessage(
        kind=named["kind"].lower() if named else "",
        scope=(named["scope"] or "").strip() if named else "",
        reverts=tuple(REVERTED.findall(body)),
    )


def _undecorated(line: str) -> str:
    """A subject without tickets and emoji."""
    rest = " ".join(line[:MOST_SUBJECT_CHARACTERS].split())
    while (found := DECORATION.match(rest)) and found.end() < len(rest):
        rest = rest[found.end() :]
    return rest
