"""The example agent does what its page shows, and its user is the one that the agent layer names."""

import json
import subprocess
import sys

from tests.docs.markdown import ROOT, blocks_of
from tests.servers import environment, run

EXAMPLE = ROOT / "examples" / "agent_with_tasks"
COMMAND = "$ python examples/agent_with_tasks/agent.py\n"


def run_agent(*words):
    return subprocess.run(
        [sys.executable, EXAMPLE / "agent.py", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=environment(),
    )


def test_the_page_shows_what_the_agent_prints():
    page = EXAMPLE / "README.md"
    shown = [block.text for block in blocks_of(page, page.read_text(encoding="utf-8")) if block.language == "text"]

    done = run_agent()

    assert shown == [COMMAND + done.stdout]
    assert done.stderr == ""


def test_what_the_agent_did_is_there_for_everybody_else(project):
    run_agent(project.root)

    ann, bob = (
        json.loads(run("tasks", "list", "--project", project.root, "--user", user, "--json").stdout)
        for user in ("ann", "bob")
    )

    assert ann == [
        {"id": 2, "title": "Call Bob", "description": None, "completed": True},
        {"id": 1, "title": "Water the plants", "description": "The fern most of all", "completed": False},
    ]
    assert bob == []
