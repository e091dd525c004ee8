"""What was decided where a specification is silent or contradicts itself."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "decisions: architecture": (
        ("D-1", None, "`tools/list` is sorted by name."),
        ("D-2", None, "TotalInvocations counts failures too."),
        ("D-3", None, "An unknown pattern is -32602 `pattern not found: <name>` with the known names in error.data."),
        ("D-4", None, "total_matches is the number of matching documents before the cut to max_results."),
        ("D-5", None,
         "A tool reference expands to the schema description with a trailing parenthesis dropped and `(max N chars)` "
         "appended for maxLength, in schema order, the final newline trimmed."),
        ("D-6", None,
         "An unknown tool whose name starts `directive/` is an isError result `Tool not found: <name>`; if only the "
         "context toolset runs it is the isError JSON of S3-6; otherwise it is JSON-RPC -32001 `Tool not found: "
         "<name>` with data {tool, available}."),
        ("D-7", None,
         "The breaker has the defaults of U0-10; validation, not-found, rate-limit and cancelled calls do not count "
         "as failures, and an open breaker is -32603."),
    ),
    "decisions: tasks": (
        ("D-8", None,
         "The per-tool texts stand in `error`, also `Description must be 1000 characters or less` for update_task, "
         "the generic text goes into an extra key `detail`, and an empty or blank title in update_task is `Title is "
         "required`."),
        ("D-9", None,
         'description is null when none was given, never "", the order is newest first, then id descending, the text '
         "content is the bare array, and structuredContent is present only where the negotiated protocol allows a "
         "non-object."),
        ("D-10", None,
         'Completing twice is idempotent and returns the object `{ "task_id": <id>, "status": "completed", "title": '
         "<title> }`."),
        ("D-11", None,
         'Over MCP a bad user_id answers `{ "error": "400 Bad Request", "field": "user_id" }`, over a REST route '
         'HTTP 400; an authenticated transport whose subject is not user_id answers `{ "error": "Access denied" }`.'),
        ("D-30", None,
         'list_tasks with a status outside the enum answers `{ "error": "Invalid status" }`, and database errors of '
         "the other four tools answer `Failed to list tasks`, `Failed to complete task`, `Failed to delete task` or "
         "`Failed to update task` (+ task_id)."),
        ("D-33", None, "Error objects of the task tools set isError true beside the literal text."),
    ),
    "decisions: documents": (
        ("D-12", None, "The fallback title is the document ID."),
        ("D-13", None,
         "Characters are Unicode code points (Python len), as for all maxLength checks in all specifications."),
        ("D-14", None, "Lines are 1-based, endLine is inclusive (the last returned line), and CRLF is handled."),
        ("D-15", None,
         "Headings inside fenced code blocks and front matter are not headings; what else is one, CommonMark says "
         "instead of the bare regex."),
        ("D-16", None, "Related items carry both `document` and `documentId`, plus distance."),
        ("D-17", None, "The default scope is the same collection, with an additive parameter for all collections."),
        ("D-18", None, "Keyword-only hits get their true cosine distance before the filter."),
        ("D-31", None,
         "documents_* schema violations (e.g. 11 queries) are isError with text `Error: <message>`, an unknown "
         'collection in list_documents answers the text `Collection "<c>" not found.`, limit and offset are '
         "truncated to integers with negatives refused, and maxDepth is clamped to 1-6."),
    ),
    "decisions: context": (
        ("D-19", None, "The answer of context_search is the printed object, not a bare SearchResult[]."),
        ("D-20", None,
         'Session and code hits use source `"session"` and `"code"` and appear only with type `all`; code has the '
         "module of its file, and a module filter keeps it."),
        ("D-21", None,
         "A query that is too short has the text `Query must be at least 3 characters`, every other schema violation "
         "`Invalid parameters`, both with `details` (issue list) and `tool`; issue objects follow Zod (code, "
         "message, path, minimum/maximum), and unknown keys are ignored."),
        ("D-22", None,
         "`No embeddings found...` answers when nothing is stored yet, `No embeddings available` when items exist "
         "but their vectors are pending."),
        ("D-23", None,
         "`dependencies` is always present: `[]` without includeDeps or with maxDepth 0, else each item also has "
         "`content`, and unresolved or external imports are listed in an extra key."),
        ("D-24", None,
         "A path segment `.git`, `node_modules`, `.envrc`, `.env` or one that begins with `.env` and anything but a "
         "letter or digit, private keys and credential files are refused as `Permission denied` + path with "
         '`details: "Access to sensitive paths denied"`, while `.gitignore` and `.github/` are readable, and symlinks '
         "that leave the root are refused as traversal; the person's settings, and no file of a project, add to and "
         "except from the list."),
        ("D-25", None,
         'The limit is 1 048 576 bytes, and a larger file is isError `{"error":"File too '
         'large","path":...,"details":...}`.'),
        ("D-26", None,
         "A match has two lines of context each side and the 1-based column of the first match in characters."),
        ("D-27", None, "The no-match object also carries pattern, filesSearched and searchTime."),
        ("D-28", None, "The params in the log pass through the sanitiser of S0-77 first."),
    ),
    "decisions: every toolset": (
        ("D-34", None,
         "`compliant` is true only when at least one rule was checked and none was broken; an answer that could check "
         "nothing says so in `checked` and `not_checked`, and is not compliant."),
        ("D-35", None,
         "The sentence of S2-28 may be followed by one more that names near ids, only when they are near."),
        ("D-36", None,
         "Documents may be of other formats than Markdown, each with its own headings; without configuration the "
         "project's own documentation is found wherever it lies, and `docs` stays the collection of that folder."),
        ("D-37", None,
         "Additive fields are allowed in every JSON result, never in printed input schemas; printed texts stay whole, "
         "and a hint follows them."),
        ("D-38", None,
         "A dependency's `content` is given while the whole answer fits its budget; beyond it the item carries "
         "`outline` instead, and the answer says so."),
        ("D-39", None,
         "State is kept outside the project, in `FIELDGUIDE_STATE` or the user's state folder, and settings with power "
         "come from a flag, the environment or the person's own configuration, never from a file of the project."),
        ("D-40", None,
         "`read_file` gives at most 20,000 tokens at a time and says where to go on (`next`), by lines, and within a "
         "line that does not fit; `list_tasks` is never cut."),
        ("D-41", None,
         "No search withholds what it found: where nothing fits well, the nearest three are given, marked "
         "`unsure: true`, and the answer says \"nothing fits well\"; `No results found` stands only where no text is "
         "near at all, and a text that holds an exact identifier, or all rare words of the query, always fits."),
    ),
    "decisions: directive": (
        ("D-29", None, "An extra argument is a tool error naming the unexpected field."),
        ("D-32", None,
         "Tool errors are isError results with plain text, and the custom methods of U4-6 answer JSON-RPC errors: "
         "1001 file not found, -32602 bad params."),
    ),
}
