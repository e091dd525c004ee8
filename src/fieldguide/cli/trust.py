"""`fieldguide trust`: shows what a project asks for beyond itself, and records the person's consent."""

import argparse
from collections.abc import Sequence
from typing import Any

from fieldguide.cli.console.options import add_place_options, read_settings_from
from fieldguide.cli.console.terminal import ask_to_confirm, say, say_json
from fieldguide.settings.config import Settings, read_file_asks
from fieldguide.settings.consents import Ask, Consents
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import NotFound


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project; what to allow or to take back; `--json` for scripts."""
    add_place_options(parser)
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--allow", nargs="*", metavar="WHAT", help="allow these asks, by name (default: all that are shown)"
    )
    choice.add_argument(
        "--revoke", nargs="*", metavar="WHAT", help="take the consent to these back (default: all of this project)"
    )
    parser.add_argument("--json", action="store_true", help="print what is asked for as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Show what is asked for, and do what was chosen; 1 while something waits for an answer."""
    settings = read_settings_from(arguments, tells=False)
    consents = Consents(settings.project)
    asks = list_asks(settings)
    if arguments.revoke is not None:
        consents.revoke(_named(asks, arguments.revoke) if arguments.revoke else None)
    elif arguments.allow is not None:
        consents.allow(_named(asks, arguments.allow))
    allowed = consents.allowed(asks)
    if arguments.json:
        say_json([_row(ask, is_allowed=ask in allowed) for ask in asks])
    else:
        say(*_lines(settings, asks, allowed))
        is_only_shown = arguments.allow is None and arguments.revoke is None
        if is_only_shown and len(allowed) < len(set(asks)) and ask_to_confirm("Allow all of this to this project?"):
            consents.allow(asks)
            allowed = set(asks)
    return int(len(allowed) != len(set(asks)))


def list_asks(settings: Settings) -> list[Ask]:
    """Everything that the project asks for, whether it is allowed or not."""
    from fieldguide.toolsets.documents.collections import list_project_asks

    return [
        *read_file_asks(settings.project),
        *list_project_asks(settings.project, settings.sections.get("documents", {})),
    ]


def _named(asks: Sequence[Ask], names: Sequence[str]) -> list[Ask]:
    known = [ask.what for ask in asks]
    for name in names:
        if name not in known:
            listed = ", ".join(known) or "nothing"
            raise NotFound(f"The project does not ask for {name!r}. It asks for: {listed}.")
    return [ask for ask in asks if not names or ask.what in names]


def _lines(settings: Settings, asks: Sequence[Ask], allowed: set[Ask]) -> list[str]:
    lines = [to_visible_line(problem) for problem in settings.problems]
    if not asks:
        lines.append("The project asks for nothing beyond itself.")
    for ask in asks:
        state = "allowed" if ask in allowed else "waiting"
        lines.append(f"{state}  {to_visible_line(ask.sentence())}")
    if len(allowed) < len(set(asks)):
        lines.append("What waits is not obeyed. `fieldguide trust --allow [WHAT …]` allows it, as it stands now.")
    return lines


def _row(ask: Ask, *, is_allowed: bool) -> dict[str, Any]:
    return {"what": ask.what, "value": ask.shown, "where": ask.where, "allowed": is_allowed}
