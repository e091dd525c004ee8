"""The guide's tools: names, descriptions and schemas; the first call imports what they do."""

from fieldguide.discoveries import SCHEMA
from fieldguide.spine.contract import Effects, Pace, Tool
from fieldguide.spine.dialect import Dialect, tell_plainly
from fieldguide.spine.schemas import closed_object
from fieldguide.toolset import Services, Toolset, cached, late
from fieldguide.toolsets.guide.brief.tool import tool as brief_tool
from fieldguide.toolsets.guide.finding.tool import tool as finding_tool
from fieldguide.toolsets.guide.governing.tool import tool as governs_tool
from fieldguide.toolsets.guide.opening.tool import tool as open_tool
from fieldguide.toolsets.guide.symbol.tool import tool as symbol_tool
from fieldguide.toolsets.guide.tracing.tool import tool as trace_tool

CALLS = "fieldguide.toolsets.guide.calls"
PROMPTS = "fieldguide.toolsets.guide.prompts"
ROUTES = {
    "guide_brief": "start a task with guide_brief",
    "guide_search": "ask a question with guide_search",
    "guide_open": "read what a citation names with guide_open",
    "guide_governs": "before an edit ask guide_governs for the path",
    "guide_symbol": "ask who uses a name with guide_symbol",
    "guide_trace": "ask guide_trace why code is here",
    "guide_record": "keep what the next one should know with guide_record",
}


def toolset(services: Services) -> Toolset:
    """The guide toolset over everything that is known of a project."""
    given = cached(late("fieldguide.toolsets.guide.given:Given"))
    symbols = cached(late("fieldguide.toolsets.guide.symbol.calls:symbols_of", services))
    return Toolset(
        name="guide",
        dialect=Dialect(tell_plainly),
        schema=SCHEMA,
        about="and a place for what you find out",
        routes=ROUTES,
        prompts=late(f"{PROMPTS}.book:prompts", services),
        complete=late(f"{PROMPTS}.completion:completed", services),
        tools=(
            brief_tool(services, given, symbols),
            open_tool(services, given, symbols),
            governs_tool(services, symbols),
            finding_tool(services),
            symbol_tool(services, symbols),
            trace_tool(services),
            Tool(
                name="guide_record",
                title="Record",
                description="Keep something worth knowing about this project, with evidence.",
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
                run=late(f"{CALLS}:record", services),
                effects=Effects(writes=True),
                pace=Pace(calls_per_minute=60),
            ),
        ),
    )
