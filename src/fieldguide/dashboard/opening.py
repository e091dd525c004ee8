"""What a citation or a path names, read as a call would read it: what a call refuses is refused here."""

from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from fieldguide.confinement import ConfinedFolder
from fieldguide.dashboard.site import Site
from fieldguide.document_formats.encoding import decoded
from fieldguide.document_formats.kinds import is_extracted
from fieldguide.document_formats.lines import readable_text
from fieldguide.errors import NotFound
from fieldguide.project_text.extraction import cited_text
from fieldguide.secret_values import without_secret_values
from fieldguide.spine.answers.citations import read_citation
from fieldguide.spine.answers.cited_files import LARGEST_BYTES

TOOL = "guide_open"
FIRST_LOOK_TOKENS, MOST_TOKENS = 2_000, 50_000
WIDE = (b"\xff\xfe", b"\xfe\xff")


class OpenedText(NamedTuple):
    """A text that may be shown: its path, what it is, all of it, and the lines that were asked for.

    `said` is what became of lines that were cited, `warnings` what a reader should know of the text.
    """

    path: str
    kind: str
    text: str
    is_file: bool
    cited: tuple[int, int] | None = None
    said: str = ""
    warnings: tuple[str, ...] = ()
    citation: str = ""


async def open_text(site: Site, request: Request, given: str) -> OpenedText:
    """What a path or a citation names; the refusals of `guide_open` where it may not be read."""
    answer = await site.call(request, TOOL, {"citation": given, "budget": FIRST_LOOK_TOKENS})
    items: list[dict[str, Any]] = answer.value["items"]
    if not items:
        raise NotFound("Not here any more", details=" ".join(each["said"] for each in answer.value.get("gone", ())))
    item = items[0]
    path = str(item["path"])
    is_file = "://" not in path and await run_in_threadpool(site.served.folder.status, path) is not None
    if is_file:
        text = await run_in_threadpool(_file_text, site.served.folder, path)
    else:
        whole = await site.call(request, TOOL, {"citation": path, "budget": MOST_TOKENS})
        text = str(whole.value["items"][0]["text"])
    return OpenedText(
        path=path,
        kind=str(item["kind"]),
        text=without_secret_values(text),
        is_file=is_file,
        cited=_cited(given, path, item),
        said=str(item["why"]) if "status" in item else "",
        warnings=tuple(answer.value.get("warnings", ())),
        citation=str(item["citation"]),
    )


def _cited(given: str, path: str, item: dict[str, Any]) -> tuple[int, int] | None:
    """The lines that were asked for, where they stand now."""
    named = read_citation(given)
    if named is None or given == path:
        return None
    start = int(item["start"])
    return start, start + named.end_line - named.start_line


def _file_text(folder: ConfinedFolder, path: str) -> str:
    """The text of a file, with the lines that citations of it count."""
    content = folder.read(path, limit_bytes=LARGEST_BYTES)
    if is_extracted(path):
        return cited_text(path, content)
    return readable_text(content) if content.startswith(WIDE) else decoded(content)
