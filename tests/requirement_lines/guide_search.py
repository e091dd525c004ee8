"""The lines of `guide_search`."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "guide: search": (
        ("G-20", None,
         "`guide_search` answers a question with one list of code, tests, documents, decisions, patterns, findings, "
         "tasks and specs, likeliest first; each item has `citation`, `path`, `start`, `end`, `kind` and `why`."),
        ("G-21", None,
         "How likely a hit is right comes from features that were weighed on labelled questions, the same for every "
         "kind; the weights, the script that learns them and their card belong to the project."),
        ("G-22", None,
         "What is found twice stands once: a decision that is a document too is a decision, a text that lies elsewhere "
         "again is named by the first, neighbours in a file are one hit, and a file has two hits at most."),
        ("G-23", None,
         "`kinds` keeps the list to some kinds, named in the singular or the plural; a kind that there is none of is "
         "refused with those that there are. `limit` is from 1 to 50, and 10 unless it is given."),
        ("G-24", None,
         "Every item says why in a few words that are true of it: its section, that the question names it, which words "
         "of the question it has, that it is near in meaning."),
        ("G-25", None,
         "A question that nothing fits well gets the nearest three, marked as unsure, what was searched and what to "
         "try."),
        ("G-26", None,
         "Tasks are found for the user who asks alone, and for nobody where it is not known who asks; sessions are "
         "never found."),
        ("G-27", None,
         "Every citation is of lines as they lie in the file now, and opens to the same bytes."),
        ("G-28", None,
         "The same question to the same state gets the same answer, byte for byte; while the index is not whole, the "
         "answer says so."),
        ("G-29", None,
         "`fieldguide find` prints the list of `guide_search` for people, or with `--json` for programs."),
    ),
}
