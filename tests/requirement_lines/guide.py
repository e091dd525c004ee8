"""The lines of the guide: `guide_brief`, its front door, its prompts and `fieldguide prove`.

Those of `guide_search` (G-20 to G-29), `guide_open` (G-30 to G-39) and `guide_governs` (G-40 to G-49) have files of
their own.
"""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "guide: brief": (
        ("G-1", None,
         "`guide_brief` takes a task in words and answers with the places to change and the symbols that enclose them, "
         "the tests and documents that go with them, the decisions and rules that govern them, earlier findings and "
         "open tasks."),
        ("G-2", None,
         "Neither the text nor the structured answer is ever longer than the budget, from 200 to 50,000 tokens, "
         "counted exactly as cl100k_base does."),
        ("G-3", None,
         "Every item of an answer carries `citation`, `path`, `start`, `end`, `kind` and `why`; its kind is code, "
         "test, document, decision, pattern, finding, task or spec, or a kind of text beside the code: config, ci, "
         "build, template, markup, style, translation, data, sql or shell."),
        ("G-4", None,
         "The lines of an item are the file's own, and its citation opens to the same bytes; a secret is neither shown "
         "nor cited."),
        ("G-5", None, "The cursor of an answer goes on where it ended, and gives nothing twice."),
        ("G-6", None,
         "With `new_only` nothing is sent that this connection was given before and that has not changed since."),
        ("G-7", None, "The same question to the same state gets the same answer, byte for byte."),
        ("G-8", None, "Without git, or outside of a repository, a brief is made from the files alone."),
        ("G-9", None, "What is learnt from history ends at HEAD: later commits and other branches say nothing."),
        ("G-10", None, "A task that nothing fits gets an answer that says so, and the nearest places, marked unsure."),
        ("G-11", None, "Errors are told in the dialect of `context`: a result with `isError` and JSON with `error`."),
    ),
    "guide: front door": (
        ("G-50", None,
         "`tools/list` of the profile `full` has every tool literally as specified, in at most 4,700 tokens."),
        ("G-51", None,
         "`tools/list` of the profile `lean` has the guide's tools, `add_task` and `complete_task` alone, in at most "
         "1,300 tokens."),
        ("G-52", None, "Every tool can be called by its name, listed or not, in both eras, over stdio and HTTP."),
        ("G-53", None,
         "The profile comes from a flag, the environment or the person's own file; in a project's file it is only "
         "asked for."),
        ("G-54", None,
         "`auto`, the default, is `full` for clients that are not known and `lean` for those known to take only so "
         "many tools, unless the person has chosen the toolsets; without the guide every profile lists everything."),
        ("G-55", None,
         "A client known to give its model the structured answer in place of the text gets the text alone from tools "
         "whose text says more; every other client gets both."),
        ("G-56", None,
         "The server's instructions say which tool to begin with, in fewer than 120 words, and name no tool that is "
         "not served."),
    ),
    "guide: prompts": (
        ("G-57", None,
         "The prompts `start-task`, `review-change` and `record-decision` hold what the project knows of their "
         "argument, or say which tool to ask; each is listed where its tool is served."),
        ("G-58", None, "A project's own prompt wins over the guide's of the same name."),
        ("G-59", None, "The path of `review-change` is completed from the project's files, without its secrets."),
    ),
    "guide: command line": (
        ("G-60", None,
         "`fieldguide brief` takes the task as words or from stdin, and prints what `guide_brief` answers, or with "
         "`--json` the whole result."),
        ("G-61", None,
         "`fieldguide prove` takes the latest commits as tasks and prints, for each budget, the share of the changed "
         "files and places that a brief finds and that grep finds, as a table, a picture, SVG or JSON."),
        ("G-62", None,
         "Each task is measured on the state before its commit, with a history that ends there, in a folder outside of "
         "the project that is removed afterwards, also when it is interrupted."),
        ("G-63", None,
         "`fieldguide prove` runs no hook, filter or other program that a repository names, writes nothing into the "
         "repository and reaches no network."),
        ("G-64", None,
         "Merges, bots, reverts, large changes and messages that say nothing are no tasks; without git or without a "
         "task `fieldguide prove` says so in a sentence."),
    ),
}
