"""The house rules that a machine can check: size, opening sentences, names, dependencies with a reason."""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.complexity import counted
from tests.proves import proves

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
MODULE_LINES = 300
FUNCTION_LINES = 40
USUAL_COMPLEXITY, HIGHEST_COMPLEXITY = 10, 12
MOST_OVER_USUAL = 15  # functions of all src/
FOLDER_MODULES = 20
FOLDER_OF_COMMANDS = ROOT / "src" / "fieldguide" / "cli"  # a module for each command
NAMES_THAT_SAY_NOTHING = {"utils", "helpers", "common", "manager", "base", "misc", "util", "helper"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def long_functions(source: str) -> list[str]:
    found = []
    for node in functions(ast.parse(source)):
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        is_table = all(isinstance(step, ast.Return | ast.Assign | ast.Expr) for step in node.body)
        if lines > FUNCTION_LINES and not is_table:
            found.append(f"{node.name} has {lines} lines")
    return found


def silent_things(source: str) -> list[str]:
    """Modules, public classes and public functions and methods without an opening sentence."""
    tree = ast.parse(source)
    silent = [] if ast.get_docstring(tree) else ["the module"]
    for owner, body in [("", tree.body), *((f"{n.name}.", n.body) for n in tree.body if isinstance(n, ast.ClassDef))]:
        silent += [
            owner + node.name
            for node in body
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and not node.name.startswith("_")
            and not ast.get_docstring(node)
        ]
    return silent


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_module_is_one_idea_in_three_hundred_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MODULE_LINES


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_function_is_at_most_forty_lines_unless_it_is_a_table(path):
    assert long_functions(path.read_text(encoding="utf-8")) == []


def test_no_function_has_more_ways_through_it_than_a_reader_can_follow():
    functions = [(each, name_of(path)) for path in SOURCES for each in counted(path.read_text(encoding="utf-8"))]
    over = [
        f"{name}:{each.line} {each.name} {each.complexity}"
        for each, name in functions
        if each.complexity > USUAL_COMPLEXITY
    ]

    assert [f"{name}:{each.line} {each.name}" for each, name in functions if each.complexity > HIGHEST_COMPLEXITY] == []
    assert len(over) <= MOST_OVER_USUAL, over


def test_a_folder_is_taken_in_at_a_glance():
    folders = Counter(path.parent for path in SOURCES if path.parent != FOLDER_OF_COMMANDS)

    assert {name_of(folder): modules for folder, modules in folders.items() if modules > FOLDER_MODULES} == {}


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_everything_public_opens_with_a_sentence(path):
    assert silent_things(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_every_module_has_a_name_that_says_something(path):
    assert path.stem not in NAMES_THAT_SAY_NOTHING
    assert not re.search(r"#\s*(TODO|FIXME|XXX)", path.read_text(encoding="utf-8"))


def test_the_rules_themselves_can_fail():
    long = "def f():\n" + "    if x:\n        y()\n" * 21

    assert long_functions(long) == ["f has 43 lines"]
    assert [(each.name, each.complexity) for each in counted(long)] == [("f", 22)]
    assert silent_things("def f(): ...\nclass C:\n    def m(self): ...\n") == ["the module", "f", "C", "C.m"]


def test_every_dependency_has_a_line_that_says_why():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    named = project["project"]["dependencies"] + [
        entry for group in groups.values() for entry in group if isinstance(entry, str)
    ]
    reasons = (ROOT / "docs" / "explain" / "dependencies.md").read_text(encoding="utf-8")

    names = [re.split(r"[<>=\[]", entry)[0] for entry in named]
    assert [name for name in names if f"`{name}`" not in reasons] == []


@proves("S0-22", "S0-24")
def test_a_toolset_is_named_in_one_line_and_gets_what_it_needs_through_its_factory():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = project["project"]["entry-points"]["fieldguide.toolsets"]

    for name in named:
        for path in SOURCES:
            inside = path.is_relative_to(ROOT / "src" / "fieldguide" / "toolsets" / name)
            is_command = path.is_relative_to(ROOT / "src" / "fieldguide" / "cli")
            assert inside or is_command or f"toolsets.{name}" not in path.read_text(encoding="utf-8")


def test_the_version_is_written_once_for_people_and_once_for_the_package():
    from fieldguide import __version__

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == __version__
    assert f"[{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("body", "complexity"),
    [
        ("pass", 1),
        ("if a: pass\n    elif b: pass\n    else: pass", 3),
        ("return a if b else c", 2),
        ("return a and b and c or d", 4),
        ("for a in b: pass\n    else: pass", 3),
        ("while a: pass", 2),
        ("try: a()\n    except B: pass\n    except C: pass\n    else: pass\n    finally: pass", 4),
        ("return [a for b in c for a in b if a if b]", 5),
        ("return lambda: a or b", 2),
        ("with a: assert b and c", 2),
        ("match a:\n        case 1: pass\n        case 2 | 3: pass\n        case _: pass", 3),
        ("def g():\n        if a: pass", 1),
    ],
)
def test_complexity_is_counted_as_radon_counts_it(body, complexity):
    assert next(counted(f"def f():\n    {body}\n")).complexity == complexity
