"""The small mistakes that can be made in a module: one changed comparison, constant, branch or statement each."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
SWAPPED: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}


class Mutation(NamedTuple):
    """One mistake: where it stands, what stood there, and what stands there instead."""

    path: str
    line: int
    owner: str
    before: str
    after: str
    source: str

    def place(self) -> str:
        """Where it is, for people."""
        return f"{self.path}:{self.line}"

    def name(self) -> str:
        """What it is, whatever else moves in the file."""
        return f"{self.path} | {self.owner} | {self.before} -> {self.after}"


def mutations_of(path: str, source: str) -> list[Mutation]:
    """Every mistake that we know to make in a module, in the order of its lines."""
    found: list[Mutation] = []
    for node, owner in _owned(ast.parse(source), ""):
        for changed in _changes(node):
            before, after = ast.unparse(node), changed if isinstance(changed, str) else ast.unparse(changed)
            text = _replaced(source, node, f"({after})" if isinstance(node, ast.expr) else after)
            found.append(Mutation(path, node.lineno, owner, _short(before), _short(after), text))
    return sorted(found, key=lambda each: (each.line, each.after))


def _owned(node: ast.AST, owner: str) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Every expression and statement that runs, with the function or class around it."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_params"} or isinstance(node, ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_prose(child):
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield child, owner
            is_named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            yield from _owned(child, f"{owner}.{child.name}".strip(".") if is_named else owner)  # type: ignore[attr-defined]  # is_named says so


def _is_prose(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _changes(node: ast.expr | ast.stmt) -> Iterator[ast.AST | str]:
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=comparators) if type(operator) in COMPARISONS:
            yield ast.Compare(left, [COMPARISONS[type(operator)]()], comparators)
        case ast.BoolOp(op=ast.And(), values=values):
            yield ast.BoolOp(ast.Or(), values)
        case ast.BoolOp(op=ast.Or(), values=values):
            yield ast.BoolOp(ast.And(), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in SWAPPED:
            yield ast.BinOp(left, SWAPPED[type(operator)](), right)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=float(value)):
            yield ast.Constant(value * 2 + 1)
        case ast.Return(value=value) if value is not None and not (
            isinstance(value, ast.Constant) and value.value is None
        ):
            yield "return None"
        case ast.Raise() | ast.AugAssign() | ast.Expr() | ast.Continue() | ast.Break():
            yield "pass"
        case _:
            return


def _replaced(source: str, node: ast.expr | ast.stmt, text: str) -> str:
    """The source with other words in the place of a node."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    whole = source.encode()
    begin = starts[node.lineno - 1] + node.col_offset
    end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
    return (whole[:begin] + text.encode() + whole[end:]).decode()


def _short(text: str) -> str:
    return " ".join(text.split())[:100]
