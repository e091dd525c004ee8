"""Every launch of git: one place starts it, with one table of settings, and nothing that a repository names is run."""

from pathlib import Path

import pytest

import fieldguide
from fieldguide.files.git_process import SAFE_SETTINGS, SAFE_VARIABLES
from fieldguide.git.fetch import GitCommands
from fieldguide.git.program import GitProgram
from fieldguide.settings.limits import Limits
from tests.git_projects import GitProject
from tests.hostile.test_fetching_git import fake_git
from tests.servers import run

LAUNCHES = {
    "none": lambda at: GitProgram(at).ask("log"),
    "file": lambda at: GitCommands(at, Limits()).run(at, "gc"),
    "https": lambda at: GitCommands(at, Limits()).fetch(at, "https://docs.example/x.git", "HEAD"),
    "ssh": lambda at: GitCommands(at, Limits()).fetch(at, "ssh://git@docs.example/x", "HEAD"),
}


@pytest.mark.parametrize("protocol", LAUNCHES)
def test_every_launch_has_all_safe_settings(tmp_path, monkeypatch, protocol):
    told = tmp_path / "told"
    fake_git(tmp_path, monkeypatch, f'echo "$@" > {told}; env >> {told}; case "$*" in *--get*) exit 1;; esac')
    for name in ("GIT_DIR", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_COUNT", "GIT_PROXY_COMMAND", "GIT_TEMPLATE_DIR"):
        monkeypatch.setenv(name, "evil")

    LAUNCHES[protocol](str(tmp_path))

    words, *variables = told.read_text().splitlines()
    assert {f"{key}={value}" for key, value in SAFE_SETTINGS.items()} <= set(words.split(" "))
    assert {f"{key}={value}" for key, value in SAFE_VARIABLES.items()} <= set(variables)
    assert f"GIT_ALLOW_PROTOCOL={protocol}" in variables
    assert words.startswith("--no-pager -c ")
    assert ("GIT_SSH_COMMAND=ssh -oBatchMode=yes" in variables) == (protocol in ("https", "ssh"))
    assert "evil" not in told.read_text()


def test_git_is_started_in_one_place():
    root = Path(fieldguide.__file__).parent
    starting = [path for path in root.rglob("*.py") if '["git"' in path.read_text(encoding="utf-8")]

    assert starting == [root / "files" / "git_process.py"]


def test_a_submodule_s_own_settings_start_nothing(tmp_path):
    ran = tmp_path / "ran"
    (tmp_path / "outer" / "inner").mkdir(parents=True)
    outer = GitProject(tmp_path / "outer")
    inner = GitProject(tmp_path / "outer" / "inner")
    inner.commit("One", "a.py")
    inner.git("config", "diff.external", f"touch {ran} #")
    outer.write("docs/guide.md", "# Guide\n\nCall `plant_tree()`, then `water_tree()`.\n")
    outer.write("src/a.py", "def plant_tree():\n    pass\n\n\ndef water_tree():\n    pass\n")
    outer.commit_all("Add it")
    outer.git("config", "diff.submodule", "diff")
    inner.commit("Two", "a.py")
    outer.write("src/a.py", "def water_tree():\n    pass\n")
    outer.git("add", "--all")

    run("governs", "--staged", "--project", outer.root)
    outer.commit_all("Remove it")
    run("stale", "--project", outer.root, code=None)

    assert not ran.exists()
