"""`fieldguide find`, `brief`, `governs`, `symbol` and `open`: ask the guide's tools from a terminal.

Each brings the index up to date first, and prints the answer for people; `--json` gives the value that an agent gets.
"""

import argparse
import os
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

from fieldguide.app import App, build_app
from fieldguide.cli.console.answers import MOST_OF_KIND, AnswerWriter, write_brief
from fieldguide.cli.console.indexing import ask_tool, execute_once
from fieldguide.cli.console.options import (
    add_identity_options,
    add_json_option,
    add_place_options,
    add_project_options,
    find_settings,
)
from fieldguide.cli.console.terminal import Line, complain, remark, say, say_result
from fieldguide.files.file_system import find_login_name
from fieldguide.files.project_files import resolve_place
from fieldguide.git.program import GitProgram
from fieldguide.settings.config import Settings
from fieldguide.spine.tool import Answer
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Misconfiguration, NotFound
from fieldguide.text.near_names import format_suggestion
from fieldguide.toolsets.documents.collections import is_remote
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep
from fieldguide.toolsets.upkeep import LateUpkeep

LONGEST_TASK = 1_000_000
LONGEST_DIFF = 10_000_000
GIT_SECONDS = 20.0
STAGED = ("diff", "--cached", "--relative", "--no-ext-diff", "--no-textconv", "--no-color")
HEADS = ("+++ ", "@@ ")
BRIEF_EPILOG = """\
`git log -1 --format=%B | fieldguide brief` briefs on the latest commit.
"""
GOVERNS_EPILOG = """\
`fieldguide governs --staged` in a pre-commit hook tells what goes with a commit; it never refuses one.
"""
FIND_EPILOG = """\
kinds: code, test, document, decision, pattern, finding, task, spec, config, ci, build and others. exit codes: 0 done,
1 with --fail where nothing fits well
"""
DOCUMENTS = "documents"
USUAL_HITS = 5  # what fits a screen
MOST_HITS = 50


def _add_budget(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--budget", type=int, metavar="N", help=f"at most so many tokens, 200 to 50,000 (default: {default})"
    )


def _add_all(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help=f"list all of a kind, not only the first {MOST_OF_KIND}")


def _add_answer_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--wait", action="store_true", help="wait until everything is indexed, however long it takes")
    parser.add_argument("--citations", action="store_true", help="print the citation of each place, for `open`")
    add_place_options(parser)
    add_json_option(parser)


def _open_writer(arguments: argparse.Namespace, settings: Settings, query: str = "") -> AnswerWriter:
    has_citations = getattr(arguments, "citations", False)
    return AnswerWriter(settings, typed=arguments.project, has_citations=has_citations, query=query)


def _answer(
    arguments: argparse.Namespace,
    settings: Settings,
    tool: str,
    given: dict[str, Any],
    write: Callable[[AnswerWriter, Answer], Iterator[Line]],
    *,
    waits: bool,
) -> None:
    """Ask a tool, and print its answer and how the index stands."""
    answer, prepared = ask_tool(build_app(settings, write_journal=lambda lines: None), tool, given, waits=waits)
    say_result(answer.value, write(_open_writer(arguments, settings), answer), as_json=arguments.json)
    prepared.report()


def _count_shown(arguments: argparse.Namespace) -> int | None:
    """How many of a kind are listed; None for all."""
    return None if arguments.all or arguments.budget else MOST_OF_KIND


def add_find_arguments(parser: argparse.ArgumentParser) -> None:
    """What to look for, how much of it, and how to print."""
    parser.epilog = FIND_EPILOG
    parser.add_argument("query", nargs="+", metavar="QUERY", help="what to look for, in words or as a question")
    parser.add_argument(
        "--kind", action="append", metavar="K", help="only this kind, such as code, test or decision; may be repeated"
    )
    parser.add_argument(
        "--limit", type=_limit, metavar="N", help=f"at most so many hits, 1 to {MOST_HITS} (default: {USUAL_HITS})"
    )
    parser.add_argument("--fail", action="store_true", help="end with 1 where nothing fits well")
    _add_answer_options(parser)


def run_find(arguments: argparse.Namespace) -> int:
    """Bring the index up to date, search, and print; finding nothing is no error, except with `--fail`."""
    query = " ".join(arguments.query).strip()
    if not query:
        raise Misconfiguration('Say what to look for, as in: fieldguide find "how are retries counted".')
    settings = find_settings(arguments)
    app = build_app(settings, write_journal=lambda lines: None)
    given = {"query": query, "kinds": arguments.kind, "limit": arguments.limit or USUAL_HITS}
    answer, prepared = ask_tool(app, "guide_search", given, waits=arguments.wait)
    writer = _open_writer(arguments, settings, query)
    say_result(answer.value, _without_first_blank(writer.write_hits(answer)), as_json=arguments.json)
    prepared.report()
    complain(*map(to_visible_line, _explain_unsearched(app)))
    items: list[dict[str, Any]] = answer.value["items"]
    return int(arguments.fail and all(item.get("unsure") for item in items))


