"""A toolset of another distribution is served as soon as it is installed, with no change to Fieldguide."""

import json
import subprocess
import sys
from pathlib import Path

from tests.proves import proves
from tests.servers import run

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "examples" / "hello_toolset"


def call(site: Path, arguments: str, *, code: int) -> str:
    return run("call", "hello", arguments, "--project", site, code=code, PYTHONPATH=str(site)).stdout


def install_into(site: Path) -> None:
    """Build the example's wheel and unpack it: what any installer does."""
    builder = next((ROOT / ".venv-uv" / "bin").glob("uv"), Path("uv"))
    subprocess.run(
        [
            str(builder), "pip", "install", "--quiet", "--no-deps", "--target", str(site),
            "--python", sys.executable, str(EXAMPLE),
        ],
        check=True,
        timeout=300,
    )  # fmt: skip


@proves("S0-22")
def test_a_toolset_in_a_separate_distribution_adds_its_tool(tmp_path):
    missing = call(tmp_path, "{}", code=1)
    install_into(tmp_path)

    greeted = call(tmp_path, '{"name": "Ada", "language": "fr"}', code=0)
    refused = call(tmp_path, '{"name": "Ada", "language": "xx"}', code=1)

    assert json.loads(missing)["code"] == -32001
    assert json.loads(greeted) == {"greeting": "Bonjour, Ada!"}
    assert json.loads(refused) == {
        "error": "No greeting in 'xx'; there are en, fr, sw.",
        "language": "xx",
        "tool": "hello",
    }
