"""How often findings and ended sessions stand among the first five answers to questions that they do not fit.

    python -m benchmarks.records --checkout caddy=/path/to/caddy llm=… python-sdk=…

`record_questions.json` has the questions that we wrote about three projects with an AGENTS.md, and the commits. The
history of each is learnt, its files are indexed, and sessions that read some files are ended before the questions are
asked. A related question is answered by a rule in a document, or by a finding.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.stdio_client import StdioClient

QUESTIONS = Path(__file__).with_name("record_questions.json")
FIRST = 5
RULES = ("AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md")
TOOLSETS = ("--toolsets", "architecture,context,documents,guide,tasks")


class Outcome(NamedTuple):
    """Whether records stand among the first answers to one question, by tool, and whether a rule or a finding does."""

    guide_search: bool
    context_search: bool
    guide_brief: bool
    is_answered: bool


def main() -> int:
    """Ask each project's questions and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkout", nargs="+", required=True, metavar="NAME=DIR")
    parser.add_argument("--fieldguide", default=str(Path(sys.executable).parent / "fieldguide"))
    arguments = parser.parse_args()
    known = json.loads(QUESTIONS.read_text())
    print("| project | questions | guide_search | context_search | guide_brief | rule or finding |")
    print("| --- | --: | --: | --: | --: | --: |")
    for named in arguments.checkout:
        name, _, root = named.partition("=")
        with tempfile.TemporaryDirectory(prefix="records-") as state:
            environment = {**os.environ, "XDG_STATE_HOME": state}
            for kind, found in _measured(arguments.fieldguide, root, known[name], environment):
                told = [sum(each) for each in zip(*found, strict=True)]
                print(f"| {name} | {len(found)} {kind} | {' | '.join(map(str, told))} |")
    return 0


def _measured(
    program: str, root: str, case: Mapping[str, Any], environment: Mapping[str, str]
) -> Iterator[tuple[str, list[Outcome]]]:
    for words in (("findings", "learn"), ("index",)):
        subprocess.run([program, *words, "--project", root], env=environment, check=True, capture_output=True)
    served = [program, "serve", "--project", root, *TOOLSETS]
    for files in case["read"]:
        with StdioClient(served, environment=environment) as client:
            client.initialize()
            client.notify_initialized()
            for path in files:
                _call(client, "read_file", path=path)
    with StdioClient(served, environment=environment) as client:
        client.initialize()
        client.notify_initialized()
        for kind in ("unrelated", "related"):
            yield kind, [_outcome(client, question) for question in case[kind]]


def _outcome(client: StdioClient, question: str) -> Outcome:
    mixed = _call(client, "guide_search", query=question)["structuredContent"]["items"][:FIRST]
    context = json.loads(_call(client, "context_search", query=question)["content"][0]["text"])
    brief = _call(client, "guide_brief", task=question, budget=3_000)["structuredContent"]["items"]
    is_finding = any(item["kind"] == "finding" for item in mixed)
    return Outcome(
        is_finding,
        any(item["source"] != "code" for item in context.get("results", ())[:FIRST]),
        any(item["kind"] == "finding" for item in brief),
        is_finding or any(item["path"].endswith(RULES) for item in mixed),
    )


def _call(client: StdioClient, name: str, **given: object) -> dict[str, Any]:
    """The answer; a tool that was asked too often is asked again."""
    while True:
        answer = client.request("tools/call", {"name": name, "arguments": given})
        if "Rate limit" not in json.dumps(answer):
            return answer
        time.sleep(2.0)


if __name__ == "__main__":
    sys.exit(main())
