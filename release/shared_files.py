"""The files that the wheel puts under `share/`: the man page and the completions of three shells.

`python -m release.shared_files` writes them into `release/share/`. With `--check` it writes nothing, names those that
are stale and exits with 1 if there is one. `make docs` runs it.
"""

import argparse
import sys
from pathlib import Path

from fieldguide.cli.completion import SCRIPTS
from release import man_page

FOLDER = Path(__file__).parent / "share"
COMPDEF = "compdef _fieldguide fieldguide\n"


def shared_files() -> dict[str, str]:
    """Every file by its path below `share/`."""
    return {
        "man/man1/fieldguide.1": man_page.page(),
        "bash-completion/completions/fieldguide": _without_advice(SCRIPTS["bash"]),
        "zsh/site-functions/_fieldguide": _without_advice(SCRIPTS["zsh"]).replace(COMPDEF, '_fieldguide "$@"\n'),
        "fish/vendor_completions.d/fieldguide.fish": _without_advice(SCRIPTS["fish"]),
    }


def stale_files(folder: Path = FOLDER) -> list[str]:
    """The paths of those that differ from what the code says, are missing, or are written by nobody."""
    written = shared_files()
    present = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }
    return sorted(name for name in written.keys() | present.keys() if written.get(name) != present.get(name))


def main() -> int:
    """Write the files, or say which are stale."""
    parser = argparse.ArgumentParser(prog="python -m release.shared_files", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file is stale")
    if parser.parse_args().check:
        stale = stale_files()
        print(
            *(f"release/share/{name} is stale; `make docs` writes it anew." for name in stale),
            sep="\n",
            file=sys.stderr,
        )
        return int(bool(stale))
    for name, text in shared_files().items():
        (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


def _without_advice(script: str) -> str:
    """A script without the line that says how to turn it on: installed, it is on."""
    return "".join(line for line in script.splitlines(keepends=True) if not line.startswith("# fieldguide:"))


if __name__ == "__main__":
    raise SystemExit(main())
