"""What the specifications presuppose of the upstream projects without printing it."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "presupposed: architecture": (
        ("U0-1", None,
         "The layout is `mcp/resources/{guidelines,patterns,adr}/**/*.md`, only `.md`, and `mcp/prompts/*.json`, "
         "with ADR files named `NNN-kebab-title.md`."),
        ("U0-2", None,
         "URIs are `architecture://guidelines/{path}`, `architecture://patterns/{path}` and "
         "`architecture://adr/{id}` without .md, the ADR id being the digits of `^(\\d+)-`, `^adr-(\\d+)` or "
         "`^ADR-(\\d+)`, else the filename; the search and alignment tools use the full filename stem, and "
         "resources/read accepts both."),
        ("U0-3", None,
         "A resources/list item has `uri`, `name` (the title), `description` = `<Category>: <title>`, `mimeType` "
         "`text/markdown` and the annotations category, path, lastModified (RFC3339), size and checksum (md5 hex), "
         "and resources/read gives `contents[{uri,mimeType,text}]`."),
        ("U0-4", None,
         "The resource errors are `Invalid resource URI` for a wrong scheme, `Invalid URI format, expected "
         "'architecture://{category}/{path}'`, `Path traversal attempt detected` for `..` or `\\`, `unsupported "
         "resource category` for an unknown category and `Resource not found` for a missing one."),
        ("U0-5", None,
         "The error data object has category, code (e.g. `INVALID_PARAMS`, `RESOURCE_NOT_FOUND`), severity "
         "(low|medium|high|critical), timestamp and context."),
        ("U0-6", None,
         "Prompt names match `^[a-z0-9-]+$`, roles are `user`|`assistant`, content type is `text`, arguments have "
         "name, description, required and maxLength, and prompts/list is sorted by name; a template expands "
         "variables `{{name}}` (a missing optional stays as it is), then `{{resource:architecture://patterns/*}}` "
         "(wildcards; max 50 resources, 1 MiB total; joined by `\\n\\n---\\n\\n`; each `# <title>\\nSource: "
         "<path>\\n\\n<content>`), then `{{tool:name}}`."),
        ("U0-7", None,
         "The built-in prompts are review-code-against-patterns(code up to 10000, language?), "
         "suggest-patterns(problem up to 2000), create-adr(topic) and guided-pattern-validation(code, pattern_name, "
         "language?), with -32602 for prompt not found, missing argument, unknown argument and argument too long."),
        ("U0-8", None,
         "completion/complete serves the `ref/prompt` arguments `pattern_name`, `guideline_name` and `adr_id` by "
         "case-insensitive prefix, an empty prefix giving all."),
        ("U0-9", None,
         "Resources and prompts reload within 2 s (500 ms debounce), and a malformed prompt is logged and left out "
         "while the others keep working."),
        ("U0-10", None,
         "The circuit breaker defaults are 5 failures to OPEN, 30 s reset to HALF_OPEN, 3 successes to CLOSED, with "
         "the text `Circuit breaker '<name>' is open`."),
        ("U0-11", None,
         "A workflow session lives 1 h, is swept every 5 min, keeps LastAccessedAt and stores results under the tool "
         "name."),
        ("U0-12", None,
         "The custom method `server/performance` answers server_info, initialized, cache_metrics, prompt_metrics, "
         "tool_metrics {total_invocations, failed_invocations, invocations_by_name, total_execution_time_ms, "
         "execution_time_by_name, timeout_count} and timestamp."),
        ("U0-13", None,
         "The validation texts are `missing required argument: <f>`, `field <f> must be a string`, `field <f> "
         "exceeds maximum length of <n>`, `field <f> has invalid value, must be one of allowed values`, `field <f> "
         "must be at least <n>` and `field <f> must be at most <n>`."),
        ("U0-14", None,
         "A missing pattern is -32602; validation takes at most 5 s, search under 2 s, alignment at most 3 s; and "
         "prompts with unknown tool references are warned about at startup."),
        ("U0-15", None,
         "The rule sections of a pattern document are `## Best Practices` (### = warning rule), `## Common Pitfalls` "
         "(### = error rule) and `## Implementation`, and an ADR's status comes from `status: X`, `## Status\\nX` or "
         "`**Status**: X`, lower-cased, else `unknown`."),
        ("U0-16", None, "An excerpt has about 50 characters before and 150 after the first hit, with `...` where cut."),
        ("U0-17", None,
         "These upstream bugs are not copied: schema `required` and `maxLength` never enforced by the executor; an "
         "unknown tool giving -32602, not -32001; a singular enum (`guideline`); "
         "`{{resource:architecture://patterns/*}}` finding nothing because it compares `patterns` with the stored "
         "category `pattern`; total_matches counted after truncation; validation errors tripping the breaker."),
    ),
    "presupposed: tasks": (
        ("U1-1", None,
         "A task has id, title, description (null where none was given: D-9), status PENDING|COMPLETED and created_at; "
         "a title blank after strip raises TaskValidationError `Title is required`, complete() is idempotent, and "
         "UncompleteTaskUseCase exists too."),
        ("U1-2", None,
         "The repository interface is add, get_by_id (Task|None), get_all (by created_at DESC, newest first), update "
         "(raises TaskNotFoundError), delete (bool) and exists; get_next_id, which nothing ever used, is left out."),
        ("U1-3", None,
         "The table `task` has id serial PK, user_id (indexed; users are not ours, so it refers to no table), title "
         "varchar(200), description nullable, completed bool default false, created_at and updated_at, with indexes "
         "that begin with user_id: (user_id, completed) and (user_id, created_at desc)."),
        ("U1-4", None,
         'The upstream tools\' deviations are not copied: list returning `{"tasks":[...]}`, errors as '
         '`{"error":"not_found","message":...}`, a null description becoming "".'),
    ),
    "presupposed: documents": (
        ("U2-1", None,
         "The `documents_search` input is query (required), collections?, limit (10), maxDistance? (0-2 cosine), "
         "hybridSearch (true) and rerank (false), and the result an array of items or the text `No results found for "
         "the given query.`."),
        ("U2-2", None,
         "`documents_list_collections` with nothing indexed answers the text `No document collections found.`, and "
         "otherwise orders by collection ID ascending."),
        ("U2-3", None, "`documents_list_documents` orders by id ascending."),
        ("U2-4", None,
         "`documents_get_document` answers `{collection, collectionId?, document, content}`, and an unknown one "
         '`Document "<d>" not found in collection "<c>".`.'),
        ("U2-5", None,
         "relevanceScore is the fused score, else 1 - distance, and distance is the cosine distance 0-2; fusion is, "
         "instead of RRF with 1/(60+rank), a sum of scores brought to 0-1 in nearly equal parts, which ranks better."),
        ("U2-6", None,
         "Exceptions are isError results with text `Error: <message>`; strings are returned raw, objects as JSON "
         "with 2 spaces."),
        ("U2-7", None,
         'The project file `context.json` is `{"collections":{"<alias>":{"url":"<manifest or bundle URL>"}}}`, the '
         "global file `~/.config/ctxpkg/global-context.json` has the same form, and a project alias wins over a "
         "global one."),
        ("U2-8", None,
         "A manifest has `name`, `version`, `description?`, `baseUrl?`, `metadata?` and `sources`, which is "
         '`{"glob":[...]}` (`!` excludes; file/git/bundle only) or `{"files":[ "p" | {"path"|"url", '
         '"hash":"sha256:..."} ]}` with exactly one of path and url per entry.'),
        ("U2-9", None,
         "URLs are a relative path, `file://`, `https://.../manifest.json`, a `.tar.gz`/`.tgz` bundle or "
         "`git+https|ssh|file://repo#ref?manifest=path`, and the collection ID is `pkg:<url without trailing "
         "slashes>`."),
        ("U2-10", None,
         "Sync adds, updates and removes by content hash and returns {added, updated, removed, total}; a manifest "
         "fetch failure aborts and keeps the state, and a single file 404 is skipped, not deleted."),
        ("U2-11", None,
         "Chunks are embedded with their title and headings before them, while the stored content is the plain chunk; "
         "instead of 400 tokens with an overlap of 80 they follow the structure, about 1,000 characters, and the "
         "prefix is `<title> > <headings>`."),
        ("U2-12", None,
         "Titles, headings and chunk indexes are stored, so that documentTitle, sectionHeading, chunkIndex and "
         "totalChunks, which upstream never did, are answered."),
    ),
    "presupposed: context": (
        ("U3-1", None,
         "`.context/project.yaml` is read and never written, and what is stored lies in the state folder (D-39) "
         "instead of in `.context/sessions.db`, with the vectors beside it; project.yaml has "
         "version, project{name,type,path}, tech{stack,runtime,packageManager}, architecture{pattern,description}, "
         "modules{<name>:{name,description,keyFiles[{path,role: entry|config|core|test,description?}],patterns[],"
         "businessRules[],commonIssues[{description,solution,sessionId,discoveredAt}],dependencies[]}} and "
         "metadata{createdAt,updatedAt,lastScanAt}."),
        ("U3-2", None,
         "A Discovery has id (UUID), sessionId, type pattern|rule|decision|issue, content, module?, "
         "context{extractedFrom,confidence 0-1} and createdAt; a Session has id, projectId, startedAt, endedAt?, "
         "status active|completed|archived, filesAccessed[{path,accessCount,first/lastAccessedAt}], topics[] and "
         "metadata{duration?,toolCallsCount,discoveryCount}; a ContextItem has type file|module|discovery|session, "
         "score, recencyFactor, accessFactor, lastAccessedAt, accessCount, tokens and status active|archived."),
        ("U3-3", None,
         "A session starts with the first call of a connection that leaves a trace, ends with its server or after 30 "
         "min idle and is archived after 7 days; requests over HTTP without a connection share one. At its end it is "
         "given topics (the modules and folders that it looked at) and embedded; its discoveries are those that were "
         "recorded in it, and project.yaml is not written."),
        ("U3-4", None,
         "The specification extracts 3-5 discoveries per session from the conversation by four regexes; a server hears "
         "no conversation, so the discoveries of a session are those that were recorded in it with `guide_record`, "
         "each kept once, and none is invented at its end (`fieldguide learn` reads git's history instead)."),
        ("U3-5", None,
         "The score is 0.6 * recency + 0.4 * access, with recency 1.0 today to 0.0 at 30 days and access = "
         "count/max; above 80 % of 100 000 tokens the lowest 20 % are archived, and archived items stay searchable."),
        ("U3-6", None,
         "The text/markdown resources are `context://project/overview`, `context://module/{name}`, "
         "`context://session/current` and `context://sessions/recent?limit=10`, with errors -32602 `Module not "
         "found: <name>` and `No active session`, -32600 unknown resource, -32603 internal."),
        ("U3-7", None, "The CLI has init, serve, show [--module --sessions --stats] and status."),
    ),
    "presupposed: directive": (
        ("U4-1", None,
         "The layout is `directive/agent_operating_procedure.md`, `directive/agent_context.md`, "
         "`directive/templates/{spec,impact,tdr}_template.md` and `directive/specs/<feature>/{spec,impact,tdr}.md`, "
         "and the later `directive/reference/...` is read as well."),
        ("U4-2", None,
         "`list_directive_files` gives all files below directive/, hidden ones too, as `directive/<posix path>`, "
         "sorted ascending, and without a `directive/` the text `directive/ directory not found. Run 'directive "
         "init' to create it.`."),
        ("U4-3", None,
         "The bundle keys in order are `primer` (string), `agentOperatingProcedure {path,content}`, `agentContext "
         "{path,content}`, `template {path,content}` and `resources`, three `{path}` of AOP, context and template."),
        ("U4-4", None,
         "The primer is the first non-empty AOP line containing `Do not write code` or `Do not start coding`, "
         "stripped and with `**` removed, else `Do not write code before TDR approval. Follow Spec → Impact → TDR → "
         "TDD.`."),
        ("U4-5", None,
         "`directive/file.get` accepts the path with or without `directive/` and echoes `path` as given; an unknown "
         "one answers `File not found under directive/: <path>`, an escape `Path escape detected; refusing to read "
         "outside directive root`."),
        ("U4-6", None,
         "The custom methods are `directive.files.list`, `directive.file.get`, `spec.template`, `impact.template` "
         "and `tdr.template`, with the raw result, not wrapped in content."),
        ("U4-7", None,
         "The messages are `Missing directive/agent_operating_procedure.md. Run 'directive update'.`, `Missing "
         "directive/agent_context.md. Run 'directive update'.` and `Missing template: directive/templates/<t>. Run "
         "'directive update' or choose an existing template.`, the last with the list of templates that the "
         "specification demands."),
        ("U4-8", None,
         "A `tools/call` answer is one text item holding the JSON payload, over newline-delimited MCP stdio, not "
         "upstream's Content-Length framing."),
        ("U4-9", None,
         "The CLI has init (non-destructive copy of defaults), update (adds missing defaults), mcp serve and bundle "
         "<template>."),
    ),
}
