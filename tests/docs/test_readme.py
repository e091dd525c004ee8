"""The README convinces with what is so: its first screen, its example, its figures."""

import re
import shlex
import subprocess

import pytest

from fieldguide.text.tokens import count_exact_tokens
from tests.docs.foreign_sources import unpack_flask
from tests.docs.markdown import ROOT, blocks_of
from tests.docs.test_code_blocks import commands_of, printed_by

FIRST_SCREEN = 45
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIGURES = (ROOT / "docs" / "explain" / "figures.md").read_text(encoding="utf-8")


@pytest.fixture
def flask(tmp_path):
    folder = tmp_path / "flask"
    unpack_flask(folder)
    return folder


def test_the_first_screen_has_what_a_stranger_needs():
    screen = "\n".join(README.splitlines()[:FIRST_SCREEN])

    for needed in ("$ fieldguide find ", "uv tool install .", "\nfieldguide install ", "\nmake run ", "\nmake test "):
        assert needed in screen
    assert "tokens" in screen


def test_the_tokens_of_the_example_are_counted(flask, tmp_path):
    block = next(each for each in blocks_of(ROOT / "README.md", README) if each.info == "console flask")
    [(command, _)] = commands_of(block.text)
    answer = "".join(f"{line}\n" for line in printed_by(shlex.split(command)[1:], flask, tmp_path))
    grep = subprocess.run([_ripgrep(), "-n", "-i", "secret.?key"], cwd=flask, capture_output=True, text=True,
                          check=True, stdin=subprocess.DEVNULL).stdout  # fmt: skip
    grep = "".join(line for line in grep.splitlines(keepends=True) if not line.startswith("PKG-INFO"))
    files = sum(
        count_exact_tokens((flask / path).read_text()) for path in re.findall(r"^(\S+):\d+  ", answer, re.MULTILINE)
    )

    told = README.partition("The page and the method")[2].partition("\n\n")[0]
    numbers = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", told)]
    names = {line.partition(":")[0] for line in grep.splitlines()}
    assert numbers == [count_exact_tokens(answer), len(grep.splitlines()), len(names), count_exact_tokens(grep), files]


def test_every_figure_of_the_readme_is_in_the_figures():
    table = README.partition("## Figures")[2].partition("\n\n## ")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ") and "---" not in line]
    numbers = {number for row in rows for cell in row[1:] for number in re.findall(r"\.?\d[\d.,]*", _words(cell))}

    assert [number for number in sorted(numbers) if number.rstrip(".,") not in FIGURES] == []


def test_every_figure_has_its_command_and_a_commit_of_this_repository():
    rows = [line.split("|") for line in FIGURES.splitlines() if line.startswith("| ") and "---" not in line][1:]
    commits = {row[5].strip() for row in rows}
    programs = {re.findall(r"`([a-z_]+)", row[4])[0] for row in rows}

    found = subprocess.run(["git", "cat-file", "--batch-check"], cwd=ROOT, input="\n".join(sorted(commits)) + "\n",
                           capture_output=True, text=True, check=True).stdout  # fmt: skip
    assert [line for line in found.splitlines() if " commit " not in line] == []
    assert [name for name in sorted(programs) if not list((ROOT / "benchmarks").glob(f"{name}*"))] == []


def _words(cell: str) -> str:
    """A cell without where its links lead."""
    return re.sub(r"\]\([^)]*\)", "]", cell)


def _ripgrep():
    from fieldguide.files.listing import find_ripgrep

    return find_ripgrep(str(ROOT))
