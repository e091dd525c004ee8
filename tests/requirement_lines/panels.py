"""Panels: pages beside answers, for clients that show them."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "Panels (MCP Apps)": (
        ("Z-80", None,
         "The server declares the extension `io.modelcontextprotocol/ui` over both wires and in both eras, where a "
         "toolset with a panel is served."),
        ("Z-81", None,
         "`tools/list` names a tool's panel in `_meta.ui.resourceUri`, and nothing more, to a client that declares "
         "that it shows `text/html;profile=mcp-app`; to every other client the list is the same bytes as without "
         "panels."),
        ("Z-82", None,
         "`resources/list` has the panels only for clients that show them; `resources/read` gives one whole page with "
         "its type and a policy that lets it load nothing, and no address stands in it."),
        ("Z-83", None,
         "A start, `tools/list` and `resources/list` read no page: it is made when it is asked for."),
        ("Z-84", None,
         "Only for a client that shows panels, the answers of `search-architecture` and `check-adr-alignment` have the "
         "decisions and their ties in `_meta`; their text and value are the same for all."),
        ("Z-85", None,
         "The task board shows the user's tasks in a host with the official bridge, and adds, completes, changes and "
         "deletes them by calls of tools: by mouse, by dragging, and by keyboard alone."),
        ("Z-86", None,
         "Whatever a task, a title or a record says is text in a panel: nothing of it runs or is fetched, and marks "
         "that turn text around are spelt out."),
        ("Z-87", None,
         "The panel of decisions shows those of the answer or all, the latest first, with how each stands, and a line "
         "and words for what it supersedes or amends; a record can be read in it."),
        ("Z-88", None,
         "axe-core finds no serious fault in a panel, light or dark, and nothing is cut off at 320 pixels."),
        ("Z-89", None,
         "A panel offers only what can be done: nothing that writes on a server that only reads, and no calls where "
         "the client makes none."),
    ),
}