def _without_first_blank(lines: Iterator[Line]) -> Iterator[Line]:
    for number, line in enumerate(lines):
        if number or line:
            yield line


def _explain_unsearched(app: App) -> Iterator[str]:
    """A sentence for each collection that must be fetched before it can be searched."""
    upkeep = next((each.upkeep for each in app.toolsets if each.name == DOCUMENTS), None)
    if upkeep is None:
        return
    stored = {source.name for source in app.engine().sources(DOCUMENTS)}
    collections = cast("LateUpkeep[DocumentsUpkeep]", upkeep).made().collections()
    for alias, collection in collections.items():
        if is_remote(collection.source) and collection.id not in stored:
            yield f"{alias}: it was never fetched. `fieldguide documents sync {alias}` does that."


def _limit(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_HITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_HITS}")
    return int(text)


def add_brief_arguments(parser: argparse.ArgumentParser) -> None:
    """The task, how much may be said about it, and how to print."""
    parser.epilog = BRIEF_EPILOG
    parser.add_argument("task", nargs="*", metavar="TASK", help="the task in words; without any, it is read from stdin")
    _add_budget(parser, "1,500")
    _add_answer_options(parser)


def run_brief(arguments: argparse.Namespace) -> int:
    """Ask the guide for a brief, and print it."""
    given = {"task": _read_task(arguments.task), "budget": arguments.budget}
    _answer(arguments, find_settings(arguments), "guide_brief", given, write_brief, waits=arguments.wait)
    return 0


def _read_task(words: list[str]) -> str:
    """The task as it was typed or piped in."""
    if words and words != ["-"]:
        return " ".join(words)
    if not words and sys.stdin.isatty():
        raise Misconfiguration('Say what is to be done, as in: fieldguide brief "refuse titles over 200 characters".')
    task = sys.stdin.read(LONGEST_TASK).strip()
    if not task:
        raise Misconfiguration("There is no task on stdin.")
    return task


def add_governs_arguments(parser: argparse.ArgumentParser) -> None:
    """What is about to change, how much may be said about it, and how to print."""
    parser.epilog = GOVERNS_EPILOG
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a file, a folder or a citation")
    parser.add_argument("--staged", action="store_true", help="the files that git has staged")
    parser.add_argument("--diff", action="store_true", help="the files of a unified diff on stdin")
    _add_all(parser)
    _add_budget(parser, "2,500")
    _add_answer_options(parser)


def run_governs(arguments: argparse.Namespace) -> int:
    """Ask the guide what applies to the files that are about to change, and print it."""
    settings = find_settings(arguments)
    target = _read_target(arguments, settings.project)
    if not target:
        say("Nothing is staged.")
        return 0
    given = {"path": target, "budget": arguments.budget}
    write = partial(AnswerWriter.write_governing, most=_count_shown(arguments))
    _answer(arguments, settings, "guide_governs", given, write, waits=arguments.wait)
    return 0


def _read_target(arguments: argparse.Namespace, project: str) -> str:
    """What is asked about: one path as it is, several as the diff that would change them; nothing where none is staged.

    Nothing that a repository configures is run: git only lists what is staged.
    """
    if sum(map(bool, (arguments.paths, arguments.staged, arguments.diff))) != 1:
        raise Misconfiguration("Say what is about to change: paths, --staged, or --diff with a diff on stdin.")
    if arguments.diff:
        return sys.stdin.read(LONGEST_DIFF)
    if arguments.staged:
        return _read_staged(GitProgram(project, GIT_SECONDS))
    paths = [resolve_place(os.path.realpath(project), path) for path in arguments.paths]
    if len(paths) == 1:
        return paths[0]
    return "".join(f"+++ b/{path}\n" for path in paths)


def _read_staged(git: GitProgram) -> str:
    """The staged files and their changed lines as the heads of a diff; files without changed lines are in it too."""
    names = git.ask(*STAGED, "--name-only", "-z").decode("utf-8", "replace").split("\0")
    changed = git.ask(*STAGED, "-U0").decode("utf-8", "replace").split("\n")
    heads = [line for line in changed if line.startswith(HEADS)]
    return "\n".join([*(f"+++ b/{name}" for name in names if name), *heads])[:LONGEST_DIFF]


