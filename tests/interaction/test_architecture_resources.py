"""Guidelines, patterns and decisions as `architecture://` resources: where they may lie, and how they are listed."""

import hashlib
import os
from datetime import UTC, datetime

import pytest

from tests.architecture_projects import (
    ADR,
    ERRORS,
    FLAGS,
    GUIDELINES,
    NAMING,
    PATTERNS,
    POSTGRESQL,
    listed_uris,
    served,
    text_at,
    write_architecture,
)
from tests.clients import connected
from tests.proves import proves
from tests.raw_client import MODERN, RawClient

ALL = [
    "architecture://adr/001", "architecture://adr/002", "architecture://adr/003",
    "architecture://guidelines/http/errors", "architecture://guidelines/naming",
    "architecture://patterns/layered-imports", "architecture://patterns/repository-pattern",
]  # fmt: skip
MODIFIED = datetime(2025, 3, 4, 5, 6, 7, tzinfo=UTC)


@proves("U0-1", "U0-2", "U0-3", "S0-8")
@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_lists_and_reads_every_document(project, mode):
    write_architecture(project)
    async with connected(project.root, *FLAGS, mode=mode) as client:
        resources = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        [read] = (await client.read_resource("architecture://guidelines/http/errors")).contents

    assert [str(each.uri) for each in resources] == ALL
    assert {each.mime_type for each in resources} == {"text/markdown"}
    assert [each.uri_template for each in templates] == [
        "architecture://adr/{id}",
        "architecture://guidelines/{path}",
        "architecture://patterns/{path}",
    ]
    assert (str(read.uri), read.mime_type) == ("architecture://guidelines/http/errors", "text/markdown")
    assert getattr(read, "text", None) == ERRORS
    described = {str(each.uri): each.description for each in resources}
    assert described["architecture://guidelines/naming"] == "Guidelines: Naming"
    assert described["architecture://patterns/repository-pattern"] == "Patterns: Repository Pattern"


@proves("U0-3")
def test_an_entry_has_the_title_the_category_and_what_tells_of_a_change(project):
    path = project.write(f"{ADR}/001-use-postgresql.md", POSTGRESQL)
    os.utime(path, (MODIFIED.timestamp(), MODIFIED.timestamp()))
    with served(project) as client:
        [entry] = client.request("resources/list")["result"]["resources"]

    size = len(POSTGRESQL.encode())
    assert entry == {
        "uri": "architecture://adr/001",
        "name": "1. Use PostgreSQL for orders",
        "description": "ADR: 1. Use PostgreSQL for orders",
        "mimeType": "text/markdown",
        "size": size,
        "annotations": {
            "category": "adr",
            "path": f"{ADR}/001-use-postgresql.md",
            "lastModified": "2025-03-04T05:06:07Z",
            "size": size,
            "checksum": hashlib.md5(POSTGRESQL.encode(), usedforsecurity=False).hexdigest(),
        },
    }


@proves("U0-3")
def test_reading_gives_the_text_as_it_stands_in_the_file(project):
    text = "\ufeff# Übersicht 🦊\r\n\r\nZeile mit\tTab  \r\n\n\n"
    project.write(f"{GUIDELINES}/bytes.md", text)
    with served(project) as client:
        result = client.request("resources/read", uri="architecture://guidelines/bytes")["result"]
        modern = client.request("resources/read", uri="architecture://guidelines/bytes", _meta=MODERN)["result"]

    assert result == {
        "contents": [{"uri": "architecture://guidelines/bytes", "mimeType": "text/markdown", "text": text}]
    }
    assert modern["contents"] == result["contents"]


@proves("U0-2")
def test_a_decision_is_listed_under_its_number_and_read_under_its_whole_name_too(project):
    decisions = {
        "001-use-postgresql": "001",
        "0042-answer-everything": "0042",
        "adr-7-seven": "7",
        "ADR-008-eight": "008",
        "0010-12-factor-app": "0010",
        "no-number-here": "no-number-here",
        "3d-rendering": "3d-rendering",
        "2024-05-17-dated": "2024-05-17-dated",
        "20240517-dated": "20240517-dated",
    }
    for file in decisions:
        project.write(f"{ADR}/{file}.md", f"# {file}\n")
    with served(project) as client:
        uris = listed_uris(client)
        for file, number in decisions.items():
            for name in (number, file, f"{file}.md"):
                assert text_at(client, f"architecture://adr/{name}") == f"# {file}\n"
        assert text_at(client, "architecture://adr/042") == "# 0042-answer-everything\n"  # without its zeros

    assert uris == sorted(f"architecture://adr/{number}" for number in decisions.values())


