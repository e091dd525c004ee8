"""The comparison of agents: what a subject agent may run, and how its answer is scored."""

import json
from pathlib import Path

import pytest

from benchmarks.agents.commands import CommandRefused, build_command, run_counted
from benchmarks.agents.scores import (
    InvalidAnswer,
    NamedRange,
    is_cited,
    read_answer,
    score_answer,
    score_run,
    summarise,
)
from benchmarks.agents.tasks import ChangedPlace, LocatingTask, clean_message
from benchmarks.agents.workspace import Workspace
from benchmarks.flow import Point

TASK = LocatingTask(
    id="shop-1",
    repository="shop",
    commit="b",
    parent="a",
    task="Round prices",
    places={
        "price.py": [ChangedPlace(10, 12, False), ChangedPlace(40, 40, True)],
        "cart.py": [ChangedPlace(1, 1, False)],
    },
    also_changed=["CHANGELOG.md"],
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A work folder with one task, whose checkout has one file, and a secret beside it."""
    tree = tmp_path / "trees" / "shop-1"
    (tree / ".git").mkdir(parents=True)
    (tree / ".git" / "config").write_text("")
    (tree / "price.py").write_text("one\ntwo\nthree\n")
    (tmp_path / "secret").write_text("hidden")
    (tree / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "home").mkdir()
    (tmp_path / "tasks.json").write_text(json.dumps([TASK._asdict()]))
    (tmp_path / "programs.json").write_text(json.dumps({"rg": "rg", "fieldguide": "fg", "codegraph": "cg"}))
    return Workspace(tmp_path)


REFUSED = [
    [],
    ["cat", "price.py"],
    ["sh", "-c", "ls"],
    ["fieldguide", "call", "guide_brief", "{}"],
    ["codegraph", "explore", "price"],
    ["rg", "x", "../../secret"],
    ["rg", "x", "/"],
    ["rg", "x", "link"],
    ["rg", "--pre=sh", "x"],
    ["rg", "-nf", "price.py"],
    ["rg", "-nL", "x"],
    ["sed", "-n", "1e ls", "price.py"],
    ["sed", "-n", "1w out", "price.py"],
    ["sed", "-i", "1p", "price.py"],
    ["sed", "-n", "1p", "price.py", "-i"],
    ["sed", "-n", "1p", ".git/config"],
    ["find", ".", "-delete"],
    ["find", ".", "-exec", "ls", ";"],
    ["git", "fetch"],
    ["git", "-c", "core.pager=sh", "log"],
    ["git", "log", "--output=price.py"],
    ["git", "log", "--ext-diff"],
]


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_the_arm_of_ripgrep_refuses_what_runs_writes_or_leaves_the_checkout(workspace: Workspace, words: list[str]):
    with pytest.raises(CommandRefused):
        build_command(workspace, "rg", workspace.tree("shop-1", "rg"), words)


ALLOWED = [
    (
        "rg",
        ["rg", "-n", "/api/v1", "-g", "*.tf"],
        ["rg", "--no-config", "--color=never", "-n", "/api/v1", "-g", "*.tf"],
    ),
    ("rg", ["sed", "-n", "1,2p;9p", "price.py"], ["sed", "-n", "1,2p;9p", "price.py"]),
    ("rg", ["find", ".", "-name", "*.py"], ["find", ".", "-name", "*.py"]),
    ("codegraph", ["codegraph", "search", "price"], ["cg", "query", "price"]),
]


@pytest.mark.parametrize(("arm", "words", "command"), ALLOWED)
def test_reading_commands_of_an_arm_are_run_as_given(
    workspace: Workspace, arm: str, words: list[str], command: list[str]
):
    assert build_command(workspace, arm, workspace.tree("shop-1", "rg"), words) == command


def test_the_guide_is_asked_about_the_checkout_only_and_by_its_own_tools(workspace: Workspace):
    tree = workspace.tree("shop-1", "fieldguide")
    asked = build_command(workspace, "fieldguide", tree, ["fieldguide", "guide_brief", '{"task": "x"}'])
    assert asked == ["fg", "call", "--project", str(tree), "guide_brief", '{"task": "x"}']
    for words in (["guide_brief", "{}", "--project", "/"], ["add_task", "{}"], ["guide_brief", "task=x"]):
        with pytest.raises(CommandRefused):
            build_command(workspace, "fieldguide", tree, ["fieldguide", *words])
    with pytest.raises(CommandRefused):
        build_command(workspace, "codegraph", tree, ["codegraph", "explore", "x", "--path=/"])


def test_what_a_command_returns_is_counted_and_scored_with_the_answer(workspace: Workspace):
    workspace.record("one", {"kind": "run", "arm": "rg", "model": "m", "tasks": ["shop-1"]})
    assert run_counted(workspace, "one", "shop-1", ["sed", "-n", "1,3p", "price.py"], head=2) == "one\ntwo\n"
    refused = run_counted(workspace, "one", "shop-1", ["cat", "price.py"], head=None)
    assert refused.startswith("Refused: cat is not allowed here.")
    workspace.record("one", {"kind": "answer", "task": "shop-1", "ranges": [["cart.py", 1, 3]]})
    scored = score_run(workspace, "one")
    assert (scored.tasks[0].calls, scored.tasks[0].characters) == (2, len("one\ntwo\n") + len(refused))
    assert scored.tasks[0].recall == 0.5
    arm = summarise([scored])["arms"]["rg"]
    assert arm["recall"] == (0.5, 0.5, 0.5)
    assert arm["characters_beside_rg"] == [1.0, 1.0, 1.0]


def test_an_answer_is_scored_by_files_and_by_places_inside_its_ranges():
    ranges = [NamedRange("price.py", 12, 20), NamedRange("price.py", 41, 50), NamedRange("CHANGELOG.md", 1, 1)]
    score = score_answer(TASK, [*ranges, NamedRange("tax.py", 5, 5)], [])
    assert score.recall == 1 / 2
    assert score.places == 2 / 3
    assert score.precision == 1 / 2
    assert score.lines == 9 + 10 + 1 + 1
    missed = score_answer(TASK, [NamedRange("price.py", 13, 38)], [])
    assert (missed.recall, missed.places, missed.precision) == (1 / 2, 0, 1)
    assert score_answer(TASK, [], []).precision == 0


@pytest.mark.parametrize(
    "given",
    [
        {},
        ["price.py"],
        [{"path": "a", "start": 3, "end": 2}],
        [{"path": "a", "start": "1", "end": 2}],
        [{"path": f"{number}.py", "start": 1, "end": 1} for number in range(11)],
        [{"path": "a.py", "start": number, "end": number} for number in range(1, 22)],
    ],
)
def test_an_answer_that_is_malformed_or_too_large_is_refused(given: object):
    with pytest.raises(InvalidAnswer):
        read_answer(given)


def test_a_task_is_the_message_without_paths_links_and_numbers():
    subject = "Round prices in src/price.py (#123)"
    body = "As https://example.org/1 tells for 42 cases."
    message = f"{subject}\n\n{body}\nSigned-off-by: A <a@b>\n"
    assert clean_message(message) == "Round prices in\n\nAs tells for cases."


@pytest.mark.parametrize(
    ("answer", "is_right"),
    [
        ("`cart.py:12` adds it up", True),
        ("see shop/cart.py#L8-L30", True),
        ("cart.py:1-3, 14", True),
        ("In shop/cart.py the method Cart.total adds it up", True),
        ("cart.py:31", False),
        ("other/cart.py:12", False),
        ("minicart.py:12", False),
    ],
)
def test_a_point_is_touched_by_its_lines_or_its_name(answer: str, is_right: bool):
    point = Point("The total is added up.", "shop/cart.py", 10, 20, "Cart.total")

    assert is_cited(point, answer) is is_right
