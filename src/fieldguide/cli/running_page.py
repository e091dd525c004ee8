"""Records which server shows the page of a project, and finds it again.

The record is a file of the project's state folder, which its server keeps locked. A server that ended, however it did,
holds no lock, so nobody is sent to a port that another program may have by now.
"""

import contextlib
import json
import os
from collections.abc import Generator
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from fieldguide.files.confined_folder import find_open_flag
from fieldguide.settings.config import Settings
from fieldguide.settings.folders import PRIVATE_FILE
from fieldguide.storage.state_folder import find_expected_folder, make_state_folder
from fieldguide.text.errors import Misconfiguration

FILE = "page.json"
LARGEST_RECORD = 10_000
ANSWER_SECONDS = 5.0
OPENED = os.O_RDWR | find_open_flag("O_NOFOLLOW") | find_open_flag("O_CLOEXEC")


@contextlib.contextmanager
def record_page(settings: Settings, url: str) -> Generator[None]:
    """Tell others where the page is as long as the block runs; the first server of a project does, others don't."""
    handle = None if url.startswith("unix:") else _locked(settings)
    if handle is None:
        yield
        return
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(_record(settings, url)).encode(), 0)
        yield
    finally:
        os.ftruncate(handle, 0)
        os.close(handle)


def find_running_page(settings: Settings) -> str | None:
    """The MCP address of the server that serves this project, for the same person, now; None where there is none."""
    import fcntl

    try:
        handle = os.open(os.path.join(find_expected_folder(settings.project), FILE), OPENED)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _told(os.pread(handle, LARGEST_RECORD, 0), settings)
    finally:
        os.close(handle)
    return None


def request_link(url: str, token: str) -> str | None:
    """A link that opens the page of a running server; None where it gives none."""
    at = urlsplit(url)
    connection = HTTPConnection(at.hostname or "", at.port, timeout=ANSWER_SECONDS)
    try:
        connection.request("POST", "/link", headers={"Authorization": f"Bearer {token}", "Content-Length": "0"})
        answer = connection.getresponse()
        text = answer.read(LARGEST_RECORD).decode("latin-1").strip()
        return text if answer.status == 200 and text.startswith(url.removesuffix("mcp")) else None
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()


def _locked(settings: Settings) -> int | None:
    """The record, locked by us; None where another server has it, or it can't be written."""
    import fcntl

    try:
        handle = os.open(os.path.join(make_state_folder(settings.project), FILE), OPENED | os.O_CREAT, PRIVATE_FILE)
    except (OSError, Misconfiguration):
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _record(settings: Settings, url: str) -> dict[str, str | bool | None]:
    return {"url": url, "user": settings.user, "read_only": settings.read_only}


def _told(written: bytes, settings: Settings) -> str | None:
    try:
        url = str(json.loads(written)["url"])
    except (ValueError, KeyError, TypeError):
        return None
    return url if json.loads(written) == _record(settings, url) and url.startswith("http://") else None
