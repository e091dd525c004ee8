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
        ("Z-63", None,
         "`/decisions` lists decisions with number, title, status, day and ties, filtered by standing and words, in "
         "pages, and draws them over time."),
        ("Z-64", None,
         "`/decisions/<name>` shows a record with its question, options, choice, status, history and ties, each with "
         "the line that says so, and the text."),
        ("Z-65", None,
         "`/patterns` lists the patterns; the page of one tells its rules in words, its advice, what can't be read, "
         "and its examples."),
        ("Z-66", None,
         "Code that is pasted into a pattern's page is checked by `validate-against-pattern`; each finding is shown at "
         "its line, and what was pasted stays, also where it is refused."),
        ("Z-67", None,
         "On `/tasks` a person adds, changes, completes, opens again and deletes tasks with forms alone; a script that "
         "moves a card gets the card."),
        ("Z-68", None,
         "What can't be kept is told beside what was written, and nothing that was written is lost: neither by a "
         "refusal, nor by a change of somebody else, nor by a task that is gone."),
        ("Z-69", None,
         "No form that the page did not make itself changes anything, and `--read-only` has no such form."),
        ("Z-70", None,
         "The board has the tasks of the user that the server is bound to; where nobody is bound, one chooses. Ten "
         "thousand tasks come in pages of forty a column and are found by words."),
        ("Z-71", None,
         "`/findings` lists what was found out with kind, place, age and what no longer holds of it, by review, kind "
         "and words."),
        ("Z-72", None,
         "A finding is confirmed, archived and brought back by a form; an archived one is told to no agent, and one "
         "that was confirmed is stale again only when something else changes."),
    ),
}
