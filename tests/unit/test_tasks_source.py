"""What the task tools may not do, read from their source: write SQL, keep state between calls, name a user."""

import ast
import re

from benchmarks.house_rules import find_module_state
from benchmarks.source_tree import SOURCE, parse_module
from tests.proves import proves

TASKS = SOURCE / "fieldguide" / "toolsets" / "tasks"
MODULES = {path.name: parse_module(path.as_posix(), path.stem, path.read_text("utf-8")) for path in TASKS.glob("*.py")}
TOOLS = ("add_task", "list_tasks", "complete_task", "delete_task", "update_task")
SQL = re.compile(
    r"\b(SELECT\s.*\bFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+TABLE|DROP\s+TABLE)\b", re.DOTALL
)
CHANGED = re.compile(
    r"\b[A-Z][A-Z_]+(\[[^\n=]*\]\s*=(?!=)"
    r"|\.(append|add|update|pop|clear|extend|setdefault|insert|remove|discard|popitem)\()"
)


def called(node: ast.AST) -> list[str]:
    """What is called, as it is written: `f` and `a.f`."""
    return [ast.unparse(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)]


def tool_functions() -> dict[str, ast.FunctionDef]:
    body = MODULES["calls.py"].tree.body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef) and node.name in TOOLS}


def direct_uses(node: ast.AST) -> list[str]:
    """Calls on a session, a repository or a database, of which a tool may only read one task."""
    return [each for each in called(node) if each.split(".")[0] in ("session", "repository", "database")]


@proves("S1-3", "S1-62", "S1-8")
def test_no_tool_touches_the_database_but_through_a_session_and_its_use_case():
    assert {tool: direct_uses(node) for tool, node in tool_functions().items()} == {
        **{tool: [] for tool in TOOLS},
        "delete_task": ["repository.get_by_id"],
    }
    for node in tool_functions().values():
        assert [called(node).count(name) for name in ("get_session", "PostgreSQLTaskRepository")] == [1, 1]


@proves("S1-3")
def test_sql_stands_in_the_repository_alone():
    assert {name for name, module in MODULES.items() if SQL.search(module.text)} == {"repository.py"}
    assert not any("TaskDB" in module.text or "session.add" in module.text for module in MODULES.values())


@proves("S1-5")
def test_no_module_keeps_anything_between_calls():
    assert find_module_state([*MODULES.values()]) == []
    for module in MODULES.values():
        bound = [node for node in module.tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
        names = [ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target) for node in bound]
        assert [name for name in names if not name.isupper() and not name.startswith("__")] == []
        assert [node.lineno for node in bound if node.value is None or ast.unparse(node.value) == "None"] == []
        assert not re.search(r"@\w*cache", module.text)
        assert not CHANGED.search(module.text)


@proves("S1-5", "S1-55")
def test_a_repository_is_made_inside_a_call_for_the_user_of_that_call():
    made: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for arguments in re.findall(r"(?<!class )\bPostgreSQLTaskRepository\(([^)]*)\)", path.read_text("utf-8")):
            made.setdefault(path.name, []).append(arguments)

    assert made == {"calls.py": ['session, call.arguments["user_id"]'] * 5 + ["session, user"] * 4}
