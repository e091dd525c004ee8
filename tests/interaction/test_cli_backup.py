"""`fieldguide data backup`: everything that users wrote in one file, which takes the place of the database."""

import shutil
import stat

from fieldguide.storage.state_folder import find_expected_folder
from tests.servers import run


def tasks(project):
    return run("tasks", "list", "--user", "ann", "--project", project.root).stdout


def test_a_backup_has_everything_and_takes_the_place_of_the_database(project, tmp_path):
    here = ("--user", "ann", "--project", project.root)
    run("tasks", "add", "Water the plants", *here)
    file = tmp_path / "monday.backup"

    done = run("data", "backup", file, "--project", project.root)
    run("tasks", "add", "Feed the fox", *here)
    for path in project.state.glob("fieldguide.db*"):
        path.unlink()
    shutil.copy(file, find_expected_folder(str(project.root)) + "/fieldguide.db")

    assert done.stdout == f"Kept in {file}.\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("*monday*")] == ["monday.backup"]
    assert "Water the plants" in tasks(project)
    assert "Feed the fox" not in tasks(project)


def test_a_backup_replaces_no_file_and_needs_something_to_keep(project, tmp_path):
    (tmp_path / "there").touch()

    nothing = run("data", "backup", tmp_path / "new", "--project", project.root, code=1)
    run("tasks", "add", "Water the plants", "--user", "ann", "--project", project.root)
    taken = run("data", "backup", tmp_path / "there", "--project", project.root, code=1)
    elsewhere = run("data", "backup", tmp_path / "no" / "x", "--project", project.root, code=1)
    served = run("data", "backup", tmp_path / "x", "--project", project.root, "--database", "postgresql://h/d", code=1)

    assert "Nothing is kept of this project yet." in nothing.stderr
    assert "is there already" in taken.stderr
    assert "There is no folder" in elsewhere.stderr
    assert "pg_dump" in served.stderr
