"""The lines of symbols in Go, Java, Kotlin and C# (Y-25 to Y-29)."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "symbols: Go, Java, Kotlin, C#": (
        ("Y-25", None,
         "In Go, names lead through the files of a package, methods through their receivers, fields through the keys "
         "of literals and embedded types; a route and a command are symbols too."),
        ("Y-26", None,
         "In Java, names lead through scopes, what classes inherit, inner classes, imports, static imports and the "
         "package; `new Foo()` uses the class, and a type is told through what generic classes are given."),
        ("Y-27", None,
         "Overloads are told apart by the number of arguments; where that does not tell, each is a candidate and "
         "none is certain."),
        ("Y-28", None,
         "In Kotlin, properties of constructors, companions, objects, functions that extend a type and functions "
         "without a class are found, also from Java's files of the same package."),
        ("Y-29", None,
         "In C#, names lead through namespaces and those around them, classes in several parts, properties, "
         "methods that extend a type, and attributes by their short names."),
    ),
}
