"""The guide's prompts as a client meets them."""

import json

from tests.raw_client import RawClient


def test_a_projects_own_prompt_wins_over_the_guides(project):
    message = {"role": "user", "content": {"type": "text", "text": "Write it on the wall."}}
    own = {"name": "record-decision", "description": "Ours", "messages": [message]}
    project.write("mcp/prompts/record-decision.json", json.dumps(own))
    with RawClient(project.root).ready() as client:
        listed = client.request("prompts/list")["result"]["prompts"]
        got = client.request("prompts/get", name="record-decision")["result"]

    assert [prompt["description"] for prompt in listed if prompt["name"] == "record-decision"] == ["Ours"]
    assert got["messages"][0]["content"]["text"] == "Write it on the wall."
