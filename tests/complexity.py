"""How many ways lead through a function, counted as radon's `cc` counts them; it is no dependency of ours.

One, and one more for each branch, loop, handler, case, `else` of a loop or a `try`, further operand of `and` or `or`,
comprehension and condition in it, and assertion. A function within a function is counted by itself. What an assertion
says, and what stands in a function's head, is not looked into.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Counted(NamedTuple):
    """A function, where it begins, and how many ways lead through it."""

    name: str
    line: int
    complexity: int


def counted(source: str) -> Iterator[Counted]:
    """Every function of a module, also those within functions and classes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Function):
            yield Counted(node.name, node.lineno, 1 + sum(map(_ways, node.body)))


def _ways(node: ast.AST) -> int:
    if isinstance(node, Function | ast.ClassDef):
        return 0
    if isinstance(node, ast.Assert):
        return 1
    return _own_ways(node) + sum(map(_ways, ast.iter_child_nodes(node)))


def _own_ways(node: ast.AST) -> int:
    match node:
        case ast.If() | ast.IfExp():
            return 1
        case ast.For() | ast.AsyncFor() | ast.While():
            return 1 + bool(node.orelse)
        case ast.Try():
            return len(node.handlers) + bool(node.orelse)
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.comprehension():
            return 1 + len(node.ifs)
        case ast.Match():
            return len(node.cases) - any(map(_takes_all, node.cases))
        case _:
            return 0


def _takes_all(case: ast.match_case) -> bool:
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
