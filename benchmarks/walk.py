"""The walk of three calls through the layers: which functions of ours each passes, on which thread, and in which order.

    python -m benchmarks.walk            # counts, and every step that goes up or sideways
    python -m benchmarks.walk --steps    # the steps too, indented as they call each other
    python -m benchmarks.walk --check    # exit with 1 where a step goes up or sideways

Each server is a real one, started as a user would start it, and has answered the same call before: what is counted is a
call like any other, not a first one. Threads of upkeep count only where something changed.
"""

import argparse
import sys
from collections.abc import Sequence

from benchmarks.walk_layers import Layers, Step, read_layers
from benchmarks.walk_servers import WALKS, Walk


def main(argv: Sequence[str] | None = None) -> int:
    """Walk each call once, and tell."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.walk", description=__doc__.splitlines()[0])
    parser.add_argument("--steps", action="store_true", help="show every step")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a step goes up or sideways")
    parser.add_argument("--only", choices=[*WALKS], help="walk this call alone")
    given = parser.parse_args(argv)
    layers = read_layers()
    strayed = 0
    for name in [given.only] if given.only else WALKS:
        walk = WALKS[name]()
        _tell(name, walk, layers, with_steps=given.steps)
        strayed += len(_strayed(walk, layers))
    return 1 if given.check and strayed else 0


def _tell(name: str, walk: Walk, layers: Layers, *, with_steps: bool) -> None:
    print(f"{name}")
    for thread, steps in walk.items():
        functions = {(step.module, step.function) for step in steps}
        print(f"  {thread}: {len(steps)} calls of {len(functions)} functions")
        if with_steps:
            print("\n".join(f"    {'  ' * step.depth}{step.module}.{step.function}" for step in steps))
    doors = [step for steps in walk.values() for step in steps if layers.is_door(step)]
    for passed in dict.fromkeys(f"{step.caller} > {step.module}" for step in doors):
        print(f"  by a function that was handed down: {passed}")
    for step in _strayed(walk, layers):
        print(f"  up or sideways: {step.caller} > {step.module}.{step.function}")


def _strayed(walk: Walk, layers: Layers) -> list[Step]:
    found = [step for steps in walk.values() for step in steps if layers.strays(step)]
    return [*{(step.caller, step.module, step.function): step for step in found}.values()]


if __name__ == "__main__":
    sys.exit(main())
