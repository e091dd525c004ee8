"""Every regular expression in `src/`, found by itself, and texts made to keep each of them busy."""

import ast
import gc
import importlib
import pkgutil
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import fieldguide
from fieldguide.text import regex
from fieldguide.text.regex import Pattern
from fieldguide.text.regex_syntax import RegexToken, split_alternatives, split_class, strip_flags, tokenize
from tests.growth import Text

ROOT = Path(__file__).parent.parent
FUNCTIONS = ("compile", "search", "match", "fullmatch", "findall", "split", "sub")
ATOMS = (" ", "\n", '"', "'", "`", "(", "[", "{", "<", "-", "*", "|", "#", "_", "a", "A ", "1", "é", "\\", "/*", "a.")
SAMPLES = {"\\s": " ", "\\w": "a", "\\d": "1", "\\S": "a", "\\W": "-", "\\D": "a", "\\b": "", "\\B": "", "\\n": "\n"}


def all_patterns() -> dict[str, Pattern[Any]]:
    """The patterns of all modules by what they say: those that modules hold, and those that functions write.

    A fresh process lists what modules hold, because patterns that other tests made may still be in this one's memory.
    """
    held = subprocess.run([sys.executable, "-m", "tests.hostile_patterns"], cwd=ROOT, capture_output=True, check=True)
    patterns = [Pattern(expression, flags) for expression, flags in ast.literal_eval(held.stdout.decode())]
    for module in _modules():
        patterns += written_in_functions(module)
    return {_key(each): each for each in patterns}


def _print_held() -> None:
    """Print the expressions and flags of all patterns in memory once every module is imported."""
    modules = list(_modules())
    held = [(each.pattern, each.flags) for each in gc.get_objects() if isinstance(each, Pattern)]
    assert modules
    assert held
    print(ascii(held))


def written_in_functions(module: ModuleType) -> Iterator[Pattern[Any]]:
    """The expressions that a module writes where it uses them; what only a call knows is put as the word `name`."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and _is_ours(call.func):
                yield from _written(call, module)


def texts_for(pattern: Pattern[Any], *, own: int) -> Iterator[Text]:
    """Texts to keep a pattern busy: runs of marks, and `own` texts of what the pattern itself begins with."""
    yield from map(Text, ATOMS)
    told = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    expression, flags = strip_flags(told, pattern.flags)
    tokens = list(tokenize(expression, is_verbose=bool(flags & regex.VERBOSE)))
    samples = [sample for each in split_alternatives(tokens) if (sample := "".join(map(_sample, each)))]
    chance = random.Random(f"{own} {told}")  # the same texts in every run
    for _ in range(own if samples else 0):
        first, second = chance.choice(samples), chance.choice(samples)
        cut = chance.randint(1, len(first))
        yield Text(first[:cut] + chance.choice(["", " ", "\n", second, *ATOMS]), chance.choice(["", first]))


def _modules() -> Iterator[ModuleType]:
    for each in pkgutil.walk_packages(fieldguide.__path__, "fieldguide."):
        if not each.name.endswith("__main__"):
            yield importlib.import_module(each.name)


def _key(pattern: Pattern[Any]) -> str:
    return f"{pattern.pattern!r} {pattern.flags}"


def _is_ours(function: ast.Attribute) -> bool:
    return isinstance(function.value, ast.Name) and function.value.id == "re" and function.attr in FUNCTIONS


def _written(call: ast.Call, module: ModuleType) -> Iterator[Pattern[Any]]:
    known = _Names(vars(module))
    expression = eval(compile(ast.Expression(call.args[0]), "expression", "eval"), {}, known)  # noqa: S307
    flags = next((each.value for each in call.keywords if each.arg == "flags"), None)
    place = {"compile": 1, "sub": 4, "split": 3}.get(str(getattr(call.func, "attr", "")), 2)
    flags = flags or (call.args[place] if len(call.args) > place else None)
    value = eval(compile(ast.Expression(flags), "flags", "eval"), {}, known) if flags else 0  # noqa: S307
    if isinstance(expression, str | bytes):
        yield Pattern(expression, value if isinstance(value, int) else 0)


class _Names(dict[str, Any]):
    """The names of a module; any other, which only a call knows, is a word."""

    def __missing__(self, name: str) -> str:
        if hasattr(__builtins__, name) or name in ("map", "max", "len", "f"):
            raise KeyError(name)
        return "name"


def _sample(token: RegexToken) -> str:
    if token.kind == "character":
        return token.text
    if token.kind == "escape":
        return SAMPLES.get(token.text, token.text[-1:])
    if token.kind == "class":
        pieces = list(split_class(token.text))
        return "~" if pieces[0] == "[^" else SAMPLES.get(pieces[1], pieces[1][-1:])
    return "a" if token.kind == "any" else ""


def run_over(pattern: Pattern[Any], text: str) -> None:
    """Find all that a pattern matches in a text, which takes at least as long as any other use of it."""
    for _ in pattern.finditer(text.encode(errors="replace") if isinstance(pattern.pattern, bytes) else text):
        pass


if __name__ == "__main__":
    _print_held()
