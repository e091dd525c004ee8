"""The lines of connecting clients."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "install: connecting clients": (
        ("Z-1", None,
         "`fieldguide install` knows Claude Code, Claude Desktop, Cursor, VS Code, Codex, Gemini CLI, Windsurf, Zed "
         "and others, and finds those that are here by their files, folders or programs."),
        ("Z-2", None,
         "A real parser reads the entry in the changed file, and everything that was there before as it was; comments, "
         "order, indentation, line ends, a byte order mark and trailing commas stay."),
        ("Z-3", None,
         "After install and uninstall the bytes are those from before; what others wrote meanwhile stays."),
        ("Z-4", None,
         "A file that install made is gone after uninstall, with the folders that were made for it."),
        ("Z-5", None,
         "The change is shown as a unified diff and written when a person says yes, or with --yes; where nobody can be "
         "asked, nothing is written and the exit code is 3."),
        ("Z-6", None,
         "A second install changes nothing and says so; an entry that is not as we left it, or is for another project, "
         "is replaced with --force only."),
        ("Z-7", None,
         "A file that can't be understood, has a key twice, is too large, too deep or no text is left alone and told, "
         "with the line where there is one."),
        ("Z-8", None,
         "A person's settings behind a link are written where they lie; a project's file that a link leads out of the "
         "project is left alone."),
        ("Z-9", None,
         "A file is replaced whole, with its mode, after a copy was put into the state folder; one that was changed "
         "between reading and writing is not written."),
        ("Z-10", None,
         "An entry binds the person by --user, or in a project's file by --bind-user, and starts the very program that "
         "wrote it: by its path, by its name in a project's file, or by uvx if it came from there."),
        ("Z-11", None,
         "A client that counts tools gets the lean profile, one whose name does not tell that it refuses names with a "
         "slash gets safe names, and one that starts servers elsewhere gets the project's path."),
        ("Z-12", None,
         "--print shows what to paste and writes nothing; --json tells of each client its file, action, diff and "
         "backup; --list names the clients that are known."),
        ("Z-13", None,
         "--instructions writes one marked paragraph into the files that agents read, and uninstall takes exactly that "
         "away, byte for byte."),
        ("Z-14", None,
         "uninstall finds entries that start Fieldguide without a record too, and nobody else's."),
        ("Z-15", None,
         "Generated JSON with comments, and generated TOML, come back to the last byte."),
    ),
}
