"""A toolset in a package of its own: install it beside Fieldguide, and its tool is served."""

from typing import Any

from fieldguide.spine.tool import Call, Tool
from fieldguide.spine.toolset import Services, Toolset
from fieldguide.text.errors import InvalidArguments

GREETINGS = {"en": "Hello", "fr": "Bonjour", "sw": "Habari"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "description": "Whom to greet", "minLength": 1, "maxLength": 100},
        "language": {"type": "string", "description": "en, fr or sw (default: en)"},
    },
    "required": ["name"],
}


def greet(call: Call) -> dict[str, Any]:
    """Greet somebody; an unknown language is refused with a sentence that names the known ones."""
    language = call.arguments.get("language", "en")
    if language not in GREETINGS:
        raise InvalidArguments(f"No greeting in {language!r}; there are {', '.join(GREETINGS)}.", language=language)
    return {"greeting": f"{GREETINGS[language]}, {call.arguments['name']}!"}


def toolset(services: Services) -> Toolset:
    """What the entry point names: the toolset for one served project."""
    tool = Tool(name="hello", title="Greet", description="Greet somebody by name", input_schema=SCHEMA, run=greet)
    return Toolset(name="hello", tools=(tool,))
