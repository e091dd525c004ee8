"""The lines of symbols in TypeScript and JavaScript."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "symbols in scripts": (
        ("Y-20", None,
         "Of TypeScript and JavaScript, and of the scripts of Vue's and Svelte's components, are known: functions, "
         "classes, interfaces, types, enumerations, namespaces, members, keys of objects, routes and commands that a "
         "call declares."),
        ("Y-21", None,
         "A name is followed through `import`, `export … from`, `export *`, defaults under any name, `require`, "
         "`module.exports`, aliases of a tsconfig, and the packages of a workspace to their sources."),
        ("Y-22", None,
         "A member is resolved by the type of what stands before it: annotations, `new`, `this`, what functions "
         "return, what lists and promises hold, type parameters, joined and narrowed types, and destructuring."),
        ("Y-23", None,
         "A key of an object and a property of a tag refer to the member of the type that is expected there; members "
         "that override or implement one another are told the same uses."),
        ("Y-24", None,
         "Where several types fit and only a value tells which, and where nothing tells the type, a use is a "
         "candidate, never certain."),
    ),
}