def add_symbol_arguments(parser: argparse.ArgumentParser) -> None:
    """The name, which one is meant, how much may be said, and how to print."""
    parser.add_argument("name", metavar="NAME", help="a name, or one with its class or module: Class.method")
    parser.add_argument("--path", metavar="PATH", help="the file or folder in which it is defined, where several are")
    _add_all(parser)
    _add_budget(parser, "2,000")
    _add_answer_options(parser)


def run_symbol(arguments: argparse.Namespace) -> int:
    """Ask the guide about a name, and print the answer; 1 where nothing has that name."""
    settings = find_settings(arguments)
    path = arguments.path and resolve_place(os.path.realpath(settings.project), arguments.path)
    given = {"name": arguments.name, "path": path, "budget": arguments.budget}
    write = partial(AnswerWriter.write_symbol, most=_count_shown(arguments))
    try:
        _answer(arguments, settings, "guide_symbol", given, write, waits=arguments.wait)
    except NotFound as error:
        return _complain_of_missing(error, arguments.name)
    return 0


def _complain_of_missing(error: NotFound, name: str) -> int:
    near = format_suggestion(error.details.get("didYouMean", ()))
    complain(to_visible_line(f"{error.message}: {name}. {near}".rstrip()))
    return 1


LOOPBACK = "127.0.0.1"
RUNNING = "A server of this project runs already; here is its page."
STARTED = "The page of {project} is served as long as this runs. Ctrl-C ends it."
NO_BROWSER = "No browser could be started here. Open this link; it works once:"


def add_open_arguments(parser: argparse.ArgumentParser) -> None:
    """The citations, how much may be shown of them, and how to print; or the page, and how it is opened."""
    parser.add_argument(
        "citation",
        nargs="*",
        metavar="CITATION",
        help="such as docs/guide.md#L3-L9, or only a path; without any, the project's page is opened in a browser",
    )
    parser.add_argument("--around", choices=("section", "symbol"), help="show the whole section or symbol it is in")
    parser.add_argument("--form", choices=("outline",), help="only what a file declares")
    _add_budget(parser, "4,000")
    add_project_options(parser)
    add_identity_options(parser)
    parser.add_argument("--no-browser", action="store_true", help="print the link of the page, and start no browser")
    add_json_option(parser)


def run_open(arguments: argparse.Namespace) -> int:
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
        return _complain_of_missing(error, error.details.get("citation", ""))
    say_result(answer.value, _open_writer(arguments, settings).write_opened(answer), as_json=arguments.json)
    return 0


def _open_page(arguments: argparse.Namespace) -> int:
    """Open the page by a link that works once; without a browser, print it."""
    from fieldguide.cli.service.serve_http import find_running_page, request_link  # with a web server
    from fieldguide.wire.page_door import read_local_token

    if arguments.json or arguments.around or arguments.form or arguments.budget:
        raise Misconfiguration("Name a citation: --json, --around, --form and --budget are about what it shows.")
    is_shown = not arguments.no_browser
    named = find_settings(arguments)
    settings = named if named.user is not None else named._replace(user=find_login_name())
    token = read_local_token(os.environ)
    running = find_running_page(settings) or find_running_page(named)  # `serve --http` may be bound to nobody
    link = None if running is None else request_link(running, token)
    if link is not None:
        remark(RUNNING)
        _show_page(link, is_shown=is_shown)
        return 0
    return _serve_page(settings, token, is_shown=is_shown)


def _serve_page(settings: Settings, token: str, *, is_shown: bool) -> int:
    """Start a server on a free port, and show its page."""
    from fieldguide.cli.service.serve_http import serve_at  # with the SDK: a second that a running server saves
    from fieldguide.team.monitoring import open_oversight
    from fieldguide.wire.endpoint import listen_on_port

    overseen = open_oversight(settings)
    oversight = overseen.of(os.path.basename(settings.project))
    app = build_app(settings._replace(metrics=None), write_journal=lambda lines: None, oversight=oversight)

    def greet(link: str | None) -> None:
        remark(STARTED.format(project=os.path.basename(settings.project)))
        threading.Thread(target=_show_page, args=(link or "",), kwargs={"is_shown": is_shown}, daemon=True).start()

    with app.upkeep():
        return serve_at(app, listen_on_port(LOOPBACK, 0), overseen, token=token, greet=greet)


def _show_page(link: str, *, is_shown: bool) -> None:
    """Start the browser; where there is none, or none is wanted, print the link."""
    import webbrowser  # only `open` needs it

    if is_shown and webbrowser.open(link):
        return
    if is_shown:
        remark(NO_BROWSER)
    say(link)
