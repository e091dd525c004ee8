"""`fieldguide open`: the page of a project in a browser; with citations, what they name, as an agent would get it."""

import argparse

from fieldguide.app import build_app
from fieldguide.cli.options import add_identity, add_project, settings_from
from fieldguide.cli.terminal import complain, say, say_json
from fieldguide.errors import Misconfiguration, NotFound
from fieldguide.in_process.running import BlockingExecutor
from fieldguide.server.encoding import STRUCTURED_SINCE, encoded
from fieldguide.spine.answers.near_names import said
from fieldguide.spine.foreign_text.visible_text import shown

TOOL = "guide_open"


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
        "--budget", type=int, metavar="N", help="at most so many tokens, 200 to 50,000 (default: 4,000)"
    )
    add_project(parser)
    add_identity(parser)
    parser.add_argument("--no-browser", action="store_true", help="print the link of the page, and start no browser")
    parser.add_argument("--json", action="store_true", help="print the whole result of tools/call, not just its text")


def run(arguments: argparse.Namespace) -> int:
    """Open the page; with citations, ask the guide, and print what it answers."""
    if not arguments.citation:
        return _open_page(arguments)
    given = {"citation": "\n".join(arguments.citation), "around": arguments.around, "budget": arguments.budget}
    app = build_app(settings_from(arguments), write_journal=lambda lines: None)
    blocking = BlockingExecutor(app.executor)
    try:
        answer = blocking.execute(TOOL, {name: value for name, value in given.items() if value is not None})
    except NotFound as error:
        near = said(error.details.get("didYouMean", ()))
        complain(shown(f"{error.message}: {error.details.get('citation', '')}. {near}".rstrip()))
        return 1
    finally:
        blocking.close()
    if arguments.json:
        say_json(encoded(answer, version=STRUCTURED_SINCE, is_modern=False))
    else:
        say(answer.text)
    return 0


def _open_page(arguments: argparse.Namespace) -> int:
    if arguments.json or arguments.around or arguments.budget:
        raise Misconfiguration("Name a citation: --json, --around and --budget are about what it shows.")
    from fieldguide.cli.serving.opened_page import open_page  # with a web server, which a citation has no use for

    return open_page(settings_from(arguments), is_shown=not arguments.no_browser)
