"""Links out of `docs/`: pages elsewhere in the repository become pages of the site, other files plain words."""

import posixpath
import re

OUTSIDE = "project"
PAGES = (
    "README.md",
    "SECURITY.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "benchmarks/README.md",
    "benchmarks/adr_proposals/README.md",
    "training/README.md",
    "examples/agent_with_tasks/README.md",
)
ELSEWHERE = ("http://", "https://", "mailto:", "#")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
ATTRIBUTE = re.compile(r"\b(src|srcset)=\"([^\"]+)\"")
BLOCK = re.compile(r"(^[ ]*(?P<fence>`{3,}|~{3,})[^\n]*\n(?:[^\n]*\n)*?[ ]*(?P=fence)[ ]*$)", re.MULTILINE)


def for_the_site(text: str, path: str) -> str:
    """A page's Markdown with links that lead to pages of the site; `path` is the page's own, from the root."""
    done, end = "", 0
    for block in BLOCK.finditer(text):
        done += _linked(text[end : block.start()], path) + block[0]
        end = block.end()
    return done + _linked(text[end:], path)


def site_path(path: str) -> str | None:
    """Where a file of the repository stands on the site, or nothing if it does not."""
    if path.startswith("docs/") and not path.endswith(".py"):
        return path.removeprefix("docs/")
    return f"{OUTSIDE}/{path}" if path in PAGES else None


def _linked(text: str, path: str) -> str:
    text = LINK.sub(lambda found: _link(found, path), text)
    return ATTRIBUTE.sub(lambda found: f'{found[1]}="{_target(found[2], path) or found[2]}"', text)


def _link(found: re.Match[str], path: str) -> str:
    target = _target(found[3], path)
    words = LINK.sub(lambda inner: _link(inner, path), found[2])
    return words if target is None else f"{found[1]}[{words}]({target})"


def _target(link: str, path: str) -> str | None:
    if link.startswith(ELSEWHERE):
        return link
    name, mark, anchor = link.partition("#")
    there = site_path(posixpath.normpath(posixpath.join(posixpath.dirname(path), name)))
    here = site_path(path) or path
    return there and posixpath.relpath(there, posixpath.dirname(here) or ".") + mark + anchor
