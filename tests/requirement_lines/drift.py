"""The lines of documentation that names what is gone."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "stale: documentation that names what is gone": (
        ("Y-55", None,
         "A symbol, a setting or an option that a document names, that the implementation had and nothing of the "
         "project has now, is told with the commit that took it away and the likely new name."),
        ("Y-56", None,
         "A path or a link that led to a file which a commit removed or renamed is told, with the place where the file "
         "is now."),
        ("Y-57", None,
         "What the project never had, what its code or settings still have (tests too, once the removal is no news), "
         "what only tests and examples had, and what a document names only since the removal is no alarm."),
        ("Y-58", None,
         "Release notes, dated and versioned texts, guides to migrate by, superseded decisions and sentences that tell "
         "of a removal tell of the past on purpose: they are no alarm."),
        ("Y-59", None,
         "`--since COMMIT` tells only what the commits after that one took away and documents still name."),
        ("Y-60", None,
         "A check follows HEAD, the documents and the code: what was read before is not read again, and a checkout of "
         "another commit is told as it is."),
        ("Y-61", None,
         "A comment `fieldguide: ignore[gone]` with a reason allows a name on its line, or in the paragraph below it; "
         "one without a reason allows nothing."),
        ("Y-62", None,
         "Every format of documents is read: roles of reStructuredText and options of manual pages too."),
        ("Y-63", None,
         "`guide_governs` tells the documents that name what a file no longer has, from what is kept with the index."),
        ("Y-64", None,
         "`fieldguide stale` ends with 1 when a document names what is gone, and tells it in lines, JSON and SARIF; "
         "hints are told when they are asked for, and fail nothing."),
    ),
}
