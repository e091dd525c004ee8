"""What the task tools may not do, read from their source: write SQL, keep state between calls, name a user."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.proves import proves

SRC = Path(__file__).parent.parent.parent / "src" / "fieldguide"
MODULES = {path.name: ast.parse(path.read_text(encoding="utf-8")) for path in (SRC / "toolsets" / "tasks").glob("*.py")}
USE_CASES = {
    "add_task": "AddTaskUseCase",
    "list_tasks": "ListTasksUseCase",
    "complete_task": "CompleteTaskUseCase",
    "delete_task": "DeleteTaskUseCase",
    "update_task": "UpdateTaskUseCase",
}
SQL = re.compile(
    r"\b(SELECT\s.*\bFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+TABLE|DROP\s+TABLE)\b", re.DOTALL
)
CHANGING = {"append", "add", "update", "pop", "clear", "extend", "setdefault", "insert", "remove", "discard", "popitem"}


def call_functions() -> dict[str, ast.FunctionDef]:
    body = MODULES["calls.py"].body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef) and node.name in USE_CASES}


def called(node: ast.AST) -> list[ast.Call]:
    return [each for each in ast.walk(node) if isinstance(each, ast.Call)]


def called_names(node: ast.AST) -> list[str]:
    """What is called by its own name: `f` for `f(...)`."""
    return [each.func.id for each in called(node) if isinstance(each.func, ast.Name)]


def called_methods(node: ast.AST) -> list[str]:
    """What is called on a name: `a.f` for `a.f(...)`."""
    functions = [each.func for each in called(node)]
    return [
        f"{each.value.id}.{each.attr}"
        for each in functions
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)
    ]


def texts(module: ast.Module) -> Iterator[str]:
    return (node.value for node in ast.walk(module) if isinstance(node, ast.Constant) and isinstance(node.value, str))


def bound_names(module: ast.Module) -> dict[str, ast.expr | None]:
    """The names that a module binds to values as it is imported."""
    found: dict[str, ast.expr | None] = {}
    for node in module.body:
        if isinstance(node, ast.Assign):
            found |= {each.id: node.value for each in node.targets if isinstance(each, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node.value
    return found


def root(node: ast.AST) -> str | None:
    """The name that an expression such as `a.b["c"]` begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def states(module: ast.Module) -> list[str]:
    """What keeps something from one call to the next: a name rebound or a value changed after the import."""
    names = bound_names(module)
    kept = [name for name, value in names.items() if not name.isupper() and not name.startswith("__")]
    kept += [name for name, value in names.items() if isinstance(value, ast.Constant) and value.value is None]
    for node in ast.walk(module):
        if isinstance(node, ast.Global):
            kept += node.names
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            kept += [name for name in [root(node)] if name in names]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            kept += [name for name in [root(node.func)] if name in names]
        elif isinstance(node, ast.FunctionDef):
            decorators = [ast.unparse(each) for each in node.decorator_list]
            kept += [node.name for each in decorators if "cache" in each]
    return kept


def direct_writes(node: ast.AST) -> list[str]:
    """Calls on a session or a repository, of which a tool may only read one task."""
    return [each for each in called_methods(node) if each.split(".")[0] in ("session", "repository", "database")]


@proves("S1-2", "S1-62")
@pytest.mark.parametrize("tool", USE_CASES)
def test_each_tool_uses_its_use_case_and_no_other(tool):
    used = [name for name in called_names(call_functions()[tool]) if name.endswith("UseCase")]

    assert used == [USE_CASES[tool]]


@proves("S1-3", "S1-62")
def test_no_tool_touches_the_database_itself():
    writes = {tool: direct_writes(node) for tool, node in call_functions().items()}

    assert {tool: [each for each in found if not each.startswith("database.")] for tool, found in writes.items()} == {
        "add_task": [],
        "list_tasks": [],
        "complete_task": [],
        "delete_task": ["repository.get_by_id"],
        "update_task": [],
    }
    assert {each for found in writes.values() for each in found if each.startswith("database.")} <= {
        "database.reading",
        "database.writing",
    }


@proves("S1-3")
def test_sql_stands_in_the_repository_alone():
    with_sql = {name for name, module in MODULES.items() if any(SQL.search(text) for text in texts(module))}
    sources = "\n".join(ast.unparse(module) for module in MODULES.values())

    assert with_sql == {"repository.py"}
    assert "TaskDB" not in sources
    assert "session.add" not in sources


@proves("S1-5")
@pytest.mark.parametrize("name", sorted(MODULES))
def test_no_module_keeps_anything_between_calls(name):
    assert states(MODULES[name]) == []


@proves("S1-5", "S1-55")
def test_a_repository_is_made_inside_a_call_for_the_user_of_that_call():
    made: dict[str, list[str]] = {}
    for path in SRC.rglob("*.py"):
        for node in called(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node.func, ast.Name) and node.func.id == "PostgreSQLTaskRepository":
                made.setdefault(path.name, []).append(", ".join(map(ast.unparse, node.args)))

    assert made == {"calls.py": ["session, call.arguments['user_id']"] * 5 + ["session, user"] * 3}
    assert [called_names(node).count("PostgreSQLTaskRepository") for node in call_functions().values()] == [1] * 5


@proves("S1-8")
def test_every_session_comes_from_get_session():
    assert {tool: called_names(node).count("get_session") for tool, node in call_functions().items()} == dict.fromkeys(
        USE_CASES, 1
    )
    assert not any(each.startswith("database.") for node in call_functions().values() for each in called_methods(node))


def test_the_checks_themselves_can_fail():
    stateful = """
_cache = {}
REPOSITORY = None
SEEN = []
TABLE = {}
def f():
    global REPOSITORY
    SEEN.append(1)
    TABLE["a"]["b"] = 2
@lru_cache
def g(): ...
"""
    writing = "def f(session, repository):\n    session.execute('x')\n    repository.add(1)"

    assert set(states(ast.parse(stateful))) == {"_cache", "REPOSITORY", "SEEN", "TABLE", "g"}
    assert direct_writes(ast.parse(writing)) == ["session.execute", "repository.add"]
    assert SQL.search("insert into".upper())
    assert SQL.search("SELECT id\nFROM task")
    assert not SQL.search("Update a task or delete it")
