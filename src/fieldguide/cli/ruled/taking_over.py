"""`fieldguide patterns import`: rules of other tools into pattern documents, and what was left told with its reason."""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from fieldguide.cli.checked.chosen_files import chosen_files
from fieldguide.cli.checked.violations import number
from fieldguide.cli.ruled.new_pattern import NAME
from fieldguide.cli.ruled.taken_over.carried import Carried, Left, slug
from fieldguide.cli.ruled.taken_over.document import Drafted, drafted
from fieldguide.cli.ruled.taken_over.files import LARGEST_BYTES, carry, files_named, read_source
from fieldguide.cli.terminal import complain, say, say_json
from fieldguide.config import Settings, project_folder
from fieldguide.errors import Misconfiguration, Refusal
from fieldguide.project_writing import write_into

NAMED_BY_FILE = ("ast-grep", "semgrep")
LEFT = "{file}:{line}: {rule} was not taken over: {reason}."


class Group(NamedTuple):
    """The rules that go into one document, each with the file that it is from."""

    name: str
    found: list[tuple[str, Carried | Left]]


def take_over(settings: Settings, arguments: argparse.Namespace, folder: str) -> int:
    """Carry rules over, write a document for each file or folder that was named, and tell what was left."""
    groups = _groups(settings, arguments)
    drafts = [(group, _drafted(group, is_inexact=arguments.inexact)) for group in groups]
    told = [_written(settings.project, f"{folder}/{group.name}.md", draft, arguments) for group, draft in drafts]
    left = [*chain.from_iterable(_told_left(group, draft) for group, draft in drafts)]
    if arguments.json:
        say_json({"documents": list(filter(None, told)), "left": left})
    else:
        complain(*(LEFT.format(**each) for each in left))
    return int(bool(left))


def _groups(settings: Settings, arguments: argparse.Namespace) -> list[Group]:
    """The rules of each file or folder that was named; all of them together where they are given a name."""
    name: str | None = arguments.name
    if name and not NAME.fullmatch(name):
        raise Misconfiguration(f"A pattern is named with letters, digits and dashes, not {name!r}.")
    project = project_folder(settings)
    paths = chosen_files(project, ()).paths

    def read(path: str) -> str:
        try:
            return project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8", errors="replace")
        except Refusal:
            return ""

    groups = [_group(each, paths, read) for each in arguments.files]
    return [Group(name, [*chain.from_iterable(group.found for group in groups)])] if name else groups


def _group(named: str, paths: Sequence[str], read: Callable[[str], str]) -> Group:
    found: list[tuple[str, Carried | Left]] = []
    tool = ""
    for path in files_named([named]):
        tool, carried = carry(read_source(path, paths, read))
        found += [(path, each) for each in carried]
    stem = os.path.basename(os.path.abspath(named)).partition(".")[0]
    return Group(slug(stem) if tool in NAMED_BY_FILE else tool, found)


def _drafted(group: Group, *, is_inexact: bool) -> Drafted:
    sources = list(dict.fromkeys(f"`{os.path.basename(path)}`" for path, _ in group.found))
    title = group.name.rpartition("/")[2].replace("-", " ").capitalize()
    return drafted(title, sources[:5], [each for _, each in group.found], is_inexact=is_inexact)


def _told_left(group: Group, draft: Drafted) -> Iterator[dict[str, object]]:
    files = {(each.name, each.line): path for path, each in group.found}
    for each in draft.left:
        yield {
            "file": files.get((each.name, each.line), group.name),
            "line": each.line,
            "rule": each.name,
            "reason": each.reason.rstrip("."),
        }


def _written(project: str, path: str, draft: Drafted, arguments: argparse.Namespace) -> dict[str, object] | None:
    if not draft.rules:
        return None
    if arguments.dry_run:
        if not arguments.json:
            say(*draft.text.splitlines())
    elif not write_into(project, path, draft.text):
        raise Misconfiguration(f"{path} is there already, and nothing is written over. `--name` names another.")
    elif not arguments.json:
        say(f"added     {path}  {number(len(draft.rules), 'rule')}")
    return {"document": path, "rules": [each.name for each in draft.rules]}
