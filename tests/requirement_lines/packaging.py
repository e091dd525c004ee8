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
}
# fmt: on
