"""The lines of `guide_open`, and of the citations that every tool gives."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "guide: citations": (
        ("G-30", None,
         "The hash of a citation is the first eight hexadecimal digits of the SHA-256 of the bytes of its lines as "
         "they lie in the file, up to the end of the last; a line ends with a line feed, a carriage return or both."),
        ("G-38", None,
         "Every hit of every tool carries `citation` as `path#Lstart-Lend@hash`, which `guide_open` opens to the very "
         "bytes of the file; where the file has changed since it was indexed, the hash is of what was seen."),
    ),
    "guide: open": (
        ("G-31", None,
         "`guide_open` takes a citation in any form, with or without a hash, or a path, and gives its lines with their "
         "numbers; several citations stand on lines of their own."),
        ("G-32", None,
         "With `around` it gives the section of a document or the symbol of code that encloses the lines."),
        ("G-33", None,
         "Neither its text nor its structured answer has more tokens than the budget, and `next` cites what is left."),
        ("G-34", None,
         "Where the bytes are not those of the hash it says what became of them: moved, in the same file or another "
         "one, changed, with the difference where git or the index know it, or gone."),
        ("G-35", None,
         "`finding://` and `task://` addresses are opened too; tasks are those of the user who asks, and no others."),
        ("G-36", None,
         "What `read_file` refuses is refused alike, nothing of it comes back from history, and what is not there is "
         "told with names that are near."),
        ("G-37", None,
         "Documents that are no files of the project are opened by the citations that the document tools give."),
        ("G-39", None, "`fieldguide open` takes citations and prints what `guide_open` answers."),
    ),
}
