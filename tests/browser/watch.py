"""What a page did that no page of ours may do."""

from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Page, Request, WebError

NO_NETWORK = ("data", "blob", "about")
WORTH_A_FAULT = ("error", "warning")  # violations of the content security policy are told as errors


class Watch:
    """The faults of every page in a context: errors, breaches of the policy, dialogs, strange windows and requests."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self.faults: list[str] = []
        self._host = urlsplit(origin).netloc
        self._pages = 0
        context.on("console", self._console)
        context.on("weberror", self._error)
        context.on("dialog", self._dialog)
        context.on("request", self._request)
        context.on("page", self._page)

    def forgive(self, words: str) -> None:
        """Take away the faults that a test meant to see."""
        self.faults = [fault for fault in self.faults if words not in fault]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in WORTH_A_FAULT:
            self.faults.append(f"console {message.type}: {message.text}")

    def _error(self, error: WebError) -> None:
        self.faults.append(f"page error: {error.error}")

    def _dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.type} {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        at = urlsplit(request.url)
        if at.scheme not in NO_NETWORK and at.netloc != self._host:
            self.faults.append(f"request: {request.url}")

    def _page(self, page: Page) -> None:
        self._pages += 1
        if self._pages > 1:
            self.faults.append(f"window: {page.url}")
