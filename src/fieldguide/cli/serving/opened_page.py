"""The page of a project in a browser: that of the server that runs, or of one that is started for it."""

import os
import threading
import webbrowser
from dataclasses import replace

from fieldguide.cli.serving.running_page import link_of, running_page
from fieldguide.cli.terminal import remark, say
from fieldguide.config import Settings
from fieldguide.places import login_name
from fieldguide.server.web.token import read_token

LOOPBACK = "127.0.0.1"
RUNNING = "A server of this project runs already; here is its page."
STARTED = "The page of {project} is served as long as this runs. Ctrl-C ends it."
NO_BROWSER = "No browser could be started here. Open this link; it works once:"


def open_page(settings: Settings, *, is_shown: bool) -> int:
    """Open the page by a link that works once; without a browser, print it."""
    settings = settings if settings.user is not None else replace(settings, user=login_name())
    token = read_token(os.environ)
    running = running_page(settings)
    link = None if running is None else link_of(running, token)
    if link is not None:
        remark(RUNNING)
        _show(link, is_shown=is_shown)
        return 0
    return _serve(settings, token, is_shown=is_shown)


def _serve(settings: Settings, token: str, *, is_shown: bool) -> int:
    """Start a server of our own, on whichever port is free, and show its page."""
    from fieldguide.app import build_app
    from fieldguide.cli.serving.over_http import serve_at  # with the SDK: a second that a running server saves
    from fieldguide.hosting.overseeing import oversee
    from fieldguide.server.web.endpoint import listen_on_port

    overseen = oversee(settings, lambda sentence: None)
    oversight = overseen.of(os.path.basename(settings.project))
    app = build_app(replace(settings, metrics=None), write_journal=lambda lines: None, oversight=oversight)

    def greet(link: str | None) -> None:
        remark(STARTED.format(project=os.path.basename(settings.project)))
        threading.Thread(target=_show, args=(link or "",), kwargs={"is_shown": is_shown}, daemon=True).start()

    try:
        with app.upkeep():
            return serve_at(app, listen_on_port(LOOPBACK, 0), overseen, token=token, greet=greet)
    finally:
        overseen.close()


def _show(link: str, *, is_shown: bool) -> None:
    """Start the browser; where there is none, or none is wanted, print the link."""
    if is_shown and webbrowser.open(link):
        return
    if is_shown:
        remark(NO_BROWSER)
    say(link)
