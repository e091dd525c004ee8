"""`fieldguide open`: opens the page of a project in a browser, or prints what a citation names."""

import argparse
import os
import threading
import webbrowser

from fieldguide.app import build_app
from fieldguide.cli.console.options import add_identity_options, add_project_options, find_settings
from fieldguide.cli.console.terminal import complain, remark, say
from fieldguide.cli.index import execute_once, print_answer
from fieldguide.cli.service.serve_http import find_running_page, request_link
from fieldguide.files.project_files import resolve_place
from fieldguide.settings.config import Settings
from fieldguide.settings.folders import find_login_name
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Misconfiguration, NotFound
from fieldguide.text.near_names import format_suggestion
from fieldguide.wire.page_door import read_local_token

LOOPBACK = "127.0.0.1"
RUNNING = "A server of this project runs already; here is its page."
STARTED = "The page of {project} is served as long as this runs. Ctrl-C ends it."
NO_BROWSER = "No browser could be started here. Open this link; it works once:"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The citations, how much may be shown of them, and how to print; or the page, and how it is opened."""
    parser.add_argument(
        "citation",
        nargs="*",
        metavar="CITATION",
        help="such as docs/guide.md#L3-L9, or only a path; without any, the project's page is opened in a browser",
    )
    parser.add_argument("--around", choices=("section", "symbol"), help="show the whole section or symbol it is in")
    parser.add_argument(
        "--form",
        choices=("outline", "compact"),
        help="only what a file declares, or its lines without docstrings and logging",
    )
    parser.add_argument(
        "--budget", type=int, metavar="N", help="at most so many tokens, 200 to 50,000 (default: 4,000)"
    )
    add_project_options(parser)
    add_identity_options(parser)
    parser.add_argument("--no-browser", action="store_true", help="print the link of the page, and start no browser")
    parser.add_argument("--json", action="store_true", help="print the whole result of tools/call, not just its text")


def run(arguments: argparse.Namespace) -> int:
    """Open the page; with citations, ask the guide, and print what it answers."""
    if not arguments.citation:
        return _open_page(arguments)
    settings = find_settings(arguments)
    root = os.path.realpath(settings.project)
    citations = [resolve_place(root, each) for each in arguments.citation]
    options = {name: getattr(arguments, name) for name in ("around", "form", "budget")}
    given = {"citation": "\n".join(citations), **options}
    app = build_app(settings, write_journal=lambda lines: None)
    try:
        answer = execute_once(app, "guide_open", given)
    except NotFound as error:
        near = format_suggestion(error.details.get("didYouMean", ()))
        complain(to_visible_line(f"{error.message}: {error.details.get('citation', '')}. {near}".rstrip()))
        return 1
    print_answer(answer, as_json=arguments.json)
    return 0


def _open_page(arguments: argparse.Namespace) -> int:
    """Open the page by a link that works once; without a browser, print it."""
    if arguments.json or arguments.around or arguments.form or arguments.budget:
        raise Misconfiguration("Name a citation: --json, --around, --form and --budget are about what it shows.")
    is_shown = not arguments.no_browser
    settings = find_settings(arguments)
    if settings.user is None:
        settings = settings._replace(user=find_login_name())
    token = read_local_token(os.environ)
    running = find_running_page(settings)
    link = None if running is None else request_link(running, token)
    if link is not None:
        remark(RUNNING)
        _show(link, is_shown=is_shown)
        return 0
    return _serve(settings, token, is_shown=is_shown)


def _serve(settings: Settings, token: str, *, is_shown: bool) -> int:
    """Start a server on a free port, and show its page."""
    from fieldguide.cli.service.serve_http import serve_at  # with the SDK: a second that a running server saves
    from fieldguide.team.monitoring import open_oversight
    from fieldguide.wire.http_server import listen_on_port

    overseen = open_oversight(settings, lambda sentence: None)
    oversight = overseen.of(os.path.basename(settings.project))
    app = build_app(settings._replace(metrics=None), write_journal=lambda lines: None, oversight=oversight)

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
