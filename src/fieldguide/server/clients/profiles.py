"""Which tools a client is shown: all of them, or only those at the front door; whichever it is, all can be called.

A long list costs its reader tokens before the first question, and some clients take only so many tools. But a model
calls only what its client was shown, so a client that is not known to mind is shown everything.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fieldguide.server.clients.known import COUNTING_TOOLS, is_one_of
from fieldguide.spine.contract import Tool
from fieldguide.toolset import Toolset

LEAN, FULL, AUTO = "lean", "full", "auto"
THE_DOOR = "guide"


class Profile(NamedTuple):
    """The choice for a server: its mode, and the names of the tools that the lean list has; none: every tool."""

    mode: str = FULL
    front: frozenset[str] = frozenset()

    def listed(self, tools: Sequence[Tool], client: str | None) -> Sequence[Tool]:
        """The tools that this client is shown."""
        is_lean = self.mode == LEAN or (self.mode == AUTO and is_one_of(client, COUNTING_TOOLS))
        return [tool for tool in tools if tool.name in self.front] if is_lean and self.front else tools


def chosen_profile(mode: str, toolsets: Iterable[Toolset], *, are_chosen: bool) -> Profile:
    """The profile over these toolsets: the front has every tool of the guide, and what the others put there.

    Without the guide there is no front door, and nothing is left out. Nor is it by itself where the person has chosen
    the toolsets: they want those.
    """
    served = tuple(toolsets)
    shown = [tool.name for each in served for tool in each.tools if each.name == THE_DOOR or tool.name in each.front]
    has_door = any(each.name == THE_DOOR for each in served)
    return Profile(FULL if mode == AUTO and are_chosen else mode, frozenset(shown if has_door else ()))
