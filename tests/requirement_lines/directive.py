"""The lines of the directive specification."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "directive: tools/list": (
        ("S4-1", None,
         "`tools/list` takes no params and returns exactly five tools for this toolset: `directive/files.list`, "
         "`directive/file.get`, `directive/spec.template`, `directive/impact.template`, `directive/tdr.template`."),
        ("S4-2", None, "Every tool has `name`, `title`, `description` and `inputSchema`."),
        ("S4-3", None, "The set of tools and its descriptors are stable between calls."),
        ("S4-4", None,
         "`directive/files.list` has title `List Directive Files` and description ``List all files under the "
         "repository’s `directive/` directory (context and templates).``, with the typographic apostrophe U+2019."),
        ("S4-5", None,
         'The `inputSchema` of `directive/files.list` is exactly `{ "type": "object", "additionalProperties": false, '
         '"properties": {} }`.'),
        ("S4-6", None,
         "`directive/file.get` has title `Read Directive File` and description ``Read a file under `directive/` by "
         "path and return its full contents verbatim.``."),
        ("S4-7", None,
         'The `inputSchema` of `directive/file.get` is exactly `{ "type": "object", "additionalProperties": false, '
         '"properties": { "path": { "type": "string", "description": "Path under directive/ (e.g., '
         'directive/agent_context.md)" } }, "required": ["path"] }`.'),
        ("S4-8", None,
         "`directive/spec.template` has title `Spec Template Bundle`, description `Return Agent Operating Procedure, "
         "Agent Context, and the Spec template, plus a concise Primer for drafting a new Spec.` and the schema of "
         "`directive/files.list`."),
        ("S4-9", None,
         "`directive/impact.template` has title `Impact Template Bundle`, description `Return Agent Operating "
         "Procedure, Agent Context, and the Impact template, plus a concise Primer for drafting an Impact analysis.` "
         "and the schema of `directive/files.list`."),
        ("S4-10", None,
         "`directive/tdr.template` has title `TDR Template Bundle`, description `Return Agent Operating Procedure, "
         "Agent Context, and the TDR template, plus a concise Primer for drafting a Technical Design Review.` and "
         "the schema of `directive/files.list`."),
    ),
    "directive: tools/call": (
        ("S4-11", None, "`directive/files.list` answers `{ files: string[] }` from `list_directive_files()`."),
        ("S4-12", None,
         "`directive/file.get` answers `{ path, content }`, where `content` equals the on-disk file verbatim, also "
         "CRLF, BOM-free UTF-8 and a trailing newline."),
        ("S4-13", None, "`directive/spec.template` answers `build_template_bundle('spec_template.md')`."),
        ("S4-14", None, "`directive/impact.template` answers `build_template_bundle('impact_template.md')`."),
        ("S4-15", None, "`directive/tdr.template` answers `build_template_bundle('tdr_template.md')`."),
        ("S4-16", None,
         "A bundle holds the Agent Operating Procedure, the Agent Context, the template and a Primer, under the "
         "field names of U4-3."),
        ("S4-17", None, "Bundles are callable with empty arguments, absent or `{}`."),
        ("S4-18", None, "The payloads through `tools/call` equal those of the custom methods."),
    ),
    "directive: errors": (
        ("S4-19", None, "An unknown tool name is an MCP tool error saying the `name` is not found."),
        ("S4-20", None, "A missing `path` is an MCP tool error with a message and the field hint `path`."),
        ("S4-21", None, "A `path` that is not a string is the same kind of error, explaining the validation issue."),
        ("S4-22", None, "Extra arguments are refused (`additionalProperties:false`)."),
        ("S4-23", None,
         "A missing file or template keeps the existing helpful messages, which suggest `directive update`."),
        ("S4-24", None,
         "A missing template for a bundle tool is an error that lists the available templates and suggests running "
         "`directive update`."),
    ),
    "directive: initialisation, compatibility, limits": (
        ("S4-25", None,
         "`initialize` declares the tools capability, and `listChanged` notifications are omitted when there are no "
         "live updates."),
        ("S4-26", None,
         "The custom JSON-RPC methods stay available unchanged in this release, under the names of U4-6."),
        ("S4-27", None, "The toolset is strictly read-only: no tool writes any file."),
        ("S4-28", None,
         "The specification requires no MCP `resources/*`, and no `notifications/tools/list_changed` is sent."),
        ("S4-29", None,
         "The descriptions make clear when to use the Spec, Impact and TDR bundles and when file listing and reading."),
        ("S4-30", None, "Paths outside `directive/` are never readable through `directive/file.get`."),
    ),
}
