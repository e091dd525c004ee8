"""The index brought up to date before a search from a terminal, for as long as a person likes to wait."""

import threading
from collections.abc import Sequence

from fieldguide.app import App
from fieldguide.cli.indexing import refresh
from fieldguide.errors import FieldguideError, Misconfiguration

PATIENCE_SECONDS = 5.0


class Refreshing:
    """A refresh in the background: what could not be indexed, and whether everything has been looked at."""

    def __init__(self, app: App, toolsets: Sequence[str]) -> None:
        self.wrong: list[str] = []
        self._misconfigured: Misconfiguration | None = None
        self._app = app
        self._toolsets = toolsets
        self._thread = threading.Thread(target=self._refresh, name="refresh", daemon=True)

    def wait(self, seconds: float | None = PATIENCE_SECONDS) -> bool:
        """Refresh, and wait for it no longer than this; whether it is done. Settings that are wrong are an error.

        Who asks again waits on for the same refresh.
        """
        if not self._thread.ident:
            self._thread.start()
        self._thread.join(seconds)
        if self._misconfigured is not None:
            raise self._misconfigured
        return not self._thread.is_alive()

    def _refresh(self) -> None:
        for name in self._toolsets:
            try:
                done = refresh(self._app, name)
            except Misconfiguration as error:
                self._misconfigured = error
            except FieldguideError as error:
                self.wrong.append(f"{name}: {error.message}")
            except Exception as error:  # noqa: BLE001  the border of a thread: whoever waits searches what is there
                self.wrong.append(f"{name}: {error}")
            else:
                self.wrong += [f"{part}: {said['error']}" for part, said in done.items() if "error" in said]
