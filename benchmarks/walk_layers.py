"""Whether a step of a call goes down the layers of `pyproject.toml`, as the imports do."""

import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent

# Where a lower layer runs what a higher one gave it: the border of `Tool`, that of `Tended`, the bus of `Changes`.
DOORS = {
    ("spine.workers", "wire"): "a worker runs what a wire gave it",
    ("spine.executor", "toolsets"): "the executor runs a tool's function, which says how its answer is written",
    ("spine.tool", "toolsets"): "a tool's own writer of its text",
    ("spine.toolset", "toolsets"): "`late` finds the function of a tool",
    ("spine.resources", "toolsets"): "a resource is looked at or read by the toolset that has it",
    ("spine.resources", "wire"): "a listener is told of a change",
    ("search.backlog", "toolsets"): "what is indexed is read by the toolset that it belongs to",
    ("search.engine", "app"): "where the index lies, known when it is first opened",
    ("toolsets.upkeep", "toolsets"): "what is kept up to date says how a pass over it is made",
    ("files.confined_folder", "prose"): "which folders a walk enters",
    ("text.words", "search"): "which words the model knows as ordinary ones",
}


class Step(NamedTuple):
    """One call of a function of ours, below the nearest function of ours on the stack (none at the bottom)."""

    module: str
    function: str
    depth: int
    caller: str


class Layers(NamedTuple):
    """The order of the layers, highest first; those of one line stand beside each other."""

    lines: tuple[tuple[str, ...], ...]

    def strays(self, step: Step) -> bool:
        """Whether a step goes up or sideways, and through no door."""
        return not (self._is_down(step.caller, step.module) or self.is_door(step))

    def is_door(self, step: Step) -> bool:
        """Whether a lower layer runs what it was given for that."""
        named = (step.caller, step.caller.partition(".")[0])
        return not self._is_down(step.caller, step.module) and any(
            (caller, step.module.partition(".")[0]) in DOORS for caller in named
        )

    def _is_down(self, caller: str, module: str) -> bool:
        if not caller or _part(caller) == _part(module):
            return True
        return self._height(caller) < self._height(module)

    def _height(self, module: str) -> int:
        name = module.partition(".")[0]
        return next(number for number, line in enumerate(self.lines) if name in line)


def read_layers() -> Layers:
    """The layers that import-linter checks, with our package above them all."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    [written] = [each["layers"] for each in contracts if each["type"] == "layers"]
    return Layers((("",), *(tuple(name.strip() for name in line.split("|")) for line in written)))


def _part(module: str) -> str:
    """What may call itself: a layer, and of the toolsets each for itself."""
    words = module.split(".")
    return ".".join(words[:2]) if words[0] == "toolsets" else words[0]
