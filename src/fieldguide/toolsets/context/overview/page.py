"""The page about a project, from the repository itself: short enough to be read at the start of every conversation."""

from collections import Counter
from collections.abc import Iterator, Sequence

from fieldguide import linear_regex as re
from fieldguide.confinement import ConfinedFolder
from fieldguide.project_text.files import project_files
from fieldguide.project_text.finding import FoundText, known_text
from fieldguide.project_text.places import Places
from fieldguide.toolsets.context.overview.about import about
from fieldguide.toolsets.context.overview.commands import commands
from fieldguide.toolsets.context.overview.packages import (
    code_paths,
    entry_points,
    is_code,
    languages,
    packages,
)

MOST_FOLDERS = 6
DECISION = re.compile(r"(?i)/(?:adr|rfc|decision)[-_ ]?\d+[^/]*$|(?:adrs?|decisions|rfcs)/\d+[^/]*$")


def repository_lines(project: ConfinedFolder) -> list[str]:
    """What the repository tells of the project, as lines of Markdown below its title; none of an empty folder."""
    paths = project_files(project).paths
    served = [path for path in paths if not project.sensitive.refuses(tuple(path.split("/")))]
    if not served:
        return []
    told = about(project, served)
    text = known_text(project.root).now(project)
    code = code_paths(served, text.roots)
    lines = [told.description, ""] if told.description else []
    facts = [
        ("Languages", ", ".join(languages(code))),
        ("Entry points", ", ".join(f"`{each}`" for each in entry_points(code))),
        ("Tests", ", ".join(f"`{each}`" for each in _tests(served))),
        ("Documents", ", ".join(_documents(text))),
    ]
    lines += [f"- {label}: {value}" for label, value in facts if value]
    lines += _listed("Commands", commands(project, served, told.manifests))
    lines += _listed("Packages", _packages(project, code))
    return lines


def _listed(title: str, items: Sequence[str]) -> list[str]:
    return ["", f"## {title}", "", *(f"- {item}" for item in items)] if items else []


def _packages(project: ConfinedFolder, code: Sequence[str]) -> list[str]:
    return [
        f"`{each.folder}` ({each.files} files)"
        + (f" uses {', '.join(f'`{name}`' for name in each.needs)}" if each.needs else "")
        for each in packages(project, code)
    ]


def _tests(paths: Sequence[str]) -> list[str]:
    """The folders that tests lie in, those of most first."""
    places = Places(())
    counted: Counter[str] = Counter()
    for path in paths:
        if is_code(path):
            counted.update(_tests_above(path, places))
    return [folder for folder, _ in counted.most_common(MOST_FOLDERS)]


def _tests_above(path: str, places: Places) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    at = ""
    for name in folder.split("/"):
        at = f"{at}/{name}" if at else name
        if places.of(at).kind == "tests":
            yield at
            return


def _documents(found: FoundText) -> list[str]:
    """Where documents lie, and where decisions do as far as names tell."""
    counted = Counter(each.root or "." for each in found.documents if not each.language)
    named = [f"`{root}` ({count})" for root, count in counted.most_common(MOST_FOLDERS)]
    numbered = Counter(each.path.rpartition("/")[0] for each in found.documents if DECISION.search(each.path))
    folders = [folder for folder, count in numbered.most_common(2) if count > 1]
    return [*named, *(f"decisions in `{folder}`" for folder in folders)]
