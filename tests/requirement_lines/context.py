"""The lines of the project context specification."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "context: surface and descriptors": (
        ("S3-1", None,
         "There are three tools, in this order in the specification's list: `context_search`, `read_file`, "
         "`grep_codebase`."),
        ("S3-2", None,
         "The `tools/list` descriptions are `Search project context semantically using RAG. Returns relevant "
         "discoveries, patterns, rules, and past decisions.`, `Read file content with optional dependency tree. "
         "Tracks access for context scoring.` and `Fast text search across codebase using regex. Good for exact "
         "matches and when semantic search unavailable.`."),
        ("S3-3", None,
         "The `inputSchema` is the JSON Schema of the Zod schemas: `additionalProperties:false`, defaults present, "
         "only the mandatory field in `required`."),
        ("S3-4", None,
         'Every success is `{"content":[{"type":"text","text": JSON}]}` with the JSON pretty-printed with 2 spaces.'),
        ("S3-5", None, "Errors are results with `isError: true`, never JSON-RPC errors."),
        ("S3-6", None,
         'An unknown tool is an isError result with text `{"error":"Unknown tool: <name>","tool":"<name>"}`.'),
        ("S3-7", None, 'Any thrown error is an isError result with text JSON `{"error": <message>, "tool": <name>}`.'),
    ),
    "context: context_search": (
        ("S3-8", None,
         "`query` is a required string of 3 to 500 characters with description `Search query describing what to "
         "find`."),
        ("S3-9", None,
         "`type` is an enum `all|pattern|rule|decision|issue`, default `all`, with description `Filter by discovery "
         "type`."),
        ("S3-10", None, "`module` is an optional string with description `Filter by module name`."),
        ("S3-11", None,
         "`limit` is an integer 1-20, default 5, with description `Maximum number of results to return`."),
        ("S3-12", None,
         "The result object has `results` (array), `query` (echo), `totalFound` (integer) and `searchTime` "
         "(milliseconds, number)."),
        ("S3-13", None,
         "A result item has `id`, `type`, `content`, `module`, `session`, `date` (ISO 8601 with Z), `score` (0-1) "
         'and `source` (e.g. `"discovery"`).'),
        ("S3-14", None, "Items are ranked by similarity, best first, at most `limit`."),
        ("S3-15", None,
         "A `type` other than `all` returns only that type, `module` returns only that module, and both combine."),
        ("S3-16", None, "Results cover discoveries, sessions and code snippets."),
        ("S3-17", None,
         'A query of 1-2 characters is an isError result `{"error":"Query must be at least 3 characters"}`.'),
        ("S3-18", None,
         'With no embeddings at all the answer is an isError result `{"error":"No embeddings found. Run initial '
         'session to generate context.","fallback":"Use grep_codebase for text search"}`.'),
        ("S3-19", None,
         'An embedding failure is an isError result `{"error":"Failed to generate query '
         'embedding","details":"<reason>"}`.'),
        ("S3-20", None,
         'A search runtime failure is an isError result `{"error":"Search failed","message":<msg>,"fallback":"Try '
         'using grep_codebase for text search"}`.'),
        ("S3-21", None,
         'With embeddings not ready the answer is an isError result `{"error":"No embeddings '
         'available","suggestion":"Use grep_codebase for text search","action":"Embeddings will be generated in '
         'background"}`.'),
        ("S3-22", None,
         "The side effects are one query embedding and a log of query and result count, with no state change."),
        ("S3-23", None,
         "Stored embeddings are reused, never regenerated at search time, and the metadata filter runs before the "
         "vector search."),
    ),
    "context: read_file": (
        ("S3-24", None, "`path` is a required string, min 1, with description `File path relative to project root`."),
        ("S3-25", None,
         "`includeDeps` is a boolean, default false, with description `Include level 1 dependencies (imports)`."),
        ("S3-26", None,
         "`maxDepth` is an integer 0-1, default 1, with description `Dependency tree depth (MVP: max 1)`."),
        ("S3-27", None,
         "The result is `file {path, content, size, lines, language}`, `dependencies [{path,type,level}]` and "
         "`metadata {module, role, lastModified}`."),
        ("S3-28", None,
         "`file.path` is relative to the project root, `size` is in bytes, `lines` is the line count and `language` "
         "is e.g. `typescript`."),
        ("S3-29", None,
         'A dependency item has `path` (resolved, relative to the root), `type` = `"import"` and `level` = 1.'),
        ("S3-30", None, "`includeDeps:false` gives the file content only, no dependencies."),
        ("S3-31", None,
         "`includeDeps:true, maxDepth:1` gives the file content plus level-1 imports with their content."),
        ("S3-32", None,
         "`metadata.lastModified` is ISO 8601 UTC, and `module` and `role` (e.g. `core`) come from the project model."),
        ("S3-33", None, 'A file that is not found is an isError result `{"error":"File not found","path":"<path>"}`.'),
        ("S3-34", None,
         'An import parse failure is an isError result `{"error":"Failed to parse '
         'imports","path":"<path>","details":"Syntax error at line N"}`.'),
        ("S3-35", None, '`.env` is an isError result `{"error":"Permission denied","path":".env"}`.'),
        ("S3-36", None,
         "The access is recorded in the context items table: access count +1 and the last-accessed timestamp updated."),
        ("S3-37", None, "The context scorer is triggered asynchronously, and the answer does not wait for it."),
        ("S3-38", None, "`.env`, `.git/*` and `node_modules/*` are never readable."),
        ("S3-39", None, "The size limit is 1 MB per file."),
        ("S3-40", None, "Parsing of imports (AST) is cached."),
    ),
    "context: grep_codebase": (
        ("S3-41", None,
         "`pattern` is a required string of 1-200 characters with description `Regex pattern to search for`."),
        ("S3-42", None,
         '`filePattern` is an optional string with description `Glob pattern to filter files (e.g., "**/*.ts")`.'),
        ("S3-43", None, "`caseSensitive` is a boolean, default false, with description `Case-sensitive search`."),
        ("S3-44", None,
         "`limit` is an integer 1-100, default 50, with description `Maximum number of matches to return`."),
        ("S3-45", None,
         "The result has `matches`, `pattern` (echo), `totalMatches`, `filesSearched` and `searchTime` "
         "(milliseconds)."),
        ("S3-46", None,
         "A match has `file`, `line`, `column`, `text` and `context {before: string[], after: string[]}`."),
        ("S3-47", None, "`line` is 1-based, and `text` is the full matching line without newline."),
        ("S3-48", None, "There are at most `limit` matches."),
        ("S3-49", None, "`filePattern` restricts the search to matching files, e.g. `src/server/**/*.ts`."),
        ("S3-50", None, "The default search ignores case, and `caseSensitive:true` does not."),
        ("S3-51", None,
         'An invalid regex is an isError result `{"error":"Invalid regex pattern","pattern":"[invalid("}`.'),
        ("S3-52", None,
         'No match is not an error but `{"matches":[],"totalMatches":0,"message":"No matches found for pattern '
         "'nonexistent'\"}`, without isError."),
        ("S3-53", None, "The search uses ripgrep and respects .gitignore."),
        ("S3-54", None,
         "`node_modules/`, `.git/`, `dist/`, `build/`, `.next/` and `.context/` are always excluded, also when not "
         "gitignored."),
        ("S3-55", None, "The side effect is a log of pattern and result count, with no state change."),
    ),
    "context: path rules, validation, rate limits": (
        ("S3-56", None, "A path starting with `/` has the error text `Absolute paths not allowed`."),
        ("S3-57", None, "A path containing `../` has the error text `Path traversal not allowed`."),
        ("S3-58", None,
         "A path with the segment `.env`, `.env.local`, `.git` or `node_modules` has `Access to sensitive paths "
         "denied` in its error; by segments and not by substrings on purpose (D-24), so that `.gitignore` is "
         "readable."),
        ("S3-59", None, "The three checks run in the order absolute, traversal, sensitive."),
        ("S3-60", None, "`../../../etc/passwd` answers isError true."),
        ("S3-61", None,
         'A schema violation is an isError result `{"error":"Invalid parameters","details":[...]}` with `details` '
         "the list of issues."),
        ("S3-62", None,
         "The rate limits per tool per minute are context_search 30, read_file 100 and grep_codebase 60, so call 31, "
         "101 or 61 inside the minute fails."),
        ("S3-63", None,
         'A call over its rate limit has the text `Rate limit exceeded for <toolName>`, as JSON `{"error": '
         '<message>, "tool": <name>}`.'),
        ("S3-64", None,
         "The rate-limit counters are in memory, per tool (and per user), for a minute that slides instead of being "
         "cleared every 60 s: twice the limit can't pass across the boundary."),
    ),
    "context: performance, logging, tests": (
        ("S3-65", None,
         "`context_search` has a target under 2 s and a maximum of 5 s, including the query embedding; the journal "
         "alerts above the maximum, and the benchmarks measure."),
        ("S3-66", None,
         "`read_file` has a target under 100 ms and a maximum of 500 ms without dependencies, and under 500 ms and 2 "
         "s with them; the journal alerts above the maximum, and the benchmarks measure."),
        ("S3-67", None,
         "`grep_codebase` has a target under 1 s and a maximum of 3 s on a 500-file project; the journal alerts above "
         "the maximum, and the benchmarks measure."),
        ("S3-68", None, "The execution time of every call is logged, with an alert in the log when above the maximum."),
        ("S3-69", None,
         "Before a call the log says `Tool called` with tool, params, sessionId and timestamp; after it `Tool "
         "completed` with tool, success, duration and resultSize, the length of `content[0].text`."),
        ("S3-70", None, "A failure is logged as `Tool execution failed` with name and error."),
        ("S3-71", None,
         "The metrics hold call counts per tool, success and failure rates, execution times p50/p95/p99, error types "
         "and frequencies, and rate-limit hits."),
        ("S3-72", None,
         "The specification's six test cases pass verbatim: relevant results contain `results`, query `ab` isError, "
         "file content defined, traversal isError, matches > 0 for `function`, totalMatches 0 for "
         "`xyznonexistent123`."),
        ("S3-73", None,
         "Not offered: write_file, run_command, refactor_code, generate_test, explain_code, tool chaining, streaming."),
        ("S3-74", None,
         "Unit tests (parameter validation, error handling, result formatting) and integration tests (full MCP call "
         "cycle, database, mocked embedding API) exist."),
    ),
}
