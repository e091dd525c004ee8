"""A tool run in our caller's own process and thread, by the steps of the executor."""

import json
import logging
from collections.abc import Mapping
from typing import Any

from fieldguide.spine.cancellation import Cancellation
from fieldguide.spine.contract import Call, Tool
from fieldguide.spine.executor import Executor
from fieldguide.spine.visible_text import shown

CONNECTION = "in-process"

log = logging.getLogger("fieldguide.in_process")


def run_here(executor: Executor, tool: Tool, arguments: Mapping[str, Any]) -> Any:
    """The executor's steps on the thread of the caller, who has no loop, no connection and no journal to spare."""
    call = Call(tool=tool.name, arguments=arguments, cancellation=Cancellation(), connection=CONNECTION)
    call = executor.identity.resolve(call, tool)
    executor.validation.check(tool, call.arguments)
    executor.limiter.admit(call.user, tool)
    with executor.breakers.guard(tool.name):
        return tool.run(call)


def tell(lines: list[str]) -> None:
    """What a server would write to stderr goes to `logging`: a host process has its own way with such lines."""
    for line in lines:
        log.warning("%s", shown(json.loads(line).get("notice", line)))
