"""Which folders were taken for documents, decisions, patterns and guidelines, and why: for people who correct that."""

from collections import Counter

from fieldguide.app import App
from fieldguide.config import project_folder
from fieldguide.errors import FieldguideError

MOST_TOLD = 12
FOUND, KNOWN = "found by what they say", "in a folder that is known for them"
CORRECTION = "`folders` and `leave_out` under [documents], `adr` under [architecture] in fieldguide.toml"
REASONS = {
    "project": "named in context.json",
    "settings": "named in fieldguide.toml",
    "global": "named in your global file",
    "default": "found",
}


def taken_places(app: App) -> dict[str, list[str]]:
    """For each kind a sentence about each folder; nothing where what names them can't be read."""
    served = {toolset.name for toolset in app.toolsets}
    try:
        told = {
            **({"documents": _documents(app)} if "documents" in served else {}),
            **(_architecture(app) if "architecture" in served else {}),
        }
    except FieldguideError:  # told as a problem already
        return {}
    taken = {name: sentences for name, sentences in told.items() if sentences}
    return {**taken, "corrected by": [CORRECTION]} if taken else {}


def _documents(app: App) -> list[str]:
    from fieldguide.toolsets.documents.collections import configured_collections

    settings = app.settings.sections.get("documents", {})
    folder = project_folder(app.settings)
    found = configured_collections(app.settings.project, settings, folder).values()
    told = [
        f"{each.alias}: {each.source} ({each.why or REASONS[each.origin]}"
        f"{f', {len(each.names)} taken' if each.names is not None else ''})"
        for each in sorted(found, key=lambda each: (bool(each.language), -len(each.names or ())))
    ]
    more = [f"and {len(told) - MOST_TOLD} more"] if len(told) > MOST_TOLD else []
    return [*told[:MOST_TOLD], *more]


def _architecture(app: App) -> dict[str, list[str]]:
    from fieldguide.toolsets.architecture.library import Library
    from fieldguide.toolsets.architecture.roots import ADR, CATEGORIES

    library = Library(project_folder(app.settings), app.settings.sections.get("architecture", {}))
    found = set(library.found_decisions())
    told: dict[str, list[str]] = {}
    for category in CATEGORIES:
        folders: Counter[tuple[str, bool]] = Counter(
            (each.path.rpartition("/")[0], each.path in found) for each in library.shelf().of(category)
        )
        told["decisions" if category == ADR else category] = [
            f"{folder or '.'} ({count} {FOUND if is_found else KNOWN})"
            for (folder, is_found), count in folders.most_common(MOST_TOLD)
        ]
    return told
