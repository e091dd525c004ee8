"""`guide_brief`: what a task needs, within its budget; every item can be opened, and nothing is said twice."""

import itertools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fieldguide.spine.tool import compact_json
from fieldguide.text.citation import hash_lines, read_citation
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.text.windows import ByteLines
from fieldguide.toolsets.guide.brief import VALUE_SHARE
from fieldguide.toolsets.guide.brief_map import MOST_IN_CORE, MOST_RULES
from tests.context_wires import record_all, refusal, write_code
from tests.document_wires import Ask, Told, ask_over_stdio
from tests.git_projects import GitProject
from tests.hostile.live_values import github_token
from tests.indexed_projects import index_whole
from tests.processes import eventually
from tests.projects import Project
from tests.proves import proves

ALL = ("--toolsets", "architecture,context,documents,guide,tasks")
TASK = "Refresh the token of AuthService before it expires"
TASKS = (
    TASK,
    "x",
    "Count tokens of answers by a real tokenizer.\n\nThe budget must hold: see `count_tokens` and tools/list. " * 20,
    "日本語のタスク: 検索の順位を直す",
    "fix \x00 \u202e \x1b[31m in grep_codebase",
)
SECRET = github_token()
BUDGETS = (200, 257, 400, 1_000, 4_000, 16_000, 50_000)
FAR_APART = (1_000, 4_000, 16_000, 50_000)  # with a little more room, one file may be shown at more length instead


@contextmanager
def serving(project: Project, *flags: str) -> Iterator[Ask]:
    """A project with code and discoveries, asked over stdio."""
    write_code(project)
    project.write("docs/tokens.md", "# Tokens\n\nA token lives an hour; `TokenManager` refreshes it.\n")
    with ask_over_stdio(project, *ALL, *flags) as ask:
        record_all(ask)
        yield ask


@pytest.fixture
def served(project):
    with serving(project) as ask:
        yield ask


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with serving(Project(tmp_path_factory.mktemp("tokens"))) as ask:
        yield ask


@pytest.fixture(scope="module")
def own(our_repository) -> Iterator[Ask]:
    """Our own repository: real files of every kind, all of them indexed, so that answers stay the same."""
    with ask_over_stdio(our_repository, *ALL) as ask:
        yield ask


def brief(ask: Ask, task: str = TASK, **more: object) -> Told:
    return ask("guide_brief", task=task, **more)


def assert_true(root: Path, told: Told) -> None:
    """Each item cites lines that are in its file; the text names them, and has their numbers where they are shown."""
    for item in told.structured["items"]:
        assert set(item) >= {"citation", "path", "start", "end", "kind", "why"}
        citation = read_citation(item["citation"])
        assert citation is not None
        assert (citation.path, citation.start_line, citation.end_line) == (item["path"], item["start"], item["end"])
        if "://" in item["path"]:
            assert item["citation"] in told.texts[0]
            continue
        assert item["path"] in told.texts[0]
        assert str(item["end"]) in told.texts[0]
        lines = ByteLines((root / item["path"]).read_bytes())
        assert citation.hash == hash_lines(lines.between(item["start"], item["end"]))
        if item.get("shown", True):
            first = lines.text(lines.between(item["start"], item["start"])).rstrip("\r\n")
            assert len(first) > 400 or f"\n{item['start']}: {first}" in told.texts[0] or f"\n{first}" in told.texts[0]


def paths(told: Told) -> set[str]:
    return {item["path"] for item in told.structured["items"]}


def reasons(told: Told) -> dict[str, str]:
    return {item["path"]: item["why"] for item in told.structured["items"]}


def whole(ask: Ask) -> None:
    assert eventually(lambda: not brief(ask).structured.get("indexing"))


def test_a_brief_cites_what_a_task_needs_of_every_kind(project, served):
    told = brief(served, budget=4_000)

    kinds = {item["path"]: item["kind"] for item in told.structured["items"]}
    assert kinds["src/server/auth/TokenManager.ts"] == "code"
    assert kinds["docs/tokens.md"] == "document"
    assert "finding" in kinds.values()
    assert "refresh(): string {" in told.texts[0]
    assert_true(project.root, told)


@pytest.mark.parametrize("task", TASKS, ids=range(len(TASKS)))
def test_no_brief_is_larger_than_its_budget(own, our_repository, task):
    sizes: dict[int, int] = {}
    for budget in BUDGETS:
        told = brief(own, task, budget=budget)
        assert count_exact_tokens(told.texts[0]) <= budget
        assert count_exact_tokens(compact_json(told.structured)) <= VALUE_SHARE * budget
        assert_true(our_repository.root, told)
        sizes[budget] = len({item["path"] for item in told.structured["items"]})  # windows that touch become one item
    steps = [sizes[budget] for budget in FAR_APART]
    assert steps == sorted(steps)


def test_a_brief_makes_use_of_its_budget(own):
    for budget in (1_000, 4_000, 16_000):
        assert count_exact_tokens(brief(own, TASKS[2], budget=budget).texts[0]) > 0.9 * budget


