"""Keeps what a person has allowed a project to do.

A database to send notes to, a user to act as, a folder outside or an address to read are powers: each is an `Ask` with
no effect until the person allows it. A consent holds for exactly the text that was shown.
"""

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

from fieldguide.files.file_system import PRIVATE_FILE, PRIVATE_FOLDER, find_config_folder, replace_file
from fieldguide.text.errors import Misconfiguration

CONSENTS_FILE = "consents.json"
LARGEST_CONSENTS_BYTES = 4 << 20
LONGEST_SHOWN = 200
TRUST = "`fieldguide doctor trust` shows what it asks for, and allows it."


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
        self._path = os.path.join(find_config_folder(environment), CONSENTS_FILE)

    @property
    def path(self) -> str:
        """The file that keeps the consents to all projects."""
        return self._path

    def allowed(self, asks: Iterable[Ask]) -> set[Ask]:
        """Those of these asks that the person has allowed."""
        asks = tuple(asks)
        if not asks:
            return set()
        consents = self._entries()
        return {ask for ask in asks if ask.digest in consents}

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

    def _entries(self) -> dict[str, Any]:
        entries = self._read().get(self._project, {})
        return cast("dict[str, Any]", entries) if isinstance(entries, dict) else {}

    def _read(self) -> dict[str, Any]:
        try:
            with open(self._path, "rb") as file:
                value = json.loads(file.read(LARGEST_CONSENTS_BYTES))
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
        with replace_file(self._path, PRIVATE_FILE) as file:
            file.write(json.dumps(content, indent=2).encode())
            file.flush()
            os.fsync(file.fileno())
