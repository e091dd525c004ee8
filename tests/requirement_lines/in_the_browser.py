"""The page in a real browser: what a person sees, does and is spared."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "The page in a browser": (
        ("Z-120", None,
         "A link opens the page in a real browser; no view of it logs an error, breaks its own policy, opens a dialog or "
         "a window, or asks anybody but its server for anything."),
        ("Z-121", None,
         "axe-core finds nothing serious or critical on any view, light or dark, on a desk or on a phone."),
    ),
}
