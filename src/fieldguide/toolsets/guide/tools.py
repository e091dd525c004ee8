"""Declares the guide tools with their names, descriptions, schemas and budgets."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from fieldguide.spine.schemas import closed_object, integer_schema, text_schema
from fieldguide.spine.tool import Call, Effects, Pace, Tool, Wording, import_late
from fieldguide.spine.toolset import Dialect, Services, Toolset, make_cached, tell_plainly
from fieldguide.storage.database import FINDINGS_SCHEMA
from fieldguide.text.errors import InvalidArguments

if TYPE_CHECKING:
    from fieldguide.code.symbols.lookup import Symbols

LEAST = 200
MOST = 50_000
ASKED = ("task", "citation", "path", "question", "from", "to")


def check_question(arguments: Mapping[str, Any]) -> None:
    """Refuse a blank question, and a budget that no answer can keep or no model can read."""
    for name, value in arguments.items():
        if name in ASKED and isinstance(value, str) and not value.strip():
            raise InvalidArguments(f"The {name} is blank.")
    given = arguments.get("budget")
    if isinstance(given, int) and not LEAST <= given <= MOST:
        raise InvalidArguments(f"The budget must be from {LEAST} to {MOST:,} tokens.", budget=given)


BRIEF_BUDGET = 2_000
GOVERNS_BUDGET = 2_500
OPEN_BUDGET = 4_000
SYMBOL_BUDGET = 2_000
FLOW_BUDGET = 1_500
SEARCH_LIMIT = 10
MOST_HITS = 50
LONGEST_QUERY = 2_000


def make_text_tools(services: Services, symbols: "Callable[[], Symbols]") -> tuple[Tool, ...]:
    """The tools over everything that is known of a project and can be cited."""
    brief = closed_object(
        "task",
        task=text_schema(),
        budget=integer_schema(description="Leave out for a short map"),
    )
    opened = closed_object(
        "citation",
        citation=text_schema(description="path#L3-L9 or symbol:Name, one a line"),
        around={"type": "string", "enum": ["section", "symbol"]},
        form={"type": "string", "enum": ["outline"]},
        budget=integer_schema(),
    )
    governed = closed_object(
        "path", path=text_schema(description="File, folder, citation or diff"), budget=integer_schema()
    )
    searched = closed_object(
        query=text_schema(maxLength=LONGEST_QUERY),
        pattern=text_schema(description="Regex"),
        path=text_schema(),
        kinds={"type": "array", "items": text_schema()},
        limit=integer_schema(minimum=1, maximum=MOST_HITS),
    )
    return (
        _make_tool(
            "brief",
            "Start a task here: files, definitions and tests to change, every line with what it quotes.",
            brief,
            import_late("fieldguide.toolsets.guide.brief:brief", services, symbols),
        ),
        _make_tool(
            "open",
            "Read several definitions or lines at once; what became of a citation.",
            opened,
            import_late("fieldguide.toolsets.guide.open:open_citation", services, symbols),
        )._replace(pace=Pace(calls_per_minute=240), reads_index=False),
        _make_tool(
            "governs",
            "Before an edit: rules, decisions, tests and owners of a path, what changes with it.",
            governed,
            import_late("fieldguide.toolsets.guide.governs:governs", services, symbols),
        ),
        _make_tool(
            "search",
            "Search, or sweep a pattern in place of rg: every line by definition.",
            searched,
            import_late("fieldguide.toolsets.guide.search:search", services, symbols),
        )._replace(wording=Wording(is_whole=True, text_says_more=True)),
    )


def make_link_tools(services: Services, symbols: "Callable[[], Symbols]") -> tuple[Tool, ...]:
    """The tools over what the code defines and calls."""
    defined = closed_object(
        "name",
        name=text_schema(description="Name or Class.method"),
        path=text_schema(),
        budget=integer_schema(),
    )
    followed = closed_object(
        question=text_schema(maxLength=LONGEST_QUERY),
        **{"from": text_schema(), "to": text_schema()},
        budget=integer_schema(),
    )
    return (
        _make_tool(
            "symbol",
            "Where a name is defined; who calls, imports, overrides and tests it.",
            defined,
            import_late("fieldguide.toolsets.guide.symbol:tell_symbol", services, symbols),
        )._replace(pace=Pace(timeout_seconds=30.0, calls_per_minute=240)),
        _make_tool(
            "flow",
            "How something works: a call tree, or the path between two symbols.",
            followed,
            import_late("fieldguide.toolsets.guide.flow:flow", services, symbols),
        ),
    )


def _make_tool(name: str, description: str, schema: Mapping[str, Any], run: Callable[[Call], Any]) -> Tool:
    return Tool(
        name=f"guide_{name}",
        title=name.capitalize(),
        description=description,
        input_schema=schema,
        run=run,
        wording=Wording(check_first=check_question, is_whole=True, text_says_more=True),
        pace=Pace(timeout_seconds=30.0, calls_per_minute=120),
        reads_index=True,
    )


RECORD_CALLS = "fieldguide.toolsets.guide.items"
PROMPTS = "fieldguide.toolsets.guide.prompts"
RELATIONS = "fieldguide.toolsets.guide.relations"
ROUTES = {
    "guide_brief": "call guide_brief before any search: files and lines to change",
    "guide_search": 'in place of rg over files call guide_search {"pattern": "Name|other"}: each line by definition, '
    "a third of the text",
    "guide_open": "read many ranges with guide_open",
    "guide_governs": "before an edit ask guide_governs",
    "guide_symbol": "a name's uses: guide_symbol",
    "guide_flow": "how something works: guide_flow",
    "guide_record": "keep findings with guide_record",
}
FRONT = tuple(f"guide_{name}" for name in ("brief", "open", "governs", "search", "symbol", "flow", "record"))


def toolset(services: Services) -> Toolset:
    """The guide toolset over everything that is known of a project."""
    symbols = make_cached(import_late("fieldguide.toolsets.guide.symbol:open_symbols", services))
    return Toolset(
        name="guide",
        dialect=Dialect(tell_plainly),
        schema=FINDINGS_SCHEMA,
        front=FRONT,
        routes=ROUTES,
        prompts=import_late(f"{PROMPTS}:make_prompts", services),
        shows={
            "definitions": import_late(f"{RELATIONS}:find_definitions", symbols),
            "entries": import_late(f"{RELATIONS}:list_entries", symbols),
            "outline": import_late(f"{RELATIONS}:list_outline", symbols),
            "calls": import_late(f"{RELATIONS}:list_calls", symbols),
            "imports": import_late(f"{RELATIONS}:find_imports", services),
            "map": import_late("fieldguide.toolsets.guide.governs:map_folder", services),
            "commits": import_late(f"{RELATIONS}:list_commits", services),
        },
        tools=(
            *make_text_tools(services, symbols),
            *make_link_tools(services, symbols),
            Tool(
                name="guide_record",
                title="Record",
                description="Keep a finding, with evidence.",
                input_schema=closed_object(
                    "type",
                    "content",
                    type={"type": "string", "enum": ["pattern", "rule", "decision", "issue"]},
                    content={"type": "string", "minLength": 1, "maxLength": 4000},
                    module={"type": "string", "maxLength": 200},
                    evidence={
                        "type": "object",
                        "properties": {
                            "files": {"type": "array", "items": {"type": "string"}, "maxItems": 50},
                            "commit": {"type": "string", "maxLength": 100},
                        },
                        "additionalProperties": False,
                    },
                ),
                run=import_late(f"{RECORD_CALLS}:record", services),
                effects=Effects(writes=True),
                pace=Pace(calls_per_minute=60),
            ),
        ),
    )
