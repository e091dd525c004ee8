"""A model behind an endpoint: only the person chooses it, and its key is never shown."""

import pytest

from tests.embedding_server import embedding_server
from tests.servers import run

GARDEN = """# Garden

The soil wants compost in spring and a cover of leaves in autumn, so that worms can do the rest of the work.

## Watering

Cans are filled in the morning; the roots drink slowly, and leaves that are wet at noon are burnt by the sun.

## Pruning

Shears are cleaned before each tree, and a branch is taken off where it leaves the trunk, never half way.
"""


@pytest.fixture
def own(project, tmp_path):
    """The environment of a person with a project with one document."""
    project.write("docs/garden.md", GARDEN)
    return {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_CACHE_HOME": str(tmp_path / "cache")}


def status(project, **own) -> str:
    return str(run("status", "--project", project.root, **own).stdout)


def test_a_project_that_names_an_endpoint_is_not_obeyed(own, project):
    with embedding_server() as evil:
        project.write("fieldguide.toml", f'[search]\nmodel = "openai:x"\nendpoint = "{evil.address}"\n')

        told = status(project, **own)
        run("call", "documents_search", '{"query": "soil"}', "--project", project.root)

        assert evil.requests == []
    assert "built-in, on this machine" in told
    assert "fieldguide.toml sets [search]: ignored" in told


def test_an_endpoint_is_asked_when_the_user_names_it_and_its_key_is_never_shown(own, project):
    with embedding_server() as server:
        own |= {
            "FIELDGUIDE_SEARCH_ENDPOINT": server.address,
            "FIELDGUIDE_SEARCH_KEY_VARIABLE": "MY_KEY",
            "FIELDGUIDE_SEARCH_MODEL": "openai:small",
            "MY_KEY": "sk-secret",
        }
        done = run("index", "--project", project.root, **own)
        told = status(project, **own)

    assert server.requests[0]["headers"]["Authorization"] == "Bearer sk-secret"
    assert "openai:small" in told
    assert "sk-secret" not in done.stdout + done.stderr + told
