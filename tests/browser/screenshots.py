"""Pictures of every view, light, dark and on a phone: `python -m tests.browser.screenshots FOLDER`.

A person looks at them; no test compares them, since every machine has other fonts.
"""

import argparse
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.browser.chromium import LACKING, chromium, program
from tests.browser.orchard import fill_orchard, write_orchard
from tests.browser.sites import ServedSite, served_site
from tests.browser.views import VIEWS
from tests.browser.visitors import SCREENS, Screen, Visitors
from tests.servers import FIELDGUIDE, environment


def main() -> None:
    """Take the pictures that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--project", type=Path, help="serve this project; without it, a small one that has something of everything"
    )
    parser.add_argument("--view", action="append", choices=[*VIEWS], help="this view only; may be repeated")
    parser.add_argument("--screen", action="append", choices=[*SCREENS], help="this screen only; may be repeated")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with shown(options.project) as site, visiting() as visitors:
        for view in options.view or VIEWS:
            for screen in options.screen or SCREENS:
                taken = options.folder / f"{view}-{screen}.png"
                take(visitors, site, VIEWS[view], SCREENS[screen], taken)
                print(taken)


def take(
    visitors: Visitors, site: ServedSite, path: str, screen: Screen, to: Path, *, is_whole: bool = True, **options: Any
) -> None:
    """A picture of one view on one screen."""
    page = visitors.let_in(site, path, screen, **options)
    page.wait_for_load_state("networkidle")
    page.screenshot(path=to, full_page=is_whole)
    page.context.close()


@contextmanager
def shown(root: Path | None) -> Iterator[ServedSite]:
    """A server whose index is whole, with a state folder of its own: nothing of the person's is in the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FIELDGUIDE_STATE"] = str(Path(folder) / "state")
        served = root or Path(folder) / "orchard"
        if root is None:
            write_orchard(served)
        command = [FIELDGUIDE, "index", "--project", str(served)]
        subprocess.run(command, env=environment(), check=True, capture_output=True)
        with served_site(served, "--user", "ann") as site:
            if root is None:
                fill_orchard(site)
            yield site


@contextmanager
def visiting() -> Iterator[Visitors]:
    """Somebody with a browser."""
    path = program()
    if path is None:
        raise SystemExit(LACKING)
    with chromium(path) as driven, driven.driving() as browser:
        yield Visitors(browser)


if __name__ == "__main__":
    main()
