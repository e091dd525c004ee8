"""Why `search-architecture` found nothing: what was searched, and where documents would have to lie."""

from fieldguide.toolsets.architecture.library import Library, Shelf
from fieldguide.toolsets.architecture.roots import CATEGORIES

MOST_FOLDERS = 8


def nothing_found(shelf: Shelf, category: str | None, library: Library) -> str:
    """A sentence or two for an answer without results."""
    counts = {each: len(shelf.of(each)) for each in CATEGORIES}
    there = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    if not there:
        folders = [*library.folders()]
        more = " …" if len(folders) > MOST_FOLDERS else ""
        looked = ", ".join(folders[:MOST_FOLDERS])
        return (
            f"This project has no guidelines, patterns or decisions where they are looked for ({looked}{more}). "
            "documents_search looks through its other documents."
        )
    if category is not None and not counts.get(category):
        return f"There are no {category} here, but {there}. Leave `resource_type` out to search them all."
    searched = f"{counts[category]} {category}" if category is not None else there
    return f"Searched: {searched}; none fits. Try other or fewer words."
