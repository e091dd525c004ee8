"""The pictures of the README, taken of this very repository: `python -m tests.browser.pictures`, or `make pictures`."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.browser.screenshots import shown, take, visiting
from tests.browser.visitors import DARK, LIGHT

ROOT = Path(__file__).parents[2]
NAME = "fieldguide"
HEIGHT = 430
FOLDER = ROOT / "docs" / "pictures"
SHOWN = "/code/src/fieldguide/spine/executor.py?symbol=Executor.execute"
PICTURES = {"page-light": LIGHT._replace(height=HEIGHT), "page-dark": DARK._replace(height=HEIGHT)}
LARGEST_BYTES = 200_000
SHARPER = 1.25


def main() -> None:
    """Take them, and refuse one that would be slow to load."""
    FOLDER.mkdir(exist_ok=True)
    with cloned() as root, shown(root) as site, visiting() as visitors:
        for name, screen in PICTURES.items():
            taken = FOLDER / f"{name}.png"
            take(visitors, site, SHOWN, screen, taken, is_whole=False, device_scale_factor=SHARPER)
            size = taken.stat().st_size
            print(f"{taken.relative_to(ROOT)}: {size:,} bytes")
            if size > LARGEST_BYTES:
                raise SystemExit(f"{taken.name} has more than {LARGEST_BYTES:,} bytes")


@contextmanager
def cloned() -> Iterator[Path]:
    """This repository as everybody gets it: what is committed, in a folder that is called as it is."""
    with TemporaryDirectory() as folder:
        root = Path(folder) / NAME
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(root)], check=True)
        yield root


if __name__ == "__main__":
    main()
