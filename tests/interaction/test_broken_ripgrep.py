"""Tools where ripgrep is missing, crashes, is made for another machine, or fails: they say so, and never "nothing"."""

import pytest

from fieldguide.cli.main import main
from fieldguide.files import listing, matching
from fieldguide.text.errors import ToolFailed
from fieldguide.toolsets.context import grep

BROKEN = {
    "missing": None,
    "exits with 2": b"#!/bin/sh\necho 'rg: broken' >&2\nexit 2\n",
    "crashes": b"#!/bin/sh\nkill -SEGV $$\n",
    "of another architecture": b"\x7fELF\x02\x01\x01\x00" + bytes(8) + b"\x02\x00\xf3\x00" + bytes(40),
}


@pytest.fixture(params=sorted(BROKEN))
def broken(request, tmp_path, monkeypatch):
    """A ripgrep that does nothing, in the place of ours."""
    content = BROKEN[request.param]
    path = tmp_path / "rg"
    if content is not None:
        path.write_bytes(content)
        path.chmod(0o755)

    def find(project):
        if content is None:
            raise ToolFailed("ripgrep is not installed.")
        return str(path)

    for module in (grep, listing, matching):
        monkeypatch.setattr(module, "find_ripgrep", find)


def test_a_search_fails_in_words(broken, project, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FIELDGUIDE_STATE", str(tmp_path / "state"))
    project.write("src/orchard.py", "def water_orchard():\n    return 'wet'\n")

    code = main(["call", "grep_codebase", '{"pattern": "orchard"}', "--project", str(project.root)])

    told = capsys.readouterr()
    assert code == 1
    assert "ripgrep" in told.out + told.err
