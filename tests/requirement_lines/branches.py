"""Branches and work trees: answers are of the tree that is served."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "Branches and work trees": (
        ("Y-35", None,
         "Right after a checkout of another commit an answer is of the tree that is checked out, or says that the "
         "index is behind: from the moment git begins to write files until the index has caught up."),
        ("Y-36", None,
         "A linked work tree, whose `.git` is a file, serves its own files and its own commits, whatever the "
         "repository that it belongs to has checked out, and sees its own checkouts."),
        ("Y-37", None,
         "A detached HEAD and a rebase that stands still are served like any other commit: the files as they lie "
         "there, and the history that HEAD reaches."),
        ("Y-38", None,
         "A lock that a killed git left behind does not make the index behind for longer than some seconds, and a "
         "commit or a staged file that changes no file is no reason to look at every file again."),
        ("Y-39", None,
         "While the index is behind, nothing is given that lies in a file which is not there any more."),
    ),
}
