"""A collection's manifest: its name, its version, what it is about, and which files belong to it."""

import json
import posixpath
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from fieldguide.errors import InvalidArguments
from fieldguide.formats import Malformed
from fieldguide.formats.json_text import read_json

FILE_NAME = "manifest.json"
LARGEST_BYTES = 10 << 20


class ListedFile(NamedTuple):
    """A file that a manifest names: by its path beside the manifest or by its address, with its hash where given."""

    path: str | None
    url: str | None
    hash: str | None


class Manifest(NamedTuple):
    """What a manifest says; it has either globs or files."""

    name: str
    version: str
    description: str | None
    base_url: str | None
    globs: tuple[str, ...]
    files: tuple[ListedFile, ...]

    def details(self) -> dict[str, str]:
        """What answers show of it."""
        said = {"name": self.name, "version": self.version, "description": self.description}
        return {key: value for key, value in said.items() if value}


def parse_manifest(content: bytes) -> Manifest:
    """Read a manifest; a sentence says what is wrong with one that is none."""
    try:
        value = read_json(content, most_bytes=LARGEST_BYTES)
    except Malformed as error:
        raise InvalidArguments(f"The manifest is not JSON: {error}.") from error
    if not isinstance(value, dict) or not is_whole(value):
        raise InvalidArguments("The manifest must be a JSON object, without half characters.")
    said = cast("dict[str, Any]", value)
    sources = said.get("sources")
    if not isinstance(sources, dict) or ("glob" in sources) == ("files" in sources):
        raise InvalidArguments('The manifest\'s "sources" must be {"glob": […]} or {"files": […]}.')
    return Manifest(
        name=_text(said, "name"),
        version=_text(said, "version"),
        description=_text(said, "description") if "description" in said else None,
        base_url=_text(said, "baseUrl") if "baseUrl" in said else None,
        globs=_globs(cast("dict[str, Any]", sources)),
        files=_files(cast("dict[str, Any]", sources)),
    )


def is_whole(value: Any) -> bool:
    """Whether a value read from JSON can be stored and sent: an escape may stand for half a character."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def _text(said: Mapping[str, Any], key: str) -> str:
    if not isinstance(said.get(key), str):
        raise InvalidArguments(f'The manifest\'s "{key}" must be a text.')
    return str(said[key])


def _globs(sources: Mapping[str, Any]) -> tuple[str, ...]:
    given = sources.get("glob", [])
    globs: list[Any] = [given] if isinstance(given, str) else given
    if not isinstance(given, list | str) or not all(isinstance(each, str) for each in globs):
        raise InvalidArguments('The manifest\'s "glob" must be a list of patterns.')
    return tuple(globs)


def _files(sources: Mapping[str, Any]) -> tuple[ListedFile, ...]:
    files: list[Any] = sources.get("files", [])
    if not isinstance(files, list):  # pyright: ignore[reportUnnecessaryIsInstance]  # JSON: it may be anything
        raise InvalidArguments('The manifest\'s "files" must be a list.')
    found = (_file(each) for each in files)
    return tuple({(each.path, each.url): each for each in found}.values())  # one that is named twice counts once


def _file(entry: Any) -> ListedFile:
    if isinstance(entry, str):
        return _checked(ListedFile(entry, None, None))
    said = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    path, url, digest = (said.get(key) for key in ("path", "url", "hash"))
    if (path is None) == (url is None) or not all(
        each is None or isinstance(each, str) for each in (path, url, digest)
    ):
        raise InvalidArguments("Each of the manifest's files has exactly one of path and url.")
    return _checked(ListedFile(path, url, digest))


def _checked(file: ListedFile) -> ListedFile:
    """A file that lies below the manifest's folder, or on the web."""
    path, url = file.path, file.url
    if path is not None and not _is_below(path):
        raise InvalidArguments(f"The manifest names {path!r}, which does not lie in its folder.")
    if url is not None and (not url.startswith(("https://", "http://")) or ".." in url.split("/")):
        raise InvalidArguments("The manifest names a url that is no address on the web.")
    return file if path is None or "://" in path else file._replace(path=posixpath.normpath(path))


def _is_below(path: str) -> bool:
    return bool(path) and not path.startswith("/") and ".." not in path.split("/") and "\0" not in path
