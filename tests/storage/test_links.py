"""A project may come from anybody: no link in it leads our writes out of it."""

import pytest

from tests.storage.task_servers import TaskClient

PRECIOUS = b"what the user keeps elsewhere"


def test_a_state_folder_that_is_a_link_is_not_used(project, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (project.root / ".fieldguide").symlink_to(elsewhere)

    with TaskClient(project.root, cache=tmp_path / "cache") as client:
        assert client.add("one")["status"] == "created"
        assert len(client.notices()) == 1

    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", ".lock"])
def test_a_database_that_is_a_link_is_refused_and_its_target_left_alone(project, tmp_path, suffix):
    target = tmp_path / "precious"
    target.write_bytes(PRECIOUS)
    (project.root / ".fieldguide").mkdir()
    (project.root / ".fieldguide" / f"fieldguide.db{suffix}").symlink_to(target)

    with TaskClient(project.root) as client:
        assert client.add("one") == {"error": "Failed to create task"}

    assert target.read_bytes() == PRECIOUS


def test_an_ignore_file_that_is_a_link_is_not_written_through(project, tmp_path):
    (project.root / ".fieldguide").mkdir()
    (project.root / ".fieldguide" / ".gitignore").symlink_to(tmp_path / "made by us")

    with TaskClient(project.root) as client:
        assert client.add("one")["status"] == "created"

    assert not (tmp_path / "made by us").exists()
