"""The lines of the trace (Y-65 to Y-79): from requirements and decisions to code, tests and commits, and back."""

# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "trace": (
        ("Y-65", None,
         "`guide_trace` answers for a requirement with where it is defined, the tests that claim it by a decorator, a "
         "title, a name or a comment, and the documents, code and commits that name it."),
        ("Y-66", None,
         "`guide_trace` answers for a decision, called by its number, its path or its title, with what it names, what "
         "names it, code that it is likely to be about, tests that import that code, and commits."),
        ("Y-67", None,
         "`guide_trace` answers for a file with the decisions and requirements that lead to it, and for a commit with "
         "what its message names and what it changed."),
        ("Y-68", None,
         "`guide_trace` answers for a finding and for a task with the files, decisions and requirements that their "
         "words and evidence name."),
        ("Y-69", None,
         "Every link says why it is there, and whether somebody wrote it down, imports or git tell it, or it was "
         "mined; a mined one has a confidence."),
        ("Y-70", None,
         "What an id is, is learnt from where the project defines it: at the head of list items, rows, headings and "
         "entries; nothing depends on what it is called."),
        ("Y-71", None, "What is missing is said: no test, no definition, nothing that follows a decision which holds."),
        ("Y-72", None,
         "Neither the text nor the structured answer of `guide_trace` is longer than the budget; the first link of "
         "each step goes before the second of any."),
        ("Y-73", None,
         "The trace follows each save and each commit: what was added is there, what was removed is not."),
        ("Y-74", None,
         "`fieldguide trace` prints requirements without a test, ids that a test claims and nothing defines, and "
         "decisions that nothing follows; with `--missing` it ends with 1 where there are any."),
        ("Y-75", None,
         "Every requirement line of this repository leads to the tests that prove it, and every decision that holds to "
         "code, by the product's own trace."),
        ("Y-76", None,
         "Hostile text costs linear time, can't forge a line of an answer, and a secret in a traced line is not told."),
        ("Y-77", None, "The trace is the same in SQLite and PostgreSQL, and for each project of one database its own."),
        ("Y-78", None, "Of commits only those count that HEAD reaches."),
        ("Y-79", None, "A decision that says that it is about how people work, or that does not hold, lacks nothing."),
    ),
}
