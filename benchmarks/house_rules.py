"""The rules of our style that a machine can count: for each rule, the places that break it.

`tests/test_house_rules.py` holds them: some at none, the others (`COUNTED`) at the number in `simplicity.toml`.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from benchmarks.source_tree import Module

MODULE_LINES = 800
FUNCTION_LINES = 70
SMALLEST_FOLDER, LARGEST_FOLDER = 3, 25
DEEPEST_LEVEL = 3
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
CHANGEABLE_CALLS = {"dict", "list", "set", "defaultdict", "Counter", "OrderedDict", "deque"}
CACHE = "RecentItems"  # of code/imports/languages.py: it is filled whatever it is given


def find_long_modules(modules: Sequence[Module]) -> list[str]:
    """Modules over the limit."""
    return [f"{module.path} has {module.lines} lines" for module in modules if module.lines > MODULE_LINES]


def find_long_functions(modules: Sequence[Module]) -> list[str]:
    """Functions over the limit; one that is a table (assignments, expressions and a return) may be longer."""
    found = []
    for module, node in _nodes(modules):
        if isinstance(node, FUNCTIONS):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            is_table = all(isinstance(step, ast.Return | ast.Assign | ast.Expr) for step in node.body)
            if lines > FUNCTION_LINES and not is_table:
                found.append(f"{module.path}:{node.lineno} {node.name} has {lines} lines")
    return found


def find_odd_folders(modules: Sequence[Module]) -> list[str]:
    """Folders with too many modules, or too few; `__init__.py` is none, and a folder inside counts as one."""
    found = [module for module in modules if not module.path.endswith("__init__.py")]
    counts = Counter(module.folder for module in found)
    entries = Counter(counts)
    for folder in {module.folder for module in modules}:
        entries[folder.rpartition("/")[0]] += 1
    odd = [folder for folder in counts if entries[folder] < SMALLEST_FOLDER or counts[folder] > LARGEST_FOLDER]
    return [f"{folder} has {counts[folder]} modules" for folder in odd if folder.count("/") > 1]


def find_deep_folders(modules: Sequence[Module]) -> list[str]:
    """Folders more than three levels below `src/fieldguide`."""
    folders = {module.folder for module in modules}
    return sorted(folder for folder in folders if len(folder.split("/")) - 2 > DEEPEST_LEVEL)


def find_repeated_class_names(modules: Sequence[Module]) -> list[str]:
    """Public classes whose name another class has too; each beyond the first counts."""
    places: dict[str, list[str]] = defaultdict(list)
    for module in modules:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{module.path}:{node.lineno} {node.name}")
    return [place for found in places.values() for place in found[1:]]


def find_nested_comprehensions(modules: Sequence[Module]) -> list[str]:
    """Comprehensions inside of others; two `for` in one comprehension are not nested."""
    return _find_inside(modules, COMPREHENSIONS, COMPREHENSIONS)


def find_chained_ternaries(modules: Sequence[Module]) -> list[str]:
    """Conditional expressions that are a branch or the test of another."""
    found = []
    for module, node in _nodes(modules):
        if isinstance(node, ast.IfExp):
            parts = (node.test, node.body, node.orelse)
            found += [f"{module.path}:{part.lineno}" for part in parts if isinstance(part, ast.IfExp)]
    return found


def find_walruses_in_comprehensions(modules: Sequence[Module]) -> list[str]:
    """Assignments inside of comprehensions."""
    return _find_inside(modules, COMPREHENSIONS, (ast.NamedExpr,))


def find_tuple_assignments(modules: Sequence[Module]) -> list[str]:
    """`a, b = 1, 2` where two statements would do; a swap needs it."""
    found = []
    for module, node in _nodes(modules):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            targets = [target for target in node.targets if isinstance(target, ast.Tuple)]
            if targets and not _is_swap(targets[0], node.value):
                found.append(f"{module.path}:{node.lineno}")
    return found


def find_module_state(modules: Sequence[Module]) -> list[str]:
    """`global` statements, and empty containers or caches at the top of a module, which are there to be filled."""
    found = []
    for module, node in _nodes(modules):
        if isinstance(node, ast.Global):
            found.append(f"{module.path}:{node.lineno} global {', '.join(node.names)}")
    for module in modules:
        assigned = [node for node in module.tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
        empty = [node for node in assigned if _is_empty_container(node.value)]
        found += [f"{module.path}:{node.lineno} an empty container" for node in empty]
    return found


def find_silent_things(modules: Sequence[Module]) -> list[str]:
    """Modules, public classes, public functions and public methods without a docstring."""
    found = []
    for module in modules:
        if not ast.get_docstring(module.tree):
            found.append(f"{module.path}: the module")
        found += [f"{module.path}: {name}" for name in _silent_names("", module.tree.body)]
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                found += [f"{module.path}: {name}" for name in _silent_names(f"{node.name}.", node.body)]
    return found


COUNTED: dict[str, Callable[[Sequence[Module]], list[str]]] = {
    "odd_folders": find_odd_folders,
    "deep_folders": find_deep_folders,
    "repeated_class_names": find_repeated_class_names,
    "nested_comprehensions": find_nested_comprehensions,
    "chained_ternaries": find_chained_ternaries,
    "walruses_in_comprehensions": find_walruses_in_comprehensions,
    "tuple_assignments": find_tuple_assignments,
    "module_state": find_module_state,
}
"""The rules that the tree does not keep yet: how often may only fall."""


def _nodes(modules: Sequence[Module]) -> Iterator[tuple[Module, ast.AST]]:
    for module in modules:
        for node in module.nodes:
            yield module, node


def _find_inside(modules: Sequence[Module], outer: tuple[type, ...], inner: tuple[type, ...]) -> list[str]:
    """Nodes of the inner kinds below one of the outer kinds, each once."""
    found: dict[str, None] = {}
    for module, node in _nodes(modules):
        if isinstance(node, outer):
            for below in ast.walk(node):
                if below is not node and isinstance(below, inner):
                    line, column = getattr(below, "lineno", 0), getattr(below, "col_offset", 0)
                    found[f"{module.path}:{line}:{column}"] = None
    return [*found]


def _is_swap(target: ast.Tuple, value: ast.Tuple) -> bool:
    names = {ast.unparse(each) for each in target.elts}
    return any(ast.unparse(each) in names for each in value.elts)


def _is_empty_container(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List | ast.Set):
        return not value.elts
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id == CACHE or (value.func.id in CHANGEABLE_CALLS and not value.args)
    return False


def _silent_names(owner: str, body: Sequence[ast.stmt]) -> list[str]:
    named = [node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)]
    public = [node for node in named if not node.name.startswith("_")]
    return [owner + node.name for node in public if not ast.get_docstring(node)]
