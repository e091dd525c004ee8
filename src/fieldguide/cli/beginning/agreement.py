"""What of the offers is wanted: named by a flag, or asked for one by one at a terminal."""

import argparse
from collections.abc import Sequence

from fieldguide.cli.beginning.offers import NAMES, Offer
from fieldguide.cli.terminal import can_be_asked, is_agreed
from fieldguide.cli.typed.nearest import did_you_mean
from fieldguide.errors import Misconfiguration

EVERYTHING = "all"


def wanted_names(text: str | None) -> frozenset[str] | None:
    """The offers that `--with` names; None where it was not given."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in (*NAMES, EVERYTHING):
            near = did_you_mean(name, NAMES)
            raise Misconfiguration(
                f"There is no {name!r} to add.{near} There are {', '.join(NAMES)}, and {EVERYTHING}."
            )
    return frozenset(NAMES if EVERYTHING in names else names)


def has_answered(arguments: argparse.Namespace) -> bool:
    """Whether a flag says what is wanted."""
    return arguments.yes or arguments.chosen is not None


def may_ask(arguments: argparse.Namespace) -> bool:
    """Whether somebody can be asked, and nothing that was typed has answered already."""
    is_quiet = arguments.no_input or arguments.json or arguments.dry_run
    return not (is_quiet or has_answered(arguments)) and can_be_asked()


def agreed(offers: Sequence[Offer], arguments: argparse.Namespace, *, is_asking: bool) -> list[Offer]:
    """The offers to take: those that flags name, all with `--yes`, or what somebody says yes to."""
    names = wanted_names(arguments.chosen)
    if names is not None:
        return [each for each in offers if each.name in names]
    if arguments.yes:
        return [*offers]
    return [each for each in offers if is_asking and is_agreed(f"Add {each.about}?", usually=each.is_usual)]
