"""The lines of the page for people: its frame, its first views, and what documents can do to it."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "page: frame": (
        ("Z-30", None,
         "The page's cookie opens every page and nothing of MCP; without it every page says how to get in."),
        ("Z-38", None,
         "Where the system tells whose program asks, the cookie counts only from the user whose server it is."),
        ("Z-31", None,
         "Every page has the strict content security policy, and no inline script, style or handler; style and script "
         "are files of ours under names that change with their content."),
        ("Z-32", None,
         "A form is taken from our own page alone: another origin, a missing token, or that of another browser is "
         "refused before anything is done."),
        ("Z-33", None, "A refusal is a page with its sentence and its status, or a fragment for the script."),
    ),
    "page: views": (
        ("Z-34", None,
         "The first page is of use with nothing configured: a search box, questions to begin with, what is indexed, "
         "and how to connect as long as nobody has."),
        ("Z-35", None,
         "Search is a plain form with kinds as filters; results mark the words that were looked for, and each leads to "
         "its lines in the source."),
        ("Z-36", None,
         "The source of a citation shows its lines marked and under an anchor, rendered or plain; what a call refuses "
         "is refused in the same words."),
        ("Z-37", None, "A large file is shown in pages of lines, a long line by its beginning, and both are said."),
    ),
    "page: more views": (
        ("Z-45", None, "Documents are shown by collection, in pages, and one of them with its outline beside it."),
        ("Z-46", None,
         "Calls are told by tool with their failures, times, breakers and about how many tokens were sent, and as a "
         "fragment for the script that refreshes them."),
        ("Z-47", None, "Connecting is shown by one command first, then over HTTP for each client."),
        ("Z-48", None,
         "`fieldguide open` without a citation serves the page on a free port of the loopback and gives a link that "
         "opens it once; a server of the project that runs already is used again."),
        ("Z-49", None, "Nobody is sent to the port of a server that has ended."),
    ),
    "page: documents are a stranger's": (
        ("Z-40", None,
         "Whatever a document holds, its HTML has only elements and attributes of our list, no script, no handler, no "
         "style, no identifier but those of its lines."),
        ("Z-41", None,
         "A link of a document leads to http, https or mailto, or to a file of the project through the source view; "
         "else it is no link."),
        ("Z-42", None, "Raw HTML of a document is what it says; images are their descriptions."),
        ("Z-43", None, "Depth, tables and length of a rendered document are bounded, and what is left out is said."),
        ("Z-44", None, "Control and bidirectional characters of a document are shown, never obeyed."),
    ),
}
