"""The lines of the project context specification."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "context: surface and descriptors": (
        ("S3-1", 6,
         "There are three tools, in this order in the specification's list: `context_search`, `read_file`, "
         "`grep_codebase`."),
        ("S3-2", 6,
         "The `tools/list` descriptions are `Search project context semantically using RAG. Returns relevant "
         "discoveries, patterns, rules, and past decisions.`, `Read file content with optional dependency tree. "
         "Tracks access for context scoring.` and `Fast text search across codebase using regex. Good for exact "
         "matches and when semantic search unavailable.`."),
        ("S3-3", 6,
         "The `inputSchema` is the JSON Schema of the Zod schemas: `additionalProperties:false`, defaults present, "
         "only the mandatory field in `required`."),
        ("S3-4", 6,
         'Every success is `{"content":[{"type":"text","text": JSON}]}` with the JSON pretty-printed with 2 spaces.'),
        ("S3-5", None, "Errors are results with `isError: true`, never JSON-RPC errors."),
        ("S3-6", None,
         'An unknown tool is an isError result with text `{"error":"Unknown tool: <name>","tool":"<name>"}`.'),
        ("S3-7", None, 'Any thrown error is an isError result with text JSON `{"error": <message>, "tool": <name>}`.'),
    ),
    "context: context_search": (
        ("S3-8", 6,
         "`query` is a required string of 3 to 500 characters with description `Search query describing what to "
         "find`."),
        ("S3-9", 6,
         "`type` is an enum `all|pattern|rule|decision|issue`, default `all`, with description `Filter by discovery "
         "type`."),
        ("S3-10", 6, "`module` is an optional string with description `Filter by module name`."),
        ("S3-11", 6, "`limit` is an integer 1-20, default 5, with description `Maximum number of results to return`."),
        ("S3-12", 6,
         "The result object has `results` (array), `query` (echo), `totalFound` (integer) and `searchTime` "
         "(milliseconds, number)."),
        ("S3-13", 6,
         "A result item has `id`, `type`, `content`, `module`, `session`, `date` (ISO 8601 with Z), `score` (0-1) "
         'and `source` (e.g. `"discovery"`).'),
        ("S3-14", 6, "Items are ranked by similarity, best first, at most `limit`."),
        ("S3-15", 6,
         "A `type` other than `all` returns only that type, `module` returns only that module, and both combine."),
        ("S3-16", 6, "Results cover discoveries, sessions and code snippets."),
        ("S3-17", 6,
         'A query of 1-2 characters is an isError result `{"error":"Query must be at least 3 characters"}`.'),
        ("S3-18", 6,
         'With no embeddings at all the answer is an isError result `{"error":"No embeddings found. Run initial '
         'session to generate context.","fallback":"Use grep_codebase for text search"}`.'),
        ("S3-19", 6,
         'An embedding failure is an isError result `{"error":"Failed to generate query '
         'embedding","details":"<reason>"}`.'),
        ("S3-20", 6,
         'A search runtime failure is an isError result `{"error":"Search failed","message":<msg>,"fallback":"Try '
         'using grep_codebase for text search"}`.'),
        ("S3-21", 6,
         'With embeddings not ready the answer is an isError result `{"error":"No embeddings '
         'available","suggestion":"Use grep_codebase for text search","action":"Embeddings will be generated in '
         'background"}`.'),
        ("S3-22", 6,
         "The side effects are one query embedding and a log of query and result count, with no state change."),
        ("S3-23", 6,
         "Stored embeddings are reused, never regenerated at search time, and the metadata filter runs before the "
         "vector search."),
    ),
    "context: read_file": (
        ("S3-24", 6, "`path` is a required string, min 1, with description `File path relative to project root`."),
        ("S3-25", 6,
         "`includeDeps` is a boolean, default false, with description `Include level 1 dependencies (imports)`."),
        ("S3-26", 6, "`maxDepth` is an integer 0-1, default 1, with description `Dependency tree depth (MVP: max 1)`."),
        ("S3-27", 6,
         "The result is `file {path, content, size, lines, language}`, `dependencies [{path,type,level}]` and "
         "`metadata {module, role, lastModified}`."),
        ("S3-28", 6,
         "`file.path` is relative to the project root, `size` is in bytes, `lines` is the line count and `language` "
         "is e.g. `typescript`."),
        ("S3-29", 6,
         'A dependency item has `path` (resolved, relative to the root), `type` = `"import"` and `level` = 1.'),
        ("S3-30", 6, "`includeDeps:false` gives the file content only, no dependencies."),
        ("S3-31", 6, "`includeDeps:true, maxDepth:1` gives the file content plus level-1 imports with their content."),
        ("S3-32", 6,
         "`metadata.lastModified` is ISO 8601 UTC, and `module` and `role` (e.g. `core`) come from the project model."),
        ("S3-33", 6, 'A file that is not found is an isError result `{"error":"File not found","path":"<path>"}`.'),
        ("S3-34", 6,
         'An import parse failure is an isError result `{"error":"Failed to parse '
         'imports","path":"<path>","details":"Syntax error at line N"}`.'),
        ("S3-35", 6, '`.env` is an isError result `{"error":"Permission denied","path":".env"}`.'),
        ("S3-36", 6,
         "The access is recorded in the context items table: access count +1 and the last-accessed timestamp updated."),
        ("S3-37", 6, "The context scorer is triggered asynchronously, and the answer does not wait for it."),
        ("S3-38", 6, "`.env`, `.git/*` and `node_modules/*` are never readable."),
        ("S3-39", 6, "The size limit is 1 MB per file."),
        ("S3-40", 6, "Parsing of imports (AST) is cached."),
    ),
    "context: grep_codebase": (
        ("S3-41", 6,
         "`pattern` is a required string of 1-200 characters with description `Regex pattern to search for`."),
        ("S3-42", 6,
         '`filePattern` is an optional string with description `Glob pattern to filter files (e.g., "**/*.ts")`.'),
        ("S3-43", 6, "`caseSensitive` is a boolean, default false, with description `Case-sensitive search`."),
        ("S3-44", 6,
         "`limit` is an integer 1-100, default 50, with description `Maximum number of matches to return`."),
        ("S3-45", 6,
         "The result has `matches`, `pattern` (echo), `totalMatches`, `filesSearched` and `searchTime` "
         "(milliseconds)."),
        ("S3-46", 6, "A match has `file`, `line`, `column`, `text` and `context {before: string[], after: string[]}`."),
        ("S3-47", 6, "`line` is 1-based, and `text` is the full matching line without newline."),
        ("S3-48", 6, "There are at most `limit` matches."),
        ("S3-49", 6, "`filePattern` restricts the search to matching files, e.g. `src/server/**/*.ts`."),
        ("S3-50", 6, "The default search ignores case, and `caseSensitive:true` does not."),
        ("S3-51", 6,
         'An invalid regex is an isError result `{"error":"Invalid regex pattern","pattern":"[invalid("}`.'),
        ("S3-52", 6,
         'No match is not an error but `{"matches":[],"totalMatches":0,"message":"No matches found for pattern '
         "'nonexistent'\"}`, without isError."),
        ("S3-53", 6, "The search uses ripgrep and respects .gitignore."),
        ("S3-54", 6,
         "`node_modules/`, `.git/`, `dist/`, `build/`, `.next/` and `.context/` are always excluded, also when not "
         "gitignored."),
        ("S3-55", 6, "The side effect is a log of pattern and result count, with no state change."),
    ),
    "context: path rules, validation, rate limits": (
        ("S3-56", 6, "A path starting with `/` has the error text `Absolute paths not allowed`."),
        ("S3-57", 6, "A path containing `../` has the error text `Path traversal not allowed`."),
        ("S3-58", 6,
         "A path containing the substring `.env`, `.env.local`, `.git` or `node_modules` has the error text `Access "
         "to sensitive paths denied`."),
        ("S3-59", 6, "The three checks run in the order absolute, traversal, sensitive."),
        ("S3-60", 6, "`../../../etc/passwd` answers isError true."),
        ("S3-61", 6,
         'A schema violation is an isError result `{"error":"Invalid parameters","details":[...]}` with `details` '
         "the list of issues."),
        ("S3-62", 6,
         "The rate limits per tool per minute are context_search 30, read_file 100 and grep_codebase 60, so call 31, "
         "101 or 61 inside the minute fails."),
        ("S3-63", None,
         'A call over its rate limit has the text `Rate limit exceeded for <toolName>`, as JSON `{"error": '
         '<message>, "tool": <name>}`.'),
        ("S3-64", None, "The rate-limit counters are in memory, per tool, and cleared every 60 s."),
    ),
    "context: performance, logging, tests": (
        ("S3-65", 6, "`context_search` has a target under 2 s and a maximum of 5 s, including the query embedding."),
        ("S3-66", 6,
         "`read_file` has a target under 100 ms and a maximum of 500 ms without dependencies, and under 500 ms and 2 "
         "s with them."),
        ("S3-67", 6, "`grep_codebase` has a target under 1 s and a maximum of 3 s on a 500-file project."),
        ("S3-68", None, "The execution time of every call is logged, with an alert in the log when above the maximum."),
        ("S3-69", None,
         "Before a call the log says `Tool called` with tool, params, sessionId and timestamp; after it `Tool "
         "completed` with tool, success, duration and resultSize, the length of `content[0].text`."),
        ("S3-70", None, "A failure is logged as `Tool execution failed` with name and error."),
        ("S3-71", None,
         "The metrics hold call counts per tool, success and failure rates, execution times p50/p95/p99, error types "
         "and frequencies, and rate-limit hits."),
        ("S3-72", 6,
         "The specification's six test cases pass verbatim: relevant results contain `results`, query `ab` isError, "
         "file content defined, traversal isError, matches > 0 for `function`, totalMatches 0 for "
         "`xyznonexistent123`."),
        ("S3-73", 6,
         "Not offered: write_file, run_command, refactor_code, generate_test, explain_code, tool chaining, streaming."),
        ("S3-74", 6,
         "Unit tests (parameter validation, error handling, result formatting) and integration tests (full MCP call "
         "cycle, database, mocked embedding API) exist."),
    ),
}
