"""The lines of symbols: what is read of code, how it is kept, how names are resolved. `guide_symbol` has its own."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "symbols": (
        ("Y-1", None,
         "Of a code file it is known what it defines (functions, methods, classes, constants, variables, fields, "
         "types), each with its lines, signature, first words of documentation and what encloses it."),
        ("Y-2", None,
         "A route or a command that a decorator or a call declares is a definition by the string that names it."),
        ("Y-3", None,
         "Every use of a name is known with its role: call, read, write, import, inherit or type; what a function "
         "itself binds is no use of anything else."),
        ("Y-4", None,
         "A definition is found by its name, by `Class.method`, and by a name with its modules, in a file, below a "
         "folder, or anywhere."),
        ("Y-5", None,
         "A use is certain where scopes, imports (renamed, passed on, all of a module, under a condition) and the "
         "plain type of what stands before the name lead to the definition, and to that one."),
        ("Y-6", None,
         "A use that can't be resolved is a candidate with a confidence and its reason; one that leads to something "
         "else, or out of the project, is not told at all."),
        ("Y-7", None,
         "Callers, callees, what overrides and is overridden, and the tests that use a symbol or what calls it are "
         "told one step out."),
        ("Y-8", None,
         "A file is read once for each content: after a save that file alone, and what is gone is forgotten; answers "
         "are of the files as they are now, in SQLite and PostgreSQL alike."),
        ("Y-9", None,
         "When reading is broken off, every file is kept whole or not at all, and the next pass reads the rest."),
        ("Y-10", None,
         "No text can hold up reading or asking: nesting, lines, size, broken syntax, classes and imports that lead "
         "to themselves; what is too much is not read, and the rest is."),
        ("Y-11", None,
         "Answers are bounded, and the same question to the same state gets the same answer."),
    ),
}
