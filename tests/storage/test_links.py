"""No link leads our writes elsewhere: not in the state folder, and not in a project, which may come from anybody."""

import pytest

from tests.storage.task_servers import TaskClient

PRECIOUS = b"what the user keeps elsewhere"


def test_a_state_folder_that_is_a_link_is_not_used(project, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    project.state.parent.mkdir(parents=True, exist_ok=True)
    project.state.symlink_to(elsewhere)

    with TaskClient(project.root) as client:
        assert client.add("one") == {"error": "Failed to create task"}

    assert list(elsewhere.iterdir()) == []


def test_a_folder_of_ours_in_the_project_is_neither_read_nor_written(project, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (project.root / ".fieldguide").symlink_to(tmp_path / "elsewhere")

    with TaskClient(project.root) as client:
        assert client.add("one")["status"] == "created"

    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert (project.state / "fieldguide.db").is_file()


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal", ".lock"])
def test_a_database_that_is_a_link_is_refused_and_its_target_left_alone(project, tmp_path, suffix):
    target = tmp_path / "precious"
    target.write_bytes(PRECIOUS)
    project.state.mkdir(parents=True)
    (project.state / f"fieldguide.db{suffix}").symlink_to(target)

    with TaskClient(project.root) as client:
        assert client.add("one") == {"error": "Failed to create task"}

    assert target.read_bytes() == PRECIOUS
