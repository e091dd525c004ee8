"""The lines of staleness: whether what was written about code still holds."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "staleness: notes": (
        ("Y-40", None,
         "`fieldguide stale --notes FILE --json` tells of each note (path, lines, sha256, commit) whether it is fresh, "
         "moved, changed or gone, with its place now, what changed in one line, and the commit that did it."),
        ("Y-41", None,
         "Cited lines are carried along first parents by git's hunks, through renames and merges; then content "
         "decides, also where the whole text stands in another file."),
        ("Y-42", None, "What is saved but not committed counts."),
        ("Y-43", None,
         "A note without a commit is found by its hash in the history; without git content alone decides, and says "
         "how sure it is."),
        ("Y-44", None,
         "Positions are kept from commit to commit; what was kept changes no answer, on no branch."),
        ("Y-45", None,
         "`fieldguide stale` ends with 0 where nothing is stale, 1 where something is and 2 where it was asked in a "
         "wrong way, and writes SARIF 2.1.0."),
    ),
    "staleness: ties": (
        ("Y-46", None,
         "Documents, decisions, specs and findings are tied to the lines that they cite at indexing, in either "
         "database, and kept up with each save and commit."),
        ("Y-47", None,
         "What is stale carries one short line in `guide_search`, `guide_brief`, `guide_open`, `context_search`, the "
         "resources of findings and the page; a task is judged by content as it is told; what is fresh carries "
         "nothing."),
        ("Y-48", None,
         "Nothing of a repository that a project only points to is told, no value that looks like a secret stands in a "
         "difference, and nothing that a repository configures is started."),
        ("Y-49", None,
         "What `fieldguide learn` keeps holds today, is whole without what stands around it, and stands in no document "
         "or decision record; right after it no finding is stale."),
    ),
}
