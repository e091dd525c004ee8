"""The lines of `guide_governs`, and of the history and the import graph that it tells from."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "guide: governs": (
        ("G-40", None,
         "`guide_governs` takes a file, a folder, a citation or a unified diff, and tells the tests that import it "
         "with the line that does, the files that change with it, and what it imports."),
        ("G-41", None,
         "It tells the rules whose globs mean a path or whose folder it lies in, and the decisions and documents that "
         "name it, each by the lines that say so."),
        ("G-42", None,
         "It tells the owners by CODEOWNERS in its three places, where the last line that matches counts; without one, "
         "who changed the path most."),
        ("G-43", None,
         "It tells the findings whose evidence, words or module name a path, and the open tasks of the bound user that "
         "do; of nobody else's."),
        ("G-44", None,
         "Every item has its citation, kind and reason; text and structured answer each keep the budget; the same "
         "question to the same state gets the same answer."),
        ("G-45", None,
         "What history tells is of the commit that is checked out: after a switch of branches, in a linked work tree "
         "and with a detached HEAD; commits that HEAD does not reach say nothing."),
        ("G-46", None,
         "Without git, with a `.git` that points elsewhere, and outside of a repository there is no history; "
         "the answer says so, and everything else is told."),
        ("G-47", None,
         "Who imports whom is kept up as files change: a new import, a new file and a deleted one are told by the next "
         "answer that has the index up to date."),
        ("G-48", None,
         "`fieldguide governs` prints what applies to paths, or with `--staged` to what git has staged, and exits "
         "with 0; `--json` prints the value."),
        ("G-49", None,
         "When HEAD moves only the commits that are new are read, and a first call waits at most two seconds for git."),
    ),
}
