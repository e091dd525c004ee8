"""Questions that code answers: the first sentence of a function's description, which is then taken out of the code."""

import ast
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

SEED = 11
FEWEST_WORDS, MOST_WORDS = 4, 20
LONGEST_FUNCTION = 120
SENTENCE = re.compile(r"(.+?[.!?])(?:\s|$)", re.DOTALL)


class Answered(NamedTuple):
    """A function of a file that has lost its descriptions: where it stands there, and what it was said to do."""

    path: str
    start_line: int
    end_line: int
    question: str


class StrippedFile(NamedTuple):
    """A Python file without the descriptions of its functions, and the questions they make."""

    path: str
    text: str
    answered: Sequence[Answered]


def stripped_files(root: Path, paths: Sequence[Path]) -> Iterator[StrippedFile]:
    """Every file that can be read as Python; lines keep their numbers, a description becomes blank lines."""
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text)
        except (OSError, ValueError, SyntaxError):
            continue
        name = path.relative_to(root).as_posix()
        lines = text.split("\n")
        found = [each for node in ast.walk(tree) if (each := _answered(node, name)) is not None]
        for node in ast.walk(tree):
            described = _description(node)
            if described is not None:
                for number in range(described.lineno - 1, described.end_lineno or described.lineno):
                    lines[number] = ""
        yield StrippedFile(name, "\n".join(lines), found)


def sampled(files: Sequence[StrippedFile], count: int) -> list[Answered]:
    """Some of the questions, each asked by one function only, the same ones every time."""
    everything = [each for file in files for each in file.answered]
    asked: dict[str, int] = {}
    for each in everything:
        asked[each.question] = asked.get(each.question, 0) + 1
    single = [each for each in everything if asked[each.question] == 1]
    return random.Random(SEED).sample(single, min(count, len(single)))


def _answered(node: ast.AST, path: str) -> Answered | None:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.end_lineno is None:
        return None
    described = ast.get_docstring(node)
    if not described or node.end_lineno - node.lineno > LONGEST_FUNCTION or len(node.body) < 2:
        return None
    first = SENTENCE.match(described.strip())
    question = " ".join((first.group(1) if first else described.splitlines()[0]).split())
    words = len(question.split())
    return Answered(path, node.lineno, node.end_lineno, question) if FEWEST_WORDS <= words <= MOST_WORDS else None


def _description(node: ast.AST) -> ast.Expr | None:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module) or not node.body:
        return None
    first = node.body[0]
    is_text = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return first if is_text and isinstance(first, ast.Expr) else None
