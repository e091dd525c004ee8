"""The lines of the architecture specification."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "architecture: protocol surface": (
        ("S0-1", None,
         'The `tools/list` result is `{"tools":[...]}`, and every item carries `name`, `inputSchema` and '
         "`description`, the last omitted only when empty."),
        ("S0-2", None,
         "The toolset has three tools: `validate-against-pattern`, `search-architecture` and `check-adr-alignment`."),
        ("S0-3", None,
         'The params of `tools/call` are `{"name": string, "arguments"?: object}`, and `arguments` may be absent.'),
        ("S0-4", None,
         'A successful `tools/call` result is `{"content":[{"type":...,"text":...}]}`, where `type` is `text`, '
         "`resource` or `image` and an empty `text` is omitted."),
        ("S0-5", None,
         "The `initialize` capabilities contain `tools` beside `resources` and `prompts`, and `tools.listChanged` is "
         "a boolean, omitted or false when not supported."),
        ("S0-6", None, "The transport is JSON-RPC 2.0 over stdio."),
        ("S0-7", None, "The full flow `initialize`, `tools/list`, `tools/call` works for each listed tool."),
        ("S0-8", None,
         "Resources (read-only documents) and prompts (guided workflows) keep working with tools enabled."),
    ),
    "architecture: registry, manager, executor": (
        ("S0-9", None,
         "A tool offers `Name() string`, `Description() string`, `InputSchema() map` and `Execute(ctx, arguments) "
         "(result, error)`."),
        ("S0-10", None,
         "The manager offers a constructor, `RegisterTool(tool)`, `GetTool(name)`, `ListTools()`, `ExecuteTool(ctx, "
         "name, arguments)` and `GetPerformanceMetrics()`."),
        ("S0-11", None,
         "Registering a second tool under an existing name is an error, and the first stays registered."),
        ("S0-12", None,
         "A tool's name, description and schema are validated on registration, and an invalid schema has its own "
         "code `ErrCodeInvalidToolSchema = -32004`."),
        ("S0-13", None, "`ListTools` is sorted and has the same order on every call."),
        ("S0-14", None,
         "The executor offers a constructor, `ValidateArguments(tool, args)`, `Execute(ctx, tool, args)`, "
         "`sanitizeArguments(args)` and `ExecuteWithContext(ctx, tool, args, workflowCtx)`."),
        ("S0-15", None,
         "Arguments are validated against the tool's own schema before the tool runs: required fields, types, "
         "`maxLength`, `enum`, `minimum` and `maximum`."),
        ("S0-16", None,
         "The registry is safe under concurrent register, list and call; several tools can run at the same time, "
         "each run with its own context and timeout."),
        ("S0-17", None,
         "The statistics hold `TotalInvocations`, `FailedInvocations`, `InvocationsByName`, `TotalExecutionTimeMs`, "
         "`ExecutionTimeByName` and `TimeoutCount`, as integers or maps from name to integer."),
        ("S0-18", None,
         "A successful call raises `TotalInvocations` and `InvocationsByName[name]` by 1 and adds its milliseconds "
         "to both time counters; a failing call also raises `FailedInvocations`, and a timeout raises `TimeoutCount`."),
        ("S0-19", None,
         "Tool definitions are held in memory: `tools/list` and `tools/call` do no file I/O for definitions."),
        ("S0-20", None, "All tools share the one document cache, and no tool keeps its own copy of documents."),
        ("S0-21", None,
         "Tools are registered at startup and their dependencies initialised on first use, with heavy work such as "
         "the search index deferred until needed."),
        ("S0-22", None,
         "Built-in tools are registered explicitly in one initialisation function, so that a new tool is a new file, "
         "one registration line and tests, with no change to the protocol handlers or the manager."),
        ("S0-23", None, "Tools are static, loaded at startup; no hot reload of tools is required."),
        ("S0-24", None, "Dependencies such as the document cache reach a tool through its constructor."),
        ("S0-25", None, "Every tool invocation is logged."),
    ),
    "architecture: validate-against-pattern": (
        ("S0-26", None,
         "The input `code` is a required string with description `Code to validate` and `maxLength` 50000."),
        ("S0-27", None,
         "The input `pattern_name` is a required string with description `Name of pattern to validate against (e.g., "
         "'repository-pattern')`."),
        ("S0-28", None,
         "The input `language` is a string with description `Programming language (optional)` and is not required."),
        ("S0-29", None, '`required` is exactly `["code","pattern_name"]` and the schema `type` is `object`.'),
        ("S0-30", None,
         "The output object has exactly the keys `compliant` (boolean), `pattern` (string), `violations` (array) and "
         "`suggestions` (array of string), with more keys only by decision."),
        ("S0-31", None,
         'Each violation has `rule` (string), `description` (string) and `severity`, which is `"error"` or '
         '`"warning"`.'),
        ("S0-32", None,
         "The pattern document comes from the document cache, its rules are parsed from it, and the code structure "
         "is checked against them."),
        ("S0-33", None, "An unknown `pattern_name` gives an error, not a result."),
        ("S0-34", None,
         "Code that breaks a documented rule yields at least one violation, `compliant=false` and generated "
         "suggestions."),
        ("S0-35", None, "Code that follows the pattern yields `compliant=true` and `violations: []`."),
        ("S0-36", None, "Code that cannot be parsed does not crash the tool."),
    ),
    "architecture: search-architecture": (
        ("S0-37", None, "The input `query` is a required string with description `Search query` and `maxLength` 500."),
        ("S0-38", None,
         'The input `resource_type` is a string with enum exactly `["guidelines","patterns","adr","all"]` and '
         "description `Filter by resource type (default: all)`."),
        ("S0-39", None,
         "The input `max_results` is an integer, minimum 1, maximum 20, with description `Maximum results to return "
         "(default: 10)`."),
        ("S0-40", None, '`required` is exactly `["query"]`.'),
        ("S0-41", None,
         "The default of `resource_type` is `all` and of `max_results` is 10, stated in the descriptions and not as "
         "JSON Schema `default`."),
        ("S0-42", None, "The output has `results` (array) and `total_matches` (integer)."),
        ("S0-43", None,
         "Each result has the strings `uri`, `title`, `resource_type` and `excerpt`, and the float `relevance_score`."),
        ("S0-44", None,
         "Query and content are tokenised and scored by TF-IDF or keyword matching, and only the top N results are "
         "returned, in descending relevance."),
        ("S0-45", None, "With a `resource_type` other than `all`, only documents of that type are returned."),
        ("S0-46", None, "There are never more than 20 results (`MaxSearchResults = 20`)."),
    ),
    "architecture: check-adr-alignment": (
        ("S0-47", None,
         "The input `decision_description` is a required string with description `Description of the proposed "
         "decision` and `maxLength` 5000."),
        ("S0-48", None,
         "The input `decision_context` is a string with description `Context or problem being addressed (optional)` "
         "and `maxLength` 2000."),
        ("S0-49", None, '`required` is exactly `["decision_description"]`.'),
        ("S0-50", None,
         "The output keys are `related_adrs` (array), `conflicts` (array) and `suggestions` (array of string)."),
        ("S0-51", None,
         "Each related ADR has the strings `uri`, `title`, `adr_id`, `status` and `reason`, and `alignment`, which "
         'is `"supports"`, `"conflicts"` or `"related"`.'),
        ("S0-52", None, "Each conflict has the strings `adr_uri` and `conflict_description`."),
        ("S0-53", None,
         "Keywords are extracted from the description, the ADR documents are searched, and ADR status and decision "
         "text are analysed."),
        ("S0-54", None,
         'A decision opposing an ADR appears in `related_adrs` with `alignment:"conflicts"` and in `conflicts`, a '
         "fitting one as `supports`, a touching one as `related`."),
    ),
    "architecture: prompts and tools": (
        ("S0-55", None,
         "Prompt templates may contain `{{tool:tool-name}}`, and `prompts/get` returns the text with every such "
         "reference expanded."),
        ("S0-56", None,
         "`{{tool:validate-against-pattern}}` expands to exactly six lines: `Tool: validate-against-pattern`, "
         "`Description: Validates code against documented architectural patterns`, `Parameters:`, `  - code "
         "(required): Code to validate (max 50000 chars)`, `  - pattern_name (required): Name of pattern to validate "
         "against`, `  - language (optional): Programming language`."),
        ("S0-57", None,
         "A reference to a tool that is not registered is an error of the renderer: `EmbedTools` returns an error."),
        ("S0-58", None,
         "A prompt `guided-pattern-validation` exists with description `Guided workflow for validating code against "
         "patterns`, argument `code` (`Code to validate`, required true) and one `user` text message that begins with "
         "`I'll help you validate this code against our patterns.`, holds `{{tool:validate-against-pattern}}` and the "
         "sentence `You can use the validate-against-pattern tool with your code to check compliance.`"),
        ("S0-59", None,
         "The prompt definition JSON has the keys `name`, `description`, `arguments[{name,description,required}]` "
         "and `messages[{role,content:{type,text}}]`."),
        ("S0-82", None, "The existing prompts are updated to reference tools."),
    ),
    "architecture: workflow context": (
        ("S0-60", None,
         "`WorkflowContext` has the fields `SessionID` (string), `PromptName` (string), `PromptArgs` (map), "
         "`ToolResults` (map) and `CreatedAt` (time)."),
        ("S0-61", None,
         "Within one workflow session a tool can read the prompt's arguments and the results of earlier tools."),
        ("S0-62", None,
         "The workflow context belongs to its session and is not persisted: after a restart it is gone."),
    ),
    "architecture: errors": (
        ("S0-63", None,
         "The codes are ToolNotFound `-32001`, ToolExecutionFailed `-32002`, ToolTimeout `-32003` and "
         "InvalidToolSchema `-32004`."),
        ("S0-64", None, "A validation error is JSON-RPC error `-32602` with details."),
        ("S0-65", None, "An unknown tool is JSON-RPC error `-32001`."),
        ("S0-66", None, "An execution error is JSON-RPC error `-32002` with a sanitised message: no paths, no stack."),
        ("S0-67", None, "A timeout is JSON-RPC error `-32003`."),
        ("S0-68", None, "An internal error is JSON-RPC error `-32603` with a generic message."),
        ("S0-69", None,
         "A tool error object carries the tool name: `ToolError.ToolName`, `WithToolContext(toolName, arguments)`."),
        ("S0-70", None,
         "Each tool call runs inside a circuit breaker named `tool_<toolName>`, created on first use with the "
         "default configuration."),
    ),
    "architecture: security and limits": (
        ("S0-71", None,
         "A resource path that is not under `mcp/resources/` after cleaning is refused with `-32602` `Path must be "
         "within mcp/resources/ directory`."),
        ("S0-72", None,
         "A path containing `..` is refused with `-32602` `Path traversal not allowed` after the prefix check, so "
         "`mcp/resources/a/../b` gives this text and `../x` gives `Path must be within mcp/resources/ directory`."),
        ("S0-73", None, "A `pattern_name` holding `../` cannot read outside `mcp/resources/`."),
        ("S0-74", None,
         "The constants are `MaxCodeLength` 50000, `MaxQueryLength` 500, `MaxDescriptionLength` 5000 and "
         "`MaxSearchResults` 20."),
        ("S0-75", None,
         "Length limits hold at the boundary: 50000, 500, 5000 and 2000 characters are accepted, one more is "
         "rejected with `-32602`."),
        ("S0-76", None,
         "`DefaultToolTimeout` of 10 s applies to every tool run, and `MaxToolTimeout` of 30 s is the ceiling of any "
         "configured timeout."),
        ("S0-77", None,
         "A logged string argument longer than 100 characters becomes `<first 100 chars>... [N chars]` with N the "
         "full length; shorter strings and non-strings are logged as they are."),
        ("S0-78", None, "There is no rate limit on tool invocations."),
        ("S0-79", None,
         "Tools are versioned with the server, and a breaking schema change requires a server version bump."),
    ),
    "architecture: demanded tests": (
        ("S0-80", None,
         "Unit tests exist for the manager (registration, duplicate, listing and sorting, metrics), the executor "
         "(validation, timeout, error conversion, sanitising), each of the three tools, and the handlers (list "
         "format, valid and invalid call, errors)."),
        ("S0-81", None,
         "Integration tests cover list then call, real cache data, prompt-tool scenarios and error propagation; "
         "benchmarks cover execution overhead, validation performance and concurrent invocations."),
    ),
}
