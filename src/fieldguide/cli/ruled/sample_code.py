"""Small pieces of code in many languages: what an example of a call, an import or a pattern may look like."""

from collections.abc import Iterator
from itertools import islice, product

from fieldguide import linear_regex as re

BODY = "BODY"
IN_BRACES = "class Example {\n    void example() {\n        BODY\n    }\n}\n"
IN_TRY = IN_BRACES.replace("BODY", "try { work(); } BODY")
FRAMES: dict[str, tuple[str, ...]] = {
    "go": ("package example\n\nfunc example() {\n\tBODY\n}\n", "package example\n\nBODY\n"),
    "java": (IN_BRACES, "class Example {\n    BODY\n}\n", "BODY\n", IN_TRY),
    "csharp": (IN_BRACES, "class Example {\n    BODY\n}\n", "BODY\n", IN_TRY),
    "kotlin": ("fun example() {\n    BODY\n}\n", "BODY\n"),
    "rust": ("fn example() {\n    BODY;\n}\n", "fn example() {\n    BODY\n}\n", "BODY\n"),
    "php": ("<?php\nBODY;\n", "<?php\nBODY\n"),
    "swift": ("func example() {\n    BODY\n}\n", "BODY\n"),
    "scala": ("object Example {\n  def example() = BODY\n}\n", "BODY\n"),
    "dart": ("void example() {\n  BODY;\n}\n", "BODY\n"),
    "python": ("BODY\n", "try:\n    work()\nBODY\n", "def example():\n    BODY\n"),
    "javascript": (
        "BODY;\n",
        "BODY\n",
        "async function example() {\n  BODY\n}\n",
        "class Example {\n  BODY\n}\n",
        "try {\n  work();\n} BODY\n",
    ),
    "solidity": ("contract Example {\n    function example() public {\n        BODY;\n    }\n}\n", "BODY\n"),
}
FRAMES["typescript"] = FRAMES["tsx"] = FRAMES["javascript"]
WITH_SEMICOLON = ("java", "csharp")
CALLS = {"shell": "{} value", "php": "{}($value)", "elixir": "{}(value)"}
IMPORTS = {
    "python": "import {}\n",
    "javascript": 'import thing from "{}";\n',
    "typescript": 'import thing from "{}";\n',
    "tsx": 'import thing from "{}";\n',
    "go": 'package example\n\nimport "{}"\n',
    "java": "import {};\n\nclass Example {{ }}\n",
    "kotlin": "import {}\n",
    "scala": "import {}\n",
    "swift": "import {}\n",
    "csharp": "using {};\n",
    "rust": "use {};\n",
    "php": "<?php\nuse {};\n",
    "ruby": 'require "{}"\n',
}
LEFT_OVERS = {
    "python": "breakpoint", "javascript": "console.log", "typescript": "console.log", "tsx": "console.log",
    "go": "fmt.Println", "java": "System.out.println", "kotlin": "println", "csharp": "Console.WriteLine",
    "ruby": "puts", "php": "var_dump", "swift": "print", "scala": "println", "lua": "print",
}  # fmt: skip
COMMENTS = {"shell": "#", "elixir": "#", "nix": "#", "hcl": "#", "haskell": "--"}
VARIABLE = re.compile(r"\$\$\$[A-Z_0-9]*|\$\$?[A-Z_][A-Z0-9_]*")
MANY = ("", "first, second", "first", "work()", "{ }", "pass")
ONE = ("value", "Name", '"text"', "1", "work()", "string")
MOST = 60


def call_of(glob: str, language: str) -> str:
    """A piece of code that calls what a glob fits."""
    called = CALLS.get(language, "{}(value)").format(name_for(glob, "receiver"))
    return framed(called, language)


def import_of(glob: str, language: str) -> str | None:
    """A piece of code that imports what a glob fits; None in a language whose imports are not known."""
    shape = IMPORTS.get(language)
    return shape.format(name_for(glob, "thing")) if shape else None


def matches_of(pattern: str, language: str) -> Iterator[str]:
    """Pieces of code that an ast-grep pattern may find, the likeliest first."""
    variables = list(dict.fromkeys(VARIABLE.findall(pattern)))
    choices = [MANY if each.startswith("$$$") else ONE for each in variables]
    for values in islice(product(*choices), MOST):
        given = dict(zip(variables, values, strict=True))
        code = "".join(given.get(piece, piece) for piece in _pieces(pattern))
        for frame in FRAMES.get(language, ("BODY\n",)):
            yield frame.replace(BODY, code)


def _pieces(pattern: str) -> Iterator[str]:
    """A pattern taken apart: its metavariables, and what stands between them."""
    end = 0
    for match in VARIABLE.finditer(pattern):
        yield pattern[end : match.start()]
        yield match.group()
        end = match.end()
    yield pattern[end:]


def comment_of(text: str, language: str) -> str:
    """A line that says something beside the code."""
    return f"{COMMENTS.get(language, '//')} {text}\n"


def framed(code: str, language: str) -> str:
    """A statement where its language wants one."""
    frame = FRAMES.get(language, ("BODY\n",))[0]
    return frame.replace(BODY, f"{code};" if language in WITH_SEMICOLON else code)


def name_for(glob: str, filling: str) -> str:
    """A name that a glob fits: `*.execute` is `receiver.execute`."""
    first = re.sub(r"\{([^{},]*)[^{}]*\}", r"\1", glob)
    return re.sub(r"\*+", filling, first).replace("?", "x")
