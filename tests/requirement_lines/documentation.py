"""The lines of the documentation (Z-110 to Z-116): README, site, pages and their commands."""

# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "documentation": (
        ("Z-110", None,
         "Every line of every `sh` block in the README and the documentation is run by a test, or is on a short list "
         "with the reason why it is not; a line that is neither fails."),
        ("Z-111", None,
         "The first screen of the README says whose problem is solved, shows a question and its answer in a clone of a "
         "real repository as the program gives it, one line to install, one to connect, `make run` and `make test`."),
        ("Z-112", None,
         "The tokens that the README gives for its example are those of the answer, of the grep and of the files."),
        ("Z-113", None,
         "`make docs` builds the documentation as a site: strictly, without a broken link, with every page in its "
         "navigation, and loading nothing from elsewhere."),
        ("Z-114", None,
         "Every relative link and every picture of the Markdown pages leads to a file and a heading that are there."),
        ("Z-115", None,
         "Every message that the troubleshooting page shows is one that the source has."),
        ("Z-116", None,
         "The figures begin with one table of what was measured beside what, each row leads to its section, and every "
         "figure that the README compares stands there."),
    ),
}