def test_the_files_of_a_brief_are_numbered_without_gaps(own):
    for task, more in itertools.product(TASKS, ({}, {"budget": 500}, {"budget": 2_000}, {"budget": 4_000})):
        told = brief(own, task, **more)
        found = re.findall(r"(?m)^(\d+)\. (\S+): (?:likely|possible|weak)", told.texts[0])
        numbers = {path: int(number) for number, path in found if path in paths(told)}
        assert sorted(numbers.values()) == list(range(1, len(numbers) + 1))


def test_a_brief_begins_with_a_map_of_whole_definitions(project, served):
    whole(served)
    told = brief(served, "Let `TokenManager` refresh the token of AuthService", budget=200)

    first, file, definition = told.texts[0].splitlines()[:3]
    assert first.startswith("Files by their chance to change")
    assert file.startswith(("1. src/server/auth/TokenManager.ts: likely", "1. src/server/auth/AuthService.ts: likely"))
    named = [item for item in told.structured["items"] if not item.get("shown", True)]
    assert any(definition.startswith(f"   {item['start']}-{item['end']} {item['symbol']}") for item in named)
    opened = served("guide_open", citation=named[0]["citation"]).structured["items"][0]
    assert opened["text"].count("\n") == named[0]["end"] - named[0]["start"]


def test_a_large_budget_shows_each_definition_once_below_its_file(own):
    told = brief(own, TASKS[2], budget=16_000)

    places: list[tuple[str, int]] = []
    for item in told.structured["items"]:
        if item.get("shown", True):
            places += [(item["path"], line) for line in range(item["start"], item["end"] + 1)]
            last = f"-{item['end']}" if item["end"] > item["start"] else ""
            assert f"\n   {item['start']}{last}" in told.texts[0].partition(f". {item['path']}: ")[2]
    assert len(places) == len(set(places)) > 300


def test_a_quoted_name_is_told_with_all_its_lines_or_as_missing(project, served):
    project.write("schema/tokens.lr", "resource tokens {\n  refresh_gate string\n}\n")  # not indexed
    whole(served)
    text = brief(served, "Let `refresh()` of `TokenManager` call `forgetful_gate` and fill `refresh_gate`").texts[0]

    assert re.search(
        r"`refresh\(\)` 1 time in 1 file, all: src/server/auth/TokenManager\.ts:\d+ in \d+-\d+ \w+\n", text
    )
    assert "`refresh_gate` 1 time in 1 file, all: schema/tokens.lr:2" in text
    assert "Nowhere in the project: `forgetful_gate`" in text


@pytest.mark.parametrize("budget", [None, 500, 4_000])
def test_what_says_that_it_is_generated_comes_last_and_without_its_text(project, served, budget):
    head = "# Code generated by pricegen. DO NOT EDIT.\n"
    body = "def give_rebate(apples):\n    return 3 * apples  # a rebate for many apples\n"
    project.write("shop/all_rebates.py", head + body * 3)
    project.write("shop/till.py", "def sell(apples):\n    return apples - 1  # without a rebate\n")
    whole(served)
    told = brief(served, "Give a rebate for many apples", **({"budget": budget} if budget else {}))

    generated = [item for item in told.structured["items"] if item["path"] == "shop/all_rebates.py"]
    assert not any(item.get("shown", True) for item in generated)
    listed = re.findall(r"(?m)^\d+\. ([\w/.]+): ", told.texts[0])
    assert listed.index("shop/till.py") == 0
    assert "shop/all_rebates.py" not in listed[:-1]


def test_a_weak_map_says_so(own):
    told = brief(own, "Sail the yacht around the lighthouse before breakfast", budget=600)

    assert told.structured["hint"] == "No good match: all of these are weak."
    assert told.texts[0].startswith(told.structured["hint"])
    assert {item["why"].partition(";")[0] for item in told.structured["items"]} == {"weak"}


def test_without_a_budget_only_what_is_worth_reading_comes(own):
    short = brief(own)
    named = [item for item in short.structured["items"] if not item.get("shown", True)]

    assert len(named) <= MOST_IN_CORE + MOST_RULES
    assert count_exact_tokens(short.texts[0]) < count_exact_tokens(brief(own, budget=4_000).texts[0])


def test_the_same_task_has_the_same_brief(own):
    whole(own)
    assert brief(own, budget=4_000).texts == brief(own, budget=4_000).texts


@pytest.mark.parametrize(
    "arguments", [{}, {"task": ""}, {"task": "x", "budget": 199}, {"task": "x", "budget": 50_001}, {"task": 1}]
)
def test_bad_arguments_are_told_as_the_context_tools_do(shared, arguments):
    assert refusal(shared("guide_brief", **arguments))["error"]


def test_a_secret_is_neither_shown_nor_cited(project, served):
    project.write("src/keys.ts", f"// refresh the token of AuthService\nconst token = '{SECRET}';\n")
    assert eventually(lambda: "src/keys.ts" in paths(brief(served, budget=50_000)))

    text = brief(served, budget=50_000).texts[0]

    assert SECRET not in text
    assert "hiddenword" not in text


