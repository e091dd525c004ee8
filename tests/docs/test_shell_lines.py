"""Every line of every `sh` block is run in a project that has what it names, or is on a short list with its reason."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.docs.markdown import ROOT
from tests.docs.staged_project import staged_project
from tests.docs.test_code_blocks import BLOCKS, check_shell_line
from tests.servers import environment

COMMENT = re.compile(r"(^|\s)#.*")
NOT_RUN = {
    "make run": "never ends; tests/interaction starts the server that it starts",
    "make test": "this is a part of it",
    "make quick": "a part of it",
    "uv tool install .": "changes the machine; the packaging tests install into an environment of their own",
    "uv tool install --reinstall .": "the same",
    "uv tool install '.[http]'": "the same",
    "uv tool install fieldguide-0.1.0-py3-none-any.whl": "tests/interaction/test_newcomer.py does what it does",
    "uv tool uninstall fieldguide": "the same",
    "fieldguide documents add manual 'git+https://example.org/team/manual.git#v2.1'": "no test makes a connection",
    "fieldguide documents add manual 'git+ssh://git@example.org/team/manual.git#main?manifest=docs/manifest.json'":
        "no test makes a connection",
    "fieldguide documents sync manual": "the collection that could not be added above",
    "fieldguide serve --project . --http 8137": "never ends; tests/interaction serves over HTTP",
    "fieldguide serve --project . --http unix:/run/user/1000/fieldguide.sock": "the same, in a folder of one machine",
    "fieldguide serve --projects --http 8137": "never ends; tests/hosting serves many projects",
    "fieldguide serve --project . --http 8137 --auth tokens": "the same",
    "fieldguide open": "never ends; tests/interaction/test_open_page.py opens the page",
}  # fmt: skip
CODES = {
    "fieldguide install": 3,  # nobody is there to say yes, so it is only shown
    "fieldguide findings remove 5b7f9bd0-be66-4ab2-959f-ef340f6ba5fb": 1,  # there is none with this id
}


def lines() -> list[str]:
    """The lines of all `sh` blocks, without their comments, each once."""
    found = [shlex.join(shlex.split(COMMENT.sub("", line)))
             for block in BLOCKS if block.language == "sh" for line in block.text.splitlines()]  # fmt: skip
    return list(dict.fromkeys(filter(None, found)))


def run(lines: list[str], folder: Path) -> list[tuple[int, str]]:
    """Run lines in a project, as a person would who has Codex: exit codes, and what was printed."""
    home = folder.with_name("home")
    alone = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "FIELDGUIDE_STATE": str(home / "state"),
             "PYTHONPATH": str(ROOT)}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "tests.docs.run_lines"],
        input=json.dumps([shlex.split(line)[1:] for line in lines]),
        cwd=folder,
        env={**environment(), **alone},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return [(code, printed) for code, printed in json.loads(done.stdout)]


def test_every_line_is_run_or_has_a_reason(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "home" / ".codex").mkdir(parents=True)
    project = staged_project(tmp_path / "project")
    shown = [line for line in lines() if line not in NOT_RUN]
    for line in shown:
        check_shell_line(line)
        assert line.startswith("fieldguide "), f"`{line}` is neither run nor on the list"

    [_, _, *done] = run(["fieldguide patterns add error-handling", "fieldguide index", *shown], project.root)

    ended = zip(shown, done, strict=True)
    assert [f"{line}: {code}, {printed}" for line, (code, printed) in ended if code != CODES.get(line, 0)] == []


def test_the_list_of_what_is_not_run_holds_nothing_else():
    shown = set(lines())

    assert [line for line in (*NOT_RUN, *CODES) if line not in shown] == []
    assert all(NOT_RUN.values())
    assert len(NOT_RUN) < len(shown) / 2
