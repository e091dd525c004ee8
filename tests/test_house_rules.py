"""House rules that a machine can check: sizes, folders, names, docstrings, and dependencies with a reason.

All rules look at one syntax tree of every module, read once. Rules that the tree does not keep yet are ratchets: their
number in `benchmarks/simplicity.toml` may only fall.
"""

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

from benchmarks import house_rules, simplicity
from benchmarks.source_tree import Module, parse_module, read_modules
from tests.proves import proves

ROOT = Path(__file__).parent.parent
NAMES_THAT_SAY_NOTHING = {"utils", "helpers", "common", "manager", "base", "misc", "util", "helper"}
FRAMEWORKS = {"mcp", "mcp_types", "uvicorn", "starlette"}
FRAMEWORK_FOLDERS = ("wire", "team", "pages", "cli/service/serve_http.py", "cli/service/serve_team.py")
DRIVERS = {"sqlite3", "psycopg", "psycopg_pool"}
DRIVER_FOLDERS = ("storage", "search/indexes")
ENGINES = {"re", "regex", "re2", "sre_compile", "sre_parse", "fnmatch"}
"""What matches by going back, or would pass by `text/regex.py`; `re2` is loaded there by its name."""
WRITERS = {
    "cli/console/terminal.py": "the one way to a terminal",
    "cli/main.py": "flushes both streams as it ends the process, and writes nothing",
    "cli/console/parser.py": "compares which of the two streams argparse means",
    "cli/stale.py": "JSON of plain ASCII, without a control character",
    "cli/install.py": "uv, pip or pipx says for itself what it does, when a person asked for it",
    "cli/hook.py": "JSON of plain ASCII for the client, and lines of JSON into files of its own",
    "wire/stdio.py": "the protocol on stdout",
    "spine/journal.py": "the journal: JSON lines of plain ASCII",
    "spine/usage.py": "lines of JSON into a file of its own",
    "text/cancellation.py": "a pipe of its own, by which a thread of ours is woken",
}
STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__", "buffer"}
"""The streams of `sys`; above, what writes for itself, and why it may."""


@cache
def project_file() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def module_of(text: str) -> Module:
    return parse_module("src/fieldguide/a/b.py", "fieldguide.a.b", text)


def test_no_module_is_longer_than_a_reader_can_hold():
    assert house_rules.find_long_modules(read_modules()) == []


def test_no_function_is_longer_than_a_screen_or_two():
    assert house_rules.find_long_functions(read_modules()) == []


def test_everything_public_has_a_docstring():
    assert house_rules.find_silent_things(read_modules()) == []


def test_every_module_has_a_name_that_says_something():
    assert [module.path for module in read_modules() if Path(module.path).stem in NAMES_THAT_SAY_NOTHING] == []


def test_nothing_is_left_to_do_in_a_comment():
    assert [module.path for module in read_modules() if re.search(r"#\s*(TODO|FIXME|XXX)", module.text)] == []


def test_no_measure_of_simplicity_gets_worse():
    measured = simplicity.measure_sources()

    for line in simplicity.find_worse(simplicity.read_rows(), measured):
        key = next(row.key for row in simplicity.read_rows() if row.title in line)
        places = house_rules.COUNTED[key](read_modules()) if key in house_rules.COUNTED else []
        print(line, *places, sep="\n  ")  # shown with the failure
    assert simplicity.find_worse(simplicity.read_rows(), measured) == []


def test_every_counted_rule_has_a_ratchet():
    held = {row.key for row in simplicity.read_rows() if row.held is not None}

    assert set(house_rules.COUNTED) <= held
    assert set(simplicity.measure_sources()) <= {row.key for row in simplicity.read_rows()}


def test_only_the_wire_and_the_pages_import_a_web_framework_or_the_sdk():
    assert importing(FRAMEWORKS, outside_of=FRAMEWORK_FOLDERS) == []


def test_only_storage_and_the_indexes_import_a_database_driver():
    assert importing(DRIVERS, outside_of=DRIVER_FOLDERS) == []


def test_expressions_are_matched_by_the_linear_engine_only():
    assert importing(ENGINES, outside_of=("text/tokens.py",)) == []  # many short matches there, no going back


def test_nothing_prints_around_the_one_way():
    found = {module.path.removeprefix("src/fieldguide/") for module in read_modules() if printing(module)}

    assert found == {*WRITERS}


