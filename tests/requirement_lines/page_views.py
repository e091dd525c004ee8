"""The lines of the page's views of decisions, patterns, tasks and findings (Z-60 to Z-79)."""

# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "views of the page": (
        ("Z-60", None,
         "Decisions are drawn over time as SVG that needs no script and has no style: a row for each that is a link "
         "with its words, its life on an axis, an arrow to what it supersedes or amends, and the ties in words."),
        ("Z-61", None,
         "The picture of a thousand decisions is bounded: bars by year lead to sixty rows at most."),
        ("Z-62", None,
         "A title in a picture or on a board is text, whatever it holds, and it is cut to its room."),
    ),
}
