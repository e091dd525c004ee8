"""`fieldguide governs`: what applies to files, from a terminal or a pre-commit hook."""

import json
import re
import subprocess

import pytest

from tests.git_projects import GitProject
from tests.servers import run


@pytest.fixture
def repository(project) -> GitProject:
    made = GitProject(project.root)
    made.write("shop/__init__.py", "")
    made.write("shop/prices.py", "def total_price(items):\n    return sum(items)\n")
    made.write("shop/mail.py", "def send_mail(to):\n    return to\n")
    made.write("tests/test_prices.py", "from shop.prices import total_price\n")
    made.write("tests/test_mail.py", "from shop.mail import send_mail\n")
    made.commit_all("Open the shop")
    return made


def governs(repository: GitProject, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return run("governs", *words, "--wait", "--project", repository.root, stdin=stdin, code=None)


def test_a_path_is_told_of_as_an_agent_would_be(repository):
    done = governs(repository, "shop/prices.py")

    assert done.returncode == 0, done.stderr
    place = f"{repository.root}/tests/test_prices.py"
    assert re.search(
        rf"^Tests \(\d\)\n  {place} +imports it; changed together in 1 of 1 commits$", done.stdout, re.MULTILINE
    )


def test_what_is_staged_is_told_of_and_nothing_else(repository):
    assert governs(repository, "--staged").stdout == "Nothing is staged.\n"

    repository.write("shop/mail.py", "def send_mail(to):\n    return None\n")
    repository.git("add", "shop/mail.py")
    repository.write("shop/prices.py", "# not staged\n")
    done = governs(repository, "--staged", "--json")

    assert done.returncode == 0
    items = json.loads(done.stdout)["items"]
    importing = [item["path"] for item in items if "imports it" in item["why"]]
    assert importing == ["tests/test_mail.py"]
    assert any("tests `send_mail`" in item["why"] for item in items)


def test_a_diff_on_stdin_and_several_paths_mean_all_their_files(repository):
    diff = "--- a/shop/mail.py\n+++ b/shop/mail.py\n--- /dev/null\n+++ b/shop/prices.py\n"

    for done in (governs(repository, "--diff", stdin=diff), governs(repository, "shop/mail.py", "shop/prices.py")):
        assert "tests/test_prices.py" in done.stdout
        assert "tests/test_mail.py" in done.stdout


@pytest.mark.parametrize("words", [(), ("--staged", "--diff"), ("a.py", "--staged")])
def test_it_says_what_it_needs(repository, words):
    done = governs(repository, *words)

    assert (done.returncode != 0, "Say what is about to change" in done.stderr) == (True, True)
