"""Nonsense that would keep a parser busy for seconds, or end the process, never reaches it."""

import subprocess
import sys

import pytest

from fieldguide.source_code.imports import SyntaxProblem, read_imports
from fieldguide.source_code.parsing import parsed

NONSENSE = [("java", "x=>"), ("go", "->"), ("javascript", "->"), ("typescript", "a<b,"), ("typescript", "<a>")]
PYTHON = "def total(lines):\n    return sum(line.price for line in lines if line.count > 0)\n\n\n"


@pytest.mark.parametrize(("language", "token"), NONSENSE)
def test_nonsense_is_not_parsed(language, token):
    text = token * (40_000 // len(token))
    program = (
        "import resource, sys; from fieldguide.source_code.parsing import parsed;"
        "resource.setrlimit(resource.RLIMIT_CPU, (20, 20)); resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30));"
        "print(parsed(sys.stdin.read(), sys.argv[1]))"
    )

    done = subprocess.run([sys.executable, "-c", program, language], input=text, capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, "None\n")


def test_the_imports_of_nonsense_are_refused():
    with pytest.raises(SyntaxProblem):
        read_imports("import a.B;\n" + "x=>" * 10_000, "java")


def test_code_is_parsed_however_long_it_is():
    root = parsed(PYTHON * 2_000, "python")

    assert root is not None
    assert len(root.find_all(kind="function_definition")) == 2_000
