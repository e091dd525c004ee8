"""The `context://` resources: the project, its modules, the session that runs and the latest ones, in markdown."""

import pytest

from tests.context_wires import MODEL, write_code
from tests.proves import proves
from tests.raw_client import MODERN, RawClient

FLAGS = ("--toolsets", "context,guide")
CURRENT = "context://session/current"
RECENT = "context://sessions/recent"


@pytest.fixture
def client(project):
    write_code(project)
    with RawClient(project.root, *FLAGS).ready() as client:
        yield client


def text(client, uri):
    [contents] = client.request("resources/read", uri=uri)["result"]["contents"]
    assert (contents["uri"], contents["mimeType"]) == (uri, "text/markdown")
    return contents["text"]


def listed(client):
    return {each["uri"] for each in client.request("resources/list")["result"]["resources"]}


def error(client, uri, **more):
    told = client.request("resources/read", uri=uri, **more)["error"]
    return told["code"], told["message"]


@proves("U3-6", "U3-1")
def test_the_overview_and_a_module_tell_the_model_and_what_was_found_out(client):
    client.call("guide_record", type="rule", content="Callers must hold the lock", module="auth")

    assert text(client, "context://project/overview") == (
        "# Orchard\n\n- Type: service\n- Stack: TypeScript, PostgreSQL\n- Runtime: node 22\n- Package manager: npm\n"
        "- Architecture: layered\n- About it: Handlers above services above repositories.\n\n"
        "## Modules\n\n- **auth**: Who is calling\n- **users**: Who exists\n\n"
        "## Latest discoveries\n\n- rule (auth): Callers must hold the lock\n"
    )
    assert text(client, "context://module/auth") == (
        "# auth\n\nWho is calling\n\n"
        "## Key files\n\n- `src/server/auth/AuthService.ts` (core)\n- `src/index.ts` (entry)\n\n"
        "## Patterns\n\n- Tokens live in httpOnly cookies\n\n"
        "## Business rules\n\n- A token lives an hour\n\n"
        "## Common issues\n\n- Double refresh: Take the mutex\n\n"
        "## Dependencies\n\n- users\n\n"
        "## Discoveries\n\n- rule: Callers must hold the lock\n"
    )


@proves("U3-6")
def test_errors_have_the_codes_and_words_of_the_specification(client):
    assert error(client, "context://module/nothing") == (-32602, "Module not found: nothing")
    assert error(client, "context://session/current") == (-32602, "No active session")
    assert error(client, "context://nothing/here") == (-32600, "Unknown resource: context://nothing/here")
    assert error(client, "context://sessions/recent?limit=0") == (-32602, "limit must be a number from 1 to 100")
    assert error(client, "context://sessions/recent?limit=ten")[0] == -32602
    assert error(client, "context://module/nothing", _meta=MODERN) == (-32602, "Module not found: nothing")
    assert error(client, "context://nothing/here", _meta=MODERN)[0] == -32600


@proves("U3-6")
def test_a_database_that_is_away_is_an_internal_error(project):
    with RawClient(project.root, *FLAGS, "--database", "postgresql://127.0.0.1:1/away").ready() as client:
        assert error(client, "context://project/overview")[0] == -32603
        assert listed(client) == set()


@proves("U3-6", "U3-2")
def test_the_session_that_runs_and_the_latest_ones_are_told(project):
    write_code(project)
    with RawClient(project.root, *FLAGS).ready() as client:
        assert text(client, RECENT) == "# Recent sessions\n\nNo sessions yet.\n"
        client.call("guide_record", type="rule", content="Callers must hold the lock")
        client.call("read_file", path="src/index.ts")
        client.call("read_file", path="src/index.ts")

        current = text(client, CURRENT).splitlines()
        recent = text(client, f"{RECENT}?limit=1").splitlines()

    assert current[0] == "# Current session"
    assert {"- Status: active", "- Calls: 3", "- Discoveries: 1"} <= set(current)
    assert any("looked at 2 times" in line for line in current)
    assert set(current[2:]) <= set(recent)


def test_a_module_that_only_discoveries_know_is_told(client):
    client.call("guide_record", type="rule", content="Pay before you ship", module="billing & tax")

    assert text(client, "context://module/billing%20%26%20tax") == (
        "# billing & tax\n\n\n\n## Discoveries\n\n- rule: Pay before you ship\n"
    )


def test_a_project_without_a_model_is_told_by_its_name(project):
    with RawClient(project.root, *FLAGS).ready() as client:
        assert text(client, "context://project/overview") == "# project\n"


@pytest.mark.parametrize("model", ["modules: [\n", "a: &a [*a, *a]\nb: !!python/object:os.system x\n"])
def test_a_model_that_cannot_be_read_is_told_and_nothing_is_listed_that_needs_it(project, model):
    project.write(".context/project.yaml", model)
    with RawClient(project.root, *FLAGS).ready() as client:
        assert error(client, "context://project/overview") == (-32602, ".context/project.yaml is not valid YAML.")
        assert listed(client) == {RECENT}


@pytest.mark.parametrize("model", ["", "5", "[]", "modules: [a, b]\nproject: x\ntech: [y]\n", "modules: {a: 1}\n"])
def test_a_model_of_another_shape_is_simply_not_known(project, model):
    project.write(".context/project.yaml", model)
    with RawClient(project.root, *FLAGS).ready() as client:
        assert text(client, "context://project/overview").startswith("# project\n")


@proves("U3-1")
def test_the_model_is_only_read_and_what_is_stored_lies_elsewhere(client, project):
    client.call("guide_record", type="rule", content="Callers must hold the lock", module="auth")
    client.call("read_file", path="src/index.ts")
    client.leave()

    assert (project.root / ".context" / "project.yaml").read_text("utf-8") == MODEL
    assert [path.name for path in (project.root / ".context").iterdir()] == ["project.yaml"]
    assert {"fieldguide.db", "index.db"} <= {path.name for path in project.state.iterdir()}


@proves("U3-6")
def test_a_session_that_begins_is_news(client):
    client.call("read_file", path="src/index.ts")

    assert client.receive()["method"] == "notifications/resources/list_changed"
