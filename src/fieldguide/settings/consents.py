"""Records which powers a project asks for and which of them the person has allowed.

A repository may describe itself. A database to send notes to, a user to be, a folder outside or an address to read are
powers: each is an `Ask`, which counts for nothing until the person allows it. The consent holds for the very text that
was shown; another text is another ask.
"""

import json
import os
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, cast

from fieldguide.settings.folders import PRIVATE_FILE, PRIVATE_FOLDER, find_config_folder
from fieldguide.text.errors import Misconfiguration

FILE_NAME = "consents.json"
MOST_BYTES = 4 << 20
LONGEST_SHOWN = 200
TRUST = "`fieldguide trust` shows what it asks for, and allows it."


class Ask(NamedTuple):
    """One power that a project asks for: which, its whole value, how that may be shown, and the file that asks."""

    what: str
    value: str
    shown: str
    where: str

    @property
    def digest(self) -> str:
        """What a consent is bound to."""
        import hashlib  # only where a project asks for something

        return hashlib.sha256(f"{self.what}\0{self.value}".encode(errors="surrogatepass")).hexdigest()

    def sentence(self) -> str:
        """The ask for people."""
        value = self.shown if len(self.shown) <= LONGEST_SHOWN else f"{self.shown[:LONGEST_SHOWN]}…"
        return f"{self.where} asks for {self.what} = {value}"


class Consents:
    """What the person has allowed to one project folder."""

    def __init__(self, project: str, environment: Mapping[str, str] = os.environ) -> None:
        self._project = os.path.realpath(project)
        self._path = os.path.join(find_config_folder(environment), FILE_NAME)

    @property
    def path(self) -> str:
        """The file that keeps the consents to all projects."""
        return self._path

    def allowed(self, asks: Iterable[Ask]) -> set[Ask]:
        """Those of these asks that the person has allowed."""
        wanted = tuple(asks)
        if not wanted:
            return set()
        given = self._digests()
        return {ask for ask in wanted if ask.digest in given}

    def allow(self, asks: Iterable[Ask]) -> None:
        """Remember that the person allows these asks, from now on."""
        from datetime import UTC, datetime

        now = datetime.now(UTC).isoformat(timespec="seconds")
        new = {ask.digest: {"what": ask.what, "shown": ask.shown, "where": ask.where, "at": now} for ask in asks}
        self._write({**self._entries(), **new})

    def revoke(self, asks: Iterable[Ask] | None = None) -> int:
        """Take consent back: for these asks, or for all that was ever allowed to this folder; how many there were."""
        before = self._entries()
        gone = set(before) if asks is None else {ask.digest for ask in asks} & set(before)
        if gone:
            self._write({digest: entry for digest, entry in before.items() if digest not in gone})
        return len(gone)

    def _digests(self) -> set[str]:
        return set(self._entries())

    def _entries(self) -> dict[str, Any]:
        entries = self._read().get(self._project, {})
        return cast("dict[str, Any]", entries) if isinstance(entries, dict) else {}

    def _read(self) -> dict[str, Any]:
        try:
            with open(self._path, "rb") as file:
                value = json.loads(file.read(MOST_BYTES))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise Misconfiguration(
                f"Your consents in {self._path} can't be read ({type(error).__name__}): mend or remove that file."
            ) from error
        return cast("dict[str, Any]", value) if isinstance(value, dict) else {}

    def _write(self, entries: Mapping[str, Any]) -> None:
        folder = os.path.dirname(self._path)
        os.makedirs(folder, mode=PRIVATE_FOLDER, exist_ok=True)
        others = {project: kept for project, kept in self._read().items() if project != self._project}
        content = {**others, self._project: dict(entries)} if entries else others
        draft = f"{self._path}.{os.getpid()}-{threading.get_ident()}.new"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with open(os.open(draft, flags, PRIVATE_FILE), "w", encoding="utf-8") as file:
                json.dump(content, file, indent=2)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self._path)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(draft)
            raise
