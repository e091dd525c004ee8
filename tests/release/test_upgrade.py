"""`fieldguide upgrade` in a real installation by `uv tool`."""

import os
import subprocess

import pytest

from release.facts import ROOT
from tests.proves import proves

UV = ROOT / ".venv-uv" / "bin"


@pytest.mark.slow
@proves("Z-180")
def test_a_tool_of_uv_is_upgraded_and_what_install_wrote_is_looked_at(dist, facts, tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    own = {
        **kept,
        "HOME": str(tmp_path),
        "UV_TOOL_DIR": str(tmp_path / "tools"),
        "UV_TOOL_BIN_DIR": str(tmp_path / "bin"),
        "UV_CACHE_DIR": os.environ.get("UV_CACHE_DIR", os.path.expanduser("~/.cache/uv")),
        "PATH": os.pathsep.join([str(tmp_path / "bin"), str(UV), os.environ["PATH"]]),
        "FIELDGUIDE_STATE": str(tmp_path / "state"),
    }

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=tmp_path, env=own, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    run(str(UV / "uv"), "tool", "install", "--quiet", str(dist / facts.wheel))
    program = str(tmp_path / "bin" / "fieldguide")
    run(program, "install", "--client", "cursor", "--yes")

    said = run(program, "upgrade", "--yes")

    assert "installed by uv tool" in said
    assert "Nothing to upgrade" in said
    assert "fieldguide is there already, in ~/.cursor/mcp.json" in said
