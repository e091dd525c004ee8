"""The lines of `guide_symbol`, and of what other tools of the guide tell from symbols."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "guide: symbol": (
        ("Y-80", None,
         "`guide_symbol` tells where a name is defined, with its lines, and who calls, imports, inherits, reads, "
         "writes and tests it, by kind and file; what overrides it, what it uses, and which documents name it."),
        ("Y-81", None,
         "Of a name that several have, few are told with their uses and many are listed by their signatures; a path "
         "or `Class.name` chooses one."),
        ("Y-82", None,
         "A name that nothing has is refused with names that are near."),
        ("Y-83", None,
         "Text and structured answer each keep the budget, 200 to 50,000; what is left out is counted, and the same "
         "question to the same state gets the same answer."),
        ("Y-84", None,
         "What is not certain is told apart, with how likely it is."),
        ("Y-85", None,
         "`guide_open` opens `symbol:Name`, every definition with its lines; `fieldguide symbol` tells what the tool "
         "tells, and exits with 1 where nothing has the name."),
        ("Y-86", None,
         "`guide_governs` of some lines, or of a diff, tells who calls and tests what those lines define."),
        ("Y-87", None,
         "A saved file is told of as it is now by the next answers: a new definition, a new use, one that "
         "is gone."),
        ("Y-88", None,
         "While files are still read for the first time, or again after a checkout, those that are likely to have the "
         "name that is asked for are read first, and the answer says what it may lack."),
        ("Y-89", None,
         "A brief counts the files that use what the task names, where they are few, and says which name they use."),
    ),
}