def test_the_rules_themselves_can_fail():
    long = module_of("def f():\n" + "    if x:\n        y()\n" * 36)
    packed = module_of(
        "a, b = 1, 2\na, b = b, a\nx = [[z for z in y] for y in [w := 1]]\ny = 1 if a else 2 if b else 3\nz = {}\n"
        "def f():\n    global z\n"
    )

    assert house_rules.find_long_functions([long]) == ["src/fieldguide/a/b.py:1 f has 73 lines"]
    assert house_rules.find_long_modules([module_of("\n" * 801)]) == ["src/fieldguide/a/b.py has 801 lines"]
    silent = house_rules.find_silent_things([module_of("def f(): ...\nclass C:\n    def m(self): ...\n")])
    assert [line.rpartition(" ")[2] for line in silent] == ["module", "f", "C", "C.m"]
    assert {key: len(rule([packed])) for key, rule in house_rules.COUNTED.items()} == {
        "odd_folders": 1,
        "deep_folders": 0,
        "repeated_class_names": 0,
        "nested_comprehensions": 1,
        "chained_ternaries": 1,
        "walruses_in_comprehensions": 1,
        "tuple_assignments": 1,
        "module_state": 2,
    }
    twice = [module_of("class C: ...\n")] * 2
    assert house_rules.find_repeated_class_names(twice) == ["src/fieldguide/a/b.py:1 C"]
    deep = parse_module("src/fieldguide/a/b/c/d/e.py", "fieldguide.a.b.c.d.e", "")
    assert house_rules.find_deep_folders([deep]) == ["src/fieldguide/a/b/c/d"]
    ways = ("write = print", "sys.stdout.write('')", "from sys import stderr", "os.write(1, b'')", "subprocess.run([])")
    assert all(printing(module_of(way)) for way in ways)
    assert imported_packages(module_of("def f():\n    from re import compile\n")) == {"re"}
    row = simplicity.Row("lines", "lines", goal=1, held=2)
    assert simplicity.find_worse([row], {"lines": 3.0}) == ["worse: lines: 3, and was 2"]
    assert simplicity.find_worse([row], {"lines": 2.0}) == []


def test_every_dependency_has_a_line_that_says_why():
    groups = project_file()["dependency-groups"]
    named = project_file()["project"]["dependencies"] + [
        entry for group in groups.values() for entry in group if isinstance(entry, str)
    ]
    reasons = (ROOT / "docs" / "explain" / "packaging.md").read_text(encoding="utf-8")

    names = [re.split(r"[<>=\[]", entry)[0] for entry in named]
    assert [name for name in names if f"`{name}`" not in reasons] == []


def test_every_package_that_is_imported_is_declared():
    project = project_file()["project"]
    extras = [entry for entries in project["optional-dependencies"].values() for entry in entries]
    declared = {canonical(re.split(r"[<>=\[; ]", entry)[0]) for entry in [*project["dependencies"], *extras]}
    carriers = packages_distributions()

    undeclared: dict[str, str] = {}
    for module in read_modules():
        for name in imported_packages(module) - sys.stdlib_module_names - {"fieldguide"}:
            if not declared & {canonical(carrier) for carrier in carriers.get(name, [name])}:
                undeclared.setdefault(name, module.path)
    assert undeclared == {}


def importing(packages: set[str], *, outside_of: tuple[str, ...]) -> list[str]:
    """Modules that import one of some packages, unless they are in one of some folders."""
    allowed = tuple(
        f"src/fieldguide/{place}" if place.endswith(".py") else f"src/fieldguide/{place}/" for place in outside_of
    )
    others = [module for module in read_modules() if not module.path.startswith(allowed)]
    return [module.path for module in others if imported_packages(module) & packages]


def imported_packages(module: Module) -> set[str]:
    """The top-level names of everything that a module imports, also inside functions."""
    found = set()
    for node in module.nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def printing(module: Module) -> list[str]:
    """Every way of a module to print: `print`, the streams of `sys`, `os.write`, and children that inherit ours."""
    found: list[str] = []
    for node in module.nodes:
        match node:
            case ast.Name(id="print" | "input" | "breakpoint" as name):
                found.append(name)
            case ast.Attribute(value=ast.Name(id="sys"), attr=name) if name in STREAMS:
                found.append(f"sys.{name}")
            case ast.ImportFrom(module="sys", names=names):
                found += [f"sys.{each.name}" for each in names if each.name in STREAMS]
            case ast.Attribute(value=ast.Name(id="os"), attr="write" | "system" | "popen" | "writev" as name):
                found.append(f"os.{name}")
            case ast.Call(func=ast.Attribute(value=ast.Name(id="subprocess"), attr=name), keywords=given):
                named = {each.arg for each in given}
                if "capture_output" not in named and not {"stdout", "stderr"} <= named:
                    found.append(f"subprocess.{name}")
    return found


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@proves("S0-22", "S0-24")
def test_a_toolset_is_named_in_one_line_and_gets_what_it_needs_through_its_factory():
    for name in project_file()["project"]["entry-points"]["fieldguide.toolsets"]:
        for module in read_modules():
            inside = module.path.startswith((f"src/fieldguide/toolsets/{name}/", "src/fieldguide/cli/"))
            assert inside or f"toolsets.{name}" not in module.text


def test_the_version_is_written_once_for_people_and_once_for_the_package():
    from fieldguide import __version__

    assert project_file()["project"]["version"] == __version__
    assert f"[{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
