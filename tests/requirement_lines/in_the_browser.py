"""The page in a real browser: what a person sees, does and is spared."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "The page in a browser": (
        ("Z-120", None,
         "A link opens the page in a real browser; no view of it logs an error, breaks its own policy, opens a dialog "
         "or a window, or asks anybody but its server for anything."),
        ("Z-121", None,
         "axe-core finds nothing serious or critical on any view, light or dark, on a desk or on a phone."),
        ("Z-122", None,
         "What a document says does nothing: scripts, handlers, addresses, foreign elements, frames, forms, styles, "
         "names that clobber, text that changes as it is parsed, tricks of direction; the page around it stays."),
        ("Z-123", None,
         "Everything that the page offers is done by mouse, and what needs no script is done without it."),
        ("Z-124", None,
         "Everything that the page offers is done by keyboard alone, and the focus is seen wherever it is."),
        ("Z-125", None,
         "A form of another page, a form with another visitor's secret, or an address that is merely opened changes "
         "nothing, though the browser sends its cookie along."),
        ("Z-126", None,
         "No page of ours is shown in a frame, or read, by a page of another origin."),
        ("Z-127", None,
         "Names, titles and texts that people, agents and repositories give (files, projects, decisions, patterns, "
         "tasks, findings, code) are only text on every view."),
    ),
}
