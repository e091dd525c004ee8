"""The guide's prompts as a client meets them."""

import json

from tests.proves import proves
from tests.raw_client import RawClient

CHANGE = {"type": "ref/prompt", "name": "review-change"}


@proves("G-58")
def test_a_projects_own_prompt_wins_over_the_guides(project):
    message = {"role": "user", "content": {"type": "text", "text": "Write it on the wall."}}
    own = {"name": "record-decision", "description": "Ours", "messages": [message]}
    project.write("mcp/prompts/record-decision.json", json.dumps(own))
    with RawClient(project.root).ready() as client:
        listed = client.request("prompts/list")["result"]["prompts"]
        got = client.request("prompts/get", name="record-decision")["result"]

    assert [prompt["description"] for prompt in listed if prompt["name"] == "record-decision"] == ["Ours"]
    assert got["messages"][0]["content"]["text"] == "Write it on the wall."


@proves("G-59")
def test_paths_are_completed_from_the_projects_files_without_its_secrets(project):
    for path in ("src/clock.py", "src/clocks/wall.py", "docs/clock.md", "src/.env", "tests/test_clock.py"):
        project.write(path, "x\n")
    with RawClient(project.root).ready() as client:

        def completed(begun, argument="path"):
            asked = {"name": argument, "value": begun}
            return client.request("completion/complete", ref=CHANGE, argument=asked)["result"]["completion"]["values"]

        by_path, by_name, secret = completed("src/"), completed("CLOCK"), completed("src/.e")
        elsewhere = completed("src/", argument="task")

    assert by_path == ["src/clock.py", "src/clocks/wall.py"]
    assert by_name == ["docs/clock.md", "src/clock.py"]
    assert secret == elsewhere == []
