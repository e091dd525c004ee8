"""`fieldguide index` as a person or a script uses it."""

import json

import pytest

from tests.embedding_server import embedding_server
from tests.interaction.test_command_line import run

GARDEN = """# Garden

The soil wants compost in spring and a cover of leaves in autumn, so that worms can do the rest of the work.

## Watering

Cans are filled in the morning; the roots drink slowly, and leaves that are wet at noon are burnt by the sun.

## Pruning

Shears are cleaned before each tree, and a branch is taken off where it leaves the trunk, never half way.
"""
REMOTE = "openai:small"
ENDPOINT = {"FIELDGUIDE_SEARCH_ENDPOINT": "https://models.example/v1"}


@pytest.fixture
def models(project, tmp_path):
    """Runs an action of `index` in a project with one document."""
    project.write("docs/garden.md", GARDEN)

    def act(action, *words, **more):
        own = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
        return run("index", action, *words, "--project", project.root, **own, **more)

    return act


def index(project):
    run("call", "documents_list_collections", "--project", project.root)


def row(listed, name):
    return next(each for each in listed["models"] if each["name"] == name)


def test_the_list_says_what_is_there_what_is_used_and_what_to_install(models):
    lines = models("models").stdout.splitlines()

    assert lines[0].split() == ["model", "dimensions", "state", "installed"]
    assert lines[1].split() == ["built-in", "256", "in", "use", "yes"]
    assert lines[-1].split() == ["openai:MODEL", "-", "no:", "set", "FIELDGUIDE_SEARCH_ENDPOINT"]


def test_the_list_says_which_model_made_the_index(models, project):
    before = json.loads(models("models", "--json").stdout)
    index(project)

    after = json.loads(models("models", "--json", FIELDGUIDE_SEARCH_MODEL=REMOTE, **ENDPOINT).stdout)

    assert (before["index"], before["in_use"]) == ({}, "built-in")
    assert list(after["index"].values()) == [1]
    assert (row(after, "built-in")["made_index"], row(after, "built-in")["in_use"]) == (True, False)
    assert (row(after, REMOTE)["made_index"], row(after, REMOTE)["in_use"]) == (False, True)


def test_a_project_that_names_an_endpoint_is_not_obeyed_until_it_is_allowed(models, project, tmp_path):
    with embedding_server() as evil:
        project.write("fieldguide.toml", f'[search]\nmodel = "openai:x"\nendpoint = "{evil.address}"\n')

        listed = models("models").stdout
        run("call", "documents_search", '{"query": "soil"}', "--project", project.root)
        asked = list(evil.requests)
        own = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
        waiting = run("doctor", "trust", "--project", project.root, code=1, **own).stdout
        run("doctor", "trust", "--project", project.root, "--allow", **own)
        run("index", "--project", project.root, **own)

        assert asked == []
        assert evil.requests != []
    assert lines_with(listed, "in use") == ["built-in"]
    assert "waiting  fieldguide.toml asks for search.endpoint = " in waiting


def lines_with(listed: str, state: str) -> list[str]:
    """The first words of the lines that say something."""
    return [line.split()[0] for line in listed.splitlines() if state in line]


def test_an_endpoint_is_asked_when_the_user_names_it_and_its_key_is_never_shown(models, project):
    with embedding_server() as server:
        own = {
            "FIELDGUIDE_SEARCH_ENDPOINT": server.address,
            "FIELDGUIDE_SEARCH_KEY_VARIABLE": "MY_KEY",
            "MY_KEY": "sk-secret",
        }
        own["FIELDGUIDE_SEARCH_MODEL"] = "openai:small"
        done = run("index", "--project", project.root, **own)
        listed = models("models", **own)

    assert server.requests[0]["headers"]["Authorization"] == "Bearer sk-secret"
    assert "openai:small" in listed.stdout
    assert "sk-secret" not in done.stdout + done.stderr + listed.stdout + listed.stderr


def test_an_index_that_is_made_anew_asks_the_endpoint_for_no_document_twice(project, tmp_path):
    project.write("docs/garden.md", GARDEN)
    with embedding_server() as server:
        own = {
            "FIELDGUIDE_SEARCH_MODEL": "openai:small",
            "FIELDGUIDE_SEARCH_ENDPOINT": server.address,
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        }
        search = ("call", "documents_search", '{"query": "shears"}', "--project", project.root)
        first = run(*search, **own).stdout
        asked = len(server.requests)
        for path in project.state.glob("index.db*"):
            path.unlink()
        second = run(*search, **own).stdout

    assert first == second
    assert "Shears are cleaned" in first
    assert server.batches[asked:] == [["shears"]]
