"""The lines of symbols in Rust, C, C++, PHP and Ruby."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "symbols: Rust, C, C++, PHP and Ruby": (
        ("Y-30", None,
         "Rust's names lead through the module tree (`mod` items and files, `use` with other names and stars, "
         "`pub use`, other crates of the workspace), and methods and fields by the types that declarations, "
         "constructors and signatures tell."),
        ("Y-31", None,
         "Of a Rust type every `impl` is a part; a trait's method is used where a type gives it, and a call on a type "
         "that has its own means that one. What macros hold is read too."),
        ("Y-32", None,
         "In C a declaration in a header and its definition are one: functions, types, fields, constants and macros "
         "are told with their uses, whatever `#if` says; in C++ a method that stands outside of its class is "
         "a part of it."),
        ("Y-33", None,
         "PHP's names lead through namespaces and `use`, its members through classes, traits and declared types; "
         "Ruby's constants through the modules around, its methods through classes that may be opened again. What is "
         "not plain stays a candidate."),
        ("Y-34", None,
         "Source text made to hurt, such as macros nested thousands deep, conditions without an end or a megabyte on "
         "one line, is read in bounded time or not at all."),
    ),
}
