"""Foreign text is parsed in children that the system ends, and nothing of a text reaches further than its answer."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from fieldguide.code.imports.languages import parse_imports_as_data, read_imports
from fieldguide.code.parsing import parse_tree
from fieldguide.files import parser_process
from fieldguide.files.parser_process import ParserProcesses, count_processors, end_children, map_ahead, works_ahead
from tests.processes import eventually, is_alive

NONSENSE = [("java", "x=>"), ("typescript", "a<b,")]
PYTHON = "def total(lines):\n    return sum(line.price for line in lines if line.count > 0)\n\n\n"
IMPORTS = f"{parse_imports_as_data.__module__}:{parse_imports_as_data.__name__}"
WELL = "import well\n"
TOLD = [["well", 1, False, "import", [], ""]]


@pytest.fixture
def parsers():
    parsers = ParserProcesses()
    yield parsers
    parsers.close()


@pytest.mark.slow
@pytest.mark.parametrize(("language", "token"), NONSENSE)
def test_nonsense_is_given_up_and_the_next_text_is_answered(language, token, parsers):
    nonsense = token * (40_000 // len(token))

    assert parsers.ask(IMPORTS, nonsense, language) in ([], 1)
    assert parsers.ask(IMPORTS, WELL, "python") == TOLD


def test_a_text_that_takes_all_memory_is_given_up(parsers, monkeypatch):
    monkeypatch.setattr(parser_process, "LEAST_SECONDS", 30.0)

    assert parsers.ask(IMPORTS, "x=>" * 30_000, "php") in ([], 1)
    assert parsers.ask(IMPORTS, WELL, "python") == TOLD


def test_code_is_parsed_however_long_it_is():
    root = parse_tree(PYTHON * 2_000, "python")

    assert root is not None
    assert len(root.find_all(kind="function_definition")) == 2_000


def test_one_child_answers_one_after_another(parsers):
    for number in range(20):
        parsers.ask(IMPORTS, f"import a{number}\n", "python")

    assert len(parsers.ids()) == 1


def test_threads_are_answered_at_once_each_with_its_own(parsers):
    with ThreadPoolExecutor(16) as threads:
        asked = threads.map(lambda number: parsers.ask(IMPORTS, f"import a{number}\n", "python"), range(16))

    assert list(asked) == [[[f"a{number}", 1, False, "import", [], ""]] for number in range(16)]
    assert len(parsers.ids()) <= parser_process.MOST_CHILDREN


def test_a_child_that_was_killed_from_outside_is_replaced(parsers):
    parsers.ask(IMPORTS, WELL, "python")
    (child,) = parsers.ids()
    os.kill(child, 9)

    assert parsers.ask(IMPORTS, WELL, "python") == TOLD


def find_parent(process: int) -> int:
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        return int(file.read().rpartition(") ")[2].split()[1])


def list_children() -> set[int]:
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
        return set(map(int, file.read().split()))


def test_forks_share_one_process_and_what_was_killed_of_them_is_replaced():
    parsers = ParserProcesses(prepare="fieldguide.files.parser_worker:limit_process")
    before = list_children()
    parsers.prepare(IMPORTS)
    (stem,) = list_children() - before
    with ThreadPoolExecutor(8) as threads:
        told = list(threads.map(lambda _: parsers.ask(IMPORTS, WELL, "python"), range(8)))
    forks = parsers.ids()

    assert told == [TOLD] * 8
    assert {find_parent(each) for each in forks} == {stem}

    for each in (*forks, stem):
        os.kill(each, signal.SIGKILL)
    assert parsers.ask(IMPORTS, WELL, "python") == TOLD

    (last,) = parsers.ids()
    assert find_parent(last) != stem
    parsers.close()
    assert eventually(lambda: not is_alive(last))


def test_a_fork_that_ends_over_its_text_costs_no_other(monkeypatch):
    monkeypatch.setattr(parser_process, "LEAST_SECONDS", 30.0)
    parsers = ParserProcesses(prepare="fieldguide.files.parser_worker:limit_process")

    assert parsers.ask(IMPORTS, "x=>" * 30_000, "php") in ([], 1)
    assert parsers.ask(IMPORTS, WELL, "python") == TOLD
    parsers.close()


@pytest.mark.slow
def test_a_child_that_hangs_costs_one_text_and_is_ended(parsers):
    parsers.ask(IMPORTS, WELL, "python")
    (child,) = parsers.ids()
    os.kill(child, signal.SIGSTOP)

    assert parsers.ask(IMPORTS, WELL, "python", is_tried_once=True) is None
    assert not is_alive(child)
    assert parsers.ask(IMPORTS, WELL, "python") == TOLD


def test_what_is_worked_on_ahead_comes_in_order_and_an_error_where_its_item_stands():
    def read(number: int) -> list[str]:
        if number == 30:
            raise ValueError("number 30")
        return [each.text for each in read_imports(f"import a{number}\n", "python")]

    results = map_ahead(read, range(40))

    assert [next(results) for _ in range(30)] == [[f"a{number}"] for number in range(30)]
    with pytest.raises(ValueError, match="number 30"):
        next(results)


def test_a_single_item_joins_the_children_for_indexing_where_it_may_and_there_are_some():
    def read(number: int) -> bool:
        return bool(read_imports(f"import a{number}\n", "python")) and works_ahead()

    end_children()

    found = [[*map_ahead(read, items, joins=True)] for items in ([1], [1, 2], [1])]

    assert found == [[False], [True, True], [True]]
    assert [*map_ahead(read, [1])] == [False]


def test_no_more_is_taken_ahead_than_its_weight_allows(monkeypatch):
    monkeypatch.setattr(parser_process, "MOST_AHEAD_CHARACTERS", 100)
    taken: list[int] = []

    def take():
        for number in range(20):
            taken.append(number)
            yield number

    results = map_ahead(lambda number: number, take(), lambda number: 60)

    assert next(results) == 0
    assert len(taken) == 2
    assert list(results) == list(range(1, 20))


@pytest.mark.parametrize(
    ("own", "files", "processors"),
    [
        ("0::/", {}, 8),
        ("0::/a/b\n", {"a/cpu.max": "150000 100000\n", "a/b/cpu.max": "max 100000\n"}, 2),
        ("5:cpu,cpuacct:/a\n", {"cpu/a/cpu.cfs_quota_us": "300000\n", "cpu/a/cpu.cfs_period_us": "100000\n"}, 3),
        ("5:cpu:/a\n", {"cpu/a/cpu.cfs_quota_us": "-1\n", "cpu/a/cpu.cfs_period_us": "100000\n"}, 8),
        ("5:memory:/a\n", {"cpu/a/cpu.cfs_quota_us": "100000\n", "cpu/a/cpu.cfs_period_us": "100000\n"}, 8),
    ],
    ids=["no quota", "second version, of a group above", "first version", "first version, no quota", "other group"],
)
def test_processors_are_counted_as_control_groups_give_them(own, files, processors, tmp_path, monkeypatch):
    (tmp_path / "own").write_text(own)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(parser_process, "OWN_GROUPS", str(tmp_path / "own"))
    monkeypatch.setattr(parser_process, "GROUPS", str(tmp_path))
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(12)))

    assert count_processors() == processors


@pytest.mark.parametrize("prepare", ["", "fieldguide.files.parser_worker:limit_process"], ids=["own", "fork"])
def test_a_child_that_nobody_asks_any_more_ends_and_another_answers(prepare):
    parsers = ParserProcesses(idle_seconds=0.05, prepare=prepare)
    parsers.ask(IMPORTS, WELL, "python")
    (child,) = parsers.ids()

    assert eventually(lambda: not is_alive(child))
    assert parsers.ask(IMPORTS, WELL, "python") == TOLD
    assert parsers.ids() != [child]
    parsers.close()


@pytest.mark.parametrize("prepare", ["", "fieldguide.files.parser_worker:limit_process"], ids=["own", "fork"])
@pytest.mark.parametrize("repeats", [1, 60_000], ids=["idle", "busy"])
def test_a_child_ends_with_its_parent(repeats, prepare):
    program = (
        "import os, sys, threading; from fieldguide.files import parser_process as p;"
        "children = p.ParserProcesses(prepare=sys.argv[3]); children.ask(sys.argv[1], 'import a', 'python');"
        "asked = (sys.argv[1], 'x=>' * int(sys.argv[2]), 'csharp');"
        "threading.Thread(target=children.ask, args=asked, daemon=True).start();"
        "print(children.ids()[0], flush=True); sys.stdin.read(1); os.kill(os.getpid(), 9)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, IMPORTS, str(repeats), prepare],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert is_alive(child)

    parent.communicate("x")

    assert eventually(lambda: not is_alive(child))


def test_nothing_of_the_folder_or_the_environment_reaches_a_child(parsers, tmp_path, monkeypatch):
    (tmp_path / "ast_grep_py.py").write_text("raise SystemExit('imported from the project')")
    (tmp_path / "json.py").write_text("raise SystemExit('imported from the project')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("SECRET", "value")

    assert parsers.ask(IMPORTS, WELL, "python") == TOLD
    (child,) = parsers.ids()
    assert os.readlink(f"/proc/{child}/cwd") == "/"
    with open(f"/proc/{child}/environ", "rb") as file:
        assert b"SECRET" not in file.read()


def test_only_functions_of_ours_can_be_asked_for(parsers):
    with pytest.raises(Exception, match="no function of ours"):
        parsers.ask("os:getcwd")
