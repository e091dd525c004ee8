"""The walk of three calls: it sees the layers as import-linter does, and a real call goes down them."""

import pytest

from benchmarks import walk
from benchmarks.walk_layers import Step, read_layers


@pytest.mark.parametrize(
    ("caller", "module", "strays"),
    [
        ("", "wire.pipes", False),
        ("wire.protocol", "spine.executor", False),
        ("spine.executor", "spine.journal", False),
        ("spine.executor", "wire.protocol", True),
        ("storage.sqlite", "search.engine", True),
        ("wire.stdio", "pages.routes", True),
        ("toolsets.tasks.calls", "toolsets.documents.service", True),
        ("toolsets.tasks.calls", "toolsets.tasks.repository", False),
        ("spine.executor", "toolsets.tasks.calls", False),
        ("spine.resources", "wire.subscriptions", False),
        ("spine.journal", "wire.subscriptions", True),
    ],
)
def test_a_step_goes_down_or_through_a_door(caller, module, strays):
    layers = read_layers()

    assert layers.strays(Step(module, "f", 0, caller)) is strays
    assert not layers.is_door(Step(module, "f", 0, caller)) or not strays


@pytest.mark.slow
def test_a_change_is_told_without_a_step_up_or_sideways(capsys):
    code = walk.main(["--check", "--steps", "--only", "a subscription that fires"])

    told = capsys.readouterr().out
    assert code == 0, told
    assert "wire.subscriptions._notification" in told
    assert "toolsets.architecture.library" in told