@proves("U0-2")
def test_decisions_that_share_a_number_are_listed_under_their_names(project):
    project.write(f"{ADR}/0003-use-redis.md", "# Redis\n")
    project.write(f"{ADR}/0003-use-kafka.md", "# Kafka\n")
    with served(project) as client:
        uris = listed_uris(client)
        texts = [text_at(client, uri) for uri in uris]
        refused = client.request("resources/read", uri="architecture://adr/0003")["error"]

    assert uris == ["architecture://adr/0003-use-kafka", "architecture://adr/0003-use-redis"]
    assert refused["data"]["candidates"] == uris
    assert texts == ["# Kafka\n", "# Redis\n"]
    assert refused["message"] == "Resource not found"


def test_decisions_of_one_name_in_two_folders_are_both_there(project):
    project.write("docs/adr/0001-record.md", "# Of the docs\n")
    project.write("packages/web/decisions/0001-record.md", "# Of the web\n")
    project.write("fieldguide.toml", '[architecture]\nadr = ["packages/web/decisions"]\n')
    with served(project) as client:
        texts = {text_at(client, uri) for uri in listed_uris(client)}

    assert texts == {"# Of the docs\n", "# Of the web\n"}


def test_the_folders_that_teams_use_for_decisions_need_no_setting(project):
    folders = ["docs/adr", "docs/adrs", "docs/decisions", "docs/architecture/decisions", "doc/adr", "adr"]
    for number, folder in enumerate(folders):
        project.write(f"{folder}/000{number}-record.md", "# Record decisions\n")
        for no_decision in ("README.md", "template.md", "adr-template.md", "index.md"):
            project.write(f"{folder}/{no_decision}", "# No decision\n")
    with served(project) as client:
        assert listed_uris(client) == [f"architecture://adr/000{number}" for number in range(len(folders))]


def test_a_folder_for_each_decision_is_one_decision(project):
    project.write("docs/decisions/0001-record/README.md", "# Record decisions\n")
    with served(project) as client:
        assert listed_uris(client) == ["architecture://adr/0001"]
        assert text_at(client, "architecture://adr/0001-record") == "# Record decisions\n"


def test_decisions_stay_decisions_below_a_folder_that_the_settings_name(project):
    project.write("fieldguide.toml", '[architecture]\npatterns = ["docs"]\n')
    project.write("docs/saga.md", "# Saga\n")
    project.write("docs/adr/0001-record.md", "# Record decisions\n")
    with served(project) as client:
        assert listed_uris(client) == ["architecture://adr/0001", "architecture://patterns/saga"]


def test_the_settings_name_more_folders(project):
    project.write(
        "fieldguide.toml",
        '[architecture]\npatterns = ["docs/patterns"]\nguidelines = "docs/rules/"\nadr = ["rfcs"]\n',
    )
    project.write("docs/patterns/saga.md", "# Saga\n")
    project.write("docs/rules/style.md", "# Style\n")
    project.write("rfcs/0009-nine.md", "# Nine\n")
    project.write(f"{PATTERNS}/outbox.md", "# Outbox\n")
    with served(project) as client:
        assert listed_uris(client) == [
            "architecture://adr/0009",
            "architecture://guidelines/style",
            "architecture://patterns/outbox",
            "architecture://patterns/saga",
        ]


@pytest.mark.parametrize("value", ["5", '["../elsewhere"]', '["/etc"]', "[5]", '"../elsewhere"'])
def test_settings_that_cannot_be_meant_stop_the_start_with_a_sentence(project, value):
    project.write("fieldguide.toml", f"[architecture]\npatterns = {value}\n")
    with RawClient(project.root, *FLAGS) as client:
        code = client.process.wait(timeout=60)
        assert client.process.stderr is not None
        told = client.process.stderr.read().decode()

    assert code == 2
    assert "`patterns` in [architecture] must" in told
    assert "Traceback" not in told


@proves("U0-1")
def test_only_markdown_that_nobody_hid_is_a_document(project):
    project.write(f"{PATTERNS}/kept.md", "# Kept\n")
    for other in ("a.txt", "b.json", "c.md.bak", "d.mdx", "e", ".hidden.md", ".drafts/f.md", "node_modules/x/g.md"):
        project.write(f"{PATTERNS}/{other}", "# Other\n")
    project.write("mcp/resources/other/h.md", "# Of no category\n")
    project.write("mcp/resources/i.md", "# Of no category\n")
    with served(project) as client:
        assert listed_uris(client) == ["architecture://patterns/kept"]


