"""What a project could be given to begin with: each offer says what it writes, and writes it over nothing."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from fieldguide.cli.beginning.first_decision import decision_folder, first_decision
from fieldguide.cli.beginning.first_model import first_model, main_languages
from fieldguide.cli.beginning.survey import Survey
from fieldguide.errors import Refusal, Unreadable
from fieldguide.project_history.git_program import GitProgram
from fieldguide.project_text.git_index import index_place
from fieldguide.project_writing import append_into, write_into
from fieldguide.storage.state_folder import OLD_FOLDER, expected_folder
from fieldguide.toolsets.architecture import starters
from fieldguide.toolsets.architecture.roots import PATTERNS, RESOURCES
from fieldguide.toolsets.architecture.rules import read_pattern
from fieldguide.toolsets.context.project_model import PATH as MODEL
from fieldguide.toolsets.directive import scaffold
from fieldguide.toolsets.directive.folder import NAME as DIRECTIVE

NAMES = ("patterns", "decisions", "directive", "model", "gitignore")
GENERAL = ("error-handling", "logging", "configuration-and-secrets", "time-and-clocks", "async-and-concurrency")
MOST_PATTERNS = 4
SAME_RULES = {"javascript": "typescript", "tsx": "typescript"}  # a rule for TypeScript holds for these too
IGNORED = ".gitignore"
NEEDLESS = {
    "patterns": ("there are some; `fieldguide patterns add` adds more", "no starter fits what this is written in"),
    "decisions": ("there are some; they are left as they are", ""),
    "directive": ("it is there; `fieldguide directive update` adds what it lacks", ""),
    "model": ("it is there; it is left as it is", ""),
    "gitignore": ("", "nothing that Fieldguide keeps lies in this project"),
}
GIT_SECONDS = 5.0


class Offer(NamedTuple):
    """Something that is missing. `write` gives the paths that were created and those that were there and kept."""

    name: str
    about: str
    paths: tuple[str, ...]
    is_usual: bool
    write: Callable[[], scaffold.Written]


class Done(NamedTuple):
    """What was written, what was there and kept, and what could not be written."""

    created: Sequence[str] = ()
    kept: Sequence[str] = ()
    problems: Sequence[str] = ()


def take(chosen: Sequence[Offer]) -> Done:
    """Write what was chosen; what can't be written is told, and stops nothing else."""
    created: list[str] = []
    kept: list[str] = []
    problems: list[str] = []
    for each in chosen:
        try:
            written = each.write()
        except Refusal as error:
            problems.append(error.message)
            continue
        created += written.created
        kept += written.kept
    return Done(created, kept, problems)


def offers(survey: Survey) -> list[Offer]:
    """What could be added to a project, in the order in which a person is asked."""
    return [*_patterns(survey), *_decisions(survey), *_directive(survey), *_model(survey), *_gitignore(survey)]


def needless(survey: Survey, missing: Sequence[Offer], names: Iterable[str]) -> Iterator[str]:
    """Why what was asked for by name is not added."""
    offered = {each.name for each in missing}
    there = {
        "patterns": bool(survey.patterns),
        "decisions": bool(survey.decisions),
        "directive": bool(survey.directive),
        "model": survey.has_model,
    }
    for name in NAMES:
        if name in names and name not in offered:
            yield f"{name}: {NEEDLESS[name][0] if there.get(name) else NEEDLESS[name][1]}"


def fitting_starters(languages: list[str]) -> list[str]:
    """The starter patterns that have rules for one of these languages; the most general first, few enough to read."""
    wanted = {SAME_RULES.get(language, language) for language in languages}
    return [name for name in GENERAL if wanted & _ruled_languages(name)][:MOST_PATTERNS]


def _ruled_languages(name: str) -> set[str]:
    return {language for rule in read_pattern(name, starters.read(name)).rules for language in rule.languages}


def _patterns(survey: Survey) -> Iterator[Offer]:
    languages = main_languages(survey)
    names = fitting_starters(languages)
    if survey.patterns or not names:
        return
    texts = {f"{RESOURCES}/{PATTERNS}/{name}.md": starters.read(name) for name in names}
    about = f"starter patterns with rules that are checked: {', '.join(names)}"
    yield Offer("patterns", about, tuple(texts), True, partial(_written, survey.project, texts))


def _decisions(survey: Survey) -> Iterator[Offer]:
    if not survey.decisions:
        folder = decision_folder([place.folder for place in survey.documents])
        texts = first_decision(folder)
        about = f"a folder for decisions, {folder}, with a first record and a template"
        yield Offer("decisions", about, tuple(texts), True, partial(_written, survey.project, texts))


def _directive(survey: Survey) -> Iterator[Offer]:
    if not survey.directive:
        about = f"{DIRECTIVE}/: how agents are to work here, and templates for specs"
        paths = tuple(f"{DIRECTIVE}/{name}" for name in scaffold.FILES)
        yield Offer("directive", about, paths, False, partial(scaffold.init, survey.project))


def _model(survey: Survey) -> Iterator[Offer]:
    if not survey.has_model:
        about = f"{MODEL}: name the project's modules, their key files and rules"
        write = partial(_written, survey.project, {MODEL: first_model(survey)})
        yield Offer("model", about, (MODEL,), False, write)


def _gitignore(survey: Survey) -> Iterator[Offer]:
    """A line for what Fieldguide keeps, only where that lies in the project: by default it lies elsewhere."""
    folder = _kept_inside(survey.project)
    if folder and index_place(survey.project) and not _is_ignored(survey.project, folder):
        about = f"a line /{folder}/ in {IGNORED}: what Fieldguide keeps lies there"
        yield Offer("gitignore", about, (IGNORED,), True, partial(_ignore, survey.project, f"/{folder}/"))


def _kept_inside(project: str) -> str:
    """The folder at the project's top that holds what we keep; empty where it lies outside."""
    if os.path.isdir(os.path.join(project, OLD_FOLDER)):
        return OLD_FOLDER
    inner = os.path.relpath(os.path.realpath(expected_folder(project)), os.path.realpath(project))
    first = inner.split(os.sep)[0]
    return "" if first in ("..", ".") else first


def _is_ignored(project: str, folder: str) -> bool:
    try:
        GitProgram(project, GIT_SECONDS).ask("check-ignore", "-q", "--", f"{folder}/")
    except Unreadable:  # also how git says no
        return False
    return True


def _ignore(project: str, line: str) -> scaffold.Written:
    append_into(project, IGNORED, line)
    return scaffold.Written((IGNORED,), ())


def _written(project: str, texts: dict[str, str]) -> scaffold.Written:
    done = {path: write_into(project, path, text) for path, text in texts.items()}
    return scaffold.Written(
        tuple(path for path, is_new in done.items() if is_new),
        tuple(path for path, is_new in done.items() if not is_new),
    )
