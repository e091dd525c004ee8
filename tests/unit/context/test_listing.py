"""The listing of a project's files when ripgrep does not do what it should."""

import pytest

from fieldguide.files import listing
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.text.errors import ToolFailed


@pytest.fixture
def ripgrep(tmp_path, monkeypatch):
    """Puts a script in the place of ripgrep."""

    def put(script):
        path = tmp_path / "rg"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setattr(listing, "find_ripgrep", lambda project: str(path))

    return put


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (r"printf 'a.py\0b.py\0'; kill -9 $$", "ripgrep was ended by signal 9"),
        (r"printf 'a.py\0b.p'", "ripgrep broke off"),
        (r"printf 'a.py\0'; exec sleep 60", "ripgrep has told nothing for"),
    ],
)
def test_a_listing_that_breaks_off_is_a_failure(project, ripgrep, monkeypatch, script, why):
    monkeypatch.setattr(listing, "SILENCE_SECONDS", 0.2)
    ripgrep(script)

    with pytest.raises(ToolFailed, match=why):
        listing.list_files(ConfinedFolder(str(project.root)))


def test_a_listing_that_takes_its_time_is_waited_for(project, ripgrep, monkeypatch):
    monkeypatch.setattr(listing, "SILENCE_SECONDS", 5.0)
    ripgrep(r"for name in 1 2 3 4 5; do printf \"$name.py\0\"; sleep 0.05; done".replace('\\"', '"'))

    assert listing.list_files(ConfinedFolder(str(project.root))) == listing.TreeListing(
        tuple(f"{name}.py" for name in range(1, 6)), is_whole=True
    )
