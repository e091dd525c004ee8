"""The project as a check reads it: the words of its code and the mentions of its documents, each file once."""

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping

from fieldguide.confinement import ConfinedFolder
from fieldguide.document_formats.kinds import is_extracted
from fieldguide.document_formats.lines import readable_text
from fieldguide.drift.kept import MENTIONS, WORDS, Kept, KeptPart
from fieldguide.drift.named.mentions import Mention, mentions_in
from fieldguide.drift.sources import is_source
from fieldguide.drift.words import hashes_of, words_in
from fieldguide.errors import Refusal
from fieldguide.project_text.finding import FoundText
from fieldguide.search.syncing import stamp_of

VERSION = "4"  # of how words and mentions are read: what was made by another is made again
LARGEST_BYTES = 1 << 20
LOOKED_AT = 8_000
BATCH = 500


def read_words(project: ConfinedFolder, paths: Iterable[str], text: FoundText, kept: Kept) -> Mapping[str, bytes]:
    """The words of every file that is no document and lies in no folder of documentation."""
    documents = {each.path for each in text.documents}
    inside = tuple(f"{folder}/" for folder in text.roots if folder)
    wanted = [
        path for path in paths if is_source(path) and path not in documents and not (inside and path.startswith(inside))
    ]
    return _brought_up(project, WORDS, wanted, kept, _words)


def read_mentions(project: ConfinedFolder, text: FoundText, kept: Kept) -> dict[str, list[Mention]]:
    """What every document names."""
    wanted = [each.path for each in text.documents if not is_extracted(each.path)]
    rows = _brought_up(project, MENTIONS, wanted, kept, _mentions)
    return {path: _read(content) for path, content in rows.items()}


def _brought_up(
    project: ConfinedFolder, part: str, paths: Iterable[str], kept: Kept, make: Callable[[str, bytes], bytes]
) -> dict[str, bytes]:
    """What is made of each file: kept where its stamp is the same, made again where it is not."""
    known, now = kept.read(part), time.time()
    found: dict[str, bytes] = {}
    new: dict[str, KeptPart] = {}
    for path in paths:
        stamp = f"{VERSION} {_stamp(project, path, now)}"
        before = known.get(path)
        if before is not None and before.stamp == stamp != f"{VERSION} ":
            found[path] = before.content
            continue
        try:
            content = project.read(path, limit_bytes=LARGEST_BYTES)
        except Refusal:
            continue
        found[path] = make(path, content)
        new[path] = KeptPart(stamp, found[path])
        if len(new) >= BATCH:
            kept.put(part, new)
            new = {}
    kept.put(part, new)
    kept.forget(part, [path for path in known if path not in found])
    return found


def _stamp(project: ConfinedFolder, path: str, now: float) -> str:
    try:
        return stamp_of(os.stat(os.path.join(project.root, path)), now)
    except OSError:
        return ""


def _words(path: str, content: bytes) -> bytes:
    return b"" if b"\0" in content[:LOOKED_AT] else hashes_of(words_in(content))


def _mentions(path: str, content: bytes) -> bytes:
    return json.dumps(mentions_in(path, readable_text(content)), ensure_ascii=False).encode()


def _read(content: bytes) -> list[Mention]:
    return [Mention(*row) for row in json.loads(content)]
