"""The lines of `guide_open`, and of the citations that every tool gives."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "guide: citations": (
        ("G-30", None,
         "The hash of a citation is the first eight hexadecimal digits of the SHA-256 of the bytes of its lines as "
         "they lie in the file, up to the end of the last line; lines end with a line feed, a carriage return "
         "or both."),
    ),
}
