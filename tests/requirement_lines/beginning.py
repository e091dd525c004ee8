"""The lines of the guided start (Z-20 to Z-29): `fieldguide init`, and a newcomer's way to the first answer."""

# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "beginning": (
        ("Z-20", None,
         "`fieldguide init` tells what a project has: documents, decisions with their folder and statuses, patterns, "
         "directive files, code by language, history, and files for agents; without a terminal and without flags it "
         "writes nothing and says what could be added."),
        ("Z-21", None,
         "`init --yes` adds everything that is missing and changes no byte of what is there; a second run adds nothing "
         "more."),
        ("Z-22", None,
         "`init --with A,B` adds only those; a name that it does not know is refused with exit code 2 before anything "
         "is written, and what is there or does not fit is told."),
        ("Z-23", None,
         "At a terminal `init` asks one question for each offer, and Enter takes the default that it shows."),
        ("Z-24", None, "`init --dry-run` names every file that would be written and writes none; `--json` says all of "
         "it as one object."),
        ("Z-25", None,
         "`init` ends with up to three questions that are made from the project itself, each answered by the product "
         "with a citation that opens, lines that stand there, and its tokens; a heading that makes no plain question "
         "makes none."),
        ("Z-26", None,
         "Starter patterns are offered where they have rules for the languages that the project is written in, and "
         "for no others."),
        ("Z-27", None,
         "A line for `.gitignore` is offered only where what Fieldguide keeps would lie in the project and git does "
         "not ignore it yet; it is appended, and what was there stays to the last byte."),
        ("Z-28", None,
         "What `init` counts and asks is bounded: where lines or commits could not all be counted, that is said."),
        ("Z-29", None,
         "On an empty machine three commands lead from the wheel to an agent's first answered question on a foreign "
         "repository: install the wheel, `fieldguide install`, and ask; a test records it."),
    ),
}
