"""What is installed and handed out: sizes, wheel and sdist, completions and man page, bundles, Windows."""

# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "What a default install weighs": (
        ("Z-90", None,
         "A clean install of the wheel has neither numpy nor a ripgrep with its debugging symbols, weighs at most 130 "
         "MB, and every default feature works."),
        ("Z-91", None,
         "The built-in model, the search for the nearest vectors and the words of drift need no numpy, and give the "
         "vectors and the ranking that numpy gave."),
    ),
    "What is handed out": (
        ("Z-92", None,
         "The wheel holds the package with its data, `py.typed`, the man page and the completions, and no test or "
         "stray file; installed alone into a fresh environment it says its version and lists its tools over stdio."),
        ("Z-93", None,
         "Two builds, and a build from the sdist, give the same bytes: wheel, sdist and bundle."),
        ("Z-94", None,
         "The man page and the completions of bash, zsh and fish are written from the argument parsers, installed by "
         "the wheel under `share/`, and a test names one that is stale."),
        ("Z-95", None,
         "`make dist` writes the registry's `server.json`, a bundle for Claude Desktop and a plugin folder for Claude "
         "Code beside wheel and sdist, and each fits its schema."),
    ),
    "Other systems": (
        ("Z-96", None,
         "Every module can be imported where what Python has on POSIX alone is missing."),
        ("Z-97", None,
         "On Windows a command that would open a project's files says in one sentence that it does not run there and "
         "where it does; help, version and completion answer."),
    ),
}
# fmt: on
