"""Further series of proposals whose authors marked what replaces what: Python's PEPs and the KEPs of Kubernetes.

Each is one more project that nobody tuned for. A checkout is given (`--series peps=DIR`); nothing of it is kept here.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.adr_pairs import Pair, Project

HEADER = re.compile(r"^([A-Z][\w-]*):[ \t]*(.*(?:\n[ \t]+.*)*)", re.MULTILINE)
UNDERLINED = re.compile(r"^(\S.*)\n([=\-~^'\"])\2{2,}[ \t]*$", re.MULTILINE)
ROLE = re.compile(r":pep:`(?:[^`<]*<)?(\d+)[^`]*`")
KEP_VALUE = re.compile(r"^(title|replaces|superseded-by):[ \t]*(.*(?:\n[ \t]*-.*)*)", re.MULTILINE)
KEP_NUMBER = re.compile(r"(?<![\w-])0*(\d{1,5})-[a-z]")

Series = tuple[Project, list[Pair]]


def read_series(given: str) -> Series:
    """The series that `name=DIR` means."""
    name, _, folder = given.partition("=")
    readers = {"peps": _peps, "keps": _keps}
    if name not in readers or not Path(folder).is_dir():
        raise SystemExit(f"--series takes peps=DIR or keps=DIR, each a checkout, not {given}.")
    return readers[name](Path(folder))


def _peps(folder: Path) -> Series:
    texts: dict[str, str] = {}
    replaced: list[tuple[int, int]] = []
    for path in sorted(folder.rglob("pep-[0-9]*.rst")):
        header, _, body = path.read_text(encoding="utf-8", errors="replace").partition("\n\n")
        values = dict(HEADER.findall(header))
        number = int(values.get("PEP", "0"))
        if not number:
            continue
        plain = ROLE.sub(r"PEP \1", UNDERLINED.sub(r"## \1", body))
        texts[_path(number)] = f"# PEP {number}: {values.get('Title', '').strip()}\n\nStatus: Accepted\n\n{plain}\n"
        replaced += [(number, int(older)) for older in re.findall(r"\d+", values.get("Replaces", ""))]
        replaced += [(int(newer), number) for newer in re.findall(r"\d+", values.get("Superseded-By", ""))]
    return _series("peps", texts, replaced)


def _keps(folder: Path) -> Series:
    texts: dict[str, str] = {}
    replaced: list[tuple[int, int]] = []
    for path in sorted(folder.rglob("kep.yaml")):
        readme, own = path.with_name("README.md"), re.match(r"0*(\d+)-", path.parent.name)
        if not own or not readme.exists():
            continue
        number, values = int(own[1]), dict(KEP_VALUE.findall(path.read_text(encoding="utf-8", errors="replace")))
        title = values.get("title", "").strip(" \"'")
        texts[_path(number)] = f"# KEP {number}: {title}\n\nStatus: Accepted\n\n{_body(readme)}\n"
        replaced += [(number, int(older)) for older in KEP_NUMBER.findall(values.get("replaces", ""))]
        replaced += [(int(newer), number) for newer in KEP_NUMBER.findall(values.get("superseded-by", ""))]
    return _series("keps", texts, replaced)


def _body(readme: Path) -> str:
    """A KEP without its title, its comments and its table of contents."""
    text = re.sub(r"<!--.*?-->", "", readme.read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)
    lines = [line for line in text.splitlines() if not re.match(r"\s*- \[.*\]\(#|# ", line)]
    return "\n".join(lines)


def _path(number: int) -> str:
    return f"{number:05d}-proposal.md"


def _series(name: str, texts: dict[str, str], replaced: list[tuple[int, int]]) -> Series:
    pairs = [Pair(name, _path(newer), _path(older)) for newer, older in _once(replaced)]
    known = [pair for pair in pairs if pair.newer in texts and pair.older in texts and pair.newer != pair.older]
    return Project(name, texts), known


def _once(replaced: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Each pair once, and none whose reverse came before."""
    seen: set[tuple[int, int]] = set()
    for newer, older in replaced:
        if (newer, older) not in seen and (older, newer) not in seen:
            seen.add((newer, older))
            yield newer, older