def test_a_file_that_is_gone_is_not_told(project, served):
    whole(served)
    (project.root / "docs/tokens.md").unlink()

    assert "docs/tokens.md" not in {item["path"] for item in brief(served, budget=50_000).structured["items"]}


def test_a_brief_needs_no_git(project, served):
    assert not (project.root / ".git").is_dir() or not (project.root / ".git" / "HEAD").exists()
    assert "src/server/auth/TokenManager.ts" in paths(brief(served))


def test_history_ends_at_head(tmp_path):
    repository = GitProject(tmp_path)
    for number in range(12):
        repository.write(f"src/part_{number}.py", f"def part_{number}():\n    return {number}\n")
        repository.commit_all(f"Write part {number}")
    repository.write("src/kettle.py", "def boil(kettle):\n    return kettle\n")
    start = repository.commit_all("Begin")
    for number in range(6):
        repository.write("src/kettle.py", f"def boil(kettle):\n    return kettle + {number}\n")
        repository.write("src/part_7.py", f"def part_7():\n    return {number}\n")
        repository.commit_all(f"Boil the kettle {number} times")
    task = "Boil the kettle for longer"
    with ask_over_stdio(repository, *ALL) as ask:
        whole(ask)
        later = reasons(brief(ask, task, budget=50_000))
    repository.git("checkout", "--quiet", "--detach", start)
    with ask_over_stdio(repository, *ALL) as ask:
        whole(ask)
        before = reasons(brief(ask, task, budget=50_000))

    assert "change" in later["src/part_7.py"]
    assert not any("change" in why for why in before.values())


@proves("D-41")
def test_a_task_that_nothing_fits_is_told_so_beside_the_nearest(shared):
    told = brief(shared, "qqqq zzzz wwww")

    assert 0 < len(told.structured["items"]) <= 3
    assert all(item["unsure"] for item in told.structured["items"])
    assert told.structured["fit"] == "nothing fits well"
    assert told.texts[0].startswith(told.structured["hint"])
    assert "\nThe nearest:\n" in told.texts[0]


def test_a_long_finding_is_told_whole_and_its_citation_opens(served):
    said = "\n".join(f"AuthService refreshes the token {number} seconds before it expires." for number in range(50))
    served("guide_record", type="rule", content=said)

    [item] = [item for item in brief(served, budget=50_000).structured["items"] if item["end"] == 50]

    opened = served("guide_open", citation=item["citation"], budget=50_000).structured["items"][0]
    assert (item["kind"], opened["text"], opened.get("status")) == ("finding", said, None)


def test_who_uses_what_a_task_names_is_told_and_before_others_that_say_as_much(project):
    made = GitProject(project.root)
    made.write("shop/prices.py", "def reckon_total(items):\n    return sum(items)\n")
    made.write("shop/till.py", "from shop.prices import reckon_total\n\n\ndef pay():\n    return reckon_total([1])\n")
    made.write("shop/talk.py", "def pay():\n    return 'never ask reckon_total for a price in the shop'\n")
    made.commit_all("Open the shop")
    index_whole(made.root)
    with ask_over_stdio(made, *ALL) as ask:
        told = reasons(brief(ask, "Let `reckon_total` take a currency"))

    assert told["shop/till.py"].endswith("; uses reckon_total")
    assert "uses" not in told["shop/talk.py"]
    assert list(told).index("shop/till.py") < list(told).index("shop/talk.py")


def test_the_first_names_of_a_task_are_looked_up(project):
    made = GitProject(project.root)
    made.write("shop/prices.py", "def reckon_total(items):\n    return sum(items)\n")
    made.write("shop/till.py", "from shop.prices import reckon_total\n\n\ndef pay():\n    return reckon_total([1])\n")
    made.commit_all("Open the shop")
    index_whole(made.root)
    others = " ".join(f"`Ask_{number}`" for number in range(20))
    with ask_over_stdio(made, *ALL) as ask:
        told = reasons(brief(ask, f"Let `reckon_total` take a currency, and {others}"))

    assert told["shop/till.py"].endswith("; uses reckon_total")


def test_an_older_habit_is_told_beside_a_newer_one_that_is_none_yet(project):
    made = GitProject(project.root)
    made.write("shop/kettle.py", "def boil(kettle):\n    return kettle\n")
    made.commit_all("Begin")
    for number in range(6):
        made.write("shop/kettle.py", f"def boil(kettle):\n    return kettle + {number}\n")
        made.write("NEWS.md", f"# News\n\n- Boiled {number} times.\n")
        for part in range(14):
            made.write(f"parts/part_{number}_{part}.py", f"x = {part}\n")
        made.commit_all(f"Boil {number} times")
    for number in range(2):
        made.write("shop/kettle.py", f"def boil(kettle):\n    return kettle * {number}\n")
        made.write("HISTORY.md", f"# History\n\n- {number}\n")
        made.commit_all(f"Whistle {number} times")
    index_whole(made.root)
    with ask_over_stdio(made, *ALL) as ask:
        text = brief(ask, "Let `boil` of the kettle stop when it is empty").texts[0]

    assert "Usually changes too: NEWS.md (6 of 9 commits of kettle.py)" in text
