"""The man page and the completions that the wheel brings: they say what the program says, and the shells read them."""

import shutil
import subprocess

import pytest

from fieldguide.cli.main import COMMANDS
from release import man_page
from release.shared_files import FOLDER, shared_files, stale_files
from tests.proves import proves


@proves("Z-94")
def test_no_shared_file_is_stale():
    assert stale_files() == [], "`make docs` writes them anew"


@proves("Z-94")
def test_the_man_page_has_every_command_and_their_flags():
    lines = man_page.page().splitlines()

    assert [line for line in lines if line.startswith(".SS ")] == [
        f".SS fieldguide {name}".replace("-", "\\-") for name in COMMANDS
    ]
    assert "\\fB\\-\\-project\\fR \\fIDIR\\fR" in lines
    assert not [line for line in lines if line.startswith("'") or "%(" in line]


def test_a_text_can_give_roff_no_orders():
    assert man_page._plain(".so /etc/passwd") == "\\&.so /etc/passwd"
    assert man_page._plain("a \\fBbold\\fR word\n.br") == "a \\efBbold\\efR word .br"


@pytest.mark.parametrize(("shell", "name"), [("bash", "bash-completion/completions/fieldguide")])
def test_the_shell_can_read_its_completion(shell, name):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")

    assert subprocess.run([shell, "-n", FOLDER / name], check=False).returncode == 0


def test_a_completion_that_zsh_loads_itself_completes_at_once():
    script = shared_files()["zsh/site-functions/_fieldguide"]

    assert script.startswith("#compdef fieldguide\n")
    assert script.endswith('\n_fieldguide "$@"\n')
