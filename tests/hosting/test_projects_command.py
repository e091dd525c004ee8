"""`fieldguide team projects`: the registry from the command line, on both databases."""

import json

import pytest

from fieldguide.cli.main import main


@pytest.fixture
def projects(tmp_path, monkeypatch, capsys, database_flags):
    """Runs an action in a state root of this test's own; gives its exit code, and what it said."""
    monkeypatch.setenv("FIELDGUIDE_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def act(action, *words):
        capsys.readouterr()
        code = main(["team", "projects", action, *database_flags, *map(str, words)])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return act


@pytest.mark.each_database
def test_projects_are_added_listed_granted_revoked_and_removed(projects, tmp_path):
    (tmp_path / "shop").mkdir()

    assert projects("list")[1] == "No projects. `fieldguide team projects add NAME PATH|GIT_ADDRESS` adds one.\n"
    assert projects("add", "shop", tmp_path / "shop")[0] == 0
    assert projects("add", "api", "https://ann:s3cret@example.org/api.git", "--branch", "main")[0] == 0
    assert (
        projects("grant", "ann", "shop", "--write")[1] == "ann may read and write every toolset of shop, from now on.\n"
    )
    assert projects("grant", "--everybody", "api", "--toolsets", "guide,tasks")[0] == 0

    assert projects("list")[1].splitlines() == [
        "api   https://…@example.org/api.git, branch main",
        "    everybody may read guide",
        "    everybody may read tasks",
        f"shop  {tmp_path}/shop",
        "    ann may read and write every toolset",
    ]
    assert projects("revoke", "--everybody", "api", "--toolsets", "guide")[0] == 0
    assert projects("remove", "SHOP")[0] == 0
    assert projects("list")[1].splitlines() == [
        "api  https://…@example.org/api.git, branch main",
        "    everybody may read tasks",
    ]


def test_scripts_get_json_without_what_lets_somebody_in(projects):
    added = json.loads(projects("add", "api", "https://ann:s3cret@example.org/api.git", "--json")[1])
    granted = json.loads(projects("grant", "bob", "api", "--toolsets", "tasks", "--write", "--json")[1])
    told = json.loads(projects("sync", "--json")[1])
    [listed] = json.loads(projects("list", "--json")[1])

    assert {name: added[name] for name in ("name", "path", "kind", "source", "branch")} == {
        "name": "api",
        "path": "/mcp/api",
        "kind": "git",
        "source": "https://…@example.org/api.git",
        "branch": None,
    }
    assert granted == {"project": "api", "grants": [{"principal": "bob", "toolset": "tasks", "write": True}]}
    assert [each["name"] for each in told] == ["api"]
    assert listed == {**added, "grants": granted["grants"]}


@pytest.mark.each_database
def test_a_name_that_differs_only_in_case_and_a_folder_that_is_taken_are_refused(projects, tmp_path):
    (tmp_path / "shop").mkdir()
    (tmp_path / "other").mkdir()
    projects("add", "Shop", tmp_path / "shop")

    assert projects("add", "shop", tmp_path / "other")[::2] == (1, "fieldguide: There is a project 'Shop' already.\n")
    assert projects("add", "twin", tmp_path / "shop" / "..", "--json")[0] == 2
    assert projects("add", "twin", tmp_path / "shop")[::2] == (
        1,
        "fieldguide: This folder is the project 'Shop' already.\n",
    )


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("add", "a/b", "."), 2, "can't be the name of a project"),
        (("add", "x", "ext::sh -c id"), 2, "no other way to a repository is used"),
        (("add", "x", "--", "--upload-pack=id"), 2, "no other way to a repository is used"),
        (("add", "x", "/nowhere/at/all"), 2, "There is no folder '/nowhere/at/all'"),
        (("add", "x", "/", "--branch", "main"), 2, "--branch goes with a git address"),
        (("add", "x", "/"), 2, "the service keeps its own state or settings"),
        (("add", "x", "https://example.org/x", "--branch=-f"), 2, "can't be the name of a branch"),
        (("remove", "x"), 1, "There is no project 'x'"),
        (("grant", "ann", "x"), 1, "There is no project 'x'"),
        (("grant", "x"), 2, "Name a principal and a project"),
        (("grant", "--everybody", "ann", "x"), 2, "Name a principal and a project"),
        (("grant", "ann", "x", "--toolsets", "task"), 2, "There is no toolset 'task'; the toolsets are architecture"),
        (("revoke", "ann", "x"), 1, "There is no project 'x'"),
        (("sync", "x"), 1, "There is no project 'x'"),
    ],
)
def test_what_can_not_be_done_is_said_in_a_sentence(projects, words, code, said):
    ended, printed, complaint = projects(*words)

    assert (ended, printed) == (code, "")
    assert complaint.startswith("fieldguide: ")
    assert said in complaint


def test_a_name_that_comes_again_is_another_project(projects, tmp_path):
    (tmp_path / "shop").mkdir()
    first = json.loads(projects("add", "shop", tmp_path / "shop", "--json")[1])
    projects("grant", "ann", "shop")
    projects("remove", "shop")

    again = json.loads(projects("add", "shop", tmp_path / "shop", "--json")[1])

    assert again["id"] != first["id"]
    assert json.loads(projects("list", "--json")[1])[0]["grants"] == []


def test_only_what_comes_from_git_is_synced(projects, tmp_path):
    (tmp_path / "shop").mkdir()
    projects("add", "shop", tmp_path / "shop")

    assert projects("sync")[1] == "No project comes from git, so there is nothing to fetch.\n"
    assert projects("sync", "shop")[::2] == (
        2,
        "fieldguide: A folder is served as it is; only projects from git are fetched.\n",
    )
