"""What a reviewer did to the architecture toolset: lost indexes, odd names, folders that lead away, long texts."""

import os
from contextlib import suppress

from tests.architecture_projects import (
    FLAGS,
    PATTERNS,
    call,
    error_of,
    served,
    write_architecture,
    write_prompt,
)
from tests.processes import eventually
from tests.raw_client import RawClient

SEARCH = "search-architecture"


def test_a_folder_that_leads_out_of_the_project_is_neither_read_nor_watched(project, tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    (away / "0001-secret.md").write_text("# Secret\n")
    os.symlink(away, project.root / "adr")
    project.write("docs/adr/0002-known.md", "# Known\n")
    with RawClient(project.root, *FLAGS).ready() as client:
        listed = [each["uri"] for each in client.request("resources/list")["result"]["resources"]]
        known = f"{(project.root / 'docs/adr').stat().st_ino:x}"
        assert eventually(lambda: known in watched_inodes(client.process.pid))

        assert f"{away.stat().st_ino:x}" not in watched_inodes(client.process.pid)

    assert listed == ["architecture://adr/0002"]


def watched_inodes(process: int) -> set[str]:
    """The inodes that a process watches, in hexadecimal, as the system tells."""
    told = ""
    for name in os.listdir(f"/proc/{process}/fdinfo"):
        with suppress(OSError), open(f"/proc/{process}/fdinfo/{name}") as file:  # closed meanwhile
            told += file.read()
    return {line.split()[2].removeprefix("ino:") for line in told.splitlines() if line.startswith("inotify wd:")}


def test_code_that_a_prompt_was_given_is_refused_when_it_is_too_long_and_never_cut(project):
    write_architecture(project)
    write_prompt(project, "check-it", "{{code}}", arguments=[{"name": "code", "description": "", "required": True}])
    with served(project) as client:
        client.request("prompts/get", name="check-it", arguments={"code": "x = 1\n" * 9_000 + "import sqlite3\n"})
        error = error_of(client, "validate-against-pattern", pattern_name="repository-pattern")

    assert (error["code"], error["message"]) == (-32602, "field code exceeds maximum length of 50000")


def test_a_document_that_is_too_large_is_told_of(project):
    project.write(f"{PATTERNS}/large.md", "# Large\n" + "x" * (1 << 20))
    with RawClient(project.root, *FLAGS).ready() as client:
        listed = client.request("resources/list")["result"]["resources"]
        call(client, SEARCH, query="large")  # brings everything up to date
        _, _, journal = client.leave()

    assert listed == []
    notices = [line["notice"] for line in journal if "notice" in line]
    assert [notice for notice in notices if "large.md is left out: File too large" in notice]


def test_the_limits_of_embedded_documents_hold_for_a_whole_prompt(project):
    for number in range(40):
        project.write(f"{PATTERNS}/p{number:02}.md", f"# P{number}\n")
    write_prompt(project, "twice", "{{resource:architecture://patterns/*}}\n{{resource:architecture://patterns/*}}")
    with served(project) as client:
        text = client.request("prompts/get", name="twice")["result"]["messages"][0]["content"]["text"]

    assert text.count("Source: ") == 50
    assert "(30 more documents match architecture://patterns/*" in text
