"""Who is calling: the identity that a transport or a setting binds decides, never the argument."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from fieldguide.errors import AccessDenied
from fieldguide.spine.contract import Call, Tool


class Identity(NamedTuple):
    """The user that the server is bound to, or None where callers are trusted to say who they are."""

    bound_user: str | None = None

    def resolve(self, call: Call, tool: Tool) -> Call:
        """The call with its user: filled in where it is bound and left out, refused where it claims another."""
        user = call.user or self.bound_user
        name = tool.user_argument
        if name is None:
            return call if call.user == user else call._replace(user=user)
        claimed = call.arguments.get(name)
        if user is None:
            return call._replace(user=claimed if isinstance(claimed, str) else None)
        if name in call.arguments and claimed != user:
            raise AccessDenied("Access denied")
        return call._replace(user=user, arguments={**call.arguments, name: user})

    def shown_schema(self, tool: Tool, user: str | None) -> Mapping[str, Any]:
        """A tool's schema as this caller sees it: an identity that is bound is not asked for."""
        name = tool.user_argument
        if name is None or (user or self.bound_user) is None:
            return tool.input_schema
        properties = {key: value for key, value in tool.input_schema["properties"].items() if key != name}
        required = [key for key in tool.input_schema.get("required", []) if key != name]
        return {**tool.input_schema, "properties": properties, "required": required}