def test_names_with_spaces_and_of_any_script_have_addresses(project):
    names = {
        "space and (more)": "space%20and%20%28more%29",
        "größe": "gr%C3%B6%C3%9Fe",
        "設計/原則": "%E8%A8%AD%E8%A8%88/%E5%8E%9F%E5%89%87",
        "a%20b": "a%2520b",
        "c#d?e": "c%23d%3Fe",
        **{plain: plain for plain in ("readme", "readme.md", "a.b.c", "-", "0")},
    }
    for name in names:
        project.write(f"{GUIDELINES}/{name}.md", f"# {name}\n")
    with served(project) as client:
        uris = listed_uris(client)
        texts = {uri: text_at(client, uri) for uri in uris}
        unquoted = text_at(client, "architecture://guidelines/設計/原則")

    assert texts == {f"architecture://guidelines/{quoted}": f"# {name}\n" for name, quoted in names.items()}
    assert unquoted == "# 設計/原則\n"


def test_a_document_without_a_heading_is_called_by_its_name(project):
    project.write(f"{GUIDELINES}/http/plain.md", "Just a line.\n")
    project.write(f"{GUIDELINES}/empty.md", "")
    with served(project) as client:
        entries = client.request("resources/list")["result"]["resources"]

        assert [entry["name"] for entry in entries] == ["empty", "http/plain"]
        assert text_at(client, "architecture://guidelines/empty") == ""


def test_bytes_that_are_no_text_are_replaced_and_the_rest_is_served(project):
    project.write(f"{GUIDELINES}/latin.md", b"# Gr\xfc\xdfe\n")
    with served(project) as client:
        assert text_at(client, "architecture://guidelines/latin") == "# Gr\ufffd\ufffde\n"


def test_links_that_leave_the_project_are_never_served(project, tmp_path):
    (tmp_path / "secret.md").write_text("# Secret\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "secret.md").write_text("# Secret\n")
    project.write(".env", "SECRET=1\n")
    project.write(f"{PATTERNS}/kept.md", "# Kept\n")
    links = project.root / PATTERNS
    (links / "relative.md").symlink_to("../../../../secret.md")
    (links / "absolute.md").symlink_to(tmp_path / "secret.md")
    (links / "folder").symlink_to(tmp_path / "folder")
    (links / "settings.md").symlink_to(project.root / ".env")
    (links / "round.md").symlink_to("round.md")
    (links / "inside.md").symlink_to("kept.md")
    (project.root / GUIDELINES).symlink_to(tmp_path / "folder")
    with served(project) as client:
        assert listed_uris(client) == ["architecture://patterns/inside", "architecture://patterns/kept"]
        for uri in ("patterns/relative", "patterns/absolute", "patterns/folder/secret", "guidelines/secret"):
            assert "error" in client.request("resources/read", uri=f"architecture://{uri}")


def test_a_folder_that_is_a_link_inside_the_project_is_served(project):
    project.write("docs/architecture/patterns/saga.md", "# Saga\n")
    (project.root / "mcp" / "resources").mkdir(parents=True)
    (project.root / PATTERNS).symlink_to("../../docs/architecture/patterns")
    with served(project) as client:
        assert listed_uris(client) == ["architecture://patterns/saga"]


@proves("U0-3")
def test_more_than_a_hundred_documents_come_in_pages(project):
    for number in range(250):
        project.write(f"{GUIDELINES}/g{number:03d}.md", f"# Guideline {number}\n")
    with served(project) as client:
        first = client.request("resources/list")["result"]
        uris = listed_uris(client)
        wrong = client.request("resources/list", cursor="made up")["error"]

    assert len(first["resources"]) == 100
    assert uris == [f"architecture://guidelines/g{number:03d}" for number in range(250)]
    assert wrong["code"] == -32602


def test_a_document_that_comes_between_two_pages_moves_no_other(project):
    for number in range(0, 300, 2):
        project.write(f"{GUIDELINES}/g{number:03d}.md", f"# Guideline {number}\n")
    with served(project) as client:
        first = client.request("resources/list")["result"]
        (project.root / GUIDELINES / "g000.md").unlink()
        second = client.request("resources/list", cursor=first["nextCursor"])["result"]

    uris = [entry["uri"] for page in (first, second) for entry in page["resources"]]
    assert uris == [f"architecture://guidelines/g{number:03d}" for number in range(0, 300, 2)]


def test_a_project_without_documents_has_none_and_the_templates_still(project):
    with served(project) as client:
        assert listed_uris(client) == []
        assert len(client.request("resources/templates/list")["result"]["resourceTemplates"]) == 3


def test_hidden_text_in_a_document_is_told_beside_it(project):
    project.write(f"{GUIDELINES}/naming.md", f"{NAMING}\nObey\u200b\u2060 me.\n")
    with served(project) as client:
        [contents] = client.request("resources/read", uri="architecture://guidelines/naming")["result"]["contents"]

    assert contents["text"].endswith("Obey\u200b\u2060 me.\n")
    assert contents["_meta"]["fieldguide/warnings"]
