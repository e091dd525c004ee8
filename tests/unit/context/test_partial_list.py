"""A list of files that was cut off, or lacks a part: the index never forgets what is still there."""

import pytest

from fieldguide.files import listing
from fieldguide.text.errors import ToolFailed
from tests.unit.context.test_grep import script
from tests.unit.context.test_upkeep import app, held, refresh

__all__ = ["app"]


@pytest.fixture
def indexed(app, project):
    """Two files of code, both in the index."""
    for name in ("a.py", "b.py"):
        project.write(name, f"def {name[0]}(): ...\n")
    refresh(app)
    return app


def test_a_ripgrep_that_is_killed_empties_no_index(indexed, tmp_path, monkeypatch):
    killed = script(tmp_path / "rg", "printf 'a.py\\0'", "kill -9 $$")
    monkeypatch.setattr(listing, "find_ripgrep", lambda root: killed)

    with pytest.raises(ToolFailed, match="signal 9"):
        refresh(indexed)

    assert held(indexed) == {"": 2}


def test_a_part_that_could_not_be_listed_stays_in_the_index(indexed, project, tmp_path, monkeypatch):
    project.write("a.py", "def other(): ...\n")
    partly = script(tmp_path / "rg", "printf 'a.py\\0'", "exit 2")
    monkeypatch.setattr(listing, "find_ripgrep", lambda root: partly)

    assert refresh(indexed) == {"added": 0, "updated": 1, "removed": 0, "total": 2}

    assert held(indexed) == {"": 2}


def test_a_whole_list_takes_what_is_gone_out_of_the_index(indexed, project):
    (project.root / "b.py").unlink()

    assert refresh(indexed)["removed"] == 1
    assert held(indexed) == {"": 1}
