"""The sources of a real project that the README shows: what its release holds, which `make test` fetches at set-up."""

import shutil
import tarfile
from pathlib import Path

from tests.docs.markdown import ROOT

RELEASE = "flask-3.1.3"
ARCHIVE = ROOT / ".venv" / "sources" / f"{RELEASE}.tar.gz"


def unpack_flask(folder: Path) -> None:
    """Make a folder of the release's files; they are those of the tag in its repository."""
    assert ARCHIVE.exists(), f"{ARCHIVE.relative_to(ROOT)} is missing: `make .venv/sources` fetches it"
    beside = folder.with_name(f"{folder.name}-unpacked")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(beside, filter="data")
    shutil.move(beside / RELEASE, folder)
