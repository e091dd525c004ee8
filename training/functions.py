"""Functions with what their authors say of them, from Python and JavaScript sources."""

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

FEWEST_WORDS = 3
SHORTEST_CODE = 60  # characters; below it a function hardly does anything one would look for
LONGEST_CODE = 1400
JSDOC = re.compile(r"/\*\*(?P<comment>[^*]*+(?:\*(?!/)[^*]*+)*+)\*/\s*+(?P<head>[^\n;{]{0,200}\{)")
JS_NAME = re.compile(r"(?:function\s*\*?\s*|([\w.$]+)\s*[=:]\s*(?:async\s+)?(?:function)?\s*)?([A-Za-z_$][\w$]*)?\s*\(")
MARKUP = re.compile(r":\w+(?::\w+)?:`~?([^`<]+)(?:<[^`]*>)?`|\{@\w+\s+([^}]+)\}|``?([^`]+)``?")


@dataclass(frozen=True, slots=True)
class Function:
    """A function without its description, the description in words, and the whole as its author wrote it."""

    name: str
    owner: str
    description: str
    code: str
    whole: str


def python_functions(source: str) -> Iterator[Function]:
    """Every described function and method of a Python file."""
    tree = parsed(source)
    if tree is None:
        return
    lines = source.splitlines(keepends=True)
    for owner, node in definitions(tree):
        function = _described(node, owner, lines)
        if function and _is_worth_it(function):
            yield function


def javascript_functions(source: str) -> Iterator[Function]:
    """Every function under a JSDoc comment; braces are counted, which is right often enough for training."""
    for match in JSDOC.finditer(source):
        named = JS_NAME.search(match["head"])
        name = (named.group(2) or named.group(1) or "") if named else ""
        description = plain(
            re.sub(r"^\s*\*+", "", match["comment"].split("\n @")[0].split("* @")[0], flags=re.MULTILINE)
        )
        code = match["head"] + _up_to_closing_brace(source, match.end())
        function = Function(
            name.split(".")[-1], "", description, code[:LONGEST_CODE], f"// {description}\n{code}"[:LONGEST_CODE]
        )
        if name and _is_worth_it(function):
            yield function


def plain(description: str) -> str:
    """The first paragraph of a description as one line, without markup."""
    paragraph = re.split(r"\n\s*\n|\n\s*(?:[:@]\w+|Args|Parameters|Returns|>>>)", description.strip())[0]
    words = MARKUP.sub(lambda match: next(filter(None, match.groups()), ""), paragraph)
    return " ".join(words.split())[:400]


def words_of(name: str) -> str:
    """`getFileName` and `get_file_name` as "get file name"."""
    return " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)).lower()


def parsed(source: str) -> ast.Module | None:
    """The syntax of a Python file, if this Python understands it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None


def definitions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Functions and methods, each with the name of its class; those inside functions are left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            for child in node.body:
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield getattr(node, "name", ""), child


def _described(node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str, lines: list[str]) -> Function | None:
    description = ast.get_docstring(node)
    if not description or len(node.body) < 2 or node.name.startswith(("__", "test")):
        return None
    first = node.body[0]
    head, body = lines[node.lineno - 1 : first.lineno - 1], lines[first.end_lineno or 0 : node.end_lineno]
    documented = lines[node.lineno - 1 : first.end_lineno]
    return Function(
        name=node.name,
        owner=owner,
        description=plain(description),
        code="".join(head + body)[:LONGEST_CODE],
        whole=("".join(documented)[: LONGEST_CODE // 2] + "".join(body))[:LONGEST_CODE],
    )


def _is_worth_it(function: Function) -> bool:
    described = len(function.description.split()) >= FEWEST_WORDS and function.description.isascii()
    return described and len(function.code) >= SHORTEST_CODE and "deprecated" not in function.description.lower()[:60]


def _up_to_closing_brace(source: str, start: int) -> str:
    depth = 1
    for match in re.finditer(r"[{}]", source[start : start + LONGEST_CODE]):
        depth += 1 if match.group() == "{" else -1
        if not depth:
            return source[start : start + match.end()]
    return source[start : start + LONGEST_CODE]
